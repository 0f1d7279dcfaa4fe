#pragma once
// Scores of predicted classes: accuracy, and the quality of their probabilities.
#include <alacarte/core/types.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// Bins of the calibration error: of equal width, by the probability of the predicted class.
inline constexpr Index kCalibrationBins = 15;

/// Rows whose predicted class has a probability of that bin.
struct CalibrationBin {
  Index rows = 0, right = 0;  ///< rows of the bin; those predicted right
  double probability = 0;     ///< sum over the rows
};

/// Scores of class predictions on some rows. Accuracy, log loss and Brier score are means by the weights of the rows,
/// where they have any; calibration and confusions count rows alike.
struct ClassMetrics {
  Index n = 0;                ///< rows
  double accuracy = 0;        ///< share of rows whose predicted class (the one of largest value) is theirs
  bool probabilities = true;  ///< false: the next three do not exist
  double log_loss = 0;        ///< mean of -log p(own class), nats; p below 1e-308 counts as that
  double brier = 0;           ///< mean of sum_k (p_k - [k is the own class])^2, from 0 to 2
  /// Expected calibration error: sum over bins of (rows of the bin / n) |their accuracy - their mean probability|, of
  /// the predicted class (Guo et al. 2017, eq. 3).
  double ece = 0;
  std::vector<CalibrationBin> bins;           ///< kCalibrationBins; empty without probabilities
  std::vector<std::vector<Index>> confusion;  ///< [own class][predicted class] rows
};

/// Scores of rows that come in chunks, in memory that does not grow with them.
class ClassScoreSums {
 public:
  /// classes: K >= 2; `probabilities`: whether values are such, or decision values of any scale.
  ClassScoreSums(Index classes, bool probabilities);
  /// values (rows, K); target (rows) places 0 .. K - 1; weights (rows) above 0, or empty: all 1. Throws
  /// std::invalid_argument on shapes or other targets, NumericalError for a value that is not finite.
  void add(ConstMat values, ConstVec target, ConstVec weights = Vector());
  /// Adds what other processes that run together have: the same on all of them.
  void add_over_ranks();
  Index rows() const { return n_; }  ///< added so far
  ClassMetrics result() const;       ///< throws std::invalid_argument when there are no rows

 private:
  Index classes_, n_ = 0;
  bool probabilities_;
  double weight_ = 0, right_ = 0, log_loss_ = 0, brier_ = 0;
  std::vector<CalibrationBin> bins_;
  std::vector<std::vector<Index>> confusion_;
};

/// The scores of all rows at once: values (n, K), target (n) class indices; weights as ClassScoreSums::add().
ClassMetrics score_classes(ConstMat values, ConstVec target, bool probabilities = true, ConstVec weights = Vector());

}  // namespace alacarte
