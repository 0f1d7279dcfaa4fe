// alacarte man: man pages, from the table of options that --help uses.
#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "alacarte/core/error.hpp"
#include "alacarte/core/version.hpp"
#include "command.hpp"

namespace alacarte::cli {
namespace {

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

/// Escapes text for roff: characters that groff would print as typographic signs or take for a request.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '\\': out += "\\e"; break;
      case '-': out += "\\-"; break;
      case '\'': out += "\\(aq"; break;
      case '`': out += "\\(ga"; break;
      case '^': out += "\\(ha"; break;
      case '~': out += "\\(ti"; break;
      case '"': out += "\\(dq"; break;
      case '\n': out += ' '; break;
      default: out += c == '.' && out.empty() ? "\\&." : std::string(1, c);
    }
  return out;
}

/// Returns "alacarte-train" for "alacarte train".
std::string page_name(std::string path) {
  std::replace(path.begin(), path.end(), ' ', '-');
  return path;
}

/// Formats a footer of the help as roff: running text is filled, "Examples:" is a heading, indented lines are commands
/// that stay as they are, or, with two blanks after the first word, entries of a table.
class FooterText {
 public:
  explicit FooterText(const std::string& footer) {
    std::istringstream lines(footer);
    std::string line, before;
    for (; std::getline(lines, line); before = line) add(line, before);
    end_literal();
  }

  std::string text, sections;  ///< before the first heading; from there on

 private:
  void add(const std::string& line, const std::string& before) {
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent != 2 && !(literal_ && indent != std::string::npos && indent > 2)) end_literal();
    if (indent == std::string::npos) {
      put(".PP");
    } else if (indent == 0 && before.empty() && line.ends_with(':') &&
               std::isupper(static_cast<unsigned char>(line[0]))) {
      in_sections_ = true;
      put(".SH " + upper(roff(line.substr(0, line.size() - 1))));
    } else if (indent == 2) {
      add_indented(line.substr(2));
    } else {
      put(roff(line.substr(indent)));
    }
  }

  void add_indented(const std::string& line) {
    const std::size_t gap = line.find("  "), blank = line.find(' ');
    if (gap != std::string::npos && gap == blank) {
      end_literal();
      put(".TP\n.B " + roff(line.substr(0, gap)) + "\n" + roff(line.substr(line.find_first_not_of(' ', gap))));
      return;
    }
    if (!literal_) put(".PP\n.nf\n.RS 4");
    literal_ = true;
    put(roff(line));
  }

  void end_literal() {
    if (literal_) put(".RE\n.fi\n.PP");
    literal_ = false;
  }

  void put(const std::string& line) { (in_sections_ ? sections : text) += line + "\n"; }

  bool literal_ = false, in_sections_ = false;
};

bool is_argument(const Option& option) { return !option.name.starts_with('-'); }

/// Returns name and value of an option; `heading`: with the help's description of the value.
std::string option_text(const Option& option, bool heading) {
  const bool flag = std::holds_alternative<bool*>(option.value);
  const std::string value = flag ? "" : value_text(option);
  const std::string word = value.substr(0, value.find(" ("));
  const std::string shown = is_argument(option)
                                ? "\\fI" + roff(option.name) + "\\fR" + (takes_several(option) ? " ..." : "")
                            : flag ? "\\fB" + roff(option.name) + "\\fR"
                                   : "\\fB" + roff(option.name) + "\\fR \\fI" + roff(word) + "\\fR";
  return heading ? shown + roff(value.substr(std::min(word.size(), value.size()))) : shown;
}

std::string synopsis(const ListedCommand& listed) {
  std::string line = ".B " + roff(listed.path) + "\n";
  if (!listed.command->run) line += "\\fICOMMAND\\fR\n";
  for (const Option& option : listed.options) {
    const bool required = option.traits & kRequired;
    if (is_argument(option) || required)
      line += (required ? "" : "[") + option_text(option, false) + (required ? "\n" : "]\\&\n");
  }
  return line + "[\\fIOPTIONS\\fR]\n";
}

