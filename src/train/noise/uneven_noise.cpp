#include "uneven_noise.hpp"

#include <fmt/format.h>

#include "core/kernel_keys.hpp"
#include "data/changed_rows.hpp"
#include "left_out_noise.hpp"
#include "train/plan/minibatch_plan.hpp"
#include "train/plan/resolved_recipe.hpp"

namespace alacarte {
namespace {

constexpr Index kReadRows = 4096;

struct LeftOutRow {
  Vector mean, variance;    // (scored) distribution of observations, of the transformed target
  std::vector<Index> rows;  // empty: all
};

/// A mean, and how well it predicts the rows that it left out.
struct Round {
  FittedModel model;
  double density;
  std::optional<Prediction> prediction;
  std::vector<Index> rows;  // empty: all
  Index round;
};

class UnevenNoise {
 public:
  UnevenNoise(const Recipe& recipe, const Schema& schema, std::shared_ptr<RowSource> training,
              const FitOptions& options, const FitFunction& fit)
      : recipe_(recipe), schema_(schema), training_(std::move(training)), options_(options), fit_(fit) {
    refuse();
    mean_recipe_ = recipe;
    mean_recipe_.noise.varies = false;
    mean_recipe_.noise.rounds = NoiseConfig{}.rounds;
    const auto fits = static_cast<double>(2 * recipe.noise.rounds + 1);
    mean_recipe_.training.seconds = seconds_of_each(recipe.training.seconds, options.seconds_before, fits);
    mean_recipe_.flops = recipe.flops / fits;
    for (Recipe& member : mean_recipe_.members) member.noise.varies = false;
    noise_recipe_ = mean_recipe_;
    mean_recipe_.noise.shape = NoiseDistribution::gaussian;
    noise_recipe_.noise = {};
    noise_recipe_.noise.shape = NoiseDistribution::gaussian;
    noise_recipe_.data.weights = "";
    noise_recipe_.scale_target = TargetScaling::zscore;
    forget_amplitudes(noise_recipe_);
    for (Recipe& member : noise_recipe_.members) member.noise = {};
  }

  FittedModel run() {
    // A round that predicts left-out rows worse than one before is discarded: if the noise of some rows is nearly zero,
    // their weights may let the mean give up the others, whose residuals are then taken for noise.
    Round last{fit_mean({}, options_.start_from, options_.start_name), left_out_density(), prediction_, left_out_.rows,
               0};
    const std::optional<StartRecord> started = last.model.training.started_from;
    std::optional<Round> best;  // empty: the last round
    for (Index round = 0; round < recipe_.noise.rounds && !interrupted(); ++round) {
      auto noise = std::make_shared<FittedModel>(fit_noise());
      if (interrupted()) break;  // the last mean is complete
      const Vector factors = (-log_factors(*noise)).array().exp();
      FittedModel mean = fit_mean(factors, &last.model, "the round before");
      mean.noise_model = std::move(noise);
      Round next{std::move(mean), left_out_density(), prediction_, left_out_.rows, round + 1};
      const double most = best ? best->density : last.density;
      if (next.density >= most)
        best.reset();
      else if (!best)
        best = std::move(last);
      last = std::move(next);
    }
    if (best) {
      tell_kept(*best);
      last = std::move(*best);
    }
    FittedModel& mean = last.model;
    mean.training.started_from = started;
    mean.recipe.noise.varies = mean.noise_model != nullptr;
    if (mean.noise_model) mean.recipe.noise.rounds = recipe_.noise.rounds;
    mean.recipe.training.seconds = recipe_.training.seconds;
    mean.recipe.flops = recipe_.flops;
    if (options_.on_left_out && last.prediction) options_.on_left_out(*last.prediction, last.rows);
    return std::move(mean);
  }

 private:
  void refuse() const {
    if (recipe_.noise.shape == NoiseDistribution::mixture)
      throw ConfigError("/noise/shape", "'mixture' with noise that varies is learned by rows left out: take rounds 0");
    if (training_->is_distributed())
      throw ConfigError("/noise/varies",
                        "with rounds above 0 needs all rows in one process; take rounds 0, or run it without mpirun");
    if (uses_minibatches(recipe_) || std::any_of(recipe_.members.begin(), recipe_.members.end(), uses_minibatches))
      throw ConfigError("/noise/varies", "of a network that is trained on minibatches is learned once: take rounds 0");
    if (schema_.knows_noise())
      throw ConfigError("/noise/varies", "the noise of each row is known (data.noise_sd); leave out one of them");
    if (!options_.checkpoint_path.empty())
      throw ConfigError("--checkpoint", "a training whose noise varies keeps none; leave it out");
    if (options_.repeat != nullptr)
      throw ConfigError("--repeat", "a training whose noise varies is trained anew, with its recipe and seed");
  }
  /// Returns the weighted log density of the targets that the last fit left out; NaN tells nothing and counts as
  /// lowest.
  double left_out_density() const {
    Vector targets(left_out_.mean.size()), weights = Vector::Ones(targets.size());
    RowScratch scratch;
    for (Index i = 0; i < targets.size(); ++i) {
      const RowBlock row = training_->read(scored_row(i), 1, scratch);
      targets[i] = row.y[0];
      if (row.weights.size() > 0) weights[i] = row.weights[0];
    }
    const double mean = prediction_->distribution().log_density(targets).dot(weights) / weights.sum();
    return std::isnan(mean) ? -std::numeric_limits<double>::infinity() : mean;
  }
  Index scored_row(Index i) const { return left_out_.rows.empty() ? i : left_out_.rows[static_cast<std::size_t>(i)]; }
  void tell_kept(const Round& best) const {
    if (options_.observer == nullptr) return;
    options_.observer->on_message(
        best.round == 0
            ? "noise: of one size; with noise that varies left-out rows are predicted worse"
            : fmt::format("noise: that of round {} is kept; later ones predict left-out rows worse", best.round));
  }
  bool interrupted() const { return options_.interrupt != nullptr && options_.interrupt->load(); }

