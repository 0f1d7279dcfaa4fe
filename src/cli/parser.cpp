// Translates the table of options to CLI11; the only file that depends on CLI11.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <iostream>
#include <limits>
#include <type_traits>

#include "alacarte/core/spelling.hpp"
#include "guard.hpp"
#include "log.hpp"
#include "options.hpp"
#include "version_text.hpp"

namespace alacarte::cli {
namespace {

CLI::Option* declare(CLI::App& app, const Option& option) {
  return std::visit(
      [&](auto* value) -> CLI::Option* {
        if constexpr (std::is_same_v<decltype(value), bool*>)
          return app.add_flag(option.name, *value, option.help);
        else
          return app.add_option(option.name, *value, option.help);
      },
      option.value);
}

/// What a word lacks to be a whole number that the option takes; "" if nothing. The parser library by itself takes -1
/// for a large seed, and the largest number for all that are larger.
template <class Whole>
std::string whole_number_complaint(const std::string& word, const Option& option) {
  Whole least = option.limit == Limit::positive ? 1 : 0, most = std::numeric_limits<Whole>::max(), value = 0;
  if (option.limit == Limit::none) least = std::numeric_limits<Whole>::lowest();
  if (option.range) least = static_cast<Whole>(option.range->first), most = static_cast<Whole>(option.range->second);
  const char* const end = word.data() + word.size();
  const auto status = std::from_chars(word.data(), end, value);
  if (status.ec == std::errc() && status.ptr == end && value >= least && value <= most) return {};
  return fmt::format("must be a whole number from {} to {}, not '{}'", least, most, word);
}

std::string number_complaint(const std::string& word, const Option& option) {
  double value = 0;
  const char* const end = word.data() + word.size();
  const auto status = std::from_chars(word.data(), end, value);
  bool right = status.ec == std::errc() && status.ptr == end && std::isfinite(value);
  const char* range = "";
  const auto require_range = [&](bool inside, const char* words) { right = right && inside, range = words; };
  if (option.limit == Limit::positive) require_range(value > 0, " above 0");
  if (option.limit == Limit::not_negative) require_range(value >= 0, " of 0 or more");
  if (option.limit == Limit::share) require_range(value > 0 && value < 1, " between 0 and 1");
  return right ? "" : fmt::format("must be a number{}, not '{}'", range, word);
}

/// Strings have no wrong value.
std::string complaint(const std::string& word, const Option& option) {
  if (option.no_stream && word == "-") return "cannot be standard input or output; name a file";
  return std::visit(
      [&](auto* target) -> std::string {
        using Value = std::remove_pointer_t<decltype(target)>;
        if constexpr (std::is_same_v<Value, double>)
          return number_complaint(word, option);
        else if constexpr (std::is_integral_v<Value> && !std::is_same_v<Value, bool>)
          return whole_number_complaint<Value>(word, option);
        else
          return {};
      },
      option.value);
}

/// What the help says of the values.
std::string range_text(const Option& option) {
  if (option.range) return fmt::format("{} to {}", option.range->first, option.range->second);
  if (option.limit == Limit::positive) return "above 0";
  if (option.limit == Limit::not_negative) return "0 or more";
  return option.limit == Limit::share ? "between 0 and 1" : "";
}

void add_option(CLI::App& app, const Option& option) {
  CLI::Option* const added = declare(app, option);
  if (option.required) added->required();
  if (!std::holds_alternative<bool*>(option.value))
    added->check([option](const std::string& word) { return complaint(word, option); }, range_text(option));
  if (option.delimiter != '\0') added->delimiter(option.delimiter);
  if (!option.choices.empty()) added->check(CLI::IsMember(option.choices));
  if (option.show_default) added->capture_default_str();
  if (!option.type.empty()) added->type_name(option.type);
  if (!option.group.empty()) added->group(option.group);
  if (!option.needs.empty()) added->needs(app.get_option(option.needs));
  if (option.repeatable || option.single) added->expected(1);
  if (option.repeatable) added->take_all();
}

/// `selected`: what a command that was named, and no subcommand of it, will run.
void add_command(CLI::App& app, const Command& command, std::function<int()>& selected) {
  for (const Option& option : command.options) add_option(app, option);
  if (!command.footer.empty()) app.footer(command.footer);
  if (!command.subcommands.empty()) app.require_subcommand(command.run ? 0 : 1, 1);
  for (const Command& subcommand : command.subcommands)
    add_command(*app.add_subcommand(subcommand.name, subcommand.summary), subcommand, selected);
  app.callback([&app, &command, &selected] {
    for (const Option& option : command.options)
      if (option.given != nullptr) *option.given = app.get_option(option.name)->count() > 0;
    if (app.get_subcommands().empty()) selected = command.run;
  });
}

/// Errors of usage come before the options are known; who asked for JSON should get it all the same.
bool asks_for_json(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--log=json" || (word == "--log" && i + 1 < argc && std::string(argv[i + 1]) == "json")) return true;
  }
  return false;
}

CLI::App& active(CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : active(*parsed.front());
}

/// "alacarte datasets list": the words that lead to a command.
std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent ? full_name(*parent) + " " + command.get_name() : command.get_name();
}

/// A message when a word that must name a command names none; "" otherwise.
std::string unknown_command(CLI::App& app, const Command& command, int argc, char** argv, int position) {
  if (command.subcommands.empty() || position >= argc || argv[position][0] == '-') return {};
  const std::string word = argv[position];
  std::vector<std::string> names;
  for (const Command& subcommand : command.subcommands) {
    if (subcommand.name == word)
      return unknown_command(*app.get_subcommand(word), subcommand, argc, argv, position + 1);
    names.push_back(subcommand.name);
  }
  const std::string owner = app.get_parent() ? full_name(app) + " has" : "there is";
  std::string hint = did_you_mean(word, names);
  for (const auto& [name, text] : command.hints)
    if (name == word) hint = ": " + text;
  return fmt::format("{} no command '{}'{}; see {} --help", owner, word, hint, full_name(app));
}

/// A message about the first argument that looks like an option and is none; "" if there is none such. It says more
/// than that the option meant is missing.
std::string unknown_option(CLI::App& app, int argc, char** argv) {
  std::vector<std::string> known;
  for (const CLI::Option* option : active(app).get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::string word = argument.substr(0, argument.find('='));
    if (word.size() < 3 || word.rfind("--", 0) != 0) continue;
    if (std::find(known.begin(), known.end(), word) != known.end()) continue;
    return fmt::format("there is no option {}{}", word, did_you_mean(word, known));
  }
  return {};
}

}  // namespace

int run_command_line(const Command& program, const std::function<void()>& before_run, int argc, char** argv) {
  CLI::App app(program.summary, program.name);
  std::function<int()> selected;
  app.set_version_flag(
      "--version", [&] { return version_text(program.name); },
      "Print version, compiler, BLAS, instruction set of the kernels and threads");
  add_command(app, program, selected);
  configure_log({false, asks_for_json(argc, argv)});
  if (const std::string unknown = unknown_command(app, program, argc, argv, 1); !unknown.empty()) {
    log_error(unknown);
    return kUsageError;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
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
