#include "standardized_rows.hpp"

#include <algorithm>
#include <cmath>

namespace alacarte {

StandardizedRows::StandardizedRows(const EncodedRows& raw, const Standardizer& standardizer)
    : raw_(raw), standardizer_(standardizer) {
  // Means and squared deviations of blocks, merged: one pass, without the cancellation of sums of squares.
  double count = 0, squares = 0;
  for_each_block(raw, [&](ConstMat, ConstVec target) {
    const Vector y = standardizer_.target(target);
    const double mean = y.mean(), more = static_cast<double>(y.size()), step = mean - target_mean_;
    squares += (y.array() - mean).square().sum() + step * step * count * more / (count + more);
    target_mean_ += step * more / (count + more);
    count += more;
  });
  const double variance = squares / std::max(1.0, count - 1);
  target_sd_ = variance > 0 ? std::sqrt(variance) : 1.0;
}

RowBlock StandardizedRows::read(Index first, Index count, RowScratch& scratch) const {
  if (scratch.x.rows() < count) {
    scratch.x.resize(count, inputs());
    scratch.y.resize(count);
  }
  raw_.read(first, count, scratch.x.topRows(count), scratch.y.head(count), scratch.raw);
  standardizer_.standardise(scratch.x.topRows(count));
  scratch.y.head(count) = standardizer_.target(scratch.y.head(count));
  return {scratch.x.topRows(count), {scratch.y.data(), count}};
}

double StandardizedRows::scratch_bytes(Index count) const {
  return 8.0 * static_cast<double>(count * (inputs() + 1)) + raw_.scratch_bytes(count);
}

}  // namespace alacarte
