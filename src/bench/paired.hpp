#pragma once
// Contestants timed side by side. Machines change speed by up to two for seconds, which biases timing one contestant
// after the other. Here every round times all of them, in alternating order, and the ratio within a round is compared.
#include <alacarte/core/types.hpp>
#include <functional>
#include <string>
#include <vector>

namespace alacarte::bench {

struct Contestant {
  std::string name;
  std::function<void()> run;  ///< one unit of work, equal for all contestants of a race
};

struct RaceSettings {
  Index min_rounds = 7, max_rounds = 31;
  double batch_seconds = 0.01;    ///< target duration of a contestant's repetitions in a round
  double budget_seconds = 6;      ///< rounds end after this, but not before min_rounds
  std::function<void()> between;  ///< called between timings if set; its exceptions end the race
};

struct Quartiles {
  double lower = 0, median = 0, upper = 0;
};

/// Interpolates linearly between order statistics. Throws std::invalid_argument if there are no values.
Quartiles quartiles(std::vector<double> values);

struct Times {
  std::string name;
  Index repetitions = 1;        ///< repetitions per round
  std::vector<double> seconds;  ///< mean seconds per unit of work, by round
  double minimum() const;
  double median() const { return quartiles(seconds).median; }
};

/// Returns the times of the contestants, in their order. One untimed run of each comes first.
std::vector<Times> race(const std::vector<Contestant>& contestants, const RaceSettings& settings);

/// Returns quartiles of slower.seconds[r] / faster.seconds[r] over the rounds r. Throws std::invalid_argument unless
/// both ran the same number of rounds, at least one.
Quartiles paired_ratio(const Times& slower, const Times& faster);

/// Returns the slope b of log y = a + b log x by least squares. Throws std::invalid_argument unless x, y > 0 and x
/// varies.
double log_log_slope(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace alacarte::bench
