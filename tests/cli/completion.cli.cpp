// Completions and man pages agree with --help, command by command and option by option.
#include <algorithm>
#include <regex>
#include <set>

#include "cli/program_test.hpp"

namespace alacarte::test {
namespace {

using Names = std::set<std::string>;
using Words = std::vector<std::string>;

bool is_installed(const std::string& tool) { return run_program("/bin/sh", {"-c", "command -v " + tool}).code == 0; }

class Completion : public ProgramTest {
 protected:
  /// Returns the commands below `path` from the help.
  Words subcommands(Words path) {
    path.push_back("--help");
    Words found;
    bool listed = false;
    for (const std::string& line : lines_of(must(path).out)) {
      if (listed && !line.starts_with("  ")) listed = false;
      if (listed && line[2] != ' ') found.push_back(line.substr(2, line.find(' ', 2) - 2));
      if (line == "Subcommands:") listed = true;
    }
    return found;
  }

  /// Returns the long options of a command from the help.
  Names options(Words path) {
    path.push_back("--help");
    Names found;
    static const std::regex option("^  (?:-h,)?(--[a-z-]+)");
    std::smatch match;
    for (const std::string& line : lines_of(must(path).out))
      if (std::regex_search(line, match, option)) found.insert(match[1]);
    return found;
  }

  /// Returns every command with the words that lead to it; the program itself first.
  std::vector<Words> commands() {
    std::vector<Words> all = {{}};
    for (std::size_t i = 0; i < all.size(); ++i)
      for (const std::string& name : subcommands(all[i])) {
        Words below = all[i];
        below.push_back(name);
        all.push_back(below);
      }
    return all;
  }

  std::string script(const std::string& shell) {
    return folder_.write("completion." + shell, must({"completion", shell}).out);
  }

  /// Returns bash's completions after these words.
  Names offered(const Words& words) {
    std::string line = "alacarte";
    for (const std::string& word : words) line += " '" + word + "'";
    const std::string command = "source " + script("bash") + "; COMP_WORDS=(" + line +
                                "); COMP_CWORD=" + std::to_string(words.size()) +
                                "; _alacarte; printf '%s\\n' \"${COMPREPLY[@]}\"";
    const RunResult result = run_program("/bin/bash", {"-c", command});
    EXPECT_EQ(result.err, "");
    const Words lines = lines_of(result.out);
    Names found(lines.begin(), lines.end());
    found.erase("");
    return found;
  }
};

TEST_F(Completion, BashOffersWhatTheHelpLists) {
  const auto all = commands();
  ASSERT_GT(all.size(), 15u);
  for (Words path : all) {
    const Words below = subcommands(path);
    const Names known = options(path);
    path.push_back("--");
    EXPECT_EQ(offered(path), known) << path.front();
    path.back() = "";
    Names words(below.begin(), below.end());
    if (path.size() == 1) words.insert("help");
    if (!below.empty()) {
      EXPECT_EQ(offered(path), words);
    }
  }
}

TEST_F(Completion, BashOffersChoicesAndLeavesFilesToTheShell) {
  EXPECT_EQ(offered({"tra"}), (Names{"train", "transform"}));
  EXPECT_EQ(offered({"train", "--log", ""}), (Names{"text", "json"}));
  EXPECT_EQ(offered({"train", "--log", "=", "j"}), Names{"json"});
  EXPECT_EQ(offered({"train", "--data", ""}), Names{});
  EXPECT_EQ(offered({"train", "--data", "list", "--mod"}), Names{"--model"});
  EXPECT_EQ(offered({"completion", ""}), (Names{"bash", "zsh", "fish"}));
  EXPECT_TRUE(offered({"man", ""}).count("predict"));
  EXPECT_EQ(offered({"help", "tra"}), (Names{"train", "transform"}));
  expect_failure(run({"completion", "csh"}), 1, {"SHELL: must be one of bash, zsh, fish, not 'csh'"});
}

TEST_F(Completion, ShellsReadTheirScripts) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string file = script(shell);
    if (!is_installed(shell)) continue;
    const RunResult result = run_program("/usr/bin/env", {shell, "-n", file});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.err, "");
  }
}

