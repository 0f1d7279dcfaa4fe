#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/core/recipe_words.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/fitted_model.hpp"
#include "alacarte/model/registered.hpp"
#include "documents.hpp"

namespace alacarte {
namespace {

using CheckpointJson = nlohmann::json;

CheckpointJson number_list(const Vector& values) { return std::vector<double>(values.begin(), values.end()); }

Vector vector_of(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

template <class Value>
CheckpointJson optional_list(const std::vector<std::optional<Value>>& values) {
  CheckpointJson list = CheckpointJson::array();
  for (const auto& value : values) list.push_back(value ? to_json(*value) : CheckpointJson());
  return list;
}

NoiseCenter center_from_json(const CheckpointJson& json, const std::string& path) {
  const auto from = from_word<PriorCenter>(json.at("from").get<std::string>());
  if (!from) throw IoError(path, "malformed checkpoint: the noise centre is of an unknown kind");
  return {json.at("value").get<double>(), *from, vector_of(json.at("lengthscale").get<std::vector<double>>()),
          vector_of(json.value("more", std::vector<double>()))};
}

Checkpoint checkpoint_from_json(const CheckpointJson& json, const std::string& path) {
  Checkpoint checkpoint;
  checkpoint.recipe = json.at("recipe").dump();
  checkpoint.seed = json.at("seed").get<std::uint64_t>();
  checkpoint.data_sha256 = json.at("data_sha256").get<std::string>();
  checkpoint.started_from = json.value("started_from", "");
  if (const CheckpointJson& center = json.at("noise_center"); !center.is_null())
    checkpoint.noise_center = center_from_json(center, path);
  for (const CheckpointJson& state : json.at("fits")) {
    auto& own = checkpoint.fits.emplace_back();
    if (!state.is_null()) own = fit_state_from_json(state);
  }
  for (const CheckpointJson& result : json.value("minibatches", CheckpointJson())) {
    auto& own = checkpoint.minibatches.emplace_back();
    if (!result.is_null()) own = minibatches_from_json(result);
  }
  return checkpoint;
}

}  // namespace

std::string checkpoint_text(const Checkpoint& checkpoint) {
  CheckpointJson json = {{"recipe", CheckpointJson::parse(checkpoint.recipe)},
                         {"seed", checkpoint.seed},
                         {"data_sha256", checkpoint.data_sha256},
                         {"noise_center", nullptr},
                         {"fits", optional_list(checkpoint.fits)},
                         {"minibatches", optional_list(checkpoint.minibatches)}};
  if (!checkpoint.started_from.empty()) json["started_from"] = checkpoint.started_from;
  if (const auto& center = checkpoint.noise_center)
    json["noise_center"] = {{"value", center->value},
                            {"from", word(center->from)},
                            {"lengthscale", number_list(center->lengthscale)},
                            {"more", number_list(center->more)}};
  return json.dump();
}

Checkpoint parse_checkpoint(const std::string& text, const std::string& path) {
  try {
    return checkpoint_from_json(parse_json(text, "checkpoint"), path);
  } catch (const ConfigError& error) {
    throw IoError(path, error.what());
  } catch (const CheckpointJson::exception& error) {
    throw IoError(path, "malformed checkpoint: " + short_message(error));
  }
}

std::string recipe_text(const Recipe& recipe) { return to_json(recipe, model_infos()).dump(); }

std::string hyperparameters_text(const FittedModel& model) {
  CheckpointJson list = CheckpointJson::array();
  for (const Member& member : model.members)
    list.push_back({number_list(member.theta), member.posterior->noise_variance(), member.recipe.model});
  return list.dump();
}

}  // namespace alacarte
