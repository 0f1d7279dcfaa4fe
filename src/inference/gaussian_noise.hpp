#pragma once
// Shared by the inferences: the noise slot of the gaussian likelihood, checks, and leave-one-out from P.
#include "inference.hpp"

#include "data/merged_rows.hpp"

namespace alacarte {

/// noise variance = floor^2 + exp(2 log_sd), floor in the unit of y, 0 where the noise is held; of a row of weight 1.
class NoiseTerm {
 public:
  NoiseTerm(const NoiseConfig& config, const TargetMoments& target);
  ParameterSlot slot() const;
  double variance(double log_sd) const;
  /// d variance / d log_sd.
  double slope(double log_sd) const;

 private:
  double floor_, prior_mean_, prior_sd_, log_unit_;
};

/// Of each target; of merged rows those of the rows that they stand for.
std::vector<TargetMoments> moments_of_targets(const RowSource& rows);
/// Of a target beside the first (n): its standard deviation is 1 where it is constant.
TargetMoments moments_of_target(ConstVec y, double mean_weight = 1);

/// Those of all targets of some rows, the first one's first: a slot of one entry for each.
class NoiseTerms {
 public:
  NoiseTerms(const RowSource& rows, const InferenceOptions& options);
  Index count() const { return static_cast<Index>(terms_.size()); }  ///< T
  ParameterSlot slot() const;
  double variance(Index target, double log_sd) const {
    return terms_[static_cast<std::size_t>(target)].variance(log_sd);
  }
  double slope(Index target, double log_sd) const { return terms_[static_cast<std::size_t>(target)].slope(log_sd); }
  double mean(Index target) const { return means_[static_cast<std::size_t>(target)]; }  ///< of the rows' targets

 private:
  std::vector<NoiseTerm> terms_;
  std::vector<double> means_;
};

/// The layout of a map or kernel with what the options hold fixed.
ParameterLayout with_held(ParameterLayout layout, const InferenceOptions& options);
/// That with "noise.log_sd" behind it.
ParameterLayout with_noise(const ParameterLayout& layout, ParameterSlot noise, const InferenceOptions& options);

/// Throws std::invalid_argument on shapes; NumericalError when theta is not finite.
void check_theta(const ParameterLayout& layout, ConstVec theta);

/// Zeroes the entries of slots that are not trained; throws NumericalError when the value or the gradient is not
/// finite.
void finish_gradient(const ParameterLayout& layout, double value, VecRef gradient);

/// Means and variances of the left-out rows, from (P y)_i and P_ii.
LeaveOneOut leave_one_out_from(ConstVec y, ConstVec projected, ConstVec precision);

/// Where the rows of `which` (empty = all) lie in the block of so many rows that begins at row `first`.
std::vector<Index> places_in_block(const std::vector<Index>& which, Index first, Index rows);
/// Features of those rows of a block, in their order: (places, D).
void forward_places(const PreparedMap& map, const RowBlock& block, const std::vector<Index>& places, MatRef psi);

/// The plan of so many features (0: a kernel) and trained entries of theta, without what it costs.
inline EvaluationPlan plan_of(const RowSource& rows, Index features, Index parameters, const std::string& form) {
  return {rows.rows(), rows.inputs(), features, parameters, form};
}

inline double as_double(Index value) { return static_cast<double>(value); }

std::unique_ptr<Inference> make_gaussian_primal(std::shared_ptr<const FeatureMap> map,
                                                std::shared_ptr<const RowSource> rows, const InferenceOptions& options);
/// Of rows with several targets.
std::unique_ptr<Inference> make_gaussian_targets(std::shared_ptr<const FeatureMap> map,
                                                 std::shared_ptr<const RowSource> rows,
                                                 const InferenceOptions& options);
std::unique_ptr<Inference> make_gaussian_dual(std::shared_ptr<const FeatureMap> map,
                                              std::shared_ptr<const RowSource> rows, const InferenceOptions& options);
/// Of the rows that these stand for, by inference on these.
std::unique_ptr<Inference> make_merged(std::unique_ptr<Inference> merged, std::shared_ptr<const MergedRows> rows,
                                       const InferenceOptions& options);
std::unique_ptr<Inference> make_laplace(std::shared_ptr<const FeatureMap> map, std::shared_ptr<const RowSource> rows,
                                        const InferenceOptions& options);

}  // namespace alacarte
