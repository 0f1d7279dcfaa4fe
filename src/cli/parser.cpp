// Translates the table of options to CLI11; no other file depends on CLI11.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <iostream>
#include <limits>
#include <sstream>
#include <type_traits>
#include <utility>

#include "core/spelling.hpp"
#include "log.hpp"
#include "process.hpp"
#include "program.hpp"

namespace alacarte::cli {
namespace {

template <class Value>
constexpr bool kIsList = std::is_same_v<Value, std::vector<std::string>> || std::is_same_v<Value, std::vector<double>>;

/// Describes the allowed values of a number.
std::string range_text(const Option& option) {
  if (option.range) return fmt::format("from {} to {}", option.range->first, option.range->second);
  if (option.traits & kPositive) return "above 0";
  if (option.traits & kNotNegative) return "at least 0";
  return option.traits & kShare ? "between 0 and 1" : "";
}

/// Parses a number, or returns the fault of the word. CLI11 alone reads -1 as a large seed and clamps large numbers.
template <class Number>
std::string read_number(const std::string& word, const Option& option, Number& value) {
  const char* const end = word.data() + word.size();
  const auto status = std::from_chars(word.data(), end, value);
  const bool read = status.ec == std::errc() && status.ptr == end;
  if constexpr (std::is_integral_v<Number>) {
    Number least = std::numeric_limits<Number>::lowest(), most = std::numeric_limits<Number>::max();
    if (option.traits & (kPositive | kNotNegative)) least = option.traits & kPositive ? 1 : 0;
    if (option.range)
      least = static_cast<Number>(option.range->first), most = static_cast<Number>(option.range->second);
    if (read && value >= least && value <= most) return {};
    return fmt::format("must be a whole number from {} to {}, not '{}'", least, most, word);
  } else {
    const auto lacks = [&](Trait trait, bool inside) { return (option.traits & trait) && !inside; };
    const bool in_range = !option.range || (value >= option.range->first && value <= option.range->second);
    const bool inside = std::isfinite(value) && in_range && !lacks(kPositive, value > 0) &&
                        !lacks(kNotNegative, value >= 0) && !lacks(kShare, value > 0 && value < 1);
    const std::string range = range_text(option);
    if (read && inside) return {};
    const bool is_percentage = read && (option.traits & kShare) && value > 1 && value < 100;
    return fmt::format("must be a number{}, not '{}'{}", range.empty() ? "" : " " + range, word,
                       is_percentage ? fmt::format(" (did you mean {}?)", static_cast<double>(value) / 100) : "");
  }
}

std::string read_value(const std::string& word, const Option& option, std::string& value) {
  value = word;
  if ((option.traits & kNoStream) && word == "-") return "cannot be standard input or output; name a file";
  const auto& choices = option.choices;
  if (choices.empty() || std::find(choices.begin(), choices.end(), word) != choices.end()) return {};
  return fmt::format("must be one of {}, not '{}'{}", fmt::join(choices, ", "), word, did_you_mean(word, choices));
}
template <class Value>
std::string read_value(const std::string& word, const Option& option, Value& value) {
  return read_number(word, option, value);
}
template <class Value>
std::string read_value(const std::string& word, const Option& option, std::optional<Value>& value) {
  return read_number(word, option, value.emplace());
}

/// Stores values of the command line. Throws CLI::ValidationError.
void store(const CLI::results_t& words, const Option& option) {
  const auto read = [&](const std::string& word, auto& value) {
    const std::string complaint = read_value(word, option, value);
    if (!complaint.empty()) throw CLI::ValidationError(option.name, complaint);
  };
  const auto store_at = [&](auto* value) {
    using Value = std::remove_pointer_t<decltype(value)>;
    if constexpr (kIsList<Value>) {
      value->clear();
      for (const std::string& word : words) read(word, value->emplace_back());
    } else if constexpr (!std::is_same_v<Value, bool>) {
      read(words.back(), *value);
    }
  };
  std::visit(store_at, option.value);
}

void add_option(CLI::App& app, const Option& option) {
  if (bool* const* const flag = std::get_if<bool*>(&option.value)) {
    app.add_flag(option.name, **flag, option.help)->group(option.group.empty() ? "Options" : option.group);
    return;
  }
  const auto take = [option](const CLI::results_t& words) {
    store(words, option);
    return true;
  };
  CLI::Option* const added = app.add_option(option.name, take, option.help);
  added->type_name(value_text(option))->required(option.traits & kRequired);
  if (!option.group.empty()) added->group(option.group);
  if (!option.needs.empty()) added->needs(app.get_option(option.needs));
  if (option.traits & kCommas) added->delimiter(',');
  if (!takes_several(option)) return;
  if (option.traits & kRepeatable)
    added->expected(1)->take_all();
  else
    added->expected(CLI::detail::expected_max_vector_size);
}

/// Adds a command. `selected`: receives the action of a command named without a subcommand.
void add_command(CLI::App& app, const Command& command, std::function<int()>& selected) {
  for (const Option& option : command.options) add_option(app, option);
  if (!command.footer.empty()) app.footer(command.footer);
  if (!command.subcommands.empty()) app.require_subcommand(command.run ? 0 : 1, 1);
  for (const Command& subcommand : command.subcommands)
    add_command(*app.add_subcommand(subcommand.name, subcommand.summary), subcommand, selected);
  app.callback([&app, &command, &selected] {
    if (app.get_subcommands().empty()) selected = command.run;
  });
}

/// Returns true if JSON messages are requested, also for errors of usage that precede the parsing of options.
bool asks_for_json(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc), pair = {"--log", "json"};
  return std::count(words.begin(), words.end(), "--log=json") > 0 ||
         std::search(words.begin(), words.end(), pair.begin(), pair.end()) != words.end();
}

CLI::App& active(CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : active(*parsed.front());
}

/// Returns the words that lead to a command: "alacarte datasets list".
std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent ? full_name(*parent) + " " + command.get_name() : command.get_name();
}

