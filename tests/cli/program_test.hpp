#pragma once
// Common parts of the program's tests: a scratch folder, a quick recipe, and a small problem.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/program.hpp"

namespace alacarte::test {

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class ProgramTest : public testing::Test {
 protected:
  explicit ProgramTest(std::string program = program_path()) : program_(std::move(program)) {}

  RunResult run(const std::vector<std::string>& arguments, const RunOptions& options = {}) const {
    return run_program(program_, arguments, options);
  }

  /// Runs and expects success.
  RunResult must(const std::vector<std::string>& arguments, const RunOptions& options = {}) const {
    RunResult result = run(arguments, options);
    EXPECT_EQ(result.code, 0) << result.err;
    return result;
  }

  /// Expects this exit code, exactly one line on standard error with each of `parts`, empty standard output, and no
  /// temporary file left in the folder.
  void expect_failure(const RunResult& result, int code, const std::vector<std::string>& parts) const {
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_EQ(result.out, "");
    const auto lines = lines_of(result.err);
    ASSERT_FALSE(lines.empty());
    EXPECT_EQ(lines.size(), 1u) << result.err;
    for (const std::string& part : parts) EXPECT_NE(lines.back().find(part), std::string::npos) << result.err;
    expect_no_leftovers();
  }

  void expect_no_leftovers() const {
    for (const std::string& name : folder_.entries()) EXPECT_EQ(name.find(".tmp"), std::string::npos) << name;
  }

  /// Writes a recipe that trains in a fraction of a second.
  std::string quick_recipe(const std::string& data = "{}", const std::string& extra = "") const {
    return folder_.write("quick.json", R"({"model": "ard", "features": {"frequencies": 32},
      "noise": {"prior_center": "fixed"},
      "training": {"starts": 2, "probe_iterations": 3, "iterations": 15}, "data": )" +
                                           data + extra + "}");
  }

  /// Writes a recipe that trains until it is stopped.
  std::string endless_recipe() const {
    return folder_.write("endless.json", R"({"model": "ssgpr", "features": {"frequencies": 64},
      "noise": {"prior_center": "fixed"}, "priors": false,
      "training": {"starts": 2, "probe_iterations": 2, "iterations": 100000, "gradient_tolerance": 1e-300,
                   "objective_tolerance": 0}})");
  }

  std::string friedman(int rows, int seed, const std::string& name) const {
    const std::string path = folder_ / name;
    must({"generate", "friedman1", "--rows", std::to_string(rows), "--seed", std::to_string(seed), "--out", path,
          "--quiet"});
    return path;
  }

  /// Trains the quick recipe on 120 rows of friedman1; returns the model's path.
  std::string quick_model(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"train",   quick_recipe(),        "--data",    friedman(120, 1, "train.csv"),
                                       "--model", folder_ / "model.ala", "--threads", "1",
                                       "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    must(arguments);
    return folder_ / "model.ala";
  }

  TemporaryFolder folder_;

 private:
  std::string program_;
};

/// Returns the cells of a CSV without nested quotes.
inline std::vector<std::vector<std::string>> cells_of(const std::string& text) {
  std::vector<std::vector<std::string>> table;
  for (const std::string& line : lines_of(text)) {
    table.emplace_back(1);
    bool quoted = false;
    for (const char character : line) {
      if (character == '"') {
        quoted = !quoted;
      } else if (character == ',' && !quoted) {
        table.back().emplace_back();
      } else {
        table.back().back() += character;
      }
    }
  }
  return table;
}

}  // namespace alacarte::test
