#pragma once
// The levels of rows, and sums of features and targets over the rows of each.
#include <vector>

#include "alacarte/data/row_source.hpp"

namespace alacarte {

/// The levels that rows have, in the order of their first rows. A row of an unknown level has one of its own.
class RowLevels {
 public:
  /// Reads the codes in a column of the rows, 0 .. levels - 1. Cost: one pass, O(n + levels) memory.
  RowLevels(const RowSource& rows, Index column, Index levels);

  Index count() const { return weights_.size(); }  ///< levels with rows
  Index of(Index row) const { return of_rows_[static_cast<std::size_t>(row)]; }
  const Vector& weights() const { return weights_; }  ///< (count()) N: sum of the weights of each level's rows
  /// Returns the code of a level, -1 for that of a row of an unknown one.
  Index code(Index level) const { return codes_[static_cast<std::size_t>(level)]; }

 private:
  std::vector<std::int32_t> of_rows_, codes_;
  Vector weights_;
};

/// Sums over the rows of each level.
struct LevelSums {
  Matrix features;  ///< (count, M) sums of w psi
  Vector target;    ///< (count) sums of w y

  void reset(Index count, Index features);
  /// Adds rows first, first + 1, .. with features psi (rows, M), targets y and weights (rows; empty: 1).
  void add(const RowLevels& levels, Index first, ConstMat psi, ConstVec y, ConstVec weights);
  LevelSums& operator+=(const LevelSums& more);
};

}  // namespace alacarte
