#include "alacarte/train/start.hpp"

#include "alacarte/core/error.hpp"
#include "train/fit_classifier.hpp"
#include "train/fit_jobs.hpp"

namespace alacarte {

StartedMap start_map(const Recipe& recipe, const EncodedRows& rows, std::uint64_t seed) {
  if (!recipe.members.empty())
    throw ConfigError("/model", "a mixture has the features of each of its members; name one");
  const PreparedRows prepared = prepare_rows(recipe, rows, seed);
  const FitJob job = make_jobs(recipe, prepared.rows.view, seed).front();
  if (!job.map) throw ConfigError("/model", "'" + recipe.model + "' is an exact kernel and has no features");
  return {job.map, job_start(job, prepared.rows.view), prepared.standardizer};
}

}  // namespace alacarte
