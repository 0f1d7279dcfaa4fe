#include <algorithm>
#include <cmath>
#include <new>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/io/target_models.hpp"
#include "alacarte/model/fitted_model.hpp"
#include "alacarte/model/likelihood.hpp"
#include "alacarte/model/registered.hpp"
#include "io/documents.hpp"
#include "model/behind_inputs.hpp"
#include "model/classifier_posteriors.hpp"

// The document of a model:
//   {"format": "alacarte-model", "recipe": .., "seed": .., "schema": .., "standardizer": .., "training": ..,
//    ["calibration": {"kind": "conformal", "rows": 200}, with tensor "calibration/scores", or {..,
//    "temperature": 1.2},]
//    ["noise_model": a document like this one, of the logarithm of noise factors, with its tensors under "noise/",
//    ["log_noise_range": [-2.1, 3.4],]]
//    ["noise_shape": [[share, factor of the variance], ..],]
//    "members": [{"model": "ard", "recipe": .., "summary": .., "weight": 1.2}, ..]}; equal weights, 1, are left out;
// and the tensors of member k under "member[k]/": "parameters/SLOT", "map/..." (random draws), "posterior/...",
// and "likelihood" where that has parameters of its own. Boosted trees are under "trees/", once for all members.

namespace alacarte {
namespace {

using Json = nlohmann::json;

constexpr const char* kFormat = "alacarte-model";
constexpr const char* kSource = "model file";
constexpr double kMaxNoiseFactor = 1e12;  // largest factor of a noise shape
constexpr std::size_t kMaxNoiseParts = 16;
constexpr const char* kNoisePrefix = "noise/";  // prefix of the tensors of the noise model

constexpr const char* kTreesPrefix = "trees/";

std::string member_prefix(std::size_t k) { return "member[" + std::to_string(k) + "]/"; }

const Json& field(const Json& object, const char* key) {
  if (!object.is_object()) throw IoError(kSource, std::string("no object to take '") + key + "' from");
  const auto found = object.find(key);
  if (found == object.end()) throw IoError(kSource, std::string("the document has no '") + key + "'");
  return *found;
}

void refuse_unknown_keys(const Json& object, const std::vector<std::string>& known) {
  for (const auto& item : object.items())
    if (std::find(known.begin(), known.end(), item.key()) == known.end())
      throw IoError(kSource, "the document has an unknown '" + item.key() + "'");
}

/// Checks parameters against their bounds. These are soft, so trained values may lie a little outside, but not far.
void check_parameters(const Member& member, const std::string& prefix) {
  for (const auto& slot : member.prior.parameters().slots()) {
    const auto values = member.theta.segment(slot.offset, slot.size).array();
    const double margin = slot.upper - slot.lower;
    if ((values < slot.lower - margin || values > slot.upper + margin).any())
      throw IoError(kSource, "tensor '" + prefix + "parameters/" + slot.name + "' is far outside its range");
  }
}

void load_likelihood(const TensorBundle& bundle, const std::string& prefix, Member& member) {
  const ParameterLayout layout = likelihood_of(member.recipe).parameters(member.recipe.noise);
  if (layout.size() == 0) return;
  member.likelihood_theta = bundle.vector(prefix + "likelihood", layout.size());
  for (const ParameterSlot& slot : layout.slots())
    if (!(std::abs(member.likelihood_theta[slot.offset]) <= 100))
      throw IoError(kSource, prefix + "likelihood: " + slot.name + " is out of range");
}

void save_calibration(const Calibration& calibration, ModelFile& bundle) {
  if (calibration.kind == CalibrationKind::none) return;
  Json& document = bundle.document["calibration"] = {{"kind", word(calibration.kind)}, {"rows", calibration.rows}};
  if (calibration.is_conformal())
    bundle.put_vector("calibration/scores", calibration.scores);
  else
    document["temperature"] = calibration.temperature;
}

void load_calibration(const ModelFile& bundle, FittedModel& model) {
  const auto refuse = [](const char* what) { throw IoError(kSource, std::string("calibration: ") + what); };
  const CalibrationKind kind = model.recipe.calibration.kind;
  if ((kind != CalibrationKind::none) != bundle.document.contains("calibration"))
    refuse("recipe and document disagree on it");
  if (kind == CalibrationKind::none) return;
  const Json& document = bundle.document["calibration"];
  if (field(document, "kind") != word(kind)) refuse("it is not of the recipe's kind");
  if (!field(document, "rows").is_number_unsigned() || document["rows"] < 1) refuse("no number of rows");
  Calibration& own = model.calibration;
  own.kind = kind;
  own.rows = document["rows"].get<Index>();
  if (own.is_conformal()) {
    own.scores = bundle.vector("calibration/scores", own.rows);
    if (!(own.scores[0] >= 0) || !std::is_sorted(own.scores.begin(), own.scores.end())) refuse("scores out of order");
    return;
  }
  const Json& temperature = field(document, "temperature");
  if (!temperature.is_number() || !(temperature > 0)) refuse("the temperature is not positive");
  own.temperature = temperature.get<double>();
}

std::unique_ptr<Posterior> load_plain_posterior(const TensorBundle& bundle, const std::string& prefix,
                                                const Member& member, Index classes) {
  if (member.recipe.learner.kind == LearnerKind::gp) return load_posterior(bundle, prefix, member.prior, member.theta);
  return member.prior.map() ? load_linear_functions(bundle, prefix, member.prior.map(), member.theta, classes)
                            : load_support_votes(bundle, prefix, member.prior.kernel(), member.theta, classes);
}

/// Loads what the fit of this recipe sees of the inputs; null: the inputs themselves.
std::shared_ptr<const FitInputs> load_inputs(const TensorBundle& bundle, const std::string& prefix,
                                             const Recipe& recipe, const Schema& schema,
                                             const std::shared_ptr<const BoostedTrees>& trees) {
  const std::string place = prefix + "curves/";
  const FitView view = view_of(recipe);
  const bool is_bent = is_curve(view.scale);
  if (is_bent != InputCurves::are_in(bundle, place))
    throw IoError(kSource, prefix + ": the recipe and the tensors disagree on whether the inputs are bent");
  if (view.trees != TreeInputs::none && !trees)
    throw IoError(kSource, prefix + ": the recipe has boosted trees, and the file has none");
  if (view.is_plain()) return nullptr;
  std::shared_ptr<const InputCurves> curves;
  if (is_bent) curves = std::make_shared<const InputCurves>(InputCurves::load(bundle, place, schema.input_count()));
  return std::make_shared<const FitInputs>(std::move(curves), view.trees == TreeInputs::none ? nullptr : trees,
                                           view.trees, schema.input_count(),
                                           static_cast<Index>(schema.level_counts().size()));
}

Member load_member(const TensorBundle& bundle, const Json& json, std::size_t k, const Schema& schema,
                   const std::shared_ptr<const BoostedTrees>& trees) {
  const std::string prefix = member_prefix(k);
  Member member;
  member.recipe = parse_registered_recipe(field(json, "recipe"));
  if (field(json, "model") != member.recipe.model) throw IoError(kSource, prefix + ": two different models named");
  member.summary = fit_summary_from_json(field(json, "summary"), prefix + "summary");
  refuse_unknown_keys(json, {"model", "recipe", "summary", "weight"});
  if (json.contains("weight")) {
    if (!json["weight"].is_number() || !(json["weight"] >= 0)) throw IoError(kSource, prefix + "weight is no weight");
    member.weight = json["weight"];
  }
  std::shared_ptr<const FitInputs> inputs = load_inputs(bundle, prefix + "posterior/", member.recipe, schema, trees);
  const bool is_alone = member.recipe.trees == TreeInputs::alone;
  member.prior = load_prior(member.recipe, inputs ? inputs->seen() : schema.input_count(),
                            is_alone ? std::vector<Index>() : schema.level_counts(), bundle, prefix + "map/");
  member.theta.resize(member.prior.parameters().size());
  for (const auto& slot : member.prior.parameters().slots())
    member.theta.segment(slot.offset, slot.size) = bundle.vector(prefix + "parameters/" + slot.name, slot.size);
  check_parameters(member, prefix);
  if (member.recipe.learner.kind == LearnerKind::gp) load_likelihood(bundle, prefix, member);
  member.posterior = behind_inputs(std::move(inputs),
                                   load_plain_posterior(bundle, prefix + "posterior/", member, schema.class_count()));
  return member;
}

/// Checks that every fit has the number of outputs that the classes imply.
void check_outputs(const FittedModel& model) {
  const Index classes = model.schema.class_count();
  for (const Member& member : model.members) {
    const Index outputs = member.posterior->outputs();
    if (member.recipe.data.labels != model.recipe.data.labels || (outputs == 1 ? classes > 2 : outputs != classes))
      throw IoError(kSource, "outputs and classes do not fit");
  }
}

FittedModel load_model(const ModelFile& bundle);

void load_noise_model(const ModelFile& bundle, FittedModel& model) {
  if (model.recipe.noise.varies != bundle.document.contains("noise_model"))
    throw IoError(kSource, "recipe and document disagree on whether the noise varies");
  if (!model.recipe.noise.varies) return;
  ModelFile noise;
  noise.document = bundle.document["noise_model"];
  if (!noise.document.is_object() || noise.document.contains("noise_model"))
    throw IoError(kSource, "noise_model is no model of noise");
  for (const auto& [name, tensor] : bundle.tensors)
    if (name.starts_with(kNoisePrefix)) noise.tensors[name.substr(std::string_view(kNoisePrefix).size())] = tensor;
  auto loaded = std::make_shared<FittedModel>(load_model(noise));
  if (loaded->target() != TargetKind::numbers || loaded->schema.input_count() != model.schema.input_count() ||
      loaded->standardizer.is_sparse() != model.standardizer.is_sparse())
    throw IoError(kSource, "noise_model is of other inputs");
  model.noise_model = std::move(loaded);
  if (!bundle.document.contains("log_noise_range")) return;
  const auto [low, high] = field(bundle.document, "log_noise_range").get<std::pair<double, double>>();
  if (!(low <= high && low >= LogNoiseRange{}.low && high <= LogNoiseRange{}.high))
    throw IoError(kSource, "log_noise_range is no range of a noise");
  model.log_noise_range = {low, high};
}

void load_noise_shape(const Json& document, FittedModel& model) {
  if (!document.contains("noise_shape")) return;
  const auto parts = field(document, "noise_shape").get<std::vector<std::pair<double, double>>>();
  NoiseShape& shape = model.noise_shape;
  shape.shares.resize(static_cast<Index>(parts.size()));
  shape.factors.resize(static_cast<Index>(parts.size()));
  double last = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const auto& [share, factor] = parts[k];
    if (!(share > 0 && share <= 1 && factor > last && factor <= kMaxNoiseFactor))
      throw IoError(kSource, "noise_shape is no distribution of a noise");
    shape.shares[static_cast<Index>(k)] = share;
    shape.factors[static_cast<Index>(k)] = last = factor;
  }
  if (parts.empty() || parts.size() > kMaxNoiseParts || std::abs(shape.shares.sum() - 1) > 1e-9 ||
      model.recipe.noise.shape == NoiseDistribution::gaussian || !likelihood_of(model.recipe).is_conjugate() ||
      model.target() != TargetKind::numbers)
    throw IoError(kSource, "noise_shape is not for the noise of this recipe");
}

FittedModel load_model(const ModelFile& bundle) {
  const Json& document = bundle.document;
  if (field(document, "format") == "alacarte-targets")
    throw IoError(kSource, "it holds models of several targets, and this takes a model of one");
  if (field(document, "format") != kFormat) throw IoError(kSource, "the document is not that of a model");
  refuse_unknown_keys(document, {"format", "recipe", "seed", "schema", "standardizer", "training", "members",
                                 "calibration", "noise_model", "log_noise_range", "noise_shape"});
  FittedModel model;
  model.recipe = parse_registered_recipe(field(document, "recipe"));
  if (!field(document, "seed").is_number_unsigned()) throw IoError(kSource, "the seed is not a whole number");
  model.seed = field(document, "seed").get<std::uint64_t>();
  model.schema = schema_from_json(field(document, "schema"));
  if (model.schema.config().labels != model.recipe.data.labels)
    throw IoError(kSource, "recipe and schema disagree on whether the target is a class");
  model.standardizer = standardizer_from_json(field(document, "standardizer"));
  model.training = training_from_json(field(document, "training"), "training");
  const Index inputs = model.schema.input_count();
  if (inputs < 1 || model.standardizer.input_shift().size() != inputs)
    throw IoError(kSource, "schema and standardizer are of different inputs");
  const Json& members = field(document, "members");
  if (!members.is_array() || members.empty()) throw IoError(kSource, "the document has no members");
  std::shared_ptr<const BoostedTrees> trees;
  if (BoostedTrees::are_in(bundle, kTreesPrefix))
    trees = std::make_shared<const BoostedTrees>(BoostedTrees::load(bundle, kTreesPrefix, inputs));
  for (std::size_t k = 0; k < members.size(); ++k)
    model.members.push_back(load_member(bundle, members[k], k, model.schema, trees));
  check_outputs(model);
  load_calibration(bundle, model);
  load_noise_model(bundle, model);
  load_noise_shape(document, model);
  const auto count = static_cast<double>(model.members.size());
  if (!(std::abs(model.component_weights().sum() - count) <= 1e-9 * count))
    throw IoError(kSource, "the weights of the members have another sum than their number");
  return model;
}

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

ModelFile FittedModel::save(bool mean_only) const {
  require(!members.empty(), "a fitted model has at least one member");
  // The mean of a transformed target needs the variances.
  mean_only = mean_only && standardizer.transform().is_identity();
  ModelFile bundle;
  Json list = Json::array();
  std::shared_ptr<const BoostedTrees> trees;
  for (std::size_t k = 0; k < members.size(); ++k) {
    const Member& member = members[k];
    const std::string prefix = member_prefix(k);
    list.push_back({{"model", member.recipe.model},
                    {"recipe", to_json(member.recipe, model_infos())},
                    {"summary", alacarte::to_json(member.summary)}});
    if (member.weight != 1) list.back()["weight"] = member.weight;
    if (member.likelihood_theta.size() > 0) bundle.put_vector(prefix + "likelihood", member.likelihood_theta);
    for (const auto& slot : member.prior.parameters().slots())
      bundle.put_vector(prefix + "parameters/" + slot.name, member.theta.segment(slot.offset, slot.size));
    member.prior.save(bundle, prefix + "map/");
    member.posterior->save(bundle, prefix + "posterior/", mean_only);
    if (const auto inputs = member.posterior->behind().inputs; inputs && inputs->trees()) {
      require(!trees || trees == inputs->trees(), "the members of a model see the same trees");
      trees = inputs->trees();
    }
  }
  if (trees) trees->save(bundle, kTreesPrefix);
  bundle.document = {{"format", kFormat},
                     {"recipe", to_json(recipe, model_infos())},
                     {"seed", seed},
                     {"schema", alacarte::to_json(schema)},
                     {"standardizer", alacarte::to_json(standardizer)},
                     {"training", alacarte::to_json(training)},
                     {"members", std::move(list)}};
  save_calibration(calibration, bundle);
  for (Index k = 0; k < noise_shape.shares.size(); ++k)
    bundle.document["noise_shape"].push_back({noise_shape.shares[k], noise_shape.factors[k]});
  if (noise_model) {
    ModelFile noise = noise_model->save(true);
    bundle.document["noise_model"] = std::move(noise.document);
    if (log_noise_range != LogNoiseRange{})
      bundle.document["log_noise_range"] = {log_noise_range.low, log_noise_range.high};
    for (auto& [name, tensor] : noise.tensors) bundle.tensors[kNoisePrefix + name] = std::move(tensor);
  }
  return bundle;
}

// A file may contain anything. Errors of its parts (a recipe out of range, an invalid shape, a number that the JSON
// library does not convert, an impossible size) are all reported as errors of the file.
FittedModel FittedModel::load(const ModelFile& file) {
  try {
    return load_model(file);
  } catch (const IoError&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw IoError(kSource, "it describes a model too large for the memory");
  } catch (const nlohmann::json::exception& error) {
    throw IoError(kSource, short_message(error));
  } catch (const std::exception& error) {
    throw IoError(kSource, error.what());
  }
}

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
