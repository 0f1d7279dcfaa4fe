#pragma once
// Shared by the inferences: the noise slot of the gaussian likelihood, checks, and leave-one-out from P.
#include <alacarte/inference/inference.hpp>

namespace alacarte {

/// noise variance = floor^2 + exp(2 log_sd), floor in the unit of y; of a row of weight 1.
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

/// The layout of a map or kernel with what the options hold fixed.
ParameterLayout with_held(ParameterLayout layout, const InferenceOptions& options);
/// That with "noise.log_sd" behind it.
ParameterLayout with_noise(const ParameterLayout& layout, const NoiseTerm& noise, const InferenceOptions& options);

/// Throws std::invalid_argument on shapes; NumericalError when theta is not finite.
void check_theta(const ParameterLayout& layout, ConstVec theta);

/// Zeroes the entries of slots that are not trained; throws NumericalError when the value or the gradient is not
/// finite.
void finish_gradient(const ParameterLayout& layout, double value, VecRef gradient);

/// Means and variances of the left-out rows, from (P y)_i and P_ii.
LeaveOneOut leave_one_out_from(ConstVec y, ConstVec projected, ConstVec precision);

/// The plan of so many features (0: a kernel) and trained entries of theta, without what it costs.
inline EvaluationPlan plan_of(const RowSource& rows, Index features, Index parameters, const std::string& form) {
  return {rows.rows(), rows.inputs(), features, parameters, form};
}

inline double as_double(Index value) { return static_cast<double>(value); }

std::unique_ptr<Inference> make_gaussian_primal(std::shared_ptr<const FeatureMap> map,
                                                std::shared_ptr<const RowSource> rows, const InferenceOptions& options);
std::unique_ptr<Inference> make_gaussian_dual(std::shared_ptr<const FeatureMap> map,
                                              std::shared_ptr<const RowSource> rows, const InferenceOptions& options);
std::unique_ptr<Inference> make_laplace(std::shared_ptr<const FeatureMap> map, std::shared_ptr<const RowSource> rows,
                                        const InferenceOptions& options);

}  // namespace alacarte
