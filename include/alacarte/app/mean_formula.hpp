#pragma once
// The mean of a model's predictions as a formula of plain numbers, for programs that do not have this library.
#include <alacarte/model/fitted_model.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace alacarte {

/// g(z) = sum_k cosines_k cos(w_k z) + sines_k sin(w_k z). Where sum_j |v_j| rates_j of the standardised inputs v is
/// above 2^48, phases have no digits left and g is 0 (model/bounded_features.hpp).
struct SinusoidSum {
  Matrix frequencies;     ///< (m, d) w, radians for each unit of z
  Vector cosines, sines;  ///< (m)
  Vector rates;           ///< of the standardised inputs; empty = not bounded
};

/// g(z) = slopes z.
struct LinearSum {
  Vector slopes;  ///< (d)
};

/// The kernels of r^2 = sum_j ((z_j - z'_j) inverse_j)^2 that are closed forms.
enum class RadialProfile { squared_exponential, matern12, matern32, matern52, rational_quadratic };

/// g(z) = sum_i weights_i phi(r^2(z, rows_i)).
struct RadialSum {
  RadialProfile profile = RadialProfile::squared_exponential;  ///< phi
  double shape = 1;                                            ///< alpha of rational_quadratic
  Matrix rows;                                                 ///< (n, d) standardised training rows
  Vector weights;                                              ///< (n)
  Vector inverse;                                              ///< (d) 1 / length-scale
};

/// A summand of a mean.
using MeanPart = std::variant<SinusoidSum, LinearSum, RadialSum>;

/// h(v) = a(.. a(v W_1 + b_1) .. W_L + b_L), before the parts of a deep kernel.
struct NetworkFormula {
  std::vector<Matrix> weights;  ///< (in, out)
  std::vector<Vector> biases;   ///< (out)
  Activation activation;        ///< of every layer
  bool skip = false;            ///< z = [h(v), v]; otherwise z = h(v)
  bool residual = false;        ///< a layer whose input is as wide adds to that
  bool adds(std::size_t layer) const { return residual && weights[layer].rows() == weights[layer].cols(); }
};

/// v_j = (asinh((u_j - median_j) / width_j) - mean_j) / sd_j of the standardised inputs u_j where width_j > 0,
/// elsewhere u_j; all (d).
struct TailsFormula {
  Vector median, width, mean, sd;
};

/// One fit, in standardised units: offset + the sum of its parts at z; z is v, the standardised inputs (of
/// TailsFormula, if there is one), unless there is a network.
struct FitFormula {
  double share = 1;                       ///< in the mixture: they sum to 1
  double offset = 0;                      ///< of the mean, beside the parts
  std::optional<TailsFormula> tails;      ///< of a deep kernel: what v is
  std::optional<NetworkFormula> network;  ///< of a deep kernel
  Vector rates;  ///< of a network's inputs: beyond, as for SinusoidSum, the parts are 0; empty = not bounded
  std::vector<MeanPart> parts;  ///< of z
};

/// The formulas of all fits of a model. Each is compared with the posterior's own mean at drawn rows before it is
/// returned. Throws ConfigError that names the model and its map for what has no such formula: classes and counts, maps
/// whose features are neither sinusoids nor linear, other exact kernels, sparse rows. Cost: O(m D), once.
std::vector<FitFormula> mean_formula(const FittedModel& model);

/// The formula at standardised inputs v (d), in standardised units.
double evaluate(const FitFormula& fit, ConstVec v);

}  // namespace alacarte
