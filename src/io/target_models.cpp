#include "alacarte/io/target_models.hpp"

#include "alacarte/io/model_file.hpp"
#include "io/documents.hpp"

namespace alacarte {
namespace {

constexpr const char* kTargetsFormat = "alacarte-targets";
constexpr const char* kModelFileSource = "model file";

std::string target_prefix(std::size_t t) { return "target[" + std::to_string(t) + "]/"; }

bool same_tensor(const Tensor& a, const Tensor& b) {
  return a.type == b.type && a.shape == b.shape && a.f64 == b.f64 && a.i32 == b.i32;
}

void require_same_inputs(const std::vector<FittedModel>& models) {
  const nlohmann::json first = to_json(models.front().schema);
  for (const FittedModel& model : models) {
    const nlohmann::json own = to_json(model.schema);
    if (own.value("inputs", nlohmann::json()) != first.value("inputs", nlohmann::json()) ||
        model.target() == TargetKind::classes)
      throw IoError(kModelFileSource, "its models of several targets do not have the same inputs");
  }
}

}  // namespace

ModelFile save_models(const std::vector<FittedModel>& models, bool mean_only) {
  std::vector<const FittedModel*> all;
  for (const FittedModel& model : models) all.push_back(&model);
  return save_models(all, mean_only);
}

ModelFile save_models(const std::vector<const FittedModel*>& models, bool mean_only) {
  require(!models.empty(), "save_models: there is no model");
  if (models.size() == 1) return models.front()->save(mean_only);
  ModelFile all, first;
  nlohmann::json documents = nlohmann::json::array();
  for (std::size_t t = 0; t < models.size(); ++t) {
    ModelFile own = models[t]->save(mean_only);
    documents.push_back(own.document);
    for (const auto& [name, tensor] : own.tensors) {
      const auto shared = first.tensors.find(name);
      if (shared == first.tensors.end() || !same_tensor(shared->second, tensor))
        all.tensors[target_prefix(t) + name] = tensor;
    }
    if (t == 0) first = std::move(own);
  }
  all.document = {{"format", kTargetsFormat}, {"targets", std::move(documents)}};
  return all;
}

std::vector<FittedModel> load_models(const ModelFile& file) {
  std::vector<FittedModel> models;
  const nlohmann::json format = file.document.value("format", nlohmann::json());
  if (format != kTargetsFormat) {
    models.push_back(FittedModel::load(file));
    return models;
  }
  const nlohmann::json documents = file.document.value("targets", nlohmann::json());
  if (!documents.is_array() || documents.empty()) throw IoError(kModelFileSource, "the document has no targets");
  ModelFile first;
  for (std::size_t t = 0; t < documents.size(); ++t) {
    const std::string prefix = target_prefix(t);
    ModelFile own = first;
    for (auto it = file.tensors.lower_bound(prefix); it != file.tensors.end() && it->first.starts_with(prefix); ++it)
      own.tensors[it->first.substr(prefix.size())] = it->second;
    own.document = documents[t];
    models.push_back(FittedModel::load(own));
    if (t == 0) first = std::move(own);
  }
  require_same_inputs(models);
  return models;
}

FittedModel load_one_model(const std::string& path) {
  std::vector<FittedModel> models = load_models(read_bundle(path));
  if (models.size() > 1)
    throw ConfigError(path, "holds models of several targets (" + target_names(models) +
                                "), and this takes one; train it with --target " + models.front().schema.target_name());
  return std::move(models.front());
}

std::string target_names(const std::vector<FittedModel>& models) {
  std::string names;
  for (const FittedModel& model : models) names += (names.empty() ? "" : ", ") + model.schema.target_name();
  return names;
}

}  // namespace alacarte
