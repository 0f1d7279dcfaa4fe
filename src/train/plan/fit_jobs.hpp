#pragma once
// The parts of a training: standardised rows, and one job for each fit.
#include <memory>
#include <string>
#include <vector>

#include "alacarte/data/row_source.hpp"
#include "alacarte/train/fit.hpp"
#include "inference/inference.hpp"

namespace alacarte {

struct TrainingRows {
  std::shared_ptr<const RowSource> source;
  TrainingStatistics statistics;
  std::vector<Index> classes{};  ///< rows of each class; empty for a target that is a number
  std::vector<Index> labels{};   ///< class of each row, for learners svm and logistic
  Vector input_scale{};          ///< (d) one unit of the rows in that of the data; empty: 1
  double target_scale = 1;       ///< the same of the target
  /// Rows beside those of `source`, whose predictions weigh the fits: no fit's parameters see them. Null: none.
  std::shared_ptr<const MemoryRows> held_out{};
  Vector more_noise_centers{};  ///< (T - 1) as NoiseCenter::more
};

/// As many classes as the targets have, and for classifiers at least two: without a schema.
inline constexpr Index kAnyClasses = -1;

/// Sets rows.classes for so many classes (0: the target is a number), and rows.labels. Throws ConfigError when the
/// likelihood is of fewer, DataError for a target that is no class. Cost: one pass.
void count_classes(const Recipe& recipe, Index classes, TrainingRows& rows);
/// Sets statistics.target_sd, from which the prior amplitude of f starts: start_sd() of the likelihood, or 1
/// for classifiers.
void set_start_sd(const Recipe& recipe, TrainingStatistics& statistics);
TrainingRows make_training_rows(std::shared_ptr<const RowSource> source, const RandomStreams& streams);

struct PreparedRows {
  Standardizer standardizer;  ///< learned from the rows
  TrainingRows rows;          ///< standardised
};
/// Standardises rows: in place in memory, otherwise as they are read. Throws DataError for rows that no model can
/// use, and ConfigError for sparse rows that the recipe does not take.
PreparedRows prepare_rows(const Recipe& recipe, std::shared_ptr<RowSource> training, std::uint64_t seed);

struct FitJob {
  std::string name;    ///< "gm 2/3"
  std::size_t member;  ///< of the recipe
  Recipe recipe;       ///< one fit: no members, one copy
  RandomStreams streams{0};
  Prior prior{};
  /// Learner svm or logistic: a search over costs and scales, without evidence.
  bool is_classifier() const { return recipe.learner.kind != LearnerKind::gp; }
};

/// Throws ConfigError when the maps alone, whatever is shared among fits and chunks, need more than `limit` bytes (0 =
/// no limit): a lower bound, known before anything is drawn. Drawing takes that memory itself.
void check_feature_sizes(const Recipe& recipe, Index rows, double limit);

/// Draws the maps. Throws what make_prior() throws.
std::vector<FitJob> make_jobs(const Recipe& recipe, const TrainingStatistics& statistics, std::uint64_t seed);

/// A job of its own, outside any mixture.
FitJob make_job(const Recipe& recipe, const TrainingStatistics& statistics, const RandomStreams& streams);

/// (T) What the recipe's noise settings are multiples of, in the unit of each target of y: its standard deviation, or 1
/// where that was scaled to 1.
Vector noise_units(const FitJob& job, const TrainingRows& rows);

/// `noise_center`: centre of the noise prior in standard deviations of the target. memory_bytes: as InferenceOptions.
std::unique_ptr<Inference> make_job_inference(const FitJob& job, const TrainingRows& rows, double noise_center,
                                              int threads, double memory_bytes = 0);

/// The slot "noise.log_sd" of a noise standard deviation in the unit of y, above the job's floor; noise at its floor
/// has no logarithm, and gets one a little above.
double log_noise(double sd, const FitJob& job, const TrainingRows& rows);

/// The k-th starting point of the map or kernel.
Vector job_start(const FitJob& job, const TrainingStatistics& statistics, Index k);

/// Multiplies the function at theta by the factor: its amplitudes, by ParameterSlot::scale_power.
void scale_amplitudes(const ParameterLayout& layout, double factor, Vector& theta);
/// Amplitudes and noise of theta inside of their bounds.
void clamp_scales(const ParameterLayout& layout, Vector& theta);

/// training.starts points of the objective's whole theta: the map's or kernel's own, and the noise; in place of both
/// what the recipe sets by hand (kernel.lengthscale, noise.sd; throws ConfigError where they do not fit). Those of
/// training.start "ard" begin at the length-scales in rows.statistics, where there are any, and at the noise
/// `noise_center`.
std::vector<Vector> make_job_starts(const FitJob& job, const TrainingRows& rows, const ParameterLayout& layout,
                                    double noise_center);

/// The jobs as they will be trained (shrunk to the recipe's flops) and the plan that says so.
struct PlannedJobs {
  std::vector<FitJob> jobs;
  TrainingPlan plan;
  double work_bytes = 0;   ///< what all evaluations that run at a time may take; 0 = no limit
  double spare_bytes = 0;  ///< what subsamples may take beside everything else
  double evaluation_bytes() const { return work_bytes / plan.concurrent_fits; }
};
PlannedJobs plan_jobs(const Recipe& recipe, const TrainingRows& rows, const FitOptions& options);

/// Largest number of rows with leave-one-out scores: 100,000, or fewer for many classes, whose covariances are large.
inline Index max_scored_rows(Index classes) {
  return std::clamp<Index>((Index{1} << 21) / pair_count(std::max<Index>(1, classes)), 1, 100000);
}

}  // namespace alacarte
