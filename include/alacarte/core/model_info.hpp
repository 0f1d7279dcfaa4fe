#pragma once
// Description of a registered model, for the parser of recipes, the list of models and the reference of each.
#include <alacarte/core/recipe.hpp>
#include <algorithm>
#include <string>
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

}  // namespace alacarte
