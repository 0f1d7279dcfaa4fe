#pragma once
// Hyperparameters of a feature map or an exact kernel, for reports.
#include <alacarte/core/types.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace alacarte {

/// Law of the lengths of a component's frequencies; members that the law does not have are empty.
struct RadialDescription {
  std::optional<double> nu = {};     ///< shape of a Matern law
  std::optional<double> alpha = {};  ///< shape of a rational quadratic law
  Vector knots = {};                 ///< knots of a piecewise linear density
  Vector density = {};               ///< density at the knots
};

/// One component of a spectral density.
struct SpectralComponent {
  double amplitude = 1;
  Vector lengthscales = {};
  Vector mean_frequency = {};                    ///< mean of a Gaussian mixture component, or empty
  RadialDescription law = {};                    ///< law of a map with a single one
  std::optional<RadialDescription> radial = {};  ///< law of each component of a piecewise linear map
};

/// Hyperparameters by meaning; members that a model does not have are empty.
struct KernelDescription {
  std::string model = {};  ///< name of the map or kernel if it is a term
  double amplitude = 1;    ///< a prior standard deviation of f, in units of the target
  /// (d) Root mean square frequency along each input under the spectral density (for models without frequencies
  /// 1/lengthscale or similar), in radians per unit of the standardised input: 0 means that the input has no influence.
  Vector relevance = {};
  Vector lengthscale = {};                                  ///< (d), or (1) if isotropic
  Vector period = {};                                       ///< (d)
  Vector spread = {};                                       ///< (d) sd of the anchors of local features
  std::optional<double> shape = {};                         ///< alpha of a rational quadratic kernel
  std::optional<double> offset = {};                        ///< offset of a polynomial
  std::optional<Index> degree = {};                         ///< degree of a polynomial
  std::optional<Index> landmarks = {};                      ///< number of Nystrom landmarks
  std::vector<std::pair<Index, double>> coefficients = {};  ///< coefficients of a power series, with their exponents
  std::vector<SpectralComponent> components = {};
  std::vector<KernelDescription> terms = {};  ///< terms of a sum or product
};

}  // namespace alacarte
