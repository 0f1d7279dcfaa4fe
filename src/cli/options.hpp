#pragma once
// The command line as plain data: commands, and a table of options for each. Only parser.cpp depends on the parser
// library.
#include <alacarte/core/types.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace alacarte::cli {

enum class Limit { none, positive, not_negative, share };  ///< share: between 0 and 1, both left out

struct Option {
  /// Target of the value; a bool is a flag, a vector takes one or more values.
  using Value = std::variant<bool*, int*, Index*, std::uint64_t*, double*, std::string*, std::vector<std::string>*>;

  std::string name;  ///< "--fold"; without dashes ("MODEL") it is taken by its position
  Value value;
  std::string help;
  std::string type = {};  ///< word for the value in the help; "" = by its kind
  bool required = false;
  bool no_stream = false;  ///< of a file: "-", standard input or output elsewhere, is refused
  bool show_default = false;
  Limit limit = Limit::none;
  std::optional<std::pair<int, int>> range = {};
  std::vector<std::string> choices = {};
  std::string group = {};   ///< heading in the help
  std::string needs = {};   ///< another option that must be given with it
  bool* given = nullptr;    ///< set when the command line has it
  bool repeatable = false;  ///< of a vector: one value each time it is given
  bool single = false;      ///< of a vector: exactly one value
  char delimiter = '\0';    ///< of a vector: also between values in one word
};

struct Command {
  std::string name, summary;
  std::string footer = {};
  std::vector<Option> options = {};
  std::function<int()> run = {};  ///< exit code; may be absent where a subcommand must be chosen
  std::vector<Command> subcommands = {};
  /// Words that are no subcommand, though one might think so, and what the error says of them.
  std::vector<std::pair<std::string, std::string>> hints = {};

  /// The option as it lies in the table, until the next is added.
  Option& add(Option option) { return options.emplace_back(std::move(option)); }
};

/// Exit code of what the arguments ask for: a command's, or that of help, version and errors of usage, which are one
/// line with the nearest spelling. before_run() is called when the arguments are right.
int run_command_line(const Command& program, const std::function<void()>& before_run, int argc, char** argv);

}  // namespace alacarte::cli
