#pragma once
// Spectral densities of learned kernels, evaluated for plots and reports. They are built from named parameter values,
// not from a map: the result file of an experiment holds nothing else, so an experiment's report and the inspection of
// a model draw the same curves. The laws are those of the maps (Yang et al. 2015, sections 4.1 to 4.4):
//   rbf, ard   w ~ N(0, I) ./ lengthscale
//   matern     w ~ multivariate t with 2 nu degrees of freedom ./ lengthscale
//   gm         mixture over q of N(+-mean_q, I) ./ lengthscale_q; mean_q in units of 1 / lengthscale_q
//   pwl        mixture over q of s u ./ lengthscale_q: s with the piecewise linear density of component q, u uniform on
//              the unit sphere of R^l, l the next power of two >= d
// with weights proportional to the squared amplitudes.
#include <alacarte/core/types.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace alacarte {

/// Parameter values by slot name, such as "gm[0].log_amplitude" (see ParameterLayout).
using NamedValues = std::map<std::string, std::vector<double>>;

/// The law of a random frequency w in R^d. Const and shared by threads.
class Spectrum {
 public:
  virtual ~Spectrum() = default;
  virtual Index input_count() const = 0;  ///< d
  /// Returns the density at `length` >= 0 of |w .* lengthscale|: over the d inputs, for pwl over the l coordinates of
  /// its law. Integrates to 1.
  virtual double radial(double length) const = 0;
  /// Returns the density at `frequency` > 0 of |w_input|, in radians per unit of the standardised input: twice the
  /// marginal spectral density, which is symmetric. Integrates to 1.
  virtual double marginal(Index input, double frequency) const = 0;
  /// Returns increasing positive points for plots of the two densities: between neighbours they are nearly linear, and
  /// outside there is little mass.
  virtual std::vector<double> radial_grid() const = 0;
  virtual std::vector<double> marginal_grid(Index input) const = 0;  ///< radial_grid() for marginal() of this input
};

/// Returns the spectrum of rbf, ard, matern, gm or pwl parameters on `inputs` inputs; nu: Matern's smoothness if it is
/// not among the parameters. Returns nullptr for families without a closed law (free frequencies, linear), and if slots
/// are missing or not finite. Throws std::invalid_argument for a slot of the wrong size. Cost of one density
/// O(components); for pwl, a quadrature.
std::shared_ptr<const Spectrum> learned_spectrum(const NamedValues& parameters, Index inputs, double nu);

/// Returns a kernel density estimate, in the logarithm of the frequency, from m frequencies: rows (m, d) in radians per
/// unit, their weights shares (m) summing to 1, lengthscale (d). Cost of one density O(m), after O(m d) once.
std::shared_ptr<const Spectrum> sampled_spectrum(const Matrix& rows, const Vector& shares, const Vector& lengthscale);

}  // namespace alacarte
