// Reads one result file strictly, and gives recipes the form that results of all program versions have.
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "alacarte/core/error.hpp"
#include "alacarte/core/recipe.hpp"
#include "data/fingerprint.hpp"
#include "experiment/strict_object.hpp"
#include "io/recipe_fields.hpp"
#include "results.hpp"

namespace alacarte {
namespace {

using experiment_detail::StrictObject;
using Json = nlohmann::json;

constexpr Index kMaxFolds = 1'000'000;
constexpr Index kMaxStoredRows = Index{1} << 53;

/// Reads numbers; `null_is_nan` reads null as NaN, which JSON lacks.
std::vector<double> numbers_at(StrictObject& object, const std::string& key, bool null_is_nan = false) {
  const Json& list = object.at(key);
  if (!list.is_array()) object.refuse(key, fmt::format("must be an array of numbers, not {}", list.type_name()));
  std::vector<double> values;
  for (const Json& value : list) {
    const bool nan = null_is_nan && value.is_null();
    if (!value.is_number() && !nan) object.refuse(key, fmt::format("holds {} among the numbers", value.type_name()));
    values.push_back(nan ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
  }
  return values;
}

void read_run(const Json& json, RunResult& result) {
  StrictObject run(json, "/unit");
  result.dataset = run.text("dataset");
  result.label = run.text("label");
  run.text("recipe");
  result.fold = run.integer("fold", 0, kMaxFolds);
  result.seed = run.integer("seed", 0, std::numeric_limits<Index>::max());
  run.done();
}

void read_data(const Json& json, RunResult& result) {
  StrictObject data(json, "/data");
  result.rows = data.integer("rows", 0, kMaxStoredRows);
  result.inputs = data.integer("inputs", 0, kMaxStoredRows);
  data.integer("train_rows", 0, kMaxStoredRows);
  result.test_rows = data.integer("test_rows", 0, kMaxStoredRows);
  for (const char* sum : {"data_sha256", "mask_sha256"})
    if (!data.at(sum).is_string() && !data.at(sum).is_null()) data.refuse(sum, "must be a string or null");
  if (data.has("folds")) result.folds = data.integer("folds", 2, kMaxFolds);
  data.done();
}

/// Returns the settings common to the runs of one data set and method: rows and recipe.
std::string settings_of(const Json& data, Json recipe) {
  Json settings;
  for (const char* key : {"data_sha256", "mask_sha256"}) settings[key] = data.value(key, Json());
  try {
    if (recipe.is_object()) {
      recipe.erase("description");
      forget_defaults(recipe);
    }
  } catch (const Json::exception&) {  // an unknown recipe is compared verbatim
  }
  settings["recipe"] = std::move(recipe);
  return text_sha256(settings.dump());
}

void keep(RunResult& result, StrictObject& object, const char* key, Measure measure) {
  if (const auto value = object.number_or_null(key)) result.values[measure] = *value;
}

void read_scores(const Json& json, RunResult& result) {
  StrictObject scores(json, "/test");
  const bool classes = scores.has("accuracy");
  for (const Measure measure : classes ? std::vector{Measure::accuracy, Measure::log_loss, Measure::ece}
                                       : std::vector{Measure::rmse, Measure::nlpd})
    keep(result, scores, name_of(measure), measure);
  if (!classes && scores.has("crps")) keep(result, scores, "crps", Measure::crps);
  if (classes || scores.at("coverage").is_null()) return;
  StrictObject coverage(scores.at("coverage"), "/test/coverage");
  for (const int level : {50, 90, 95})
    if (const auto share = coverage.number_or_null(std::to_string(level))) result.coverage[level] = *share;
  keep(result, coverage, "95", Measure::coverage95);
}

void read_seconds(const Json& json, RunResult& result) {
  StrictObject seconds(json, "/seconds");
  keep(result, seconds, "train", Measure::train_seconds);
  keep(result, seconds, "predict", Measure::predict_seconds);
  seconds.done();
}

/// Reads values by name; null for non-finite values.
NamedValues parameters_at(StrictObject& fit) {
  const Json& json = fit.at("parameters");
  if (!json.is_object()) fit.refuse("parameters", "must be an object");
  StrictObject slots(json, fit.place("parameters"));
  NamedValues values;
  for (const auto& [name, list] : json.items()) values[name] = numbers_at(slots, name, true);
  return values;
}

std::shared_ptr<const Spectrum> spectrum_at(StrictObject& fit, Index inputs, double nu) {
  if (!fit.has("parameters") || inputs == 0) return nullptr;
  try {
    return learned_spectrum(parameters_at(fit), inputs, nu);
  } catch (const std::invalid_argument& wrong) {
    fit.refuse("parameters", wrong.what());
  }
}

/// Returns nu of the recipe, or of the mixture member that the first fit belongs to.
double matern_nu(const Json& recipe) {
  const Json* model = &recipe;
  if (recipe.is_object() && recipe.contains("members") && recipe["members"].is_array() && !recipe["members"].empty())
    model = &recipe["members"].front();
  constexpr double kDefault = 1.5;
  const Json nu = model->is_object() ? model->value(Json::json_pointer("/kernel/nu"), Json(kDefault)) : Json(kDefault);
  return nu.is_number() && nu.get<double>() > 0 ? nu.get<double>() : kDefault;
}

/// Reads the model and the numbers that charts compare along.
void read_recipe(Json recipe, RunResult& result) {
  if (!recipe.is_object() || !recipe.contains("model") || !recipe["model"].is_string()) return;
  result.model = recipe["model"].get<std::string>();
  if (recipe.contains("features") && recipe["features"].is_object()) {
    Json& features = recipe["features"];
    const auto take = [&](const char* key) {
      const Index count = features.contains(key) && features[key].is_number_integer() ? features[key].get<Index>() : 0;
      features.erase(key);
      return count;
    };
    result.components = take("components");
    result.frequencies = take("frequencies");
  }
  recipe.erase("description");
  result.family = recipe.dump();
}

void read_fits(const Json& training, double nu, RunResult& result) {
  if (training.is_null()) return;
  StrictObject object(training, "/training");
  const Json& fits = object.at("fits");
  if (!fits.is_array()) object.refuse("fits", "must be an array");
  for (std::size_t i = 0; i < fits.size(); ++i) {
    StrictObject fit(fits[i], fmt::format("/training/fits/{}", i));
    FitRecord record;
    record.name = fit.text("name");
    if (fit.has("trace")) record.trace = numbers_at(fit, "trace", true);
    if (fit.has("relevance")) record.relevance = numbers_at(fit, "relevance", true);
    record.spectrum = spectrum_at(fit, result.inputs, nu);
    result.fits.push_back(std::move(record));
  }
}

void read_predictions(const Json& json, RunResult& result) {
  if (json.is_null()) return;
  StrictObject predictions(json, "/predictions");
  result.target = numbers_at(predictions, "target");
  result.mean = numbers_at(predictions, "mean");
  const bool has_sd = predictions.has("sd") && !predictions.at("sd").is_null();
  if (has_sd) result.sd = numbers_at(predictions, "sd");
  // Transformed targets have intervals that are no multiple of the deviation.
  if (predictions.has("lower")) result.lower = numbers_at(predictions, "lower");
  if (predictions.has("upper")) result.upper = numbers_at(predictions, "upper");
  predictions.done();
  const auto fits = [&](const std::vector<double>& bounds) {
    return bounds.empty() || bounds.size() == result.mean.size();
  };
  if (result.target.size() != result.mean.size() || (has_sd && result.sd.size() != result.mean.size()) ||
      !fits(result.lower) || !fits(result.upper))
    throw ConfigError("/predictions", "target, mean and sd differ in length");
}

std::string text_or_empty(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end() || found->is_null()) return {};
  return found->is_string() ? found->get<std::string>() : found->dump();
}

/// Reads provenance for people: any object is accepted.
void read_provenance(const Json& program, const Json& machine, RunResult& result) {
  const auto join = [](std::string text, const std::string& part) {
    return text.empty() || part.empty() ? text + part : text + ", " + part;
  };
  result.program = text_or_empty(program, "version");
  for (const char* key : {"commit", "compiler", "flags"})
    result.program = join(result.program, text_or_empty(program, key));
  if (!result.trainer.empty()) result.program = join(result.program, "trainer " + result.trainer);
  result.machine = text_or_empty(machine, "cpu");
  const std::string threads = text_or_empty(machine, "threads");
  if (!threads.empty()) result.machine = join(result.machine, threads + (threads == "1" ? " thread" : " threads"));
}

void read_done(StrictObject& root, RunResult& result) {
  const Json& data = root.at("data");
  read_data(data, result);
  read_provenance(root.at("program"), root.at("machine"), result);
  const Json& recipe = root.at("recipe");
  read_recipe(recipe, result);
  result.settings = settings_of(data, recipe);
  root.at("train");
  read_scores(root.at("test"), result);
  read_fits(root.at("training"), matern_nu(recipe), result);
  read_seconds(root.at("seconds"), result);
  keep(result, root, "peak_mb", Measure::peak_mb);
  read_predictions(root.at("predictions"), result);
}

}  // namespace

RunResult parse_result(const Json& json) {
  StrictObject root(json, "");
  RunResult result;
  root.integer("format", 1, 1);
  result.done = root.choice("status", {"done", "failed"}) == "done";
  if (!root.at("reason").is_string()) root.refuse("reason", "must be a string");
  result.reason = root.at("reason").get<std::string>();
  if (!root.at("experiment").is_string()) root.refuse("experiment", "must be a string");
  root.text("hash");
  if (root.has("trainer")) result.trainer = root.text("trainer");
  read_run(root.at("unit"), result);
  if (result.done) {
    read_done(root, result);
  } else {
    // A run that failed late may have left some of these keys; they are no results.
    for (const char* key :
         {"data", "program", "machine", "recipe", "train", "test", "training", "seconds", "peak_mb", "predictions"})
      root.has(key);
  }
  root.done();
  return result;
}

namespace {

// Names of the fields that the first results lack, each between blanks.
constexpr std::string_view kLaterFields =
    " precision likelihood features.phase features.normalized features.landmarks features.sketch "
    "features.buckets features.samples features.bits features.code noise.prior_rows training.start scale.roots "
    "scale.unit_rows learner.kind learner.costs learner.scales learner.folds learner.class_weights "
    "kernel.isotropic kernel.alpha kernel.learn_shape kernel.degree kernel.offset kernel.balls kernel.quantiles "
    "kernel.coefficients kernel.learn_coefficients learner.search learner.search_rows training.start_rows "
    "training.start_iterations weights targets data.decimal data.missing_words data.dates data.group data.time "
    "data.weights data.noise_sd data.exposure kernel.lengthscale kernel.trained noise.sd noise.trained noise.degrees "
    "training.subsample_growth training.carry_curvature training.samples training.drawn_rows "
    "training.drawn_steps noise.dispersion noise.varies noise.shape network.residual network.inputs noise.rounds "
    "noise.rows calibration.kind calibration.share ";

/// Removes what results lack that are from before data.strict, when every guess about a table was an error.
void forget_strictness(Json& recipe) {
  if (!recipe.contains("data")) return;
  Json& data = recipe["data"];
  // Recipes of those results name both words, and the first of them no data.text.
  const bool as_before = data.value("missing", "") != word(MissingCells::automatic) &&
                         data.value("unseen", "") != word(UnseenCategory::automatic);
  if (!data.value("strict", true) && !as_before) return;
  data.erase("strict");
  if (data.value("text", "") != word(TextInputs::error)) data.erase("text");
}

}  // namespace

void forget_defaults(Json& recipe) {
  forget_strictness(recipe);
  Recipe defaults;
  for (const RecipeField& field : recipe_fields(defaults)) {
    if (kLaterFields.find(' ' + field.name() + ' ') == std::string_view::npos ||
        (!field.section.empty() && !recipe.contains(field.section)))
      continue;
    Json& section = field.section.empty() ? recipe : recipe[field.section];
    if (!section.contains(field.key) || section[field.key] != field_value(field)) continue;
    section.erase(field.key);
    if (section.empty()) recipe.erase(field.section);
  }
  if (recipe.contains("members"))
    for (Json& member : recipe["members"]) forget_defaults(member);
  if (!recipe.contains("training") || recipe["training"].value("subsample", 0) != 0) return;
  recipe["training"].erase("subsample");
  recipe["training"].erase("subsample_iterations");
}

}  // namespace alacarte
