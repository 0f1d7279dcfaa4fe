#include "alacarte/app/evaluate_file.hpp"

#include <fmt/format.h>
#include <chrono>

#include "app/part_files.hpp"
#include "core/pipes.hpp"
#include "data/row_parts.hpp"
#include "optimise/fit_context.hpp"

namespace alacarte {
namespace {

constexpr Index kScoredRows = 4096;  // rows per chunk

/// Throws a DataError for the first target that is no count.
void require_counts(const FittedModel& model, const Dataset& rows, const std::string& path) {
  if (const auto refused = refused_target(likelihood_of(model.recipe), rows.target))
    throw DataError(path, fmt::format("data row {}: the model {}",
                                      rows.source_rows[static_cast<std::size_t>(refused->row)] + 1, refused->why));
}

/// Calls body(prediction, rows) for chunks of the selected rows of a file, the first of which is entry `first` of
/// `selected`; returns the prediction time in seconds.
template <class Body>
double for_labelled(const FittedModel& model, const std::string& path, const std::vector<bool>& selected,
                    std::size_t first, const Job& job, const Body& body) {
  PredictOptions options;
  options.variance = model.has_variance();
  options.threads = job.threads;
  DatasetStream stream(path, model.schema, true);
  Dataset chunk;
  double seconds = 0;
  while (stream.next(chunk, kScoredRows)) {
    job.stop_if_interrupted();
    std::vector<Index> kept;
    for (Index i = 0; i < chunk.rows(); ++i) {
      const auto source = static_cast<std::size_t>(chunk.source_rows[static_cast<std::size_t>(i)]);
      if (selected.empty() || selected[first + source]) kept.push_back(i);
    }
    if (kept.empty()) continue;
    const auto start = std::chrono::steady_clock::now();
    const Dataset rows = chunk.select_rows(kept);
    if (model.target() == TargetKind::counts) require_counts(model, rows, path);
    options.weights = rows.weights;
    options.offsets = rows.offsets;
    const Prediction prediction = model.predict(rows.view(), options);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    body(prediction, rows);
  }
  for (const std::string& remark : stream.remarks()) job.message("the table: " + remark);
  return seconds;
}

/// Sets variances to 1 if the model has none, so that predictions can be scored.
PredictiveDistribution scorable(const Prediction& prediction) {
  const PredictiveDistribution& p = prediction.distribution();
  if (p.with_noise()) return p;
  return {p.component_means(), Matrix::Ones(p.rows(), p.component_count()), true, p.weights()};
}

void add(ScoreSums& sums, const Prediction& p, const Vector& target, const Vector& weights) {
  sums.add(scorable(p), target, weights);
}
void add(ClassScoreSums& sums, const Prediction& p, const Vector& target, const Vector& weights) {
  sums.add(p.classes().values, target, weights);
}
void add(CountScoreSums& sums, const Prediction& p, const Vector& target, const Vector& weights) {
  sums.add(p.counts(), target, weights);
}

std::variant<ScoreSums, ClassScoreSums, CountScoreSums> sums_for(const FittedModel& model, const std::string& path) {
  if (model.target() == TargetKind::numbers) return ScoreSums();
  if (model.target() == TargetKind::classes)
    return ClassScoreSums(model.schema.class_count(), gives_probabilities(model.recipe));
  if (!model.has_variance()) throw ConfigError(path, "the model was saved with --mean-only; its counts have no scores");
  return CountScoreSums();
}

/// Sums over rows of the intervals after conformal calibration.
class IntervalSums {
 public:
  explicit IntervalSums(const FittedModel& model) : model_(model) {
    if (!model.calibration.is_conformal() || !model.has_variance()) return;
    for (const double probability : {0.5, 0.9, 0.95}) {
      try {
        static_cast<void>(model.calibration.factor(probability));
      } catch (const ConfigError&) {
        continue;  // too few rows
      }
      sums_.push_back({probability});
    }
  }
  /// Adds the predictions of the rows with their weights.
  void add(const Prediction& prediction, const Dataset& rows, int threads) {
    const Vector& target = rows.target;
    rows_ += static_cast<double>(target.size());
    if (sums_.empty()) return;
    if (rows.weights.size() == 0 || model_.schema.knows_noise()) return add(prediction, target);
    PredictOptions options;  // intervals are calibrated and written for weight 1
    options.threads = threads;
    options.offsets = rows.offsets;
    add(model_.predict(rows.view(), options), target);
  }
  void add(const Prediction& prediction, const Vector& target) {
    for (Scores::Intervals& own : sums_) {
      const Interval bounds = model_.interval(prediction, own.probability);
      own.coverage += static_cast<double>(
          (target.array() >= bounds.lower.array() && target.array() <= bounds.upper.array()).count());
      own.mean_width += (bounds.upper - bounds.lower).sum();
    }
  }
  void add_over_ranks() {
    FitContext::Sums sums;
    sums.add(rows_);
    for (Scores::Intervals& own : sums_)
      for (double* sum : {&own.coverage, &own.mean_width}) sums.add(*sum);
    sums.run();
  }
  std::vector<Scores::Intervals> result() const {
    std::vector<Scores::Intervals> means = sums_;
    for (Scores::Intervals& own : means) {
      own.coverage /= rows_;
      own.mean_width /= rows_;
    }
    return means;
  }

