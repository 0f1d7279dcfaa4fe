#include "alacarte/app/explain_file.hpp"

#include <fmt/format.h>
#include <numeric>

#include "app/training_rows.hpp"

namespace alacarte {
namespace {

constexpr Index kCornerValues = 5;             // grid points of a numeric input in an interaction
constexpr Index kMinPairs = 2, kOrders = 800;  // minimum order pairs per background row; orders per Shapley value

template <class Items, class Key>
void sort_falling(Items& items, const Key& key) {
  std::stable_sort(items.begin(), items.end(), [&](const auto& a, const auto& b) { return key(a) > key(b); });
}

void add_dependence(const FittedModel& model, ConstMat rows, const ExplainOptions& options, const Job& job,
                    Explanation& explanation) {
  const std::vector<ExplainedInput> inputs = explained_inputs(model.schema);
  const Vector changes = influence(model, rows, options.seed, job.threads);
  std::vector<std::size_t> order(inputs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  sort_falling(order, [&](std::size_t j) { return changes[static_cast<Index>(j)]; });
  const auto first_of = [&](Index count) { return std::min(order.size(), static_cast<std::size_t>(count)); };
  for (std::size_t k = 0; k < first_of(options.inputs); ++k) {
    job.stop_if_interrupted();
    explanation.partial_dependence.push_back(
        partial_dependence(model, rows, inputs[order[k]], options.values, job.threads));
  }
  const std::size_t paired = first_of(std::min(options.inputs, options.interactions));
  for (std::size_t a = 0; a < paired; ++a)
    for (std::size_t b = a + 1; b < paired; ++b) {
      job.stop_if_interrupted();
      explanation.interactions.push_back(
          interaction(model, rows, inputs[order[a]], inputs[order[b]], kCornerValues, job.threads));
    }
  sort_falling(explanation.partial_dependence, [](const PartialDependence& own) { return own.spread; });
  sort_falling(explanation.interactions, [](const Interaction& own) { return own.strength; });
}

void add_importance(const FittedModel& model, const Dataset& rows, const ExplainOptions& options, const Job& job,
                    Explanation& explanation) {
  std::vector<Index> known;
  for (Index i = 0; i < rows.target.size(); ++i)
    if (std::isfinite(rows.target[i])) known.push_back(i);
  if (known.empty()) return;
  job.stop_if_interrupted();
  const Matrix x = rows.inputs(known, Eigen::all);
  const Vector y = rows.target(known);
  const Vector weights = rows.weights.size() > 0 ? model.schema.score_weights(rows.weights(known)) : Vector();
  explanation.importance_rows = x.rows();
  explanation.repeats = options.repeats;
  explanation.importance = permutation_importance(model, x, y, weights, options.repeats, options.seed, job.threads);
}

void add_shapley(const FittedModel& model, const Dataset& rows, ConstMat background, const ExplainOptions& options,
                 const Job& job, Explanation& explanation) {
  if (!options.row) return;
  job.stop_if_interrupted();
  Index at = -1;
  for (Index i = 0; i < rows.rows(); ++i)
    if ((rows.source_rows.empty() ? i : rows.source_rows[static_cast<std::size_t>(i)]) + 1 == *options.row) at = i;
  if (at < 0) throw DataError(options.data_name, fmt::format("has no row {}, or it was dropped", *options.row));
  const Index n = background.rows(), pairs = std::max(kMinPairs, (kOrders / 2 + n - 1) / n);
  explanation.row = *options.row;
  explanation.shapley = shapley_values(model, background, rows.inputs.row(at), pairs, options.seed, job.threads);
}

}  // namespace

Explanation explain(const FittedModel& model, const Dataset& rows, const ExplainOptions& options, const Job& job) {
  if (const std::string why = why_no_explanation(model); !why.empty()) throw ConfigError(options.model_name, why);
  require(options.background >= 1 && options.values >= 2 && options.repeats >= 2 && options.inputs >= 0 &&
              options.interactions >= 0,
          "explain: rows, values, repeats or inputs");
  if (rows.rows() == 0) throw DataError(options.data_name, "has no row to explain by");
  RandomStream stream = RandomStreams(options.seed).stream("background");
  const Matrix background = rows.inputs(draw_rows(stream, rows.rows(), options.background), Eigen::all);
  Explanation explanation{model.schema.target_name(), rows.rows(), background.rows(), model.has_variance()};
  if (const TargetTransform& transform = model.standardizer.transform(); !transform.is_identity())
    explanation.transform = transform.text();
  add_dependence(model, background, options, job, explanation);
  add_importance(model, rows, options, job, explanation);
  add_shapley(model, rows, background, options, job, explanation);
  return explanation;
}

Explanation explain_file(const FittedModel& model, const std::string& path, const ExplainOptions& options,
                         const Job& job) {
  if (const std::string why = why_no_explanation(model); !why.empty()) throw ConfigError(options.model_name, why);
  DatasetStream stream(path, model.schema, false, RowWeights::all);
  Dataset all = read_all_rows(stream, model.schema.input_count(), [&] { job.stop_if_interrupted(); });
  if (all.target.size() == 0) all.target = Vector::Constant(all.rows(), std::nan(""));
  return explain(model, all, options, job);
}

}  // namespace alacarte
