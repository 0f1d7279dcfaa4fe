#include "alacarte/train/start.hpp"

#include "alacarte/core/error.hpp"
#include "alacarte/model/likelihood.hpp"
#include "train/fit_classifier.hpp"
#include "train/fit_jobs.hpp"
#include "train/fit_learner.hpp"

namespace alacarte {

void require_features(const Recipe& recipe) {
  if (!recipe.members.empty())
    throw ConfigError("/model", "a mixture has the features of each of its members; name one");
  if (find_feature_map(recipe.model) == nullptr)
    throw ConfigError("/model", "'" + recipe.model + "' is an exact kernel and has no features");
}

StartedMap start_map(const Recipe& recipe, TrainingStatistics statistics, std::uint64_t seed) {
  require_features(recipe);
  set_start_sd(recipe, statistics);
  const FitJob job = make_jobs(recipe, statistics, seed).front();
  return {job.map, initial_parameters(job, statistics)};
}

bool starts_on_sparse_rows(const Recipe& recipe) {
  require_features(recipe);
  const bool target_known = learns_classes(recipe) || recipe.scale_target == Scaling::zscore;
  return target_known && takes_sparse_rows(recipe);
}

}  // namespace alacarte
