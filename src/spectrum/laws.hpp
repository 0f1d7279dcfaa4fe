#pragma once
// The component laws of mixture spectra.
#include <memory>
#include <vector>

#include "alacarte/core/types.hpp"

namespace alacarte::spectrum_detail {

double gaussian(double z);  ///< density of N(0, 1)
/// Appends `count` points from `low` to `high`, evenly spaced in the logarithm.
void add_logarithmic(std::vector<double>& grid, double low, double high, int count);

/// Law of one component's frequency in units of 1 / length-scale; see Spectrum for the densities and grids.
class Law {
 public:
  virtual ~Law() = default;
  virtual double radial(double length) const = 0;
  virtual double marginal(Index input, double frequency) const = 0;
  virtual void add_radial_grid(std::vector<double>& grid) const = 0;
  virtual void add_marginal_grid(Index input, std::vector<double>& grid) const = 0;
};

/// Returns the mixture of N(mean, I) and N(-mean, I) in equal parts.
std::unique_ptr<const Law> gaussian_law(Vector mean);
/// Returns the standard multivariate t distribution.
std::unique_ptr<const Law> student_law(Index inputs, double degrees);
/// Returns uniform directions in R^width with lengths of the piecewise linear density that is `heights` at the
/// increasing `knots` >= 0.
std::unique_ptr<const Law> radial_law(Vector knots, Vector heights, Index width);

}  // namespace alacarte::spectrum_detail
