#pragma once
// Common parts of tests of several processes: the program under mpirun, and comparisons of models.
#include <cmath>

#include "cli/program_test.hpp"

namespace alacarte::test {

class RanksTest : public ProgramTest {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kLauncher)) GTEST_SKIP() << "no mpirun: OpenMPI is not installed";
    const std::string said = ranks(2, {"train", "--data", "none", "--model", "none"}).err;
    if (has(said, "built without MPI")) GTEST_SKIP() << "the program was built without MPI";
  }

  static constexpr const char* kLauncher = "/usr/bin/mpirun";

  static RunOptions as_root(RunOptions options = {}) {
    options.environment["OMPI_ALLOW_RUN_AS_ROOT"] = options.environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1";
    options.environment["OMPI_MCA_rmaps_base_oversubscribe"] = "1";
    options.environment["ASAN_OPTIONS"] = "detect_leaks=0";  // OpenMPI frees little of what it allocates
    return options;
  }
  static std::vector<std::string> words(int count, const std::vector<std::string>& arguments) {
    std::vector<std::string> all{"--bind-to", "none", "-np", std::to_string(count), program_path()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
  }
  RunResult ranks(int count, const std::vector<std::string>& arguments) const {
    return run_program(kLauncher, words(count, arguments), as_root());
  }

  /// Returns a recipe of few iterations, all used: differences of rounding stay small, unlike in the fit of the noise
  /// prior. more: keys, each after a comma.
  std::string recipe(
      const std::string& model,
      const std::string& more = R"(, "features": {"frequencies": 40}, "noise": {"prior_center": "fixed"})") const {
    return folder_.write("recipe.json", R"({"model": ")" + model + R"(",
      "training": {"starts": 2, "probe_iterations": 2, "iterations": 4, "objective_tolerance": 0})" +
                                            more + "}");
  }

  std::string rows_of(const std::string& table, const std::vector<std::string>& more = {}) const {
    std::string path = table.substr(0, table.size() - 4) + ".rows";
    std::vector<std::string> arguments{"convert", table, "--out", path, "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    must(arguments);
    return path;
  }

  /// Trains on `count` ranks (0: without mpirun) and returns the model's path.
  std::string train(int count, const std::string& recipe, const std::string& data,
                    const std::vector<std::string>& more = {}) const {
    const std::string model = folder_ / ("model" + std::to_string(count));
    std::vector<std::string> arguments{"train", recipe,      "--data", data,    "--model",
                                       model,   "--threads", "1",      "--log", "json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    last_ = count == 0 ? run(arguments) : ranks(count, arguments);
    EXPECT_EQ(last_.code, 0) << last_.err;
    return model;
  }

  /// Returns the first record of an event in the messages of the last training.
  nlohmann::json event(const std::string& name) const {
    for (const std::string& line : lines_of(last_.err)) {
      const auto record = nlohmann::json::parse(line, nullptr, false);
      if (record.is_object() && record.value("event", "") == name) return record;
    }
    ADD_FAILURE() << "no event " << name << " in " << last_.err;
    return {};
  }

  /// Returns the inspection of a model, without what differs between runs.
  nlohmann::json inspected(const std::string& model) const {
    auto json = nlohmann::json::parse(must({"inspect", model, "--json"}).out);
    forget(json);
    return json;
  }
  std::string predictions(const std::string& model, const std::string& data) const {
    return must({"predict", model, "--data", data, "--out", "-", "--quiet", "--threads", "1"}).out;
  }

  /// Returns the largest relative difference of the numbers of two documents of one shape.
  static double difference(const nlohmann::json& a, const nlohmann::json& b, const std::string& place = "") {
    EXPECT_EQ(a.size(), b.size()) << place;
    if (a.is_number() && b.is_number()) {
      const double x = a, y = b;
      return std::abs(x - y) / std::max({std::abs(x), std::abs(y), 1e-6});
    }
    double most = 0;
    if (a.is_object() || a.is_array()) {
      for (const auto& [key, value] : a.items()) {
        const auto& other = a.is_object() ? b.at(key) : b.at(std::stoul(key));
        most = std::max(most, difference(value, other, place + "/" + key));
      }
    } else {
      EXPECT_EQ(a, b) << place;
    }
    return most;
  }
  static double difference_of_predictions(const std::string& a, const std::string& b) {
    const auto x = cells_of(a), y = cells_of(b);
    EXPECT_EQ(x.size(), y.size());
    double most = 0;
    for (std::size_t i = 1; i < std::min(x.size(), y.size()); ++i)
      for (std::size_t j = 0; j < x[i].size(); ++j) {
        char* end = nullptr;
        const double own = std::strtod(x[i][j].c_str(), &end), other = std::strtod(y[i].at(j).c_str(), nullptr);
        if (*end != 0)
          EXPECT_EQ(x[i][j], y[i][j]);
        else
          most = std::max(most, std::abs(own - other) / std::max({std::abs(own), std::abs(other), 1e-6}));
      }
    return most;
  }

  /// Expects this exit code, and one line from this program with each of `parts`.
  static void expect_one_line(const RunResult& result, int code, const std::vector<std::string>& parts) {
    EXPECT_EQ(result.code, code) << result.err;
    std::vector<std::string> own;
    for (const std::string& line : lines_of(result.err))
      if (line.starts_with("alacarte: error: ")) own.push_back(line);
    ASSERT_EQ(own.size(), 1u) << result.err;
    for (const std::string& part : parts) EXPECT_TRUE(has(own.front(), part)) << own.front();
  }

  mutable RunResult last_;

 private:
  static void forget(nlohmann::json& json) {
    if (json.is_object())
      for (const char* key : {"seconds", "ranks", "data", "file", "model_file", "bytes", "notes"}) json.erase(key);
    if (json.is_structured())
      for (auto& value : json) forget(value);
  }
};

}  // namespace alacarte::test