/// Returns a message if a word that must name a command names none, else "". After "help" every word must.
std::string unknown_command(CLI::App& app, const Command& command, int argc, char** argv, int position,
                            bool after_help) {
  if (position >= argc || argv[position][0] == '-') return {};
  const std::string word = argv[position];
  if (command.subcommands.empty())
    return after_help ? fmt::format("{} has no command '{}'; see {} --help", full_name(app), word, full_name(app)) : "";
  std::vector<std::string> names;
  for (const Command& subcommand : command.subcommands) {
    if (subcommand.name == word)
      return unknown_command(*app.get_subcommand(word), subcommand, argc, argv, position + 1, after_help);
    names.push_back(subcommand.name);
  }
  const std::string owner = app.get_parent() ? full_name(app) + " has" : "there is";
  std::string hint = did_you_mean(word, names);
  for (const auto& [name, text] : command.hints)
    if (name == word) hint = ": " + text;
  return fmt::format("{} no command '{}'{}; see {} --help", owner, word, hint, full_name(app));
}

/// Options by the names that other programs give them.
constexpr std::pair<const char*, const char*> kOtherNames[] = {{"--output", "--out"},
                                                               {"--output", "--model"},
                                                               {"--input", "--data"},
                                                               {"--label", "--target"},
                                                               {"--jobs", "--threads"}};

/// Returns a message about the first argument that looks like an option and is none, else "". A missing option says
/// less.
std::string unknown_option(CLI::App& app, int argc, char** argv) {
  std::vector<std::string> known;
  for (const CLI::Option* option : active(app).get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i], word = argument.substr(0, argument.find('='));
    const auto is_known = [&](const std::string& name) {
      return std::find(known.begin(), known.end(), name) != known.end();
    };
    if (word.size() <= 2 || !word.starts_with("--") || is_known(word)) continue;
    std::string meant = did_you_mean(word, known);
    const auto same = std::find_if(std::begin(kOtherNames), std::end(kOtherNames),
                                   [&](const auto& pair) { return word == pair.first && is_known(pair.second); });
    if (same != std::end(kOtherNames)) meant = fmt::format(" (did you mean '{}'?)", same->second);
    return fmt::format("there is no option {}{}", word, meant);
  }
  return {};
}

