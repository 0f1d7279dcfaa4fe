// alacarte completion: shell completion, from the table of options that --help uses.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iostream>

#include "command.hpp"

namespace alacarte::cli {
namespace {

using Words = std::vector<std::string>;

bool is_flag(const Option& option) { return std::holds_alternative<bool*>(option.value); }
bool is_positional(const Option& option) { return !option.name.starts_with('-'); }

/// Returns true if file names are completed: for text, not for numbers and choices.
bool takes_file(const Option& option) {
  return option.choices.empty() && (std::holds_alternative<std::string*>(option.value) ||
                                    std::holds_alternative<std::vector<std::string>*>(option.value));
}

/// Returns the first clause of a help text between single quotes; `quote` replaces a quote in it.
std::string quoted_clause(const std::string& help, const char* quote) {
  std::string text;
  for (const char c : help.substr(0, help.find_first_of(";(\n"))) text += c == '\'' ? quote : std::string(1, c);
  return "'" + text.substr(0, text.find_last_not_of(' ') + 1) + "'";
}

/// Candidates at one command: names with their meaning.
struct Candidates {
  std::vector<std::pair<std::string, std::string>> options,
      words;  ///< subcommands, or values of the first position
};

bool is_program(const ListedCommand& listed) { return listed.path.find(' ') == std::string::npos; }

Candidates candidates(const ListedCommand& listed) {
  Candidates found;
  for (const Command& command : listed.command->subcommands) found.words.push_back({command.name, command.summary});
  if (is_program(listed)) found.words.push_back({"help", "Describe a command"});
  for (const Option& option : listed.options) {
    if (!is_positional(option)) found.options.push_back({option.name, option.help});
    for (const std::string& choice : is_positional(option) ? option.choices : Words())
      found.words.push_back({choice, ""});
  }
  return found;
}

/// Lines of a `case` in bash and zsh: words that lead to a command, and the completion after an option with a value.
struct Cases {
  std::string commands, values;
};

/// Returns the cases. `take`: shell code for the words '{}'; `files`: with file names.
Cases shell_cases(const std::vector<ListedCommand>& list, const char* take, const char* files) {
  Words paths, valued;
  Cases cases;
  for (const ListedCommand& listed : list) {
    if (&listed != &list.front()) paths.push_back("'" + listed.path + "'");
    for (const Option& option : listed.options) {
      if (is_positional(option) || is_flag(option)) continue;
      const std::string place = fmt::format("'{} {}'", listed.path, option.name);
      if (option.choices.empty())
        valued.push_back(place);
      else
        cases.values +=
            fmt::format("    {}) {} ;;\n", place, fmt::format(fmt::runtime(take), fmt::join(option.choices, " ")));
    }
  }
  cases.commands = fmt::format("      {}) command=\"$command $word\" ;;\n", fmt::join(paths, " | "));
  cases.values += fmt::format("    {}) {} ;;\n", fmt::join(valued, " | "), files);
  return cases;
}

std::string names_of(const std::vector<std::pair<std::string, std::string>>& found) {
  Words names;
  for (const auto& [name, help] : found) names.push_back(name);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string bash_script(const std::vector<ListedCommand>& list) {
  const Cases cases = shell_cases(list, "found='{}'", "return");
  std::string at;
  for (const ListedCommand& listed : list) {
    const auto [options, words] = candidates(listed);
    at += fmt::format("      '{}') options='{}' found='{}' ;;\n", listed.path, names_of(options), names_of(words));
  }
  return fmt::format(R"(# Completion of alacarte for bash. Made by: alacarte completion bash
_alacarte() {{
  local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD - 1]}}" command=alacarte word found= options=
  # "--log=json" comes as three words.
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev="${{COMP_WORDS[COMP_CWORD - 2]}}"; fi
  COMPREPLY=()
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$command $word" in
{}    esac
  done
  case "$command $prev" in
{}    *)
      case "$command" in
{}      esac
      [[ $cur != -* ]] || found=$options ;;
  esac
  COMPREPLY=($(compgen -W "$found" -- "$cur"))
}}
# Where nothing fits, file names do.
complete -o default -F _alacarte alacarte
)",
                     cases.commands, cases.values, at);
}

