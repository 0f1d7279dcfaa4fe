// alacarte check, kernels and schema: validates a recipe, describes the values of its "model", and prints the JSON
// schemas of the files that people write, for their editors.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <iostream>
#include <string>

#include "alacarte/core/model_info.hpp"
#include "alacarte/data/dataset.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/likelihood.hpp"
#include "alacarte/model/registered.hpp"
#include "app/check_gradients.hpp"
#include "command.hpp"
#include "core/spelling.hpp"
#include "data/generators.hpp"
#include "experiment/experiment.hpp"
#include "io/documents.hpp"

namespace alacarte::cli {
namespace {

constexpr Index kExampleRows = 200;

/// Returns the statistics of the example that parameters are shown for: friedman1, standardised.
TrainingStatistics example_statistics() {
  RandomStream stream(1);
  Matrix x;
  Vector y;
  find_problem("friedman1")->generate(kExampleRows, stream, x, y);
  const auto standardizer = Standardizer::learn(x, y, Scaling::zscore, TargetScaling::zscore);
  return training_statistics(standardizer.inputs(x), standardizer.target(y), stream);
}

std::string span_of(ConstVec values) {
  const double low = values.minCoeff(), high = values.maxCoeff();
  return low == high ? fmt::format("{:.3g}", low) : fmt::format("{:.3g} .. {:.3g}", low, high);
}

std::string prior_of(const ParameterPrior& prior) {
  switch (prior.kind) {
    case ParameterPrior::Kind::none: return "none";
    case ParameterPrior::Kind::normal: return fmt::format("normal, mean {}, sd {:g}", span_of(prior.mean), prior.sd);
    case ParameterPrior::Kind::lower_normal:
      return fmt::format("normal below {}, sd {:g}, flat above", span_of(prior.mean), prior.sd);
    case ParameterPrior::Kind::log_inverse_gamma:
      return fmt::format("inverse gamma of the square, mean {}, sd {:g}", span_of(prior.mean), prior.sd);
  }
  return "";
}

std::string parameters_of(const Recipe& recipe) {
  const TrainingStatistics statistics = example_statistics();
  const Prior prior = make_prior(recipe, statistics.input_count(), RandomStreams(1), statistics);
  RandomStream stream(2);
  const Vector start = prior.start(statistics, 0, stream);
  std::string text = fmt::format("parameters, of the recipe below with {} inputs (positive ones as logarithms):\n",
                                 statistics.input_count());
  for (const ParameterSlot& slot : prior.parameters().slots())
    text += fmt::format("  {} ({}){}\n    start {}; from {:g} to {:g}; prior: {}\n", slot.name, slot.size,
                        slot.trainable ? "" : ", not trained", span_of(start.segment(slot.offset, slot.size)),
                        slot.lower, slot.upper, prior_of(slot.prior));
  if (prior.map()) text += fmt::format("  features: {}\n", prior.map()->feature_count());
  return text;
}

std::string settings_of(const ModelInfo& info, const Recipe& recipe) {
  if (info.keys.empty()) return "settings of its own: none\n";
  std::string text = "settings of its own, as in the recipe (check --schema says what they mean):\n";
  for (const std::string& key : info.keys) {
    if (key == "terms") {
      text += "  terms: recipes of their own\n";
      continue;
    }
    const auto dot = key.find('.');
    text += fmt::format("  {} = {}\n", key, value_text(recipe, key.substr(0, dot), key.substr(dot + 1)));
  }
  return text;
}

std::string indented(std::string text) {
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
    text.insert(at + 1, "  ");
  return "  " + text + "\n";
}

/// Returns formula, accuracy, cost, settings, reference and a recipe of one model, and its parameters under that
/// recipe: text of several lines that ends with the recipe as JSON.
std::string model_reference(const ModelInfo& info) {
  const Recipe recipe = parse_recipe_text(info.recipe, "recipe of " + info.name);
  std::string text = fmt::format("{}: {}\n\n", info.name, info.description);
  text += "formula:\n" + indented(info.formula);
  text += "accuracy:\n" + indented(info.accuracy);
  text += "cost:\n" + indented(info.cost);
  text += settings_of(info, recipe) + parameters_of(recipe);
  text += "fixed in training:\n" + indented(info.fixed.empty() ? "nothing" : info.fixed);
  text += "reference:\n" + indented(info.reference);
  text += "recipe:\n" + indented(info.recipe);
  return text;
}

constexpr std::size_t kShown = 5;

struct CheckArguments {
  RecipeSource recipe;
  std::string data;
  bool schema = false;
};

void print_check(const ModelGradientCheck& result) {
  if (result.first)
    std::cout << fmt::format("{}: {} inputs", result.model, result.inputs)
              << (result.has_features ? fmt::format(", checked with {} frequencies\n", result.frequencies) : "\n");
  const auto& entries = result.check.entries;
  std::cout << fmt::format("  n {}, D {}, {}: worst relative error {:.1e} over {} of {} parameters\n", result.plan.rows,
                           result.plan.features, word(result.plan.form), result.check.worst(), entries.size(),
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
  if (recipe.learner.kind != LearnerKind::gp) {
    std::cout << fmt::format(
        "learner {}: its parameters follow no gradient of an evidence, so there is none to check\n",
        word(recipe.learner.kind));
    return kSuccess;
  }
  ProgressReporter reporter(1);
  const Dataset rows =
      a.data.empty() ? rows_to_check(recipe, common.seed()) : rows_to_check(find_data(a.data), recipe, reporter.job());
  const GradientAgreement agreement = check_gradients(recipe, rows, common.seed(), print_check, reporter.job());
  if (!agreement.holds())
    throw NumericalError("gradient check", fmt::format("the worst relative error {:.1e} is above {:.0e}",
                                                       agreement.worst, agreement.tolerance));
  std::cout << fmt::format("gradients agree with central differences (tolerance {:.0e})\n", agreement.tolerance);
  return kSuccess;
}

int list_models() {
  using Rows = std::vector<std::vector<std::string>>;
  Rows maps, exact, likelihood_rows;
  for (const ModelInfo& info : model_infos()) (info.exact ? exact : maps).push_back({info.name, info.description});
  for (const LikelihoodEntry& entry : likelihoods())
    likelihood_rows.push_back({entry.name, entry.description + "; " + entry.formula});
  const auto list = [](const char* title, const Rows& rows) {
    std::cout << title << '\n' << text_table(rows, "ll", 2);
  };
  list("Feature maps (linear in the rows, any n):", maps);
  list("Exact kernels (cubic in the rows, small n):", exact);
  list("And:", {{"auto", "A mixture that follows from the rows and the time; the default of train"},
                {"mixture", "Equal-weight mixture of several of the above, see check --schema"}});
  list("Likelihoods:", likelihood_rows);
  return kSuccess;
}

int show_model(const std::string& name) {
  if (const ModelInfo* info = find_model_info(model_infos(), name)) {
    std::cout << model_reference(*info);
    return kSuccess;
  }
  std::vector<std::string> names;
  for (const ModelInfo& info : model_infos()) names.push_back(info.name);
  throw UsageError(fmt::format("there is no model '{}'{}", name, did_you_mean(name, names)));
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
      .options = {recipe_argument(a->recipe),
                  {"--schema", &a->schema, "Print every key of a recipe with type, range, default and meaning"},
                  {"--data", &a->data, "Check on the rows of this table (default: rows of friedman1)", "FILE"},
                  {"--target", &a->recipe.target, "Target column of --data", "COL"},
                  override_option(a->recipe),
                  seed_option(common, "Seed of the draws and the point")},
      .run = [a, &common] { return check_recipe(*a, common); }};
}

Command kernels_command() {
  const auto name = std::make_shared<std::string>();
  return {.name = "kernels",
          .summary = "List the registered feature maps and kernels, describe one",
          .footer = "Examples:\n  alacarte kernels list\n  alacarte kernels show gm",
          .run = list_models,
          .subcommands = {
              {.name = "list", .summary = "One line for each model (also without a subcommand)", .run = list_models},
              {.name = "show",
               .summary = "Formula, parameters, cost, reference and a recipe of one model",
               .options = {{"NAME", name.get(), "Model", "", kRequired}},
               .run = [name] { return show_model(*name); }}}};
}

Command schema_command() {
  const auto of = std::make_shared<std::string>();
  return {
      .name = "schema",
      .summary = "Print the JSON schema of recipes or experiments, for editors",
      .footer =
          R"(Draft 7, made from the tables that read these files: every key with type, range, default and meaning, and what each
model takes. Editors complete and check by it; alacarte check says the last word.

Example:
  alacarte schema recipe >recipe.schema.json)",
      .options = {one_of({"recipe", "experiment"}, {"OF", of.get(), "recipe or experiment", "", kRequired})},
      .run = [of] {
        std::cout << (*of == "recipe" ? recipe_schema(model_infos()) : experiment_schema()).dump(2) << '\n';
        return kSuccess;
      }};
}

}  // namespace alacarte::cli
