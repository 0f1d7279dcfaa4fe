#pragma once
// The mean of a model's predictions as an explicit formula, for programs without this library.
#include <alacarte/model/fitted_model.hpp>
#include <optional>
#include <variant>
#include <vector>

#include "model/fit_inputs.hpp"

namespace alacarte {

/// g(z) = sum_k cosines_k cos(w_k z) + sines_k sin(w_k z). If sum_j |v_j| rates_j of the standardised inputs v exceeds
/// 2^48, phases lose all precision and g is 0 (model/bounded_features.hpp).
struct SinusoidSum {
  Matrix frequencies;     ///< (m, d) w, radians per unit of z
  Vector cosines, sines;  ///< (m)
  Vector rates;           ///< per standardised input; empty = not bounded
};

/// g(z) = slopes z.
struct LinearSum {
  Vector slopes;  ///< (d)
};

/// Closed-form kernels of r^2 = sum_j ((z_j - z'_j) inverse_j)^2.
enum class RadialProfile { squared_exponential, matern12, matern32, matern52, rational_quadratic };

/// g(z) = sum_i weights_i phi(r^2(z, rows_i)).
struct RadialSum {
  RadialProfile profile = RadialProfile::squared_exponential;  ///< phi
  double shape = 1;                                            ///< alpha of rational_quadratic
  Matrix rows;                                                 ///< (n, d) standardised training rows
  Vector weights;                                              ///< (n)
  Vector inverse;                                              ///< (d) 1 / length-scale
};

/// Summand of a mean.
using MeanPart = std::variant<SinusoidSum, LinearSum, RadialSum>;

/// h(v) = a(.. a(v W_1 + b_1) .. W_L + b_L), before the parts of a deep kernel.
struct NetworkFormula {
  std::vector<Matrix> weights;  ///< (in, out)
  std::vector<Vector> biases;   ///< (out)
  Activation activation;        ///< activation of every layer
  bool skip = false;            ///< z = [h(v), v]; otherwise z = h(v)
  bool residual = false;        ///< layers of equal input and output width add their input
  bool adds(std::size_t layer) const { return residual && weights[layer].rows() == weights[layer].cols(); }
};

/// v_j = (asinh((u_j - median_j) / width_j) - mean_j) / sd_j of the standardised inputs u_j if width_j > 0, else u_j;
/// all (d).
struct TailsFormula {
  Vector median, width, mean, sd;
};

/// Formula of one fit in standardised units: offset + the sum of its parts at z. Without a network z is v, the
/// columns that the fit sees (after TailsFormula, if present).
struct FitFormula {
  double share = 1;   ///< mixture weight; weights sum to 1
  double offset = 0;  ///< constant part of the mean
  /// Gives the columns that follow in place of the standardised inputs (curves, boosted trees); null: nothing does.
  std::shared_ptr<const FitInputs> inputs;
  std::optional<TailsFormula> tails;      ///< deep kernels: transform that gives v
  std::optional<NetworkFormula> network;  ///< deep kernels only
  Vector rates;                 ///< per network input: beyond, as in SinusoidSum, the parts are 0; empty = not bounded
  std::vector<MeanPart> parts;  ///< functions of z
};

/// Returns the formulas of all fits of a model, each compared first with the posterior mean at sampled rows. Throws
/// ConfigError naming the model and its map if there is no such formula: classification, counts, maps whose features
/// are neither sinusoids nor linear, other exact kernels, sparse rows. Cost: O(m D), once.
std::vector<FitFormula> mean_formula(const FittedModel& model);

/// Evaluates the formula at standardised inputs v (d), in standardised units.
double evaluate(const FitFormula& fit, ConstVec v);

}  // namespace alacarte
