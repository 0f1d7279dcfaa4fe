#include "labelled_rows.hpp"

#include <chrono>

#include "alacarte/core/error.hpp"
#include "alacarte/data/table.hpp"
#include "alacarte/model/likelihood.hpp"
#include "signals.hpp"

namespace alacarte::cli {
namespace {

constexpr Index kLabelledChunkRows = 4096;

/// Variances are 1 where the model has none, so that it can be scored.
PredictiveDistribution predict_noisy(const FittedModel& model, const Matrix& inputs, int threads) {
  PredictOptions options;
  options.threads = threads;
  options.variance = model.has_variance();
  PredictiveDistribution p = model.predict(inputs, options);
  if (options.variance) return p;
  return {p.component_means(), Matrix::Ones(p.rows(), p.component_count()), true};
}

}  // namespace

PredictiveDistribution LabelledRows::distribution() const {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto table = [&](const std::vector<double>& values) {
    return Matrix(Eigen::Map<const RowMajor>(values.data(), rows(), components));
  };
  return {table(means), table(variances), true};
}

namespace {

/// predict(inputs) is timed, body(what it gave, target) is not.
template <class Predict, class Body>
double for_labelled(const FittedModel& model, const std::string& path, const std::vector<bool>& selected,
                    const Predict& predict, const Body& body) {
  DatasetStream stream(path, model.schema, true);
  Dataset chunk;
  double seconds = 0;
  bool any = false;
  while (stream.next(chunk, kLabelledChunkRows)) {
    stop_if_interrupted();
    std::vector<Index> kept;
    for (Index i = 0; i < chunk.rows(); ++i) {
      const auto source = static_cast<std::size_t>(chunk.source_rows[static_cast<std::size_t>(i)]);
      if (selected.empty() || selected[source]) kept.push_back(i);
    }
    if (kept.empty()) continue;
    any = true;
    const auto start = std::chrono::steady_clock::now();
    const Dataset rows = chunk.only(kept);
    const auto p = predict(rows);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    body(p, rows.target);
  }
  if (!any) throw DataError(path, "no row to score");
  return seconds;
}

}  // namespace

double predict_labelled(const FittedModel& model, const std::string& path, const std::vector<bool>& selected,
                        int threads, const std::function<void(const PredictiveDistribution&, const Vector&)>& body) {
  return for_labelled(
      model, path, selected, [&](const Dataset& rows) { return predict_noisy(model, rows.inputs, threads); }, body);
}

ClassScores score_classes(const FittedModel& model, const std::string& path, const std::vector<bool>& selected,
                          int threads) {
  PredictOptions options;
  options.threads = threads;
  ClassScoreSums sums(model.schema.class_count(), gives_probabilities(model.recipe));
  const double seconds = for_labelled(
      model, path, selected, [&](const Dataset& rows) { return model.predict_classes(rows, options); },
      [&](const ClassPrediction& p, const Vector& target) { sums.add(p.values, target); });
  return {sums.result(), seconds};
}

double predict_labelled_counts(const FittedModel& model, const std::string& path, const std::vector<bool>& selected,
                               int threads, const std::function<void(const CountDistribution&, const Vector&)>& body) {
  PredictOptions options;
  options.threads = threads;
  return for_labelled(
      model, path, selected, [&](const Dataset& rows) { return model.predict_counts(rows.inputs, options); }, body);
}

LabelledRows keep_labelled(const FittedModel& model, const std::string& path, int threads) {
  LabelledRows result;
  predict_labelled(model, path, {}, threads, [&](const PredictiveDistribution& p, const Vector& target) {
    result.components = p.component_count();
    for (Index i = 0; i < p.rows(); ++i) {
      for (Index j = 0; j < p.component_count(); ++j) {
        result.means.push_back(p.component_means()(i, j));
        result.variances.push_back(p.component_variances()(i, j));
      }
      result.target.push_back(target[i]);
    }
  });
  return result;
}

}  // namespace alacarte::cli