/// Lists arguments, then options under the headings of the help.
std::string option_list(const ListedCommand& listed) {
  std::string text, group;
  for (const Option& option : listed.options) {
    if (option.group != group && !option.group.empty()) text += ".SS " + roff(option.group) + "\n";
    group = option.group;
    text += ".TP\n" + option_text(option, true) +
            (option.traits & kRequired && !is_argument(option) ? ", required" : "") + "\n" + roff(option.help) + ".\n";
  }
  return text;
}

/// Describes a subcommand of the page's command.
std::string subcommand_text(const ListedCommand& listed) {
  const FooterText footer(listed.command->footer);
  return ".SH " + upper(roff(listed.path)) + "\n" + roff(listed.command->summary) + ".\n.PP\n" + footer.text +
         option_list(listed) + footer.sections;
}

/// Returns the page of the command at `path`, subcommands included.
std::string man_page(const std::vector<ListedCommand>& list, const std::string& path) {
  const auto own = std::find_if(list.begin(), list.end(), [&](const auto& listed) { return listed.path == path; });
  const Command& command = *own->command;
  const FooterText footer(command.footer);
  const std::string summary = command.summary.substr(0, command.summary.find_last_not_of('.') + 1);
  std::string names, below, pages;
  for (const ListedCommand& listed : list) {
    const bool whole = own == list.begin();
    if (!whole && listed.path != path && !listed.path.starts_with(path + " ")) continue;
    if (!whole || &listed == &*own) names += (names.empty() ? "" : ".br\n") + synopsis(listed);
    if (&listed == &*own || std::count(listed.path.begin(), listed.path.end(), ' ') > (whole ? 1 : 2)) continue;
    below += whole ? ".TP\n\\fB" + roff(page_name(listed.path)) + "\\fR(1)\n" + roff(listed.command->summary) + ".\n"
                   : subcommand_text(listed);
  }
  if (own != list.begin()) pages = ".SH SEE ALSO\n.BR " + roff(list.front().path) + " (1)\n";
  return fmt::format(".TH {} 1 \"\" \"{} {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", upper(roff(page_name(path))),
                     list.front().path, alacarte::version(), roff(page_name(path)), roff(summary)) +
         ".SH SYNOPSIS\n" + names + ".SH DESCRIPTION\n" + roff(summary) + ".\n.PP\n" + footer.text +
         (own == list.begin() ? ".SH COMMANDS\n" + below : "") + ".SH OPTIONS\n" + option_list(*own) +
         (own == list.begin() ? "" : below) + footer.sections + pages;
}

int print_man(const std::string& name, const std::string& folder) {
  if (!name.empty() && !folder.empty()) throw UsageError("--all excludes COMMAND");
  CommonOptions common;
  const Command table = whole_table(program, common);
  const std::vector<ListedCommand> list = list_commands(table);
  if (folder.empty()) {
    std::cout << man_page(list, name.empty() ? table.name : table.name + " " + name);
    return kSuccess;
  }
  std::error_code error;
  if (std::filesystem::create_directories(folder, error); error) throw IoError(folder, error.message());
  for (const ListedCommand& listed : list) {
    if (std::count(listed.path.begin(), listed.path.end(), ' ') > 1) continue;
    const std::string file = (std::filesystem::path(folder) / (page_name(listed.path) + ".1")).string();
    write_file(file, [&](std::ostream& out) { out << man_page(list, listed.path); });
  }
  return kSuccess;
}

}  // namespace

Command man_command(const std::vector<Command>& others) {
  const auto name = std::make_shared<std::string>(), folder = std::make_shared<std::string>();
  Option which{"COMMAND", name.get(), "Command whose page is printed (default: the program's)", "COMMAND"};
  for (const Command& other : others) which.choices.push_back(other.name);
  which.choices.push_back("man");
  return {.name = "man",
          .summary = "Print the man page of the program or of a command",
          .footer = R"(The pages are made of the same table as --help.

Examples:
  alacarte man train | man -l -
  alacarte man --all ~/.local/share/man/man1)",
          .options = {which,
                      {"--all", folder.get(), "Write the pages of all commands into this folder", "FOLDER", kNoStream}},
          .run = [name, folder] { return print_man(*name, *folder); }};
}

}  // namespace alacarte::cli
