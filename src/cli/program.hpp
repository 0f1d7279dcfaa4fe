#pragma once
// A program as plain data: commands, and a table of options for each (only parser.cpp depends on the parser library).
// Also the parts that alacarte and alacarte-bench share, and the way from main() to an exit code.
#include <alacarte/core/types.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace alacarte::cli {

inline constexpr const char* kHelpText = "Print this help message and exit";
inline constexpr const char* kVersionText = "Print version, compiler, BLAS, instruction set of the kernels and threads";

/// Requirements on an option or its value; combined by |.
enum Trait : unsigned {
  kRequired = 1,
  kShowDefault = 2,  ///< show the default in the help
  kPositive = 4,
  kNotNegative = 8,
  kShare = 16,       ///< strictly between 0 and 1
  kNoStream = 32,    ///< files only: refuse "-", elsewhere standard input or output
  kRepeatable = 64,  ///< lists: one value per occurrence, not several
  kCommas = 128,     ///< lists: commas also separate values
};

struct Option {
  /// Destination of the value. A bool is a flag, a vector takes one or more values, an optional is empty unless given.
  using Value =
      std::variant<bool*, int*, Index*, std::uint64_t*, double*, std::string*, std::vector<std::string>*,
                   std::vector<double>*, std::optional<Index>*, std::optional<std::uint64_t>*, std::optional<double>*>;

  std::string name;  ///< "--fold"; without dashes ("MODEL") it is positional
  Value value;
  std::string help;
  std::string type = {};  ///< word for the value in the help; "" = from its kind
  unsigned traits = 0;
  std::optional<std::pair<int, int>> range = {};
  std::vector<std::string> choices = {};
  std::string group = {};  ///< heading in the help
  std::string needs = {};  ///< another option that it requires
};

struct Command {
  std::string name, summary;
  std::string footer = {};
  std::vector<Option> options = {};
  std::function<int()> run = {};  ///< returns the exit code; may be absent if a subcommand is required
  std::vector<Command> subcommands = {};
  /// Words that might be mistaken for subcommands, and the error text for each.
  std::vector<std::pair<std::string, std::string>> hints = {};
};

/// Command as the help describes it: the words that lead to it ("alacarte datasets list"), and its options with --help
/// and, for the program, --version.
struct ListedCommand {
  std::string path;
  const Command* command;  ///< command of the listed program
  std::vector<Option> options;
};

/// Lists the program and all its commands, each before its own.
std::vector<ListedCommand> list_commands(const Command& program);

Option in_range(Option option, int least, int most);             ///< returns it with this range of numbers
Option one_of(std::vector<std::string> choices, Option option);  ///< returns it with these choices
/// Appends options under a heading of the help.
void add_group(const std::string& heading, std::vector<Option> more, std::vector<Option>& options);
bool takes_several(const Option& option);  ///< true if its value is a list

/// Returns the help's description of an option's value: kind, range and default, as in "K (at least 0)".
std::string value_text(const Option& option);

/// Runs the command line and returns its exit code: a command's, or that of help, version or an error of usage, which
/// prints one line with the nearest spelling. before_run() is called after successful parsing.
int run_command_line(const Command& program, const std::function<std::string()>& version,
                     const std::function<void()>& before_run, int argc, char** argv);

/// Options with the same meaning everywhere. A command declares only those it obeys; --quiet and --log exist for all.
struct CommonOptions {
  std::optional<std::uint64_t> given_seed;
  int threads = 1;
  bool quiet = false;
  std::string log = "text";

  std::uint64_t seed() const { return given_seed.value_or(0); }
};

Option seed_option(CommonOptions& common, const std::string& meaning);
Option threads_option(CommonOptions& common);  ///< also sets the default

/// Returns the table of options of `program`, with those that all commands have.
Command whole_table(Command (*program)(CommonOptions&), CommonOptions& common);

/// Implements main(): signals, the instruction set of $ALACARTE_ISA, the command line, and from an exception to one
/// line on standard error. `name` begins that line; `program` makes the table of options. Returns the exit code.
int run_main(const char* name, Command (*program)(CommonOptions&), int argc, char** argv) noexcept;

/// Makes commands that support ranks join those of the launcher, if any, and leave them at the end. Only the first rank
/// writes messages, output and files. Every other command that would run once per rank is refused, except `run`, whose
/// processes only share a folder.
void join_ranks_in(Command& program, CommonOptions& common);

}  // namespace alacarte::cli
