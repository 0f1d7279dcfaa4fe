#pragma once
// One job for each fit of a training, its starting points, and the plan of all of them.
#include <memory>
#include <string>
#include <vector>

#include "inference/inference.hpp"
#include "training_rows.hpp"

namespace alacarte {

struct FitJob {
  std::string name;    ///< "gm 2/3"
  std::size_t member;  ///< place among the members of the recipe
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
/// Draws them from the statistics of the rows at the values of the curves that each sees.
std::vector<FitJob> make_jobs(const Recipe& recipe, const TrainingRows& rows, std::uint64_t seed);

/// Makes a job outside any mixture.
FitJob make_job(const Recipe& recipe, const TrainingStatistics& statistics, const RandomStreams& streams);

/// Returns the units of the recipe's noise settings (T): the standard deviation of each target of y, or 1 where that
/// was scaled to 1.
Vector noise_units(const FitJob& job, const TrainingRows& rows);

/// Makes the inference of a job. `noise_center`: centre of the noise prior in standard deviations of the target.
/// memory_bytes: as InferenceOptions. held: names of slots that stay, besides those that the recipe holds.
std::unique_ptr<Inference> make_job_inference(const FitJob& job, const TrainingRows& rows, double noise_center,
                                              int threads, double memory_bytes = 0,
                                              const std::vector<std::string>& held = {});

/// Returns the value of the slot "noise.log_sd" for a noise standard deviation in the unit of y, above the job's floor;
/// noise at its floor has no logarithm, and gets one a little above.
double log_noise(double sd, const FitJob& job, const TrainingRows& rows);

/// Returns the k-th starting point of the map or kernel.
Vector job_start(const FitJob& job, const TrainingStatistics& statistics, Index k);

/// Multiplies the function at theta by the factor: its amplitudes, by ParameterSlot::scale_power.
void scale_amplitudes(const ParameterLayout& layout, double factor, Vector& theta);
/// Moves amplitudes and noise of theta inside of their bounds.
void clamp_scales(const ParameterLayout& layout, Vector& theta);

/// Returns training.starts points of the objective's whole theta: the map's or kernel's own, and the noise; in place of
/// both what the recipe sets by hand (by_hand.hpp, noise.sd; throws ConfigError where they do not fit). Those of
/// training.start "ard" begin at the length-scales in rows.statistics, where there are any, and at the noise
/// `noise_center`.
std::vector<Vector> make_job_starts(const FitJob& job, const TrainingRows& rows, const ParameterLayout& layout,
                                    double noise_center);

/// The jobs as they will be trained (shrunk to the recipe's flops) and the plan that says so.
struct PlannedJobs {
  std::vector<FitJob> jobs;
  TrainingPlan plan;
  double work_bytes = 0;   ///< memory for all evaluations that run at a time; 0 = no limit
  double spare_bytes = 0;  ///< memory for subsamples beside everything else
  double evaluation_bytes() const { return work_bytes / plan.concurrent_fits; }
};
PlannedJobs plan_jobs(const Recipe& recipe, const TrainingRows& rows, const FitOptions& options);

/// Largest number of rows, of those that are not in memory, that training.drawn_rows draws from.
inline constexpr Index kMaxPooledRows = 100'000;

/// Returns the largest number of rows with leave-one-out scores: 100,000, or fewer for many classes, whose covariances
/// are large.
inline Index max_scored_rows(Index classes) {
  return std::clamp<Index>((Index{1} << 21) / pair_count(std::max<Index>(1, classes)), 1, 100000);
}

}  // namespace alacarte
