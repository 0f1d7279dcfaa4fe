// alacarte kernels: what a recipe's "model" may be.
#include <fmt/format.h>

#include <iostream>

#include "alacarte/features/feature_map.hpp"
#include "alacarte/kernel/kernel.hpp"
#include "command.hpp"

namespace alacarte::cli {
namespace {

int list_models() {
  std::cout << "Feature maps (linear in the rows, any n):\n";
  for (const auto& entry : feature_maps()) std::cout << fmt::format("  {:<14} {}\n", entry.name, entry.description);
  std::cout << "Exact kernels (cubic in the rows, small n):\n";
  for (const auto& entry : kernels()) std::cout << fmt::format("  {:<14} {}\n", entry.name, entry.description);
  std::cout << "And:\n"
            << fmt::format("  {:<14} {}\n", "mixture",
                           "Equal-weight mixture of several of the above, see check --schema");
  return 0;
}

std::function<int()> configure(CLI::App& app, CommonOptions&) {
  app.footer("Example:\n  alacarte kernels");
  return list_models;
}

}  // namespace

const Command kKernelsCommand{"kernels", "List the registered feature maps and kernels", configure};

}  // namespace alacarte::cli
