#include "classifier_plan.hpp"

namespace alacarte {

namespace {

std::vector<double> ascending(std::vector<double> values, const std::vector<double>& defaults) {
  if (values.empty()) return defaults;
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace

std::vector<double> costs_of(const Recipe& recipe) {
  return ascending(recipe.learner.costs, {1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3});
}

std::vector<double> scales_of(const Recipe& recipe) { return ascending(recipe.learner.scales, {1}); }

bool searches_subsample(const Recipe& recipe, Index rows) {
  return recipe.learner.search == CostSearch::subsample && rows > recipe.learner.search_rows;
}

std::vector<ParameterSlot> lengthscale_slots(const ParameterLayout& layout) {
  constexpr std::string_view kName = "log_lengthscale";
  std::vector<ParameterSlot> slots;
  for (const ParameterSlot& slot : layout.slots())
    if (slot.name.size() >= kName.size() && slot.name.substr(slot.name.size() - kName.size()) == kName)
      slots.push_back(slot);
  return slots;
}

Vector initial_parameters(const FitJob& job, const TrainingStatistics& statistics, double scale) {
  Vector theta = job_start(job, statistics, 0);
  const std::vector<ParameterSlot> slots = lengthscale_slots(job.prior.parameters());
  if (!job.is_classifier() || slots.empty()) return theta;
  if (scale == 0) scale = scales_of(job.recipe).front();
  const double median = statistics.distance_quantile(0.5, Vector::Ones(statistics.input_count()));
  for (const ParameterSlot& slot : slots) theta.segment(slot.offset, slot.size).setConstant(std::log(scale * median));
  return theta;
}

EvaluationPlan plan_classifier(const FitJob& job, const TrainingRows& rows, const FitOptions& options) {
  const LearnerKind kind = job.recipe.learner.kind;
  if (!options.checkpoint_path.empty())
    throw ConfigError("--checkpoint", "learner '" + word(kind) + "' keeps no state to go on from");
  if (job.prior.kernel() && kind == LearnerKind::logistic)
    throw ConfigError("/learner/kind", "logistic regression needs features; '" + job.recipe.model +
                                           "' is an exact kernel (svm takes those)");
  if (!job.recipe.learner.scales.empty() && lengthscale_slots(job.prior.parameters()).empty())
    throw ConfigError("/learner/scales", "model '" + job.recipe.model + "' has no length-scale");
  return make_job_classifier(job, rows, options.threads)->plan(initial_parameters(job, rows.statistics));
}

Index planned_solutions(const FitJob& job, Index rows) {
  auto candidates = static_cast<Index>(scales_of(job.recipe).size() * costs_of(job.recipe).size());
  if (searches_subsample(job.recipe, rows)) candidates = std::min<Index>(candidates, 3);  // a cost and its neighbours
  return candidates > 1 ? candidates * job.recipe.learner.folds + 1 : 1;
}

int folds_abreast(const FitJob& job, int threads) {
  const LearnerConfig& learner = job.recipe.learner;
  return learner.search == CostSearch::subsample ? static_cast<int>(std::clamp<Index>(threads, 1, learner.folds)) : 1;
}

std::unique_ptr<Classifier> make_job_classifier(const FitJob& job, const TrainingRows& rows, int threads) {
  const ClassifierOptions options{.kind = job.recipe.learner.kind,
                                  .labels = &rows.labels,
                                  .classes = static_cast<Index>(rows.classes.size()),
                                  .balanced = job.recipe.learner.class_weights == ClassWeights::balanced,
                                  .threads = threads,
                                  .abreast = folds_abreast(job, threads)};
  return make_classifier(job.prior, rows.source, options);
}

}  // namespace alacarte
