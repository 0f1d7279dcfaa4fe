// alacarte check: is the recipe right, and are the gradients that training would follow?
#include "alacarte/app/check_gradients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "command.hpp"

namespace alacarte::cli {
namespace {

constexpr std::size_t kShown = 5;

struct CheckArguments {
  RecipeSource recipe;
  std::string data;
  bool schema = false;
};

void print_check(const ModelGradientCheck& result) {
  if (result.first) {
    std::cout << fmt::format("{}: {} inputs", result.model, result.inputs);
    if (result.has_features) std::cout << fmt::format(", checked with {} frequencies", result.frequencies);
    std::cout << '\n';
  }
  const auto& entries = result.check.entries;
  std::cout << fmt::format("  n {}, D {}, {}: worst relative error {:.1e} over {} of {} parameters\n", result.plan.rows,
                           result.plan.features, result.plan.form, result.check.worst(), entries.size(),
                           result.plan.parameters);
  for (std::size_t k = 0; k < std::min(entries.size(), kShown); ++k)
    std::cout << fmt::format("    {:<32} analytic {:>14.7e}  numeric {:>14.7e}  error {:.1e}\n", entries[k].name,
                             entries[k].analytic, entries[k].numeric, entries[k].error);
}

int check_recipe(const CheckArguments& a, const CommonOptions& common) {
  if (a.schema) {
    std::cout << recipe_reference(model_infos());
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
  ProgressReporter reporter(1);
  const Dataset rows =
      a.data.empty() ? rows_to_check(recipe, common.seed()) : rows_to_check(find_data(a.data), recipe, reporter.job());
  const GradientAgreement agreement = check_gradients(recipe, rows, common.seed(), print_check, reporter.job());
  if (!agreement.holds()) {
    throw NumericalError(
        "gradient check",
        fmt::format("the worst relative error {:.1e} is above {:.0e}", agreement.worst, agreement.tolerance),
        agreement.worst);
  }
  std::cout << fmt::format("gradients agree with central differences (tolerance {:.0e})\n", agreement.tolerance);
  return kSuccess;
}

}  // namespace

Command check_command(CommonOptions& common) {
  const auto a = std::make_shared<CheckArguments>();
  return {
      .name = "check",
      .summary = "Check a recipe, then its gradients",
      .footer =
          R"(First the recipe is read strictly: an unknown key, a wrong type or a value out of range is an error that names
the place (exit code 2). Then the gradient of the evidence is compared with central differences, for each model
of the recipe with fewer and with more rows than features; the worst entries are listed by name. An error above
1e-5 exits with 5. The check uses at most 16 frequencies. Learners svm and logistic have no such gradient.

Examples:
  alacarte check gm --data houses.csv --target price
  alacarte check --schema)",
      .options = {recipe_argument(a->recipe, 0),
                  {"--schema", &a->schema, "Print every key of a recipe with type, range, default and meaning"},
                  {"--data", &a->data, "Check on the rows of this table (default: rows of friedman1)", "FILE"},
                  {"--target", &a->recipe.target, "Target column of --data", "COL"},
                  override_option(a->recipe),
                  seed_option(common, "Seed of the draws and the point")},
      .run = [a, &common] { return check_recipe(*a, common); }};
}

}  // namespace alacarte::cli
