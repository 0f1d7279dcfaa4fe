#pragma once
// Description of a registered model, for the parser of recipes, the list of models and the reference of each; and of
// the hyperparameters of a map or kernel.
#include <alacarte/core/recipe.hpp>
#include <alacarte/core/types.hpp>
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace alacarte {

/// Description of a model of the registry, for help, reports and the documentation.
struct ModelInfo {
  std::string name = {};      ///< the recipe's "model"
  std::string description;    ///< one sentence
  std::string formula;        ///< formula of the kernel, and of the features if it has any
  std::string cost = {};      ///< time and memory: n rows, d inputs, m frequencies, D features
  std::string reference;      ///< paper, section, equation
  std::string accuracy = {};  ///< accuracy of psi(x).psi(x') as an estimate of the kernel: exact, unbiased, or its
                              ///< error
  std::string fixed = {};     ///< settings that training does not learn; "" = none
  std::vector<std::string> keys = {};  ///< model-specific recipe keys that it uses: "features.frequencies"
  std::string recipe;                  ///< an example, as JSON
  bool exact = false;                  ///< true for a kernel on the n x n Gram matrix, not a feature map

  /// Returns true if a recipe's key is one of `keys`.
  bool uses(const std::string& key) const { return std::find(keys.begin(), keys.end(), key) != keys.end(); }
};

/// Returns the entry of that name in a list, or nullptr.
template <class Entry>
const Entry* find_named(const std::vector<Entry>& entries, const std::string& name) {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

/// Returns the entry of this name, or nullptr.
inline const ModelInfo* find_model_info(const std::vector<ModelInfo>& infos, const std::string& name) {
  return find_named(infos, name);
}

// Hyperparameters of a feature map or an exact kernel, for reports.

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
  Vector lengthscale = {};              ///< (d), or (1) if isotropic
  Vector period = {};                   ///< (d) in units of the standardised inputs; by describe() of a model in theirs
  Vector spread = {};                   ///< (d) sd of the anchors of local features
  std::optional<double> shape = {};     ///< alpha of a rational quadratic kernel
  std::optional<double> offset = {};    ///< offset of a polynomial
  std::optional<Index> degree = {};     ///< degree of a polynomial
  std::optional<Index> landmarks = {};  ///< number of Nystrom landmarks
  std::vector<std::pair<Index, double>> coefficients = {};  ///< coefficients of a power series, with their exponents
  std::vector<SpectralComponent> components = {};
  std::vector<KernelDescription> terms = {};  ///< terms of a sum or product
};

}  // namespace alacarte
