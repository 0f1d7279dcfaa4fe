#include "alacarte/data/row_source.hpp"

#include <cmath>
#include <numeric>

#include "core/ranks.hpp"

namespace alacarte {

const Matrix& RowSource::more_targets() const {
  static const Matrix none;
  return none;
}

const std::vector<Index>& RowSource::level_counts() const {
  static const std::vector<Index> none;
  return none;
}

void RowScratch::reserve(Index count, Index inputs) {
  if (x.rows() >= count && x.cols() == inputs) return;
  x.resize(count, inputs);
  y.resize(count);
}

Dataset Dataset::select_rows(const std::vector<Index>& rows) const {
  Dataset result;
  if (target.size() > 0) result.target = target(rows);
  if (weights.size() > 0) result.weights = weights(rows);
  if (offsets.size() > 0) result.offsets = offsets(rows);
  if (more_targets.size() > 0) result.more_targets = more_targets(rows, Eigen::all);
  result.level_counts = level_counts;
  if (is_sparse()) {
    result.sparse = alacarte::select_rows(sparse.view(), rows);
  } else {
    result.inputs = inputs(rows, Eigen::all);
  }
  for (const Index row : rows) {
    if (!keys.empty()) result.keys.push_back(keys[static_cast<std::size_t>(row)]);
    if (!source_rows.empty()) result.source_rows.push_back(source_rows[static_cast<std::size_t>(row)]);
  }
  return result;
}

Dataset::operator std::shared_ptr<RowSource>() const& { return std::make_shared<MemoryRows>(*this); }
Dataset::operator std::shared_ptr<RowSource>() && { return std::make_shared<MemoryRows>(std::move(*this)); }

MemoryRows::MemoryRows(Dataset data) : data_(std::move(data)), x_(data_.view()), y_(data_.target) {
  require(x_.rows() == y_.size(), "rows: one target for each row");
  require(!has_weights() || (data_.weights.size() == y_.size() && (data_.weights.array() > 0).all()),
          "rows: one weight above 0 for each row");
  require(!has_offsets() || (data_.offsets.size() == y_.size() && data_.offsets.allFinite()),
          "rows: one finite offset for each row");
  require(data_.more_targets.size() == 0 || data_.more_targets.rows() == y_.size(), "rows: all targets for each row");
  data_.keys = {};
  data_.source_rows = {};
}

MemoryRows::MemoryRows(const InputView& x, const Vector& y) : x_(x), y_(y) {
  require(x_.rows() == y_.size(), "rows: one target for each row");
}

std::shared_ptr<const MemoryRows> MemoryRows::view(const InputView& x, const Vector& y) {
  return std::shared_ptr<const MemoryRows>(new MemoryRows(x, y));
}

RowBlock MemoryRows::read(Index first, Index count, RowScratch&) const {
  require(first >= 0 && count >= 0 && first + count <= rows(), "rows: read outside of them");
  const Eigen::Map<const Vector> weights(data_.weights.data() + (has_weights() ? first : 0), has_weights() ? count : 0);
  const Eigen::Map<const Vector> offsets(data_.offsets.data() + (has_offsets() ? first : 0), has_offsets() ? count : 0);
  return {x_.middle_rows(first, count), {y_.data() + first, count}, weights, offsets};
}

double MemoryRows::memory_bytes() const {
  const auto n = static_cast<double>(rows()), d = static_cast<double>(inputs());
  if (!is_sparse()) return 8 * n * (d + 2);
  return 16 * static_cast<double>(x_.sparse().nonzeros()) + 40 * (n + d);
}

namespace {

/// Sums over ranks, each of which fills in its rows.
std::shared_ptr<const MemoryRows> gather_from_ranks(const RowSource& source, const std::vector<Index>& order) {
  const auto count = static_cast<Index>(order.size());
  Dataset data;
  data.level_counts = source.level_counts();
  data.inputs.setZero(count, source.inputs());
  data.target.setZero(count);
  if (source.has_weights()) data.weights.setZero(count);
  if (source.has_offsets()) data.offsets.setZero(count);
  RowScratch scratch;
  for (Index i = 0; i < count; ++i) {
    const Index place = order[static_cast<std::size_t>(i)] - source.own_first();
    if (place < 0 || place >= source.own_rows()) continue;
    const RowBlock row = source.read(source.own_first() + place, 1, scratch);
    data.inputs.row(i) = row.x.dense().row(0);
    data.target[i] = row.y[0];
    if (source.has_weights()) data.weights[i] = row.weights[0];
    if (source.has_offsets()) data.offsets[i] = row.offsets[0];
  }
  ranks::sum(data.inputs.data(), static_cast<std::size_t>(data.inputs.size()));
  ranks::sum(data.target.data(), static_cast<std::size_t>(count));
  ranks::sum(data.weights.data(), static_cast<std::size_t>(data.weights.size()));
  ranks::sum(data.offsets.data(), static_cast<std::size_t>(data.offsets.size()));
  return std::make_shared<const MemoryRows>(std::move(data));
}

// Merged means and squared deviations of parts: one pass, without the cancellation of sums of squares.
struct MergedMoments {
  double count = 0, mean = 0, squares = 0, log_weight = 0, exposure = 0;

