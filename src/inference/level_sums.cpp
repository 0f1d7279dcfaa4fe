#include "inference/level_sums.hpp"

#include <limits>

#include "alacarte/core/error.hpp"

namespace alacarte {

RowLevels::RowLevels(const RowSource& rows, Index column, Index levels) {
  require(rows.rows() < std::numeric_limits<std::int32_t>::max() - levels, "levels: too many rows");
  of_rows_.reserve(static_cast<std::size_t>(rows.rows()));
  std::vector<std::int32_t> places(static_cast<std::size_t>(levels), -1);
  std::vector<double> weights;
  for_each_block(rows, [&](const RowBlock& block) {
    const auto x = block.x.dense();
    for (Index i = 0; i < x.rows(); ++i) {
      const double code = x(i, column);
      const bool is_known = code >= 0 && code < static_cast<double>(levels);
      std::int32_t fresh = -1;
      std::int32_t& place = is_known ? places[static_cast<std::size_t>(code)] : fresh;
      if (place < 0) {
        place = static_cast<std::int32_t>(weights.size());
        weights.push_back(0);
        codes_.push_back(is_known ? static_cast<std::int32_t>(code) : -1);
      }
      weights[static_cast<std::size_t>(place)] += block.weights.size() > 0 ? block.weights[i] : 1.0;
      of_rows_.push_back(place);
    }
  });
  weights_ = Eigen::Map<const Vector>(weights.data(), static_cast<Index>(weights.size()));
}

void LevelSums::reset(Index count, Index width) {
  features.setZero(count, width);
  target.setZero(count);
}

void LevelSums::add(const RowLevels& levels, Index first, ConstMat psi, ConstVec y, ConstVec weights) {
  const auto weight = [&](Index i) { return weights.size() > 0 ? weights[i] : 1.0; };
  for (Index i = 0; i < y.size(); ++i) target[levels.of(first + i)] += weight(i) * y[i];
  for (Index j = 0; j < psi.cols(); ++j) {
    double* const column = features.col(j).data();
    for (Index i = 0; i < psi.rows(); ++i) column[levels.of(first + i)] += weight(i) * psi(i, j);
  }
}

LevelSums& LevelSums::operator+=(const LevelSums& more) {
  features += more.features;
  target += more.target;
  return *this;
}

}  // namespace alacarte
