#include "left_out_noise.hpp"

#include <fmt/format.h>
#include <boost/math/tools/minima.hpp>

#include "data/changed_rows.hpp"
#include "data/column_splits.hpp"
#include "model/noise_mixture.hpp"
#include "optimise/fit_context.hpp"
#include "train/plan/noise_plan.hpp"

namespace alacarte {
namespace {

// Mean of the logarithm of chi-squared with one degree of freedom.
constexpr double kLogChiSquared = -1.2703628454614782;
constexpr double kMinResidual = 1e-4;  // smallest squared residual over its variance
constexpr Index kMinNoiseRows = 100;
constexpr double kMaxExponent = 2, kExponentStep = 0.25;
constexpr double kScaleReach = 3;  // search range of the log scale around the mean squared residual
constexpr int kScaleBits = 14;
constexpr std::uintmax_t kScaleSteps = 100;
constexpr double kClippedShare = 0.005;  // share of rows at either end whose factors are clipped

double to_real(Index value) { return static_cast<double>(value); }

/// The law of the noise: the factor of its variance is exp(exponent g + log_scale).
struct NoiseLaw {
  double exponent = 0, log_scale = 0;
  double log_density = 0;  // mean over the left-out rows
};

class NoiseLearner {
 public:
  NoiseLearner(LeftOutNoise left_out, Index most, const FitOptions& options, FittedModel& model, const FitFunction& fit)
      : left_out_(std::move(left_out)),
        given_(left_out_.prediction.distribution()),
        most_(most),
        options_(options),
        model_(model),
        fit_(fit),
        function_(given_.component_variances()),
        noise_(member_noise_variances(model)) {
    function_.rowwise() -= noise_.transpose();
    function_ = function_.cwiseMax(0.0);
  }

  LeftOutFactors run() {
    std::string reason;
    try {
      std::optional<FittedModel> noise = learn(reason);
      if (noise && keep(std::move(*noise))) return {Prediction{with_factors(logs_)}, logs_.array().exp()};
      if (noise) reason = "no gain";
    } catch (const Error& error) {  // keep the fits if the noise model fails
      reason = error.what();
    }
    keep_one_size(model_, rows_, reason);
    say(fmt::format("noise: of one size ({})", reason));
    return {left_out_.prediction, Vector::Ones(given_.rows())};
  }

 private:
  bool interrupted() const { return options_.interrupt != nullptr && options_.interrupt->load(); }
  void say(const std::string& text) const {
    if (options_.observer != nullptr) options_.observer->on_message(text);
  }
  const Vector& targets() const { return left_out_.rows->y(); }

  std::string why_none() const {
    if (given_.rows() < kMinNoiseRows) return "too few rows";
    return rows_ < kMinNoiseRows ? "no time for it" : "no gain";
  }

  /// Returns the model of all rows and sets g_, or returns nothing and says why. If ranks train the fits, each does
  /// this by itself, on the same rows.
  std::optional<FittedModel> learn(std::string& reason) {
    std::optional<FittedModel> noise;
    try {
      const FitContext::Alone alone;
      noise = cross_fit();
    } catch (const Error& error) {
      reason = error.what();
    }
    const bool was_interrupted = FitContext::any(interrupted());
    if (!FitContext::any(!noise || was_interrupted)) return noise;
    if (reason.empty()) reason = was_interrupted ? "interrupted" : why_none();
    return std::nullopt;
  }

