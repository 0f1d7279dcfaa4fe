#pragma once
// Hyperparameters of a feature map or an exact kernel in words and numbers, for reports.
#include <alacarte/core/types.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace alacarte {

/// The law of the lengths of a component's frequencies; members that the law does not have are empty.
struct RadialDescription {
  std::optional<double> nu = {};     ///< shape of a Matern law
  std::optional<double> alpha = {};  ///< shape of a rational quadratic law
  Vector knots = {};                 ///< of a piecewise linear density
  Vector density = {};               ///< at the knots
};

/// One component of a spectral density.
struct SpectralComponent {
  double amplitude = 1;
  Vector lengthscales = {};
  Vector mean_frequency = {};                    ///< of a Gaussian mixture; empty otherwise
  RadialDescription law = {};                    ///< of a map with one law
  std::optional<RadialDescription> radial = {};  ///< of each component of a piecewise linear map
};

/// What theta means. Members that a model does not have are empty.
struct KernelDescription {
  std::string model = {};  ///< name of the map or kernel where it is a term
  double amplitude = 1;    ///< a prior standard deviation of f, in units of the target
  /// (d) root mean square frequency along each input under the spectral density (for models without frequencies
  /// 1/lengthscale or its like), in radians per unit of the standardised input: 0 means that the input has no
  /// influence.
  Vector relevance = {};
  Vector lengthscale = {};                                  ///< (d), or (1) of an isotropic kernel
  Vector period = {};                                       ///< (d)
  Vector spread = {};                                       ///< (d) sd of the anchors of local features
  std::optional<double> shape = {};                         ///< alpha of a rational quadratic kernel
  std::optional<double> offset = {};                        ///< of a polynomial
  std::optional<Index> degree = {};                         ///< of a polynomial
  std::optional<Index> landmarks = {};                      ///< of the Nystrom approximation
  std::vector<std::pair<Index, double>> coefficients = {};  ///< of the powers of a series, with their exponents
  std::vector<SpectralComponent> components = {};
  std::vector<KernelDescription> terms = {};  ///< of a sum or product
};

}  // namespace alacarte
