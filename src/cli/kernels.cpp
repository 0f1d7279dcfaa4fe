// alacarte kernels: what a recipe's "model" may be.
#include <fmt/format.h>

#include <iostream>

#include "alacarte/app/model_reference.hpp"
#include "alacarte/core/spelling.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/likelihood.hpp"
#include "alacarte/model/registered.hpp"
#include "command.hpp"

namespace alacarte::cli {
namespace {

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

}  // namespace alacarte::cli