  /// Predicts each fold by the others, and new rows by all of them. Returns nothing if nothing is learned.
  std::optional<FittedModel> cross_fit() {
    const Index n = given_.rows();
    rows_ = std::min(most_, n);
    if (rows_ < kMinNoiseRows || interrupted()) return std::nullopt;
    RandomStream stream = RandomStreams(options_.seed).stream("left_out_noise.rows");
    const std::vector<Index> drawn = draw_rows(stream, n, rows_);
    std::vector<bool> is_drawn(static_cast<std::size_t>(n), false);
    for (const Index i : drawn) is_drawn[static_cast<std::size_t>(i)] = true;
    std::vector<Index> rest;
    for (Index i = 0; i < n; ++i)
      if (!is_drawn[static_cast<std::size_t>(i)]) rest.push_back(i);
    const PredictiveDistribution transformed = given_.of_transformed();
    const Vector mean = transformed.mean(), variance = transformed.variance();
    const Vector residuals = given_.transform().forward(targets()) - mean;
    squares_ = residuals.cwiseAbs2().cwiseQuotient(variance);
    if (!squares_.allFinite()) return std::nullopt;
    log_targets_.resize(n);
    for (Index i = 0; i < n; ++i) log_targets_[i] = log_noise_target(residuals[i], variance[i]);
    g_.resize(n);
    const std::vector<Index> fold_of = folds_of_rows(drawn);
    for (Index fold = 0; fold <= *std::max_element(fold_of.begin(), fold_of.end()); ++fold) {
      std::vector<Index> own, others;
      for (std::size_t i = 0; i < drawn.size(); ++i) (fold_of[i] == fold ? own : others).push_back(drawn[i]);
      predict(fit_on(others), own);
    }
    FittedModel whole = fit_on(drawn);
    predict(whole, rest);
    if (interrupted() || !g_.allFinite()) return std::nullopt;
    return whole;
  }

  /// Returns the fold of each drawn row.
  std::vector<Index> folds_of_rows(const std::vector<Index>& drawn) const {
    Index folds = left_out_noise_folds(rows_);
    std::vector<Index> groups, fold_of;
    for (Index i = 0; i < rows_; ++i) fold_of.push_back(i % folds);
    for (const Index i : left_out_.groups.empty() ? groups : drawn)
      groups.push_back(left_out_.groups[static_cast<std::size_t>(i)]);
    if (folds = std::min(folds, count_groups(groups)); folds < 2) return fold_of;
    for (Index fold = 0; fold < folds; ++fold) {
      const std::vector<bool> test = group_fold(groups, folds, fold, options_.seed);
      for (std::size_t i = 0; i < test.size(); ++i)
        if (test[i]) fold_of[i] = fold;
    }
    return fold_of;
  }

  FittedModel fit_on(const std::vector<Index>& which) const {
    FitOptions options;
    options.seed = options_.seed;
    options.threads = options_.threads;
    options.interrupt = options_.interrupt;
    options.memory_bytes = options_.memory_bytes;
    return fit_(left_out_noise_recipe(model_.recipe, rows_), model_.schema,
                with_targets(*left_out_.rows, which, log_targets_(which)), options, nullptr);
  }

  void predict(const FittedModel& noise, const std::vector<Index>& which) {
    if (which.empty()) return;
    PredictOptions means;
    means.variance = false;
    means.threads = options_.threads;
    const auto rows = gather_rows(*left_out_.rows, which);
    g_(which) = noise.predict(rows->x(), means).distribution().mean();
  }

  PredictiveDistribution with_factors(const Vector& logs) const {
    const Vector factors = logs.array().exp();
    return {given_.component_means(), function_ + factors * noise_.transpose(), true, given_.weights(),
            given_.transform()};
  }

  /// Returns the scale under which the left-out targets are most probable, given the exponent.
  NoiseLaw best_scale(double exponent) const {
    const double middle = std::log((squares_.array() * (-exponent * g_.array()).exp()).mean());
    const auto loss = [&](double log_scale) {
      const Vector logs = (exponent * g_.array() + log_scale).cwiseMax(-30.0).cwiseMin(30.0);
      return -with_factors(logs).log_density(targets()).mean();
    };
    std::uintmax_t steps = kScaleSteps;
    const auto [log_scale, least] =
        boost::math::tools::brent_find_minima(loss, middle - kScaleReach, middle + kScaleReach, kScaleBits, steps);
    return {exponent, log_scale, -least};
  }

