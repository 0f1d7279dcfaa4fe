#include "start.hpp"

#include "classifier_plan.hpp"

namespace alacarte {

bool takes_sparse_rows(const Recipe& recipe) {
  DataConfig plain;
  plain.labels = recipe.data.labels;
  if (recipe.scale_inputs != Scaling::none || recipe.data != plain || recipe.model == "auto") return false;
  // Decided on maps with few inputs, since it is a property of the constructed map.
  const std::vector<FitJob> jobs = make_jobs(recipe, sparse_training_statistics(1, 2, 2), 0);
  return std::all_of(jobs.begin(), jobs.end(), [](const FitJob& job) {
    return job.prior.map() && lengthscale_slots(job.prior.parameters()).empty() &&
           job.prior.map()->sparse_support().inputs;
  });
}

void require_features(const Recipe& recipe) {
  if (!recipe.members.empty())
    throw ConfigError("/model", "a mixture has the features of each of its members; name one");
  if (recipe.model == "auto")
    throw ConfigError("/model", "'auto' is a mixture that follows from the rows; name a model");
  if (find_feature_map(recipe.model) == nullptr)
    throw ConfigError("/model", "'" + recipe.model + "' is an exact kernel and has no features");
}

StartedMap start_map(const Recipe& recipe, TrainingStatistics statistics, std::uint64_t seed) {
  require_features(recipe);
  set_start_sd(recipe, statistics);
  const FitJob job = make_jobs(recipe, statistics, seed).front();
  return {job.prior.map(), initial_parameters(job, statistics)};
}

bool starts_on_sparse_rows(const Recipe& recipe) {
  require_features(recipe);
  const bool target_known = target_kind(recipe) == TargetKind::classes || has_unit_variance(recipe.scale_target);
  return target_known && takes_sparse_rows(recipe);
}

}  // namespace alacarte