/// Breaks running text, and lines of CLI11's tables of arguments and options, that are longer than 100 characters at
/// blanks; the latter go on in its column. Other indented lines, such as commands to be copied, stay.
std::string wrapped(const std::string& help) {
  constexpr std::size_t kWidth = 100, kColumn = 30;
  std::istringstream lines(help);
  std::string out;
  for (std::string line; std::getline(lines, line); out += line + '\n') {
    const bool is_text = !line.empty() && line[0] != ' ';
    const bool is_entry =
        line.size() > kColumn && line.starts_with("  ") && line[kColumn - 1] == ' ' &&
        (line[2] == '-' || (line[2] >= 'A' && line[2] <= 'Z') || line.find_first_not_of(' ') == kColumn);
    const std::size_t indent = is_text ? 0 : kColumn;
    while ((is_text || is_entry) && line.size() > kWidth) {
      const std::size_t blank = line.rfind(' ', kWidth);
      if (blank == std::string::npos || blank <= indent) break;
      out += line.substr(0, blank) + '\n';
      line = std::string(indent, ' ') + line.substr(blank + 1);
    }
  }
  return out;
}

/// Rewrites "help train" as "train --help" and appends the terminator of an argv.
std::vector<char*> help_as_option(int argc, char** argv) {
  static char help[] = "--help";
  std::vector<char*> words(argv, argv + argc);
  if (argc > 1 && words[1] == std::string("help")) {
    words.erase(words.begin() + 1);
    words.push_back(help);
  }
  words.push_back(nullptr);
  return words;
}

}  // namespace

bool takes_several(const Option& option) {
  return std::visit([](const auto* value) { return kIsList<std::remove_cv_t<std::remove_pointer_t<decltype(value)>>>; },
                    option.value);
}

std::string value_text(const Option& option) {
  std::string type = "TEXT", standard;
  const auto look_at = [&](const auto* value) {
    using Value = std::remove_cv_t<std::remove_pointer_t<decltype(value)>>;
    if constexpr (std::is_same_v<Value, double> || std::is_same_v<Value, std::optional<double>> ||
                  std::is_same_v<Value, std::vector<double>>)
      type = "FLOAT";
    else if constexpr (!std::is_same_v<Value, std::string> && !std::is_same_v<Value, std::vector<std::string>>)
      type = "INT";
    if constexpr (std::is_same_v<Value, std::vector<std::string>>)
      standard = fmt::format("{}", fmt::join(*value, ","));
    else if constexpr (std::is_arithmetic_v<Value> || std::is_same_v<Value, std::string>)
      standard = fmt::format("{}", *value);
  };
  std::visit(look_at, option.value);
  if (!option.choices.empty()) type = fmt::format("{{{}}}", fmt::join(option.choices, ","));
  if (!option.type.empty()) type = option.type;
  std::string notes = range_text(option);
  if (option.traits & kShowDefault) notes += (notes.empty() ? "default " : "; default ") + standard;
  return notes.empty() ? type : type + " (" + notes + ")";
}

int run_command_line(const Command& program, const std::function<std::string()>& version,
                     const std::function<void()>& before_run, int argc, char** argv) {
  const bool after_help = argc > 1 && argv[1] == std::string("help");
  std::vector<char*> words = help_as_option(argc, argv);
  argv = words.data();
  CLI::App app(program.summary, program.name);
  std::function<int()> selected;
  app.set_help_flag("-h,--help", kHelpText);
  app.set_version_flag("--version", version, kVersionText);
  add_command(app, program, selected);
  configure_log({false, asks_for_json(argc, argv)});
  if (const std::string unknown = unknown_command(app, program, argc, argv, 1, after_help); !unknown.empty()) {
    log_error(unknown);
    return kUsageError;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << wrapped(app.help());
    return kSuccess;
  } catch (const CLI::CallForVersion& request) {
    std::cout << request.what() << '\n';
    return kSuccess;
  } catch (const CLI::ParseError& error) {
    const std::string unknown = unknown_option(app, argc, argv);
    log_error(fmt::format("{}; see {} --help", unknown.empty() ? error.what() : unknown, full_name(active(app))));
    return kUsageError;
  }
  before_run();
  return selected();
}

}  // namespace alacarte::cli
