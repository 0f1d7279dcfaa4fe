#include "report/comparison.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace alacarte {
namespace {

RunResult fold_result(const std::string& label, Index fold, double rmse) {
  RunResult run;
  run.dataset = "toy";
  run.label = label;
  run.fold = fold;
  run.done = true;
  run.rows = 90;
  run.inputs = 2;
  run.test_rows = 30;
  run.values[Measure::rmse] = rmse;
  return run;
}

// Returns the two-sided p of Student's t with two degrees of freedom: 1 - t / sqrt(t^2 + 2).
double two_degrees(double t) { return 1 - t / std::sqrt(t * t + 2); }

TEST(CorrectedPairedTest, WidensTheVarianceByTheSharedRows) {
  // Mean 2, variance 1.
  EXPECT_NEAR(paired_t_p_value({1, 2, 3}), two_degrees(2 / std::sqrt(1.0 / 3)), 1e-12);
  EXPECT_NEAR(paired_t_p_value({1, 2, 3}, 0.5), two_degrees(2 / std::sqrt(1.0 / 3 + 0.5)), 1e-12);
  EXPECT_EQ(paired_t_p_value({0, 0, 0}, 0.5), 1);
}

TEST(Comparison, TestsAgainstTheBest) {
  ResultSet results;
  results.labels = {"b", "a"};
  for (Index fold = 0; fold < 3; ++fold) {
    results.runs.push_back(fold_result("a", fold, 1));
    results.runs.push_back(fold_result("b", fold, 2 + static_cast<double>(fold)));
  }
  const Comparison comparison = compare_methods(results, 3);
  ASSERT_EQ(comparison.methods.size(), 2u);
  EXPECT_EQ(comparison.methods[0].label, "b");
  const ComparedScore &b = comparison.methods[0].scores.at(Measure::rmse),
                      &a = comparison.methods[1].scores.at(Measure::rmse);
  EXPECT_TRUE(a.best);
  EXPECT_FALSE(a.p_value);
  EXPECT_FALSE(b.best);
  EXPECT_NEAR(b.p_value.value(), two_degrees(2 / std::sqrt(1.0 / 3 + 0.5)), 1e-12);  // 30 test rows, 60 training rows
  EXPECT_NEAR(b.folds.standard_error(), 1 / std::sqrt(3.0), 1e-12);
  EXPECT_NE(comparison_text(comparison).find("3 ± 0.58"), std::string::npos) << comparison_text(comparison);
}

TEST(Comparison, NamesFoldsThatFailed) {
  ResultSet results;
  results.labels = {"a"};
  results.runs = {fold_result("a", 0, 1), fold_result("a", 2, 3)};
  results.runs.push_back(results.runs.front());
  results.runs.back().fold = 1;
  results.runs.back().done = false;
  results.runs.back().values.clear();
  const Comparison comparison = compare_methods(results, 3);
  EXPECT_EQ(comparison.methods[0].failed, 1);
  EXPECT_NE(scores_text(comparison).find("rmse (2/3)"), std::string::npos) << scores_text(comparison);
  EXPECT_EQ(to_json(comparison)["methods"][0]["scores"]["rmse"]["folds"], nlohmann::json({1.0, nullptr, 3.0}));
}

}  // namespace
}  // namespace alacarte
