#pragma once
// Models of several targets of the same rows, in one file.
#include <alacarte/model/fitted_model.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// Stores models: one as a file of its own kind (FittedModel::save()), several as one document {"format":
/// "alacarte-targets", "targets": [a document each]} with the tensors "target[t]/NAME"; tensors equal to the first
/// target's are stored once. mean_only: see FittedModel::save().
ModelFile save_models(const std::vector<const FittedModel*>& models, bool mean_only = false);
ModelFile save_models(const std::vector<FittedModel>& models,
                      bool mean_only = false);  ///< stores models of a list
/// Loads a file of either kind. Throws IoError naming the invalid part, also for models of other inputs than the first.
std::vector<FittedModel> load_models(const ModelFile& file);

/// Loads the model of a file with one target. Throws IoError as above, and ConfigError naming the file where it holds
/// several.
FittedModel load_one_model(const std::string& path);

/// Returns the names of their targets: "price, rent".
std::string target_names(const std::vector<FittedModel>& models);

}  // namespace alacarte