  bool keep(FittedModel whole) {
    const NoiseLaw constant = best_scale(0);
    const double n = to_real(g_.size());
    NoiseLaw best = constant;
    // Above 1 the noise varies more than was learned, and narrow intervals cost most where this is wrong.
    for (double exponent = kExponentStep; exponent <= kMaxExponent; exponent += kExponentStep) {
      const double least = exponent > 1 ? kMinNoiseGain / n : 0;
      if (const NoiseLaw law = best_scale(exponent); law.log_density > best.log_density + least) best = law;
    }
    // Its last digits differ between machines.
    if (!(FitContext::of_first(n * (best.log_density - constant.log_density)) > kMinNoiseGain)) return false;
    // Rows that the parameters have seen flatter the noise, whatever its shape.
    const double before = given_.log_density(targets()).mean();
    if (!left_out_.held_out) best.log_scale -= constant.log_scale;
    logs_ = best.exponent * g_.array() + best.log_scale;
    Vector sorted = logs_;
    std::sort(sorted.begin(), sorted.end());
    const auto at = [&](double share) { return sorted[static_cast<Index>(share * (n - 1))]; };
    const double low = at(kClippedShare), high = at(1 - kClippedShare);
    logs_ = logs_.cwiseMax(low).cwiseMin(high);
    if (!given_.transform().is_identity()) {
      const auto error = [&](const PredictiveDistribution& law) { return (law.mean() - targets()).squaredNorm(); };
      if (!(FitContext::of_first(error(with_factors(logs_))) <= kMaxNoiseErrorRatio * error(given_))) return false;
    }
    Standardizer& standardizer = whole.standardizer;
    standardizer.set_target(best.exponent * standardizer.target_shift() + best.log_scale,
                            best.exponent * standardizer.target_scale());
    model_.log_noise_range = {low, high};
    model_.noise_model = std::make_shared<FittedModel>(std::move(whole));
    const double after = with_factors(logs_).log_density(targets()).mean();
    model_.training.noise = NoiseRecord{.rows = rows_,
                                        .varies = true,
                                        .exponent = best.exponent,
                                        .log_scale = best.log_scale,
                                        .log_density = after,
                                        .log_density_of_one_size = before};
    say(fmt::format(
        "noise: varies with the inputs, by factors of {:.2g} to {:.2g} for 90 % of the rows; log density of "
        "{} rows left out {:.4g}, with noise of one size {:.4g}",
        std::exp(at(0.05)), std::exp(at(0.95)), g_.size(), after, before));
    return true;
  }

  const LeftOutNoise left_out_;
  const PredictiveDistribution& given_;
  const Index most_;
  const FitOptions& options_;
  FittedModel& model_;
  const FitFunction& fit_;
  Matrix function_;  // (rows, J) variances of f
  Vector noise_;     // (J)
  Vector squares_;   // of the left-out residuals, over their variances
  Vector log_targets_;
  Vector g_;
  Vector logs_;  // of the factors of the left-out rows
  Index rows_ = 0;
};

}  // namespace

double log_noise_target(double residual, double variance) {
  return std::log(std::max(residual * residual / variance, kMinResidual)) - kLogChiSquared;
}

void keep_one_size(FittedModel& model, Index rows, const std::string& reason) {
  model.noise_model = nullptr;
  model.log_noise_range = {};
  model.training.noise = NoiseRecord{.rows = rows, .reason = reason};
  model.recipe.noise.varies = false;
  model.recipe.noise.rounds = NoiseConfig{}.rounds;
  model.recipe.noise.rows = NoiseConfig{}.rows;
}

LeftOutFactors learn_left_out_noise(LeftOutNoise left_out, Index most, const FitOptions& options, FittedModel& model,
                                    const FitFunction& fit) {
  return NoiseLearner(std::move(left_out), most, options, model, fit).run();
}

}  // namespace alacarte
