#pragma once
// Models of several targets of the same rows, in one file.
#include <alacarte/model/fitted_model.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// One model is a file of its own kind (FittedModel::save()); several are one document {"format": "alacarte-targets",
/// "targets": [a document each]} with the tensors "target[t]/NAME", of which those that are the first target's are
/// stored once. mean_only: as FittedModel::save().
ModelFile save_models(const std::vector<const FittedModel*>& models, bool mean_only = false);
ModelFile save_models(const std::vector<FittedModel>& models,
                      bool mean_only = false);  ///< the same of models in a list
/// The counterpart: a file of either kind. Throws IoError naming what is invalid, also models of other inputs than the
/// first.
std::vector<FittedModel> load_models(const ModelFile& file);

/// The model of a file, for what takes one target. Throws IoError as above, and ConfigError naming the file where it
/// holds several.
FittedModel load_one_model(const std::string& path);

/// "price, rent": the names of their targets.
std::string target_names(const std::vector<FittedModel>& models);

}  // namespace alacarte
