// alacarte kernels: what a recipe's "model" may be.
#include <fmt/format.h>

#include <iostream>

#include "alacarte/app/model_reference.hpp"
#include "alacarte/core/spelling.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/likelihood.hpp"
#include "alacarte/model/registered.hpp"
#include "command.hpp"
#include "guard.hpp"

namespace alacarte::cli {
namespace {

void list_some(const char* title, bool exact) {
  std::cout << title << '\n';
  for (const ModelInfo& info : model_infos())
    if (info.exact == exact) std::cout << fmt::format("  {:<17} {}\n", info.name, info.description);
}

int list_models() {
  list_some("Feature maps (linear in the rows, any n):", false);
  list_some("Exact kernels (cubic in the rows, small n):", true);
  std::cout << "And:\n"
            << fmt::format("  {:<17} {}\n", "auto",
                           "A mixture that follows from the rows and the time; the default of train")
            << fmt::format("  {:<17} {}\n", "mixture",
                           "Equal-weight mixture of several of the above, see check --schema");
  std::cout << "Likelihoods:\n";
  for (const LikelihoodEntry& entry : likelihoods())
    std::cout << fmt::format("  {:<17} {}; {}\n", entry.name, entry.description, entry.formula);
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
  Command list{"list", "One line for each model (also without a subcommand)"};
  list.run = list_models;
  Command show{"show", "Formula, parameters, cost, reference and a recipe of one model"};
  show.add({"NAME", name.get(), "Model", "", true});
  show.run = [name] { return show_model(*name); };
  Command command{"kernels", "List the registered feature maps and kernels, describe one"};
  command.subcommands = {list, show};
  command.run = list_models;
  command.footer = "Examples:\n  alacarte kernels list\n  alacarte kernels show gm";
  return command;
}

}  // namespace alacarte::cli
