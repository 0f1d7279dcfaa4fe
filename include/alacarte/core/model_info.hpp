#pragma once
// What a registry says of a model to those who do not know it: readers of recipes, the list of models, its reference.
#include <alacarte/core/recipe.hpp>
#include <algorithm>
#include <string>
#include <vector>

namespace alacarte {

struct ModelInfo {
  std::string name;         ///< the recipe's "model"
  std::string description;  ///< one sentence
  std::string formula;      ///< of the kernel, and of the features where there are such
  std::string cost;         ///< time and memory: n rows, d inputs, m frequencies, D features
  std::string reference;    ///< paper, section, equation
  std::string accuracy;     ///< in which sense psi(x).psi(x') is the kernel: unbiased, or what it errs by
  std::string fixed;        ///< settings that are no parameters, so that training leaves them as they are; "" = none
  std::vector<std::string> keys;  ///< of the recipe that only some models use, and this does: "features.frequencies"
  std::string recipe;             ///< JSON to copy
  bool exact = false;             ///< a kernel on the n x n Gram matrix, not a feature map

  bool uses(const std::string& key) const { return std::find(keys.begin(), keys.end(), key) != keys.end(); }
};

/// nullptr when there is none of that name.
inline const ModelInfo* find_model_info(const std::vector<ModelInfo>& infos, const std::string& name) {
  const auto found = std::find_if(infos.begin(), infos.end(), [&](const ModelInfo& info) { return info.name == name; });
  return found == infos.end() ? nullptr : &*found;
}

}  // namespace alacarte
