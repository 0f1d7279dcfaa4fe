#pragma once
// What the programs alacarte and alacarte-bench share: the options that mean the same everywhere, and the way from
// main() to an exit code.
#include <cstdint>
#include <string>

#include "options.hpp"

namespace alacarte::cli {

/// Options that mean the same everywhere. A command declares only those it obeys.
struct CommonOptions {
  std::uint64_t seed = 0;
  bool seed_given = false;
  int threads = 1;
  bool quiet = false;
  std::string log = "text";
};

void add_log_options(Command& command, CommonOptions& common);  ///< --quiet and --log
void add_seed_option(Command& command, CommonOptions& common, const std::string& meaning);
void add_threads_option(Command& command, CommonOptions& common);

/// What main() does: signals, the instruction set of $ALACARTE_ISA, the command line, and from an exception to one line
/// on standard error. `name` begins that line; `program` makes the table of options. Returns the exit code.
int run_main(const char* name, Command (*program)(CommonOptions&), int argc, char** argv) noexcept;

}  // namespace alacarte::cli
