// alacarte kernels: what a recipe's "model" may be.
#include <fmt/format.h>

#include <iostream>

#include "alacarte/core/error.hpp"
#include "alacarte/core/spelling.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/likelihood.hpp"
#include "alacarte/model/registered.hpp"
#include "command.hpp"
#include "guard.hpp"
#include "model_reference.hpp"

namespace alacarte::cli {
namespace {

struct KernelsArguments {
  std::string name;
  int (*chosen)(const KernelsArguments&) = nullptr;
};

void list_some(const char* title, bool exact) {
  std::cout << title << '\n';
  for (const ModelCard& card : model_cards())
    if (card.exact == exact) std::cout << fmt::format("  {:<17} {}\n", card.name, card.description);
}

int list(const KernelsArguments&) {
  list_some("Feature maps (linear in the rows, any n):", false);
  list_some("Exact kernels (cubic in the rows, small n):", true);
  std::cout << "And:\n"
            << fmt::format("  {:<17} {}\n", "mixture",
                           "Equal-weight mixture of several of the above, see check --schema");
  std::cout << "Likelihoods, of feature maps; exact kernels have gaussian alone:\n";
  for (const LikelihoodEntry& entry : likelihoods())
    std::cout << fmt::format("  {:<17} {}; {}\n", entry.name, entry.description, entry.formula);
  return 0;
}

int show(const KernelsArguments& a) {
  if (const ModelCard* card = find_card(model_cards(), a.name)) {
    std::cout << model_reference(*card);
    return 0;
  }
  std::vector<std::string> names;
  for (const ModelCard& card : model_cards()) names.push_back(card.name);
  throw UsageError(fmt::format("there is no model '{}'{}", a.name, did_you_mean(a.name, names)));
}

std::function<int()> configure_kernels(CLI::App& app, CommonOptions&) {
  auto a = std::make_shared<KernelsArguments>();
  a->chosen = list;
  app.require_subcommand(0, 1);
  app.add_subcommand("list", "One line for each model (also without a subcommand)")->callback([a] {
    a->chosen = list;
  });
  CLI::App* one = app.add_subcommand("show", "Formula, parameters, cost, reference and a recipe of one model");
  one->add_option("NAME", a->name, "Model")->required();
  one->callback([a] { a->chosen = show; });
  app.footer("Examples:\n  alacarte kernels list\n  alacarte kernels show gm");
  return [a] { return a->chosen(*a); };
}

}  // namespace

const Command kKernelsCommand{"kernels", "List the registered feature maps and kernels, describe one",
                              configure_kernels};

}  // namespace alacarte::cli
