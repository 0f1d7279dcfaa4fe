#include "alacarte/train/start.hpp"

#include <algorithm>

#include "alacarte/core/error.hpp"
#include "alacarte/model/likelihood.hpp"
#include "classifier_search.hpp"

namespace alacarte {

namespace {

StartedMap started(const Recipe& recipe, const TrainingStatistics& statistics, Standardizer standardizer,
                   std::uint64_t seed) {
  const FitJob job = make_jobs(recipe, statistics, seed).front();
  return {job.map, initial_parameters(job, statistics), std::move(standardizer)};
}

}  // namespace

bool takes_sparse_rows(const Recipe& recipe) {
  DataConfig plain;
  plain.labels = recipe.data.labels;
  if (recipe.scale_inputs != Scaling::none || recipe.data != plain) return false;
  // Decided on maps with few inputs, since it is a property of the constructed map.
  const std::vector<FitJob> jobs = make_jobs(recipe, sparse_training_statistics(1, 2, 2), 0);
  return std::all_of(jobs.begin(), jobs.end(), [](const FitJob& job) {
    return job.map && lengthscale_slots(job.map->parameters()).empty() && job.map->sparse_support().inputs;
  });
}

void require_features(const Recipe& recipe) {
  if (!recipe.members.empty())
    throw ConfigError("/model", "a mixture has the features of each of its members; name one");
  if (find_feature_map(recipe.model) == nullptr)
    throw ConfigError("/model", "'" + recipe.model + "' is an exact kernel and has no features");
}

StartedMap start_map(const Recipe& recipe, const EncodedRows& rows, std::uint64_t seed) {
  require_features(recipe);
  const PreparedRows prepared = prepare_rows(recipe, rows, seed);
  return started(recipe, prepared.rows.statistics, prepared.standardizer, seed);
}

bool starts_on_sparse_rows(const Recipe& recipe) {
  require_features(recipe);
  const bool target_known = learns_classes(recipe) || recipe.scale_target == Scaling::zscore;
  return target_known && takes_sparse_rows(recipe);
}

StartedMap start_map(const Recipe& recipe, const SparseSurvey& rows, std::uint64_t seed) {
  if (!starts_on_sparse_rows(recipe))
    throw ConfigError("/model", "'" + recipe.model + "' with these settings takes no sparse rows");
  const double scaled = recipe.scale_rows.roots ? rows.sum_magnitudes : rows.sum_squares;
  const double squares = recipe.scale_rows.unit ? static_cast<double>(rows.nonempty_rows) : scaled;
  TrainingStatistics statistics =
      sparse_training_statistics(rows.rows, rows.schema.input_count(), squares / static_cast<double>(rows.rows));
  set_start_sd(recipe, statistics);
  return started(recipe, statistics, Standardizer::sparse(rows.schema.input_count(), recipe.scale_rows), seed);
}

}  // namespace alacarte
