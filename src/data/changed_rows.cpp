#include "data/changed_rows.hpp"

#include <cstring>
#include <functional>
#include <numeric>

#include "alacarte/data/dataset.hpp"
#include "data/distributed_rows.hpp"

namespace alacarte {
namespace {

/// Rows of a file with weights multiplied by factors.
class WeightedRows final : public RowSource {
 public:
  WeightedRows(std::shared_ptr<const RowSource> raw, Vector factors)
      : raw_(std::move(raw)), factors_(std::move(factors)) {}
  Index rows() const override { return raw_->rows(); }
  Index inputs() const override { return raw_->inputs(); }
  bool is_sparse() const override { return raw_->is_sparse(); }
  bool has_weights() const override { return true; }
  bool has_offsets() const override { return raw_->has_offsets(); }
  const std::vector<Index>& level_counts() const override { return raw_->level_counts(); }
  RowBlock read(Index first, Index count, RowScratch& scratch) const override {
    const RowBlock raw = raw_->read(first, count, scratch);
    Vector weights = factors_.segment(first, count);
    if (raw_->has_weights()) weights.array() *= raw.weights.array();  // else the scratch has the last chunk's
    scratch.weights = std::move(weights);
    return {raw.x, raw.y, {scratch.weights.data(), count}, raw.offsets};
  }
  double scratch_bytes(Index count) const override {
    return std::max(raw_->scratch_bytes(count), 8.0 * static_cast<double>(count));
  }
  double memory_bytes() const override { return raw_->memory_bytes() + 8 * static_cast<double>(factors_.size()); }

 private:
  const std::shared_ptr<const RowSource> raw_;
  const Vector factors_;
};

/// Copies all rows if `which` is empty.
Dataset copied(const RowSource& rows, const std::vector<Index>& which) {
  std::vector<Index> order = which;
  if (order.empty()) {
    order.resize(static_cast<std::size_t>(rows.rows()));
    std::iota(order.begin(), order.end(), Index{0});
  }
  const auto gathered = gather_rows(rows, order);
  std::iota(order.begin(), order.end(), Index{0});
  Dataset data;
  if (gathered->is_sparse())
    data.sparse = select_rows(gathered->x().sparse(), order);
  else
    data.inputs = gathered->x().dense();
  data.target = gathered->y();
  data.weights = gathered->weights();
  data.offsets = gathered->offsets();
  data.more_targets = gathered->more_targets();
  data.level_counts = gathered->level_counts();
  return data;
}

class RowsWithout final : public RowSource {
 public:
  RowsWithout(std::shared_ptr<const RowSource> source, std::vector<Index> left_out)
      : source_(std::move(source)), left_out_(std::move(left_out)) {
    if (source_->more_targets().size() > 0)
      more_targets_ = source_->more_targets()(rows_but(source_->rows(), left_out_), Eigen::all);
  }

  Index rows() const override { return source_->rows() - static_cast<Index>(left_out_.size()); }
  Index inputs() const override { return source_->inputs(); }
  bool has_weights() const override { return source_->has_weights(); }
  bool has_offsets() const override { return source_->has_offsets(); }
  const Matrix& more_targets() const override { return more_targets_; }
  const std::vector<Index>& level_counts() const override { return source_->level_counts(); }
  double memory_bytes() const override { return source_->memory_bytes(); }

  double scratch_bytes(Index count) const override {
    const double own = 8.0 * static_cast<double>(count * (inputs() + 2));
    const double share = static_cast<double>(source_->rows()) / static_cast<double>(std::max<Index>(1, rows()));
    return std::max(own, source_->scratch_bytes(static_cast<Index>(share * static_cast<double>(count)) + 1));
  }