 private:
  const FittedModel& model_;
  std::vector<Scores::Intervals> sums_;
  double rows_ = 0;
};

}  // namespace

Scores evaluate_file(const FittedModel& model, const std::string& path, const std::vector<bool>& selected,
                     const Job& job) {
  auto all_sums = sums_for(model, path);
  IntervalSums intervals(model);
  return std::visit(
      [&](auto& sums) -> Scores {
        const std::vector<std::string> files = files_of(path);
        std::vector<Index> before(files.size() + 1, 0);
        if (!selected.empty() && files.size() > 1) before = rows_before(files, model.schema);
        double seconds = 0;
        for (std::size_t k = 0; k < files.size(); ++k) {
          if (!has_file(k)) continue;
          seconds += for_labelled(model, files[k], selected, static_cast<std::size_t>(before[k]), job,
                                  [&](const Prediction& prediction, const Dataset& rows) {
                                    add(sums, prediction, rows.target, model.schema.score_weights(rows.weights));
                                    intervals.add(prediction, rows, job.threads);
                                  });
        }
        sums.add_over({FitContext::ranks(), FitContext::own_rank(), FitContext::add_over_ranks});
        intervals.add_over_ranks();
        if (sums.rows() == 0) throw DataError(path, "no row to score");
        return {sums.result(), FitContext::largest(seconds), intervals.result()};
      },
      all_sums);
}

std::vector<Scores> evaluate_targets(const std::vector<FittedModel>& models, const std::string& path,
                                     const std::vector<bool>& selected, const Job& job) {
  if (is_stream(path)) throw ConfigError("--data", "several targets are read one after the other; give a file");
  std::vector<Scores> scores;
  for (const FittedModel& model : models) scores.push_back(evaluate_file(model, path, selected, job));
  return scores;
}

PredictiveDistribution LabelledRows::distribution() const {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto table = [&](const std::vector<double>& values) {
    return Matrix(Eigen::Map<const RowMajor>(values.data(), rows(), components));
  };
  return {table(means), table(variances), true, weights, transform};
}

LabelledRows predict_labelled(const FittedModel& model, const std::string& path, const Job& job) {
  LabelledRows result;
  for_labelled(model, path, {}, 0, job, [&](const Prediction& prediction, const Dataset& rows) {
    const PredictiveDistribution p = scorable(prediction);
    result.components = p.component_count();
    result.weights = p.weights();
    result.transform = p.transform();
    for (Index i = 0; i < p.rows(); ++i) {
      for (Index j = 0; j < p.component_count(); ++j) {
        result.means.push_back(p.component_means()(i, j));
        result.variances.push_back(p.component_variances()(i, j));
      }
      result.target.push_back(rows.target[i]);
    }
  });
  if (result.target.empty()) throw DataError(path, "no row to score");
  return result;
}

}  // namespace alacarte
