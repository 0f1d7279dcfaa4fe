#include "alacarte/core/row_source.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "alacarte/core/error.hpp"

namespace alacarte {

MemoryRows::MemoryRows(Matrix x, Vector y)
    : owned_x_(std::move(x)), owned_y_(std::move(y)), x_(owned_x_), y_(owned_y_) {
  learn_target();
}

MemoryRows::MemoryRows(SparseRows x, Vector y)
    : owned_y_(std::move(y)), sparse_(std::move(x)), x_(owned_x_), y_(owned_y_) {
  require(sparse_.width > 0, "rows: sparse rows without inputs");
  learn_target();
}

MemoryRows::MemoryRows(const Matrix& x, const Vector& y, ByReference) : x_(x), y_(y) { learn_target(); }

std::shared_ptr<const MemoryRows> MemoryRows::view(const Matrix& x, const Vector& y) {
  return std::shared_ptr<const MemoryRows>(new MemoryRows(x, y, ByReference()));
}

void MemoryRows::learn_target() {
  require(y_.size() > 0 && x().rows() == y_.size(), "rows: inputs and targets do not fit");
  target_mean_ = y_.mean();
  const double freedom = static_cast<double>(std::max<Index>(1, y_.size() - 1));
  const double variance = (y_.array() - target_mean_).square().sum() / freedom;
  target_sd_ = variance > 0 ? std::sqrt(variance) : 1.0;
}

InputView MemoryRows::x() const { return is_sparse() ? InputView(sparse_.view()) : InputView(x_); }

Vector MemoryRows::input_ranges() const {
  if (is_sparse()) return Vector::Ones(sparse_.width);
  return (x_.colwise().maxCoeff() - x_.colwise().minCoeff()).transpose();
}

RowBlock MemoryRows::read(Index first, Index count, RowScratch&) const {
  require(first >= 0 && count >= 0 && first + count <= rows(), "rows: read outside of them");
  return {x().middle_rows(first, count), {y_.data() + first, count}};
}

std::vector<Index> draw_rows(RandomStream& stream, Index rows, Index count) {
  constexpr Index kMaxShuffledRows = Index{1} << 22;
  std::vector<Index> drawn;
  if (count >= rows) {
    drawn.resize(static_cast<std::size_t>(rows));
    std::iota(drawn.begin(), drawn.end(), Index{0});
  } else if (rows <= kMaxShuffledRows) {
    const std::vector<std::int32_t> order = stream.permutation(rows);
    drawn.assign(order.begin(), order.begin() + count);
    std::sort(drawn.begin(), drawn.end());
  } else {
    // Floyd's algorithm: each of the sets of `count` rows is as likely as any other.
    std::set<Index> chosen;
    for (Index last = rows - count; last < rows; ++last)
      if (!chosen.insert(stream.below(last + 1)).second) chosen.insert(last);
    drawn.assign(chosen.begin(), chosen.end());
  }
  return drawn;
}

std::shared_ptr<const MemoryRows> gather_rows(const RowSource& source, const std::vector<Index>& order) {
  const auto count = static_cast<Index>(order.size());
  Vector y(count);
  RowScratch scratch;
  if (source.is_sparse()) {
    SparseRows x;
    x.clear(source.inputs());
    for (Index i = 0; i < count; ++i) {
      const RowBlock row = source.read(order[static_cast<std::size_t>(i)], 1, scratch);
      row.x.for_each_entry(0, [&](Index column, double value) { x.add(column, value); });
      x.end_row();
      y[i] = row.y[0];
    }
    return std::make_shared<const MemoryRows>(std::move(x), std::move(y));
  }
  Matrix x(count, source.inputs());
  for (Index i = 0; i < count; ++i) {
    const RowBlock row = source.read(order[static_cast<std::size_t>(i)], 1, scratch);
    x.row(i) = row.x.dense().row(0);
    y[i] = row.y[0];
  }
  return std::make_shared<const MemoryRows>(std::move(x), std::move(y));
}

}  // namespace alacarte