  RowBlock read(Index first, Index count, RowScratch& scratch) const override {
    require(first >= 0 && count >= 0 && first + count <= rows(), "rows: read outside of them");
    const std::size_t passed = passed_before(first);
    const Index begin = first + static_cast<Index>(passed);
    const Index end = count > 0 ? place_of(first + count - 1) + 1 : begin;
    const RowBlock block = source_->read(begin, end - begin, scratch);
    // Does nothing if the block is in the scratch, which then holds more rows than these.
    scratch.reserve(count, inputs());
    if (has_weights() && scratch.weights.size() < count) scratch.weights.resize(count);
    if (has_offsets() && scratch.offsets.size() < count) scratch.offsets.resize(count);
    Index at = 0, from = begin;
    for (std::size_t k = passed; from < end; ++k) {
      const Index stop = k < left_out_.size() ? std::min(left_out_[k], end) : end;
      move_rows(block, from - begin, stop - from, at, scratch);
      at += stop - from;
      from = stop + 1;
    }
    return scratch.block(count);
  }

 private:
  /// Counts the rows of left_out before the i-th row here.
  std::size_t passed_before(Index i) const {
    std::size_t first = 0, last = left_out_.size();
    while (first < last) {
      const std::size_t middle = first + (last - first) / 2;
      if (left_out_[middle] - static_cast<Index>(middle) <= i)
        first = middle + 1;
      else
        last = middle;
    }
    return first;
  }
  Index place_of(Index i) const { return i + static_cast<Index>(passed_before(i)); }

  /// Moves upwards, so that rows in the scratch are not overwritten before they are moved.
  void move_rows(const RowBlock& block, Index from, Index count, Index to, RowScratch& scratch) const {
    if (count <= 0) return;
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(double);
    const auto x = block.x.dense();
    for (Index j = 0; j < inputs(); ++j) std::memmove(&scratch.x(to, j), x.col(j).data() + from, bytes);
    std::memmove(&scratch.y[to], block.y.data() + from, bytes);
    if (has_weights()) std::memmove(&scratch.weights[to], block.weights.data() + from, bytes);
    if (has_offsets()) std::memmove(&scratch.offsets[to], block.offsets.data() + from, bytes);
  }

  std::shared_ptr<const RowSource> source_;
  std::vector<Index> left_out_;
  Matrix more_targets_;
};

/// Rows whose inputs and targets a function replaces in each chunk that is read.
class ReplacedRows final : public RowSource {
 public:
  using Replace = std::function<void(MatRef x, VecRef y)>;
  ReplacedRows(std::shared_ptr<const RowSource> raw, Replace replace)
      : raw_(std::move(raw)), replace_(std::move(replace)) {}
  Index rows() const override { return raw_->rows(); }
  Index inputs() const override { return raw_->inputs(); }
  bool has_weights() const override { return raw_->has_weights(); }
  bool has_offsets() const override { return raw_->has_offsets(); }
  const std::vector<Index>& level_counts() const override { return raw_->level_counts(); }
  RowBlock read(Index first, Index count, RowScratch& scratch) const override {
    const RowBlock raw = raw_->read(first, count, scratch);
    if (raw.y.data() != scratch.y.data()) {  // views of rows in memory
      scratch.reserve(count, inputs());
      scratch.x.topRows(count) = raw.x.dense();
      scratch.y.head(count) = raw.y;
    }
    replace_(scratch.x.topRows(count), scratch.y.head(count));
    const RowBlock block = scratch.block(count);
    return {block.x, block.y, raw.weights, raw.offsets};
  }
  double scratch_bytes(Index count) const override {
    return std::max(raw_->scratch_bytes(count), 8.0 * static_cast<double>(count * (inputs() + 1)));
  }
  double memory_bytes() const override { return raw_->memory_bytes(); }

