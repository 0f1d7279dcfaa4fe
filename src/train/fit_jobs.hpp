#pragma once
// What a training consists of: rows in standardised units, and one job for each fit.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "alacarte/core/training_statistics.hpp"
#include "alacarte/data/encoded_rows.hpp"
#include "alacarte/inference/inference.hpp"
#include "alacarte/train/fit.hpp"

namespace alacarte {

struct TrainingRows {
  std::shared_ptr<const RowSource> source;
  TrainingStatistics statistics;
  double bytes = 0;              ///< what they take of the memory
  std::vector<Index> classes{};  ///< rows of each class; empty for a target that is a number
};

/// Takes the rows of each of `classes` classes (0: the target is a number); throws ConfigError when the likelihood is
/// of fewer.
void count_classes(const Recipe& recipe, Index classes, TrainingRows& rows);
/// Of a class, f starts at a spread of its own, whatever the numbers of the classes are; other targets keep theirs.
void set_start_sd(const Recipe& recipe, TrainingStatistics& statistics);
/// Throws DataError for rows that no model can use.
void check_training_rows(const Dataset& training);
TrainingRows make_training_rows(std::shared_ptr<const RowSource> source, const RandomStreams& streams);

/// Training rows, what was learned to standardise them, and what is still asked of the raw ones.
struct PreparedRows {
  Standardizer standardizer;
  TrainingRows rows;
  std::function<std::string()> sha256;                            ///< as rows_sha256()
  std::function<Vector(const std::vector<Index>& rows)> targets;  ///< raw; no rows: of all
};
/// Rows that are standardised where they lie.
PreparedRows prepare_rows(const Recipe& recipe, Dataset training, std::uint64_t seed);
/// Rows that are read and standardised again for every pass; `training` must outlive them.
PreparedRows prepare_rows(const Recipe& recipe, const EncodedRows& training, std::uint64_t seed);

struct FitJob {
  std::string name;    ///< "gm 2/3"
  std::size_t member;  ///< of the recipe
  Recipe recipe;       ///< one fit: no members, one copy
  RandomStreams streams{0};
  std::shared_ptr<const FeatureMap> map;  ///< exactly one of map and kernel is set
  std::shared_ptr<const Kernel> kernel;
};

/// Draws the maps. Throws what make_function() throws.
std::vector<FitJob> make_jobs(const Recipe& recipe, const TrainingStatistics& statistics, std::uint64_t seed);

/// A job of its own, outside any mixture.
FitJob make_job(const Recipe& recipe, const TrainingStatistics& statistics, const RandomStreams& streams);

/// `noise_center`: centre of the noise prior in standard deviations of the target. memory_bytes: as InferenceOptions.
std::unique_ptr<Inference> make_job_inference(const FitJob& job, const TrainingRows& rows, double noise_center,
                                              int threads, double memory_bytes = 0);

/// training.starts points of the objective's whole theta: the map's or kernel's own, and the noise.
std::vector<Vector> make_job_starts(const FitJob& job, const TrainingRows& rows, const ParameterLayout& layout);

/// The jobs as they will be trained (shrunk to the recipe's flops) and the plan that says so.
struct PlannedJobs {
  std::vector<FitJob> jobs;
  TrainingPlan plan;
  double work_bytes = 0;   ///< what all evaluations that run at a time may take; 0 = no limit
  double spare_bytes = 0;  ///< what subsamples may take beside everything else
  double evaluation_bytes() const { return work_bytes / plan.concurrent_fits; }
};
PlannedJobs plan_jobs(const Recipe& recipe, const TrainingRows& rows, const FitOptions& options);

/// Leave-one-out scores are of this many rows at most: 100,000, fewer where each has a covariance of many classes.
inline Index max_scored_rows(Index classes) {
  return std::min<Index>(100000, (Index{1} << 21) / pair_count(std::max<Index>(1, classes)));
}

}  // namespace alacarte