  FittedModel fit_mean(const Vector& factors, const FittedModel* start, const std::string& name) {
    FitOptions options = options_;
    options.seconds_before = 0;
    options.start_from = start;
    options.start_name = name;
    prediction_.reset();
    options.on_left_out = [this](const Prediction& prediction, const std::vector<Index>& rows) {
      prediction_ = prediction;
      const PredictiveDistribution transformed = prediction.distribution().of_transformed();
      left_out_ = {transformed.mean(), transformed.variance(), rows};
    };
    // The factors express how certain a row is, not how much it counts in a score.
    FittedModel model = fit_(mean_recipe_, schema_, with_factors(training_, factors), options, training_.get());
    if (!prediction_)
      throw ConfigError("/noise/varies", "model '" + model.recipe.model + "' has no leave-one-out predictions");
    factors_ = factors;
    return model;
  }

  /// Fits the noise: a squared residual over its variance (noise and function) multiplies the row's noise, so leverage
  /// and uncertainty of the function are no noise: log e^2 / var - E log chi^2 + log of the noise before.
  FittedModel fit_noise() {
    const Index count = left_out_.mean.size();
    Vector logs(count);
    RowScratch scratch;
    for (Index i = 0; i < count; ++i) {
      const Index row = scored_row(i);
      const double target = prediction_->distribution().transform().forward(training_->read(row, 1, scratch).y[0]);
      const double residual = target - left_out_.mean[i];
      logs[i] = log_noise_target(residual, left_out_.variance[i]);
      if (factors_.size() > 0) logs[i] -= std::log(factors_[row]);
    }
    FitOptions options = options_;
    options.seconds_before = 0;
    options.start_from = nullptr;
    options.on_left_out = nullptr;
    if (!left_out_.rows.empty()) options.columns = options.columns.of_rows(left_out_.rows);
    return fit_(noise_recipe_, schema_, with_targets(*training_, left_out_.rows, logs), options, nullptr);
  }

  /// Returns the logarithms (n) of the noise variances' factors.
  Vector log_factors(const FittedModel& noise) const {
    PredictOptions options;
    options.variance = false;
    options.threads = options_.threads;
    Vector logs(training_->rows());
    RowScratch scratch;
    for (Index first = 0; first < logs.size(); first += kReadRows) {
      const Index count = std::min(kReadRows, logs.size() - first);
      const RowBlock block = training_->read(first, count, scratch);
      logs.segment(first, count) = noise.predict(block.x, options).distribution().mean();
    }
    return logs.cwiseMax(-30.0).cwiseMin(30.0);
  }

  const Recipe& recipe_;
  const Schema& schema_;
  const std::shared_ptr<RowSource> training_;
  const FitOptions& options_;
  const FitFunction& fit_;
  Recipe mean_recipe_, noise_recipe_;
  Vector factors_;  // on the weights in the last fit of the mean; empty: ones
  LeftOutRow left_out_;
  std::optional<Prediction> prediction_;
};

}  // namespace

FittedModel fit_uneven_noise(const Recipe& recipe, const Schema& schema, std::shared_ptr<RowSource> training,
                             const FitOptions& options, const FitFunction& fit) {
  const Recipe complete = apply_likelihood_defaults(recipe);
  // "auto" learns the noise from left-out rows if there are many, and its networks take no weights.
  if (const NoiseConfig noise = planned_recipe(complete, *training, schema.class_count(), {}, options).noise;
      noise.varies && noise.rounds == 0) {
    Recipe of_one_size = complete;
    of_one_size.noise.varies = false;
    of_one_size.noise.rounds = NoiseConfig{}.rounds;
    return fit(of_one_size, schema, std::move(training), options, nullptr);
  }
  return UnevenNoise(complete, schema, std::move(training), options, fit).run();
}

}  // namespace alacarte
