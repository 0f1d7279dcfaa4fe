#pragma once
// What the densities of spectra are made of.
#include <memory>
#include <vector>

#include "alacarte/core/types.hpp"

namespace alacarte::spectrum_detail {

double gaussian(double z);  ///< density of N(0, 1)
/// `count` points from `low` to `high`, evenly in the logarithm.
void add_logarithmic(std::vector<double>& grid, double low, double high, int count);

/// The law of one component in units of 1 / length-scale: isotropic, or a Gaussian about a mean and its negative.
class Law {
 public:
  virtual ~Law() = default;
  virtual double radial(double length) const = 0;
  virtual double marginal(Index input, double frequency) const = 0;  ///< of the absolute coordinate
  virtual void add_radial_grid(std::vector<double>& grid) const = 0;
  virtual void add_marginal_grid(Index input, std::vector<double>& grid) const = 0;
};

/// N(mean, I) and N(-mean, I), half each.
std::unique_ptr<const Law> gaussian_law(Vector mean);
/// Multivariate t with so many degrees of freedom.
std::unique_ptr<const Law> student_law(Index inputs, double degrees);
/// Uniform directions in R^width; lengths with a piecewise linear density, `heights` at the increasing `knots` >= 0.
std::unique_ptr<const Law> radial_law(Vector knots, Vector heights, Index width);

}  // namespace alacarte::spectrum_detail
