#include "bench/paired.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <thread>

namespace alacarte::bench {
namespace {

TEST(Quartiles, InterpolateBetweenOrderStatistics) {
  const Quartiles five = quartiles({5, 1, 4, 2, 3});
  EXPECT_DOUBLE_EQ(five.lower, 2);
  EXPECT_DOUBLE_EQ(five.median, 3);
  EXPECT_DOUBLE_EQ(five.upper, 4);
  const Quartiles two = quartiles({10, 20});
  EXPECT_DOUBLE_EQ(two.lower, 12.5);
  EXPECT_DOUBLE_EQ(two.median, 15);
  EXPECT_DOUBLE_EQ(two.upper, 17.5);
  const Quartiles one = quartiles({7});
  EXPECT_DOUBLE_EQ(one.lower, 7);
  EXPECT_DOUBLE_EQ(one.upper, 7);
  EXPECT_THROW(quartiles({}), std::invalid_argument);
}

// On a machine whose speed doubles half way, only the paired ratio is right, not the ratio of the medians of all times.
TEST(PairedRatio, DoesNotSeeTheSpeedOfTheRound) {
  Times slow{"slow", 1, {}}, fast{"fast", 1, {}};
  for (int round = 0; round < 9; ++round) {
    const double speed = round < 4 ? 1 : 2;
    slow.seconds.push_back(3.0 / speed);
    fast.seconds.push_back(2.0 / speed);
  }
  const Quartiles ratio = paired_ratio(slow, fast);
  EXPECT_DOUBLE_EQ(ratio.lower, 1.5);
  EXPECT_DOUBLE_EQ(ratio.median, 1.5);
  EXPECT_DOUBLE_EQ(ratio.upper, 1.5);
  EXPECT_DOUBLE_EQ(slow.minimum(), 1.5);
  fast.seconds.pop_back();
  EXPECT_THROW(paired_ratio(slow, fast), std::invalid_argument);
}

TEST(Race, TakesTurnsInAlternatingOrder) {
  std::string log;
  RaceSettings settings;
  settings.min_rounds = settings.max_rounds = 3;
  settings.batch_seconds = 0;
  const auto times = race({{"a", [&] { log += 'a'; }}, {"b", [&] { log += 'b'; }}}, settings);
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[0].name, "a");
  EXPECT_EQ(times[1].seconds.size(), 3u);
  EXPECT_EQ(log,
            "aabb"
            "ab"
            "ba"
            "ab");  // a warming run and one to calibrate, then the rounds
}

TEST(Race, RepeatsShortWorkAndKeepsToItsBudget) {
  RaceSettings settings;
  settings.min_rounds = 2;
  settings.max_rounds = 1000000;
  // Long compared with the time slice of another process.
  settings.batch_seconds = 0.2;
  settings.budget_seconds = 0.3;
  const auto nap = [] { std::this_thread::sleep_for(std::chrono::microseconds(300)); };
  const auto times = race({{"nap", nap}}, settings);
  EXPECT_GE(times[0].repetitions, 2);
  EXPECT_GE(times[0].seconds.size(), 2u);
  EXPECT_LT(times[0].seconds.size(), 1000u);
  EXPECT_GE(times[0].minimum(), 300e-6);
}

TEST(Race, EndsWithWhatIsThrownBetweenTimings) {
  RaceSettings settings;
  int asked = 0;
  settings.between = [&] {
    if (++asked > 4) throw std::runtime_error("stop");
  };
  EXPECT_THROW(race({{"a", [] {}}, {"b", [] {}}}, settings), std::runtime_error);
  EXPECT_EQ(asked, 5);
}

TEST(Slope, IsThePower) {
  const std::vector<double> x{1, 2, 4, 8};
  std::vector<double> y;
  for (const double v : x) y.push_back(0.3 * std::pow(v, 2.5));
  EXPECT_NEAR(log_log_slope(x, y), 2.5, 1e-12);
  EXPECT_THROW(log_log_slope({1}, {1}), std::invalid_argument);
  EXPECT_THROW(log_log_slope({2, 2}, {1, 3}), std::invalid_argument);
  EXPECT_THROW(log_log_slope({1, 2}, {0, 3}), std::invalid_argument);
}

}  // namespace
}  // namespace alacarte::bench
