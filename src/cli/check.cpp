// alacarte check: is the recipe right, and are the gradients that training would follow?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "alacarte/core/error.hpp"
#include "alacarte/data/generators.hpp"
#include "alacarte/inference/inference.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/likelihood.hpp"
#include "alacarte/model/registered.hpp"
#include "alacarte/train/gradient_checker.hpp"
#include "command.hpp"
#include "guard.hpp"
#include "log.hpp"
#include "paths.hpp"
#include "recipe_source.hpp"
#include "signals.hpp"
#include "training_rows.hpp"

namespace alacarte::cli {
namespace {

constexpr double kTolerance = 1e-5;
// The formulas do not know their sizes: few frequencies and rows check the same code at a cost that invites checking.
constexpr Index kFrequencies = 16, kMaxEntries = 80, kExactRows = 40, kMaxRows = 1200, kShown = 5;

struct CheckArguments {
  RecipeSource recipe;
  std::string data;
  bool schema = false;
};

/// Raw inputs and targets: the first rows of a file, or of friedman1.
Dataset rows_for(const CheckArguments& a, const Recipe& recipe, std::uint64_t seed) {
  if (!a.data.empty()) return load_training_rows(find_data(a.data), recipe.data, {}, 0)->rows;
  Dataset rows;
  RandomStream stream = RandomStreams(seed).stream("check/rows");
  find_problem("friedman1")->generate(kMaxRows, stream, rows.inputs, rows.target);
  const LikelihoodEntry* entry = find_likelihood(recipe.likelihood);
  if (entry->classes) {  // of equal numbers of rows, by the target's size
    const Index classes = entry->most_classes > 0 ? entry->most_classes : 3;
    std::vector<double> sorted(rows.target.begin(), rows.target.end());
    std::sort(sorted.begin(), sorted.end());
    for (double& y : rows.target) {
      const auto rank = std::lower_bound(sorted.begin(), sorted.end(), y) - sorted.begin();
      y = static_cast<double>(rank * classes / rows.rows());
    }
  } else if (entry->likelihood != nullptr) {
    rows.target = rows.target.array().max(0.0).round();  // counts
  }
  return rows;
}

/// The starting point, moved a little: some gradients vanish at a start by symmetry and would hide an error.
Vector point_to_check(const ModelFunction& model, const Objective& objective, const TrainingView& view,
                      const NoiseConfig& noise, RandomStream stream) {
  Vector theta(objective.parameters().size());
  theta.head(model.parameters().size()) = model.start(view, 0, stream);
  const double log_noise = 0.5 * std::log(std::max(noise.start * noise.start - noise.floor * noise.floor, 1e-8));
  const ParameterLayout& layout = objective.parameters();
  if (layout.contains("noise.log_sd")) theta[layout.find("noise.log_sd").offset] = log_noise;
  if (layout.contains("constant.log_sd")) theta[layout.find("constant.log_sd").offset] = 0;
  for (const Index entry : objective.parameters().trainable_entries()) theta[entry] += 0.05 * stream.normal();
  return theta;
}

void print(const GradientCheck& result, const Objective& objective) {
  const EvaluationPlan plan = objective.plan();
  std::cout << fmt::format("  n {}, D {}, {}: worst relative error {:.1e} over {} of {} parameters\n", plan.rows,
                           plan.features, plan.form, result.worst(), result.entries.size(), plan.parameters);
  const auto shown = std::min<std::size_t>(result.entries.size(), kShown);
  for (std::size_t k = 0; k < shown; ++k) {
    const auto& e = result.entries[k];
    std::cout << fmt::format("    {:<32} analytic {:>14.7e}  numeric {:>14.7e}  error {:.1e}\n", e.name, e.analytic,
                             e.numeric, e.error);
  }
}

void lower_frequencies(Recipe& recipe) {
  const ModelCard* card = find_card(model_cards(), recipe.model);
  if (card != nullptr && card->uses("features.frequencies"))
    recipe.features.frequencies = std::min(recipe.features.frequencies, kFrequencies);
  for (Recipe& term : recipe.terms) lower_frequencies(term);
}

class MemberCheck {
 public:
  MemberCheck(const Recipe& recipe, const Dataset& rows, std::uint64_t seed)
      : recipe_(recipe), rows_(rows), streams_(RandomStreams(seed).scope("check")) {
    lower_frequencies(recipe_);
    const Index most = std::min(rows_.rows(), kMaxRows);
    model_ = make_function(recipe_, rows.inputs.cols(), streams_.scope("map"), standardized(most).view);
  }

  const ModelFunction& model() const { return model_; }
  Index frequencies() const { return recipe_.features.frequencies; }

  /// Fewer rows than features, and more, as far as there are rows.
  std::vector<Index> row_counts() const {
    const Index most = std::min(rows_.rows(), kMaxRows);
    if (model_.kernel) return {std::min(most, kExactRows)};
    const Index features = model_.map->feature_count();
    std::vector<Index> counts = {std::min(most, std::max<Index>(2, features / 2)),
                                 std::min(most, features + features / 4 + 1)};
    if (counts[0] == counts[1]) counts.pop_back();
    return counts;
  }