TEST_F(Completion, ZshAndFishHaveWhatTheHelpLists) {
  const std::string zsh = must({"completion", "zsh"}).out, fish = must({"completion", "fish"}).out;
  for (const Words& path : commands()) {
    std::string words = "alacarte", condition;
    for (const std::string& word : path) {
      words += " " + word;
      condition += (condition.empty() ? "" : "; and ") + std::string("__fish_seen_subcommand_from ") + word;
    }
    const auto begin = zsh.find("\n    '" + words + "')\n      options=(");
    ASSERT_NE(begin, std::string::npos) << words;
    const std::string here = zsh.substr(begin, zsh.find(";;", begin) - begin);
    for (const std::string& option : options(path)) {
      EXPECT_TRUE(has(here, "'" + option + ":'")) << words << option;
      const std::string at = "complete -c alacarte -n '" + (path.empty() ? "__fish_use_subcommand" : condition);
      const Words lines = lines_of(fish);
      EXPECT_TRUE(std::any_of(
          lines.begin(), lines.end(),
          [&](const std::string& line) { return line.starts_with(at) && has(line, "' -l " + option.substr(2) + " "); }))
          << words << option;
    }
    for (const std::string& name : subcommands(path)) {
      EXPECT_TRUE(has(here, "'" + name + ":'")) << words << name;
      EXPECT_TRUE(has(fish, "-f -a " + name + " -d ")) << words << name;
    }
  }
}

TEST_F(Completion, FishCompletes) {
  if (!is_installed("fish")) GTEST_SKIP() << "fish is not installed";
  RunOptions options;
  options.environment["HOME"] = folder_.path().string();
  const std::string file = script("fish");
  for (const auto& [line, word] :
       {std::pair("datasets ver", "verify"), std::pair("hel", "help"), std::pair("help tran", "transform")}) {
    const std::string command = "source " + file + "; complete -C 'alacarte " + line + "'";
    const RunResult result = run_program("/usr/bin/env", {"fish", "-c", command}, options);
    EXPECT_TRUE(result.out.starts_with(std::string(word) + "\t")) << result.out << result.err;
  }
}

TEST_F(Completion, ManPagesHaveEveryOption) {
  for (const Words& path : commands()) {
    const Words page = path.empty() ? Words{"man"} : Words{"man", path.front()};
    const std::string text = must(page).out;
    EXPECT_TRUE(text.starts_with(".TH ALACARTE"));
    for (const std::string& option : options(path)) {
      const std::string escaped = std::regex_replace(option, std::regex("-"), "\\-");
      EXPECT_TRUE(has(text, "\n\\fB" + escaped + "\\fR")) << page.back() << option;
    }
    for (const std::string& name : subcommands(path)) EXPECT_TRUE(has(text, name)) << page.back() << name;
  }
  expect_failure(run({"man", "trian"}), 1, {"did you mean 'train'"});
}

TEST_F(Completion, ManPagesAreWrittenAndFormatWithoutAWarning) {
  must({"man", "--all", folder_.path().string(), "--quiet"});
  const Words pages = folder_.entries();
  EXPECT_EQ(pages.size(), 1 + subcommands({}).size());
  EXPECT_EQ(read_file(folder_ / "alacarte-train.1"), must({"man", "train"}).out);
  expect_failure(run({"man", "train", "--all", folder_.path().string()}), 1, {"--all excludes COMMAND"});
  must({"man", "--all", folder_ / "new/man1", "--quiet"});
  EXPECT_EQ(read_file(folder_ / "new/man1/alacarte-train.1"), must({"man", "train"}).out);
  std::filesystem::remove_all(folder_ / "new");
  expect_failure(run({"man", "--all", folder_ / "alacarte-train.1/man1"}), 4, {"alacarte-train.1"});
  if (!is_installed("groff")) GTEST_SKIP() << "groff is not installed";
  for (const std::string& page : pages) {
    const RunResult result = run_program("/usr/bin/env", {"groff", "-man", "-Tutf8", "-ww", folder_ / page});
    EXPECT_EQ(result.err, "") << page;
    EXPECT_FALSE(result.out.empty());
  }
}

}  // namespace
}  // namespace alacarte::test
