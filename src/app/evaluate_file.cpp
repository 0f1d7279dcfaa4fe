#include "alacarte/app/evaluate_file.hpp"

#include <chrono>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/data/table.hpp"
#include "alacarte/model/likelihood.hpp"

namespace alacarte {
namespace {

constexpr Index kScoredRows = 4096;  // at a time

/// Calls body(prediction, target) for chunks of the selected rows; returns the seconds that predict(rows) took.
template <class Predict, class Body>
double for_labelled(const FittedModel& model, const std::string& path, const std::vector<bool>& selected,
                    const Job& job, const Predict& predict, const Body& body) {
  DatasetStream stream(path, model.schema, true);
  Dataset chunk;
  double seconds = 0;
  bool any = false;
  while (stream.next(chunk, kScoredRows)) {
    job.stop_if_interrupted();
    std::vector<Index> kept;
    for (Index i = 0; i < chunk.rows(); ++i) {
      const auto source = static_cast<std::size_t>(chunk.source_rows[static_cast<std::size_t>(i)]);
      if (selected.empty() || selected[source]) kept.push_back(i);
    }
    if (kept.empty()) continue;
    any = true;
    const auto start = std::chrono::steady_clock::now();
    const Dataset rows = chunk.select_rows(kept);
    const auto prediction = predict(rows);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    body(prediction, rows.target);
  }
  if (!any) throw DataError(path, "no row to score");
  return seconds;
}

/// Variances are 1 where the model has none, so that it can be scored.
PredictiveDistribution predict_noisy(const FittedModel& model, const Dataset& rows, PredictOptions options) {
  options.variance = model.has_variance();
  PredictiveDistribution p = model.predict(rows.view(), options);
  if (options.variance) return p;
  return {p.component_means(), Matrix::Ones(p.rows(), p.component_count()), true};
}

nlohmann::json json_of(const Metrics& metrics, const FittedModel& model) {
  nlohmann::json json = to_json(metrics, model.standardizer.target_scale());
  if (model.has_variance()) return json;
  for (const char* key : {"nlpd", "nlpd_median", "crps", "coverage"}) json[key] = nullptr;
  for (const char* key : {"nlpd", "crps"}) json["standardised"][key] = nullptr;
  return json;
}
nlohmann::json json_of(const ClassMetrics& metrics, const FittedModel& model) {
  return to_json(metrics, model.schema.classes());
}
nlohmann::json json_of(const CountMetrics& metrics, const FittedModel&) { return metrics; }

}  // namespace

Scores evaluate_file(const FittedModel& model, const std::string& path, const std::vector<bool>& selected,
                     const Job& job) {
  PredictOptions options;
  options.threads = job.threads;
  const auto scored = [&](auto sums, const auto& predict) -> Scores {
    const double seconds =
        for_labelled(model, path, selected, job, predict,
                     [&](const auto& prediction, const Vector& target) { sums.add(prediction, target); });
    return {sums.result(), seconds};
  };
  if (model.has_classes()) {
    ClassScoreSums sums(model.schema.class_count(), gives_probabilities(model.recipe));
    return scored(sums, [&](const Dataset& rows) { return model.predict_classes(rows, options).values; });
  }
  if (model.has_counts()) {
    if (!model.has_variance())
      throw ConfigError(path, "the model was saved with --mean-only; its counts have no scores");
    return scored(CountScoreSums(), [&](const Dataset& rows) { return model.predict_counts(rows.view(), options); });
  }
  return scored(ScoreSums(), [&](const Dataset& rows) { return predict_noisy(model, rows, options); });
}

nlohmann::json to_json(const Scores& scores, const FittedModel& model) {
  nlohmann::json json = std::visit([&](const auto& metrics) { return json_of(metrics, model); }, scores.metrics);
  json["seconds"] = scores.seconds;
  return json;
}

PredictiveDistribution LabelledRows::distribution() const {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto table = [&](const std::vector<double>& values) {
    return Matrix(Eigen::Map<const RowMajor>(values.data(), rows(), components));
  };
  return {table(means), table(variances), true};
}

LabelledRows predict_labelled(const FittedModel& model, const std::string& path, const Job& job) {
  PredictOptions options;
  options.threads = job.threads;
  LabelledRows result;
  const auto keep = [&](const PredictiveDistribution& p, const Vector& target) {
    result.components = p.component_count();
    for (Index i = 0; i < p.rows(); ++i) {
      for (Index j = 0; j < p.component_count(); ++j) {
        result.means.push_back(p.component_means()(i, j));
        result.variances.push_back(p.component_variances()(i, j));
      }
      result.target.push_back(target[i]);
    }
  };
  for_labelled(
      model, path, {}, job, [&](const Dataset& rows) { return predict_noisy(model, rows, options); }, keep);
  return result;
}

}  // namespace alacarte
