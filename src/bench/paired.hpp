#pragma once
// Contestants timed side by side. Machines step in speed by up to two for seconds, so one contestant after the other
// compares the machine with itself: here every round times all of them, in alternating order, and what is compared is
// the ratio within a round.
#include <alacarte/core/types.hpp>
#include <functional>
#include <string>
#include <vector>

namespace alacarte::bench {

struct Contestant {
  std::string name;
  std::function<void()> run;  ///< one piece of work, the same for every contestant of a race
};

struct RaceSettings {
  Index min_rounds = 7, max_rounds = 31;
  double batch_seconds = 0.01;    ///< a contestant repeats its work in a round until it takes about this long
  double budget_seconds = 6;      ///< rounds stop after this, but not before min_rounds
  std::function<void()> between;  ///< called between timings when set; what it throws ends the race
};

struct Quartiles {
  double lower = 0, median = 0, upper = 0;
};

/// By linear interpolation between order statistics. Throws std::invalid_argument for no values.
Quartiles quartiles(std::vector<double> values);

struct Times {
  std::string name;
  Index repetitions = 1;        ///< of the work in one round
  std::vector<double> seconds;  ///< of one piece of work: the mean over the repetitions, round by round
  double minimum() const;
  double median() const { return quartiles(seconds).median; }
};

/// Times of the contestants, in their order. One untimed run of each comes first.
std::vector<Times> race(const std::vector<Contestant>& contestants, const RaceSettings& settings);

/// Of slower.seconds[r] / faster.seconds[r] over the rounds r. Throws std::invalid_argument unless both ran the same
/// number of rounds, at least one.
Quartiles paired_ratio(const Times& slower, const Times& faster);

/// The slope b of log y = a + b log x by least squares. x, y > 0, at least two different x; std::invalid_argument.
double log_log_slope(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace alacarte::bench