std::string zsh_script(const std::vector<ListedCommand>& list) {
  const Cases cases = shell_cases(list, "compadd -- {}; return", "_files; return");
  const auto described = [](const std::vector<std::pair<std::string, std::string>>& found) {
    std::string text;
    for (const auto& [name, help] : found) text += fmt::format(" '{}:'{}", name, quoted_clause(help, R"('\'')"));
    return text;
  };
  std::string at;
  for (const ListedCommand& listed : list) {
    const auto [options, words] = candidates(listed);
    at += fmt::format("    '{}')\n      options=({} )\n      found=({} ) ;;\n", listed.path, described(options),
                      described(words));
  }
  return fmt::format(R"(#compdef alacarte
# Completion of alacarte for zsh. Made by: alacarte completion zsh
_alacarte() {{
  local command=alacarte word
  local -a found options
  for word in "${{(@)words[2,CURRENT-1]}}"; do
    case "$command $word" in
{}    esac
  done
  case "$command ${{words[CURRENT-1]}}" in
{}  esac
  case "$command" in
{}  esac
  if [[ $PREFIX == -* ]]; then
    _describe -o option options
  elif (( $#found )); then
    _describe argument found
  else
    _files
  fi
}}
# As a file of $fpath this is the function's body; `source` defines it.
if [[ ${{funcstack[1]}} == _alacarte ]]; then _alacarte "$@"; else compdef _alacarte alacarte; fi
)",
                     cases.commands, cases.values, at);
}

/// Returns the condition that the words after the program's name are those of `path`, without a subcommand after them.
std::string fish_condition(const ListedCommand& listed) {
  if (is_program(listed)) return "__fish_use_subcommand";
  std::string condition;
  for (std::size_t begin = listed.path.find(' '); begin != std::string::npos;) {
    const std::size_t end = listed.path.find(' ', begin + 1);
    condition += (condition.empty() ? "" : "; and ") + std::string("__fish_seen_subcommand_from ") +
                 listed.path.substr(begin + 1, end == std::string::npos ? end : end - begin - 1);
    begin = end;
  }
  Words below;
  for (const Command& command : listed.command->subcommands) below.push_back(command.name);
  return below.empty() ? condition
                       : condition + fmt::format("; and not __fish_seen_subcommand_from {}", fmt::join(below, " "));
}

std::string fish_script(const std::vector<ListedCommand>& list) {
  std::string script = "# Completion of alacarte for fish. Made by: alacarte completion fish\n";
  for (const ListedCommand& listed : list) {
    const std::string at = fmt::format("complete -c alacarte -n '{}'", fish_condition(listed));
    for (const auto& [name, help] : candidates(listed).words)
      script += fmt::format("{} -f -a {} -d {}\n", at, name, quoted_clause(help, R"(\')"));
    // In bash and zsh the word "help" is no command, so the commands are offered again.
    if (is_program(listed))
      for (const Command& command : listed.command->subcommands)
        script += fmt::format("complete -c alacarte -n '__fish_seen_subcommand_from help' -f -a {} -d {}\n",
                              command.name, quoted_clause(command.summary, R"(\')"));
    for (const Option& option : listed.options) {
      if (is_positional(option)) continue;
      const std::string value = is_flag(option)          ? ""
                                : takes_file(option)     ? " -r -F"
                                : option.choices.empty() ? " -x"
                                                         : fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
      script +=
          fmt::format("{} -l {}{} -d {}\n", at, option.name.substr(2), value, quoted_clause(option.help, R"(\')"));
    }
  }
  return script;
}

int print_completion(const std::string& shell) {
  CommonOptions common;
  const Command table = whole_table(program, common);
  const std::vector<ListedCommand> list = list_commands(table);
  std::cout << (shell == "bash" ? bash_script(list) : shell == "zsh" ? zsh_script(list) : fish_script(list));
  return kSuccess;
}

}  // namespace

Command completion_command() {
  const auto shell = std::make_shared<std::string>();
  return {.name = "completion",
          .summary = "Print the completion of commands and options for a shell",
          .footer = R"(The Debian package installs all three. Without it, for the shell that runs:

Examples:
  source <(alacarte completion bash)
  source <(alacarte completion zsh)
  alacarte completion fish | source)",
          .options = {one_of({"bash", "zsh", "fish"}, {"SHELL", shell.get(), "Shell that completes", "", kRequired})},
          .run = [shell] { return print_completion(*shell); }};
}

}  // namespace alacarte::cli