  void add(double more, double own_mean, double own_squares) {
    const double step = own_mean - mean;
    squares += own_squares + step * step * count * more / (count + more);
    mean = count == 0 ? own_mean : mean + step * more / (count + more);
    count += more;
  }
  /// Merges those of the ranks, in order.
  MergedMoments over_ranks() const {
    const Vector counts = ranks::of_each(count), means = ranks::of_each(mean), all = ranks::of_each(squares);
    MergedMoments merged;
    merged.log_weight = ranks::sum(log_weight);
    merged.exposure = ranks::sum(exposure);
    for (Index k = 0; k < counts.size(); ++k)
      if (counts[k] > 0) merged.add(counts[k], means[k], all[k]);
    return merged;
  }
};

}  // namespace

std::shared_ptr<const MemoryRows> gather_rows(const RowSource& source, const std::vector<Index>& order) {
  if (source.is_distributed()) return gather_from_ranks(source, order);
  Dataset data;
  data.level_counts = source.level_counts();
  data.target.resize(static_cast<Index>(order.size()));
  if (source.has_weights()) data.weights.resize(data.target.size());
  if (source.has_offsets()) data.offsets.resize(data.target.size());
  if (source.more_targets().size() > 0) data.more_targets = source.more_targets()(order, Eigen::all);
  if (source.is_sparse()) {
    data.sparse.clear(source.inputs());
  } else {
    data.inputs.resize(data.target.size(), source.inputs());
  }
  RowScratch scratch;
  for (Index i = 0; i < data.target.size(); ++i) {
    const RowBlock row = source.read(order[static_cast<std::size_t>(i)], 1, scratch);
    data.target[i] = row.y[0];
    if (source.has_weights()) data.weights[i] = row.weights[0];
    if (source.has_offsets()) data.offsets[i] = row.offsets[0];
    if (source.is_sparse()) {
      data.sparse.append(row.x.sparse());
    } else {
      data.inputs.row(i) = row.x.dense().row(0);
    }
  }
  return std::make_shared<const MemoryRows>(std::move(data));
}

std::shared_ptr<const MemoryRows> gather_all_rows(const RowSource& source) {
  std::vector<Index> order(static_cast<std::size_t>(source.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  return gather_rows(source, order);
}

Dataset load(const RowSource& rows) {
  Dataset data;
  data.level_counts = rows.level_counts();
  data.inputs.resize(rows.own_rows(), rows.inputs());
  data.target.resize(rows.own_rows());
  if (rows.has_weights()) data.weights.resize(rows.own_rows());
  if (rows.has_offsets()) data.offsets.resize(rows.own_rows());
  Index at = 0;
  for_each_block(rows, [&](const RowBlock& block) {
    data.inputs.middleRows(at, block.y.size()) = block.x.dense();
    data.target.segment(at, block.y.size()) = block.y;
    if (rows.has_weights()) data.weights.segment(at, block.y.size()) = block.weights;
    if (rows.has_offsets()) data.offsets.segment(at, block.y.size()) = block.offsets;
    at += block.y.size();
  });
  return data;
}

TargetMoments target_moments(const RowSource& rows) {
  MergedMoments moments;
  for_each_block(rows, [&](const RowBlock& block) {
    if (rows.has_weights()) moments.log_weight += block.weights.array().log().sum();
    if (rows.has_offsets()) moments.exposure += block.offsets.array().exp().sum();
    const double own = block.y.mean();
    moments.add(static_cast<double>(block.y.size()), own, (block.y.array() - own).square().sum());
  });
  if (rows.is_distributed()) moments = moments.over_ranks();
  const double count = moments.count, variance = moments.squares / std::max(1.0, count - 1);
  return {moments.mean, variance > 0 ? std::sqrt(variance) : 1.0,
          count > 0 ? std::exp(moments.log_weight / count) : 1.0,
          rows.has_offsets() && count > 0 ? std::log(moments.exposure / count) : 0.0};
}

}  // namespace alacarte