  /// The worst relative error with this many rows.
  double run(Index rows) const {
    const auto& [x, y, view] = standardized(rows);
    InferenceOptions options;
    options.mean = recipe_.mean;
    options.form = recipe_.evidence;
    options.noise = recipe_.noise;
    options.likelihood = laplace_likelihood(recipe_);
    if (learns_classes(recipe_)) options.classes = static_cast<Index>(y.maxCoeff()) + 1;
    const auto objective =
        model_.map ? make_inference(model_.map, x, y, options) : make_inference(model_.kernel, x, y, options);
    const Vector theta = point_to_check(model_, *objective, view, recipe_.noise, streams_.stream("start"));
    const GradientCheck result = check_gradient(*objective, theta, kMaxEntries);
    print(result, *objective);
    // A NaN must not pass for a small error.
    const bool finite = std::all_of(result.entries.begin(), result.entries.end(),
                                    [](const GradientCheckEntry& e) { return std::isfinite(e.error); });
    return finite ? result.worst() : std::numeric_limits<double>::infinity();
  }

 private:
  struct Rows {
    Matrix x;
    Vector y;
    TrainingView view;
  };
  /// The first `rows`.
  Rows standardized(Index rows) const {
    const Matrix raw = rows_.inputs.topRows(rows);
    const Vector target = rows_.target.head(rows);
    const auto standardizer =
        Standardizer::learn(raw, target, recipe_.scale_inputs, recipe_.scale_target, recipe_.scale_rows);
    Matrix x = standardizer.inputs(raw);
    Vector y = standardizer.target(target);
    RandomStream pairs = streams_.stream("pairs");
    TrainingView view = make_training_view(x, y, pairs);
    return {std::move(x), std::move(y), std::move(view)};
  }

  Recipe recipe_;
  const Dataset& rows_;
  RandomStreams streams_;
  ModelFunction model_;
};

int check_recipe(const CheckArguments& a, const CommonOptions& common) {
  if (a.schema) {
    std::cout << recipe_reference(model_cards());
    return kSuccess;
  }
  if (a.recipe.path.empty()) throw UsageError("RECIPE is required");
  const Recipe recipe = read_recipe_source(a.recipe);
  std::cout << fmt::format("recipe {} is valid\n", a.recipe.path);
  if (recipe.learner.kind != "gp") {
    std::cout << fmt::format(
        "learner {}: its parameters follow no gradient of an evidence, so there is none to check\n",
        recipe.learner.kind);
    return kSuccess;
  }
  const Dataset rows = rows_for(a, recipe, common.seed);
  double worst = 0;
  for (Recipe fit : fits_of(recipe)) {
    fit.scale_inputs = recipe.scale_inputs;
    fit.scale_target = recipe.scale_target;
    fit.scale_rows = recipe.scale_rows;
    const MemberCheck check(fit, rows, common.seed);
    std::cout << fmt::format("{}: {} inputs", fit.model, rows.inputs.cols());
    if (check.model().map) std::cout << fmt::format(", checked with {} frequencies", check.frequencies());
    std::cout << '\n';
    for (const Index count : check.row_counts()) {
      stop_if_interrupted();
      worst = std::max(worst, check.run(count));
    }
  }
  if (!(worst <= kTolerance)) {
    throw NumericalError("gradient check",
                         fmt::format("the worst relative error {:.1e} is above {:.0e}", worst, kTolerance), worst);
  }
  std::cout << fmt::format("gradients agree with central differences (tolerance {:.0e})\n", kTolerance);
  return kSuccess;
}

std::function<int()> configure_check(CLI::App& app, CommonOptions& common) {
  auto a = std::make_shared<CheckArguments>();
  add_recipe_argument(app, a->recipe);
  app.add_flag("--schema", a->schema, "Print every key of a recipe with type, range, default and meaning");
  app.add_option("--data", a->data, "Check on the rows of this table (default: rows of friedman1)")->type_name("FILE");
  app.add_option("--target", a->recipe.target, "Target column of --data")->type_name("COL");
  add_override_option(app, a->recipe);
  add_seed_option(app, common, "Seed of the draws and the point");
  add_log_options(app, common);
  app.footer(
      "First the recipe is read strictly: an unknown key, a wrong type or a value out of range is an error that names\n"
      "the place (exit code 2). Then the gradient of the evidence is compared with central differences, for each "
      "model\n"
      "of the recipe with fewer and with more rows than features; the worst entries are listed by name. An error "
      "above\n"
      "1e-5 exits with 5. The check uses at most 16 frequencies. Learners svm and logistic have no such gradient.\n\n"
      "Examples:\n"
      "  alacarte check gm --data houses.csv --target price\n"
      "  alacarte check --schema");
  return [a, &common] { return check_recipe(*a, common); };
}

}  // namespace

const Command kCheckCommand{"check", "Check a recipe, then its gradients", configure_check};

}  // namespace alacarte::cli
