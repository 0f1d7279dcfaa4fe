#pragma once
// Races and measurements of `alacarte-bench`, reported as they finish and collected into one document.
#include <alacarte/data/dataset.hpp>
#include <atomic>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bench/paired.hpp"

namespace alacarte::bench {

struct SuiteSettings {
  int threads = 1;                                  ///< for the evaluation and end-to-end suites; kernels use one
  bool quick = false;                               ///< smaller shapes, few and short rounds: a smoke test, no timing
  std::string only;                                 ///< substring of the measurements to run; "" = all
  RaceSettings race = {};                           ///< an exception of `between` ends the suite
  const std::atomic<bool>* interrupt = nullptr;     ///< ends a fit early; `race.between` is called after it
  std::function<void(const std::string&)> on_line;  ///< receives each result as text when it is ready
};

struct Race {
  std::string name;  ///< "hadamard f64 d=128"
  nlohmann::json shape = nlohmann::json::object();
  double work = 1;   ///< work of one run, in `unit`
  std::string unit;  ///< "element", "pair", "row", "evaluation"
  std::vector<Contestant> contestants = {};
  /// Names (slower, faster) whose paired ratios are reported.
  std::vector<std::pair<std::string, std::string>> ratios = {};

  /// Adds a contestant and its ratio to the first one.
  void add_opponent(const std::string& opponent, std::function<void()> run) {
    ratios.emplace_back(opponent, contestants.front().name);
    contestants.push_back({opponent, std::move(run)});
  }
};

/// Part of names: "f64" or "f32".
template <class Scalar>
constexpr const char* type_name() {
  return sizeof(Scalar) == 8 ? "f64" : "f32";
}

class Suite {
 public:
  explicit Suite(SuiteSettings settings);
  const SuiteSettings& settings() const { return settings_; }
  bool quick() const { return settings_.quick; }

  /// Returns true if --only selects this name; ask before preparing work.
  bool wants(const std::string& name) const;
  /// Runs the race. Returns the times of the contestants, in their order.
  std::vector<Times> run(const Race& race);
  /// Runs a race whose contestants take `values` of a variable of its shape, and records the slope of their times,
  /// medians or minima, with `fields` and the end of the line.
  void grow(Race race, const std::string& variable, const std::vector<Index>& values, double (Times::*time)() const,
            nlohmann::json fields = nlohmann::json::object(), const std::string& remark = "");
  /// Records a single measurement: "precision", "slopes", "memory", "fits". `fields` holds "name".
  void record(const std::string& list, nlohmann::json fields, const std::string& line);
  /// Records that a measurement was not possible here, and why.
  void skip(const std::string& name, const std::string& reason);
  /// Skips the measurement and returns true if less than 1.3 times the memory for `what` is free.
  bool skip_for_memory(const std::string& name, const char* what, double bytes);

  Index results() const { return results_; }  ///< returns the number of measurements
  /// Returns {"format", "machine", "build", "settings", "races": [{"name", "shape", "unit", "work", "contestants":
  /// [{"name", "seconds": {"minimum", "median"}, "nanoseconds_per_unit", "rounds", "repetitions"}], "ratios":
  /// [{"slower", "faster", "lower", "median", "upper"}]}], "precision", "slopes", "memory", "fits", "skipped"}.
  nlohmann::json document() const;

 private:
  SuiteSettings settings_;
  nlohmann::json lists_;
  Index results_ = 0;
};

void run_kernels(Suite& suite);     ///< kernels.cpp; Hadamard, sine and cosine, and the next one
void race_features(Suite& suite);   ///< feature_races.cpp
void run_maps(Suite& suite);        ///< kernels.cpp
void run_evaluation(Suite& suite);  ///< evaluation.cpp
void run_end_to_end(Suite& suite);  ///< evaluation.cpp

// Generated rows of any shape; cost depends on the shape, hardly on the values.

/// Generates inputs (rows, d) standard normal; target sin(first) + last / 2 (one input: the sine only) + noise of sd
/// 0.1.
Dataset generated_rows(Index rows, Index inputs, std::uint64_t seed);

/// Returns the schema of a table with `inputs` columns x0.. and a target y.
Schema generated_schema(Index inputs);

}  // namespace alacarte::bench