 private:
  const std::shared_ptr<const RowSource> raw_;
  const Replace replace_;
};

}  // namespace

std::shared_ptr<RowSource> without_rows(std::shared_ptr<RowSource> rows, const std::vector<Index>& left_out) {
  if (const auto* shared = dynamic_cast<const DistributedRows*>(rows.get()))
    return distribute(without_rows(shared->own(), shared->own_places(left_out)));
  if (const auto memory = std::dynamic_pointer_cast<MemoryRows>(rows))
    return memory->data().select_rows(rows_but(rows->rows(), left_out));
  return rows_without(std::move(rows), left_out);
}

std::shared_ptr<RowSource> with_factors(const std::shared_ptr<RowSource>& rows, const Vector& factors) {
  require(factors.size() == 0 || factors.size() == rows->rows(), "with_factors: one for each row");
  if (const auto memory = std::dynamic_pointer_cast<MemoryRows>(rows)) {
    Dataset data = memory->data();
    if (factors.size() > 0)
      data.weights = data.weights.size() > 0 ? Vector(data.weights.cwiseProduct(factors)) : factors;
    return std::make_shared<MemoryRows>(std::move(data));
  }
  return factors.size() == 0 ? rows : std::make_shared<WeightedRows>(rows, factors);
}

std::shared_ptr<RowSource> with_targets(const RowSource& rows, const std::vector<Index>& which, const Vector& targets) {
  Dataset data = copied(rows, which);
  data.target = targets;
  data.more_targets.resize(0, 0);
  data.weights.resize(0);
  data.offsets.resize(0);
  return std::make_shared<MemoryRows>(std::move(data));
}

std::shared_ptr<const RowSource> behind_curves(std::shared_ptr<const RowSource> rows,
                                               std::shared_ptr<const InputCurves> curves) {
  if (const auto* shared = dynamic_cast<const DistributedRows*>(rows.get()))
    return distribute(std::const_pointer_cast<RowSource>(behind_curves(shared->own(), std::move(curves))));
  if (dynamic_cast<const MemoryRows*>(rows.get()) == nullptr)
    return std::make_shared<const ReplacedRows>(std::move(rows), [curves](MatRef x, VecRef) { curves->apply(x); });
  return with_inputs(
      *rows, [&](const Matrix& x) { return curves->of(x); }, true);
}

std::shared_ptr<const RowSource> with_inputs(const RowSource& rows, const std::function<Matrix(const Matrix&)>& inputs,
                                             bool has_levels) {
  Dataset data = copied(rows, {});
  data.inputs = inputs(data.inputs);
  if (!has_levels) data.level_counts.clear();
  return std::make_shared<const MemoryRows>(std::move(data));
}

std::shared_ptr<RowSource> some_rows(const RowSource& rows, const std::vector<Index>& which) {
  return std::make_shared<MemoryRows>(copied(rows, which));
}

std::vector<Index> rows_but(Index rows, const std::vector<Index>& left_out) {
  std::vector<Index> kept;
  std::size_t next = 0;
  for (Index i = 0; i < rows; ++i) {
    if (next < left_out.size() && left_out[next] == i)
      ++next;
    else
      kept.push_back(i);
  }
  require(next == left_out.size(), "rows: those left out must be some of them, in order");
  return kept;
}

std::shared_ptr<RowSource> rows_without(std::shared_ptr<const RowSource> source, std::vector<Index> left_out) {
  if (const auto* shared = dynamic_cast<const DistributedRows*>(source.get()))
    return distribute(rows_without(shared->own(), shared->own_places(left_out)));
  if (source->is_sparse())
    return std::const_pointer_cast<MemoryRows>(gather_rows(*source, rows_but(source->rows(), left_out)));
  require(std::is_sorted(left_out.begin(), left_out.end()) &&
              (left_out.empty() || (left_out.front() >= 0 && left_out.back() < source->rows())),
          "rows: those left out must be some of them, in order");
  return std::make_shared<RowsWithout>(std::move(source), std::move(left_out));
}

std::shared_ptr<const RowSource> Standardizer::standardise(std::shared_ptr<RowSource> raw) const {
  if (const auto* shared = dynamic_cast<const DistributedRows*>(raw.get()))
    return distribute(std::const_pointer_cast<RowSource>(standardise(shared->own())));
  const auto memory = std::dynamic_pointer_cast<MemoryRows>(raw);
  if (!memory)
    return std::make_shared<const ReplacedRows>(std::move(raw), [scales = *this](MatRef x, VecRef y) {
      scales.standardise(x);
      y = scales.target(y);
    });
  Dataset& data = memory->data();
  if (data.is_sparse()) {
    standardise(data.sparse);
  } else {
    standardise(data.inputs);
  }
  data.target = target(data.target);
  return memory;
}

}  // namespace alacarte
