#include "recipe_fields.hpp"

#include <algorithm>

namespace alacarte {
namespace {

constexpr double kManyRounds = 1e9;
constexpr double kManyRows = 1e12;
constexpr double kEver = 1e300;

const FieldScope kAnywhere = {};
const FieldScope kWholeOnly = {.in_member = false};
const FieldScope kSingle = {.in_mixture = false};
const FieldScope kMapsOnly = {.maps_only = true};

const std::vector<std::string> kScalings = {"none", "center", "zscore", "range"};

void add_data(std::vector<RecipeField>& table) {
  const auto add = [&](const char* key, FieldPointer (*at)(Recipe&), std::vector<std::string> choices,
                       const char* doc) {
    table.push_back({"data", key, at, 0, 0, std::move(choices), kWholeOnly, doc});
  };
  add(
      "target", [](Recipe& r) -> FieldPointer { return &r.data.target; }, {},
      "column to learn: a name, or an index from 0 (negative from the end); \"\" = the last column");
  add(
      "inputs", [](Recipe& r) -> FieldPointer { return &r.data.inputs; }, {},
      "columns to learn from; [] = all but target, key and ignored ones");
  add(
      "ignore", [](Recipe& r) -> FieldPointer { return &r.data.ignore; }, {}, "columns that are never inputs");
  add(
      "categorical", [](Recipe& r) -> FieldPointer { return &r.data.categorical; }, {},
      "columns coded one-hot; their categories are learned from the training rows");
  add(
      "key", [](Recipe& r) -> FieldPointer { return &r.data.key; }, {},
      "column copied to the predictions, never an input");
  add(
      "missing", [](Recipe& r) -> FieldPointer { return &r.data.missing; }, {"error", "drop", "mean"},
      "what to do about an empty cell of an input");
  add(
      "unseen", [](Recipe& r) -> FieldPointer { return &r.data.unseen; }, {"error", "zero"},
      "what to do, at prediction, about a category that no training row had");
  add(
      "header", [](Recipe& r) -> FieldPointer { return &r.data.header; }, {"auto", "yes", "no"},
      "whether the first line of a CSV file names the columns");
  add(
      "separator", [](Recipe& r) -> FieldPointer { return &r.data.separator; },
      {"auto", "comma", "semicolon", "tab", "space"}, "what separates the columns of a CSV file");
}

void add_model(std::vector<RecipeField>& table) {
  table.push_back({"scale", "inputs", [](Recipe& r) -> FieldPointer { return &r.scale_inputs; }, 0, 0, kScalings,
                   kWholeOnly, "what is done to each input, with statistics of the training rows"});
  table.push_back({"scale", "target", [](Recipe& r) -> FieldPointer { return &r.scale_target; }, 0, 0, kScalings,
                   kWholeOnly, "what is done to the target"});
  table.push_back({"scale",
                   "roots",
                   [](Recipe& r) -> FieldPointer { return &r.scale_rows.roots; },
                   0,
                   0,
                   {},
                   kWholeOnly,
                   "take the root of each scaled input and keep its sign: for counts and pixels, with unit_rows the "
                   "Hellinger distance of rows"});
  table.push_back({"scale",
                   "unit_rows",
                   [](Recipe& r) -> FieldPointer { return &r.scale_rows.unit; },
                   0,
                   0,
                   {},
                   kWholeOnly,
                   "divide each row of scaled inputs by its Euclidean length; rows of zeros stay"});
  table.push_back({"",
                   "mean",
                   [](Recipe& r) -> FieldPointer { return &r.mean; },
                   0,
                   0,
                   {"zero", "constant"},
                   kAnywhere,
                   "zero: nothing after scaling; constant: an unknown constant is integrated out"});
  table.push_back({"",
                   "priors",
                   [](Recipe& r) -> FieldPointer { return &r.priors; },
                   0,
                   0,
                   {},
                   kAnywhere,
                   "weak priors on every learned scale; false = plain maximum likelihood"});
  table.push_back({"",
                   "evidence",
                   [](Recipe& r) -> FieldPointer { return &r.evidence; },
                   0,
                   0,
                   {"auto", "primal", "dual"},
                   kMapsOnly,
                   "algebra over features (primal) or rows (dual); auto = the smaller"});
  table.push_back({"",
                   "precision",
                   [](Recipe& r) -> FieldPointer { return &r.precision; },
                   0,
                   0,
                   {"double", "mixed"},
                   kMapsOnly,
                   "mixed: the gradient's largest product in 32 bits where features are fewer than rows; it falls back "
                   "to double by itself where that costs digits"});
}

void add_learner(std::vector<RecipeField>& table) {
  const auto add = [&](const char* section, const char* key, FieldPointer (*at)(Recipe&),
                       std::vector<std::string> choices, const char* doc) {
    table.push_back({section, key, at, 0, 0, std::move(choices), kWholeOnly, doc});
  };
  add(
      "", "likelihood", [](Recipe& r) -> FieldPointer { return &r.likelihood; }, {},
      "distribution of the target, given f (alacarte kernels list names them)");
  add(
      "learner", "kind", [](Recipe& r) -> FieldPointer { return &r.learner.kind; }, {"gp", "svm", "logistic"},
      "who learns the weights of the features; svm and logistic hold the kernel's parameters where they start");
  table.push_back({"learner",
                   "costs",
                   [](Recipe& r) -> FieldPointer { return &r.learner.costs; },
                   1e-12,
                   1e12,
                   {},
                   kWholeOnly,
                   "C of svm and logistic, the best by cross-validation; [] = powers of ten from 0.001 to 1000"});
  table.push_back({"learner",
                   "scales",
                   [](Recipe& r) -> FieldPointer { return &r.learner.scales; },
                   1e-6,
                   1e6,
                   {},
                   kWholeOnly,
                   "of svm and logistic: multiples of the median distance of two rows that length-scales are held at, "
                   "the best by cross-validation; [] = 1"});
  table.push_back({"learner",
                   "folds",
                   [](Recipe& r) -> FieldPointer { return &r.learner.folds; },
                   2,
                   1000,
                   {},
                   kWholeOnly,
                   "of that cross-validation"});
  add(
      "learner", "class_weights", [](Recipe& r) -> FieldPointer { return &r.learner.class_weights; },
      {"none", "balanced"}, "balanced: a row counts n / (classes * rows of its class)");
}

void add_noise(std::vector<RecipeField>& table) {
  const auto add = [&](const char* key, FieldPointer (*at)(Recipe&), double minimum, double maximum, const char* doc) {
    table.push_back({"noise", key, at, minimum, maximum, {}, kAnywhere, doc});
  };
  add(
      "floor", [](Recipe& r) -> FieldPointer { return &r.noise.floor; }, 1e-6, 1,
      "least noise standard deviation, in standard deviations of the target");
  add(
      "start", [](Recipe& r) -> FieldPointer { return &r.noise.start; }, 1e-6, 10,
      "first noise standard deviation, in the same unit");
  table.push_back({"noise",
                   "prior_center",
                   [](Recipe& r) -> FieldPointer { return &r.noise.prior_center; },
                   0,
                   0,
                   {"ard", "fixed"},
                   kAnywhere,
                   "centre of the prior on noise: ard = the noise of a short exact ARD fit; fixed = prior_value"});
  add(
      "prior_rows", [](Recipe& r) -> FieldPointer { return &r.noise.prior_rows; }, 10, kManyRows,
      "most rows of that ARD fit");
  add(
      "prior_value", [](Recipe& r) -> FieldPointer { return &r.noise.prior_value; }, 1e-6, 10,
      "that centre, in standard deviations of the target");
  add(
      "prior_sd", [](Recipe& r) -> FieldPointer { return &r.noise.prior_sd; }, 1e-3, 100,
      "standard deviation of the prior on the logarithm of the noise");
}

void add_training(std::vector<RecipeField>& table) {
  const auto add = [&](const char* key, FieldPointer (*at)(Recipe&), double minimum, double maximum, const char* doc) {
    table.push_back({"training", key, at, minimum, maximum, {}, kAnywhere, doc});
  };
  add(
      "starts", [](Recipe& r) -> FieldPointer { return &r.training.starts; }, 1, 10000,
      "starting points; the best after a short probe is continued");
  table.push_back({"training",
                   "start",
                   [](Recipe& r) -> FieldPointer { return &r.training.start; },
                   0,
                   0,
                   {"range", "ard"},
                   kAnywhere,
                   "length-scales and noise begin at: range = shares of the inputs' ranges; ard = those of the ARD fit "
                   "that centres the prior on the noise, where there is one"});
  add(
      "probe_iterations", [](Recipe& r) -> FieldPointer { return &r.training.probe_iterations; }, 1, kManyRounds,
      "L-BFGS iterations of each probe");
  add(
      "iterations", [](Recipe& r) -> FieldPointer { return &r.training.iterations; }, 0, kManyRounds,
      "further iterations from the best probe");
  add(
      "evaluations", [](Recipe& r) -> FieldPointer { return &r.training.evaluations; }, 0, kManyRounds,
      "cap on evaluations of one fit; 0 = none");
  table.push_back({"training",
                   "seconds",
                   [](Recipe& r) -> FieldPointer { return &r.training.seconds; },
                   0,
                   kManyRounds,
                   {},
                   kWholeOnly,
                   "wall-clock budget of the whole training; 0 = none (it makes results vary)"});
  add(
      "gradient_tolerance", [](Recipe& r) -> FieldPointer { return &r.training.gradient_tolerance; }, 0, 1,
      "stop when |gradient| <= this * max(1, |objective|); 0 = off");
  add(
      "objective_tolerance", [](Recipe& r) -> FieldPointer { return &r.training.objective_tolerance; }, 0, 1,
      "stop when the relative change over 5 iterations is below this; 0 = off");
  add(
      "history", [](Recipe& r) -> FieldPointer { return &r.training.history; }, 1, 1000, "L-BFGS pairs kept");
  add(
      "subsample", [](Recipe& r) -> FieldPointer { return &r.training.subsample; }, 0, kManyRows,
      "starts are probed and continued on this many rows, drawn by the seed, then on twice as many, and so on, before "
      "all rows have their `iterations`; 0 = all rows from the start");
  add(
      "subsample_iterations", [](Recipe& r) -> FieldPointer { return &r.training.subsample_iterations; }, 1,
      kManyRounds, "L-BFGS iterations on each subsample, after the probes on the first");
}

std::vector<RecipeField> make_table() {
  std::vector<RecipeField> table;
  table.push_back(
      {"",
       "model",
       [](Recipe& r) -> FieldPointer { return &r.model; },
       0,
       0,
       {},
       kAnywhere,
       "which model, \"mixture\" of members, or \"auto\": a mixture that follows from the rows and the time"});
  table.push_back({"",
                   "description",
                   [](Recipe& r) -> FieldPointer { return &r.description; },
                   0,
                   0,
                   {},
                   kAnywhere,
                   "free text for people; changes nothing"});
  add_data(table);
  add_model(table);
  add_function_fields(table);
  add_learner(table);
  add_noise(table);
  add_training(table);
  table.push_back({"",
                   "copies",
                   [](Recipe& r) -> FieldPointer { return &r.copies; },
                   1,
                   1000,
                   {},
                   kSingle,
                   "fits of this model, each with its own draws and starts, that make an equal-weight mixture"});
  table.push_back({"",
                   "flops",
                   [](Recipe& r) -> FieldPointer { return &r.flops; },
                   0,
                   kEver,
                   {},
                   kWholeOnly,
                   "planned floating-point operations of the training, which shrinks to meet them; 0 = no plan"});
  table.push_back({"",
                   "max_model_mb",
                   [](Recipe& r) -> FieldPointer { return &r.max_model_mb; },
                   0,
                   kManyRounds,
                   {},
                   kWholeOnly,
                   "training refuses, before it starts, to make a larger model file; 0 = no limit"});
  return table;
}

}  // namespace

const std::vector<RecipeField>& recipe_fields() {
  static const std::vector<RecipeField> table = make_table();
  return table;
}

std::string inapplicable_reason(const RecipeField& field, const ModelInfo* info, RecipePart part) {
  const FieldScope& scope = field.scope;
  if (part == RecipePart::term && !field.is_listed() && field.key != "model")
    return "belongs to the whole recipe, not to a term";
  if (part == RecipePart::member && !scope.in_member) return "belongs to the whole recipe, not to a member";
  if (info == nullptr)
    return scope.in_mixture && !field.is_listed() ? "" : "belongs to the members of a mixture, not to the mixture";
  const bool fits = field.is_listed() ? info->uses(field.name()) : !(scope.maps_only && info->exact);
  return fits ? "" : "means nothing for model '" + info->name + "'";
}

}  // namespace alacarte
