#pragma once
// What the programs alacarte and alacarte-bench share: the options that mean the same everywhere, and the way from
// main() to an exit code.
#include <cstdint>
#include <string>

#include "options.hpp"

namespace alacarte::cli {

/// Options that mean the same everywhere. A command declares only those it obeys; --quiet and --log all have.
struct CommonOptions {
  std::optional<std::uint64_t> given_seed;
  int threads = 1;
  bool quiet = false;
  std::string log = "text";

  std::uint64_t seed() const { return given_seed.value_or(0); }
};

Option seed_option(CommonOptions& common, const std::string& meaning);
Option threads_option(CommonOptions& common);  ///< also sets the default

/// What main() does: signals, the instruction set of $ALACARTE_ISA, the command line, and from an exception to one line
/// on standard error. `name` begins that line; `program` makes the table of options. Returns the exit code.
int run_main(const char* name, Command (*program)(CommonOptions&), int argc, char** argv) noexcept;

}  // namespace alacarte::cli
