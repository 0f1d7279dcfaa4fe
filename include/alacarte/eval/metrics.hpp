#pragma once
// Scores of predicted numbers, classes and counts against observed targets; of numbers in the unit of the target.
#include <alacarte/core/predictive_distribution.hpp>
#include <alacarte/core/random.hpp>
#include <alacarte/core/types.hpp>
#include <functional>
#include <variant>
#include <vector>

namespace alacarte {

/// The ranks that share the rows to score: their number, this one's, and the sum of values over them, in place.
struct ScoringRanks {
  Index count = 1, own = 0;
  std::function<void(VecRef)> add;
};

/// Scores of regression, in units of the target. Means are weighted; the median counts rows equally.
struct Metrics {
  Index n = 0;                       ///< rows
  double rmse = 0, mae = 0, r2 = 0;  ///< root mean squared error; mean absolute error; 1 - smse
  double smse = 0;  ///< mean squared error over the variance of the *test* targets; not finite (and null in JSON) if
                    ///< these are all equal, like r2 = 1 - smse
  double nlpd = 0;  ///< mean negative log predictive density
  double nlpd_median = 0;                                 ///< median negative log predictive density
  double crps = 0;                                        ///< mean continuous ranked probability score
  double coverage50 = 0, coverage90 = 0, coverage95 = 0;  ///< share of targets inside the central interval
};

/// Accumulates scores of rows in chunks, in constant memory: sums, and at most 2^20 log densities for the median
/// (beyond, of a seeded sample of the rows).
class ScoreSums {
 public:
  /// Adds predictions, which must include the noise. weights: (rows) above 0, or empty: all 1. Throws
  /// std::invalid_argument on shapes.
  void add(const PredictiveDistribution& prediction, ConstVec target, ConstVec weights = Vector());
  void add_over(const ScoringRanks& ranks);  ///< adds the sums of all ranks: equal on all of them
  Index rows() const { return n_; }          ///< rows added so far
  Metrics result() const;                    ///< throws std::invalid_argument without rows

 private:
  void keep(const Vector& negative_log);
  Index n_ = 0;
  double weight_ = 0, squared_ = 0, absolute_ = 0, negative_log_ = 0, crps_ = 0, covered50_ = 0, covered90_ = 0,
         covered95_ = 0;
  double target_mean_ = 0, target_spread_ = 0;
  std::vector<double> kept_;
  RandomStream stream_{0};
};

/// Scores predictions, which must include the noise; weights as in ScoreSums::add(). Throws std::invalid_argument on
/// shapes or zero rows.
Metrics score(const PredictiveDistribution& prediction, ConstVec target, ConstVec weights = Vector());

// Scores of classification: accuracy, and the quality of the class probabilities.

/// Number of bins of the calibration error, of equal width in the probability of the predicted class.
inline constexpr Index kCalibrationBins = 15;

/// Rows whose predicted class has a probability in the bin.
struct CalibrationBin {
  Index rows = 0, right = 0;  ///< rows of the bin; correctly predicted ones
  double probability = 0;     ///< sum of the probabilities
};

/// Scores of classification. Accuracy, log loss and Brier score are weighted means; calibration and confusions count
/// rows equally.
struct ClassMetrics {
  Index n = 0;                ///< rows
  double accuracy = 0;        ///< share of rows whose predicted class (of largest value) is correct
  bool probabilities = true;  ///< false: decision values, without the next three
  double log_loss = 0;        ///< mean of -log p(own class), nats; p at least 1e-308
  double brier = 0;           ///< mean of sum_k (p_k - [k is the own class])^2, from 0 to 2
  /// Expected calibration error of the predicted class: sum over bins of (rows of the bin / n) |accuracy - mean
  /// probability| (Guo et al. 2017, eq. 3).
  double ece = 0;
  std::vector<CalibrationBin> bins;           ///< kCalibrationBins; empty without probabilities
  std::vector<std::vector<Index>> confusion;  ///< [own class][predicted class] rows
};

/// Accumulates scores of rows in chunks, in constant memory.
class ClassScoreSums {
 public:
  /// Takes K >= 2 classes; `probabilities`: false for decision values of any scale.
  ClassScoreSums(Index classes, bool probabilities);
  /// Adds values (rows, K); target (rows) class indices 0 .. K - 1; weights (rows) above 0, or empty: all 1. Throws
  /// std::invalid_argument on shapes or other targets, NumericalError for a value that is not finite.
  void add(ConstMat values, ConstVec target, ConstVec weights = Vector());
  void add_over(const ScoringRanks& ranks);  ///< adds the sums of all ranks: equal on all of them
  Index rows() const { return n_; }          ///< rows added so far
  ClassMetrics result() const;               ///< throws std::invalid_argument without rows

 private:
  Index classes_, n_ = 0;
  bool probabilities_;
  double weight_ = 0, right_ = 0, log_loss_ = 0, brier_ = 0;
  std::vector<CalibrationBin> bins_;
  std::vector<std::vector<Index>> confusion_;
};

/// Scores all rows at once: values (n, K), target (n) class indices; weights as in ClassScoreSums::add().
ClassMetrics score_classes(ConstMat values, ConstVec target, bool probabilities = true, ConstVec weights = Vector());

// Scores of predicted counts.

/// Scores of predictions of counts: weighted means over rows.
struct CountMetrics {
  Index n = 0;               ///< rows
  double rmse = 0, mae = 0;  ///< errors of the predictive mean
  double nlpd = 0;           ///< mean of -log P(count), nats
};

/// Accumulates scores of rows in chunks, in constant memory.
class CountScoreSums {
 public:
  /// Adds counts y (rows) with weights (rows) above 0, or empty: all 1. Throws std::invalid_argument on shapes.
  void add(const CountDistribution& predicted, ConstVec y, ConstVec weights = Vector());
  void add_over(const ScoringRanks& ranks);  ///< adds the sums of all ranks: equal on all of them
  Index rows() const { return n_; }          ///< rows added so far
  CountMetrics result() const;               ///< throws std::invalid_argument without rows

 private:
  Index n_ = 0;
  double weight_ = 0, squared_ = 0, absolute_ = 0, negative_log_ = 0;
};

// Scores of a model, whatever it predicts.

/// Scores of a model on some rows, by evaluate_file().
struct Scores {
  /// For a regression, classification or count model. Scores that need variances are meaningless for a regression model
  /// without them (FittedModel::has_variance() in the room model).
  std::variant<Metrics, ClassMetrics, CountMetrics> metrics;
  double seconds = 0;  ///< spent predicting
  /// Coverage of conformal intervals at one probability.
  struct Intervals {
    double probability = 0;               ///< nominal coverage
    double coverage = 0, mean_width = 0;  ///< share of the targets inside; in the unit of the target
  };
  std::vector<Intervals> conformal = {};  ///< at 50, 90 and 95 %, if there are enough calibration rows
};

}  // namespace alacarte
