#pragma once
// Spectral densities of learned kernels. They start from parameters by name, not from a map: a result file of an
// experiment holds names and values and nothing else, and so the report of an experiment and the inspection of a model
// draw the same curves. The laws are those of the maps (Yang et al. 2015, sections 4.1 to 4.4):
//   rbf, ard   frequency_j ~ N(0, 1) / lengthscale_j
//   matern     the same, multivariate t with 2 nu degrees of freedom
//   gm         sum_q share_q N(+-mean_q, I) ./ lengthscale_q; mean_q in units of 1 / lengthscale_q
//   pwl        sum_q share_q s u ./ lengthscale_q: s by the hats of q, u uniform on the sphere of R^l, l the next power
//              of two >= d
// with share_q the squared amplitude's part of their sum.
#include <alacarte/core/types.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace alacarte {

/// "gm[0].log_amplitude" -> values, as ParameterLayout names them.
using NamedValues = std::map<std::string, std::vector<double>>;

class Spectrum {
 public:
  virtual ~Spectrum() = default;
  virtual Index input_count() const = 0;
  /// Density at `length` >= 0 of the length of a frequency in units of 1 / length-scale: over the inputs, for pwl over
  /// the l coordinates its law is stated in. Integrates to 1.
  virtual double radial(double length) const = 0;
  /// Density at `frequency` > 0 (radians per unit of the standardised input) of the absolute frequency along an input:
  /// twice the spectral density, which is symmetric. Integrates to 1.
  virtual double marginal(Index input, double frequency) const = 0;
  /// Increasing positive points between which the densities are nearly straight, and outside of which little is.
  virtual std::vector<double> radial_grid() const = 0;
  virtual std::vector<double> marginal_grid(Index input) const = 0;
};

/// Of rbf, ard, matern, gm and pwl parameters on `inputs` inputs; `nu` is Matern's where it is no parameter. Null for
/// families without a law of their frequencies (free frequencies, linear), and where slots are missing or not finite.
/// Throws std::invalid_argument for a slot of the wrong size. Cost of one density: O(components), and for pwl a
/// quadrature.
std::shared_ptr<const Spectrum> learned_spectrum(const NamedValues& parameters, Index inputs, double nu);

/// Of frequencies themselves: kernel estimates of the density of their logarithms. rows (m, d) radians per unit,
/// shares (m) summing to 1, lengthscale (d). Cost of one density: O(m), of a radial one after O(m d) once.
std::shared_ptr<const Spectrum> sampled_spectrum(const Matrix& rows, const Vector& shares, const Vector& lengthscale);

}  // namespace alacarte
