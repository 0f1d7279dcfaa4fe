#pragma once
// A program as plain data: commands, and a table of options for each (only parser.cpp depends on the parser library);
// what alacarte and alacarte-bench share of them, and the way from main() to an exit code.
#include <alacarte/core/types.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace alacarte::cli {

inline constexpr const char* kHelpText = "Print this help message and exit";
inline constexpr const char* kVersionText = "Print version, compiler, BLAS, instruction set of the kernels and threads";

/// What an option or its value must be; combined by |.
enum Trait : unsigned {
  kRequired = 1,
  kShowDefault = 2,  ///< in the help
  kPositive = 4,
  kNotNegative = 8,
  kShare = 16,       ///< between 0 and 1, both left out
  kNoStream = 32,    ///< of a file: "-", standard input or output elsewhere, is refused
  kRepeatable = 64,  ///< of a list: one value each time it is given, not several
  kCommas = 128,     ///< of a list: commas stand between values, too
};

struct Option {
  /// Where the value goes. A bool is a flag, a vector takes one or more values, an optional stays empty unless given.
  using Value =
      std::variant<bool*, int*, Index*, std::uint64_t*, double*, std::string*, std::vector<std::string>*,
                   std::vector<double>*, std::optional<Index>*, std::optional<std::uint64_t>*, std::optional<double>*>;

  std::string name;  ///< "--fold"; without dashes ("MODEL") it is taken by its position
  Value value;
  std::string help;
  std::string type = {};  ///< word for the value in the help; "" = by its kind
  unsigned traits = 0;
  std::optional<std::pair<int, int>> range = {};
  std::vector<std::string> choices = {};
  std::string group = {};  ///< heading in the help
  std::string needs = {};  ///< another option that must be given with it
};

struct Command {
  std::string name, summary;
  std::string footer = {};
  std::vector<Option> options = {};
  std::function<int()> run = {};  ///< exit code; may be absent where a subcommand must be chosen
  std::vector<Command> subcommands = {};
  /// Words that are no subcommand, though one might think so, and what the error says of them.
  std::vector<std::pair<std::string, std::string>> hints = {};
};

/// A command as the help describes it: the words that lead to it ("alacarte datasets list"), and its options with
/// --help and, of the program, --version.
struct ListedCommand {
  std::string path;
  const Command* command;  ///< of the program that was listed
  std::vector<Option> options;
};

/// The program and all its commands, each before its own.
std::vector<ListedCommand> list_commands(const Command& program);

bool takes_several(const Option& option);  ///< its value is a list

/// What the help says of an option's value: its kind, range and default, as in "K (at least 0)".
std::string value_text(const Option& option);

/// Exit code of what the arguments ask for: a command's, or that of help, version and errors of usage, which are one
/// line with the nearest spelling. before_run() is called when the arguments are right.
int run_command_line(const Command& program, const std::function<std::string()>& version,
                     const std::function<void()>& before_run, int argc, char** argv);

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

/// The table of options that `program` makes, with those that all commands have.
Command whole_table(Command (*program)(CommonOptions&), CommonOptions& common);

/// What main() does: signals, the instruction set of $ALACARTE_ISA, the command line, and from an exception to one line
/// on standard error. `name` begins that line; `program` makes the table of options. Returns the exit code.
int run_main(const char* name, Command (*program)(CommonOptions&), int argc, char** argv) noexcept;

}  // namespace alacarte::cli
