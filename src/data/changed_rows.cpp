#include "data/changed_rows.hpp"

#include <numeric>

#include "alacarte/core/error.hpp"

namespace alacarte {
namespace {

std::vector<Index> rows_but(Index rows, const std::vector<Index>& left_out) {
  std::vector<Index> kept;
  std::size_t next = 0;
  for (Index i = 0; i < rows; ++i) {
    if (next < left_out.size() && left_out[next] == i)
      ++next;
    else
      kept.push_back(i);
  }
  require(next == left_out.size(), "without_rows: increasing indices of rows");
  return kept;
}

/// Dense rows of a file: some of them, with factors of their weights.
class ChangedRows final : public RowSource {
 public:
  ChangedRows(std::shared_ptr<const RowSource> raw, std::vector<Index> kept, Vector factors)
      : raw_(std::move(raw)), kept_(std::move(kept)), factors_(std::move(factors)) {
    require(!raw_->is_sparse(), "rows of a file are dense");
  }
  Index rows() const override { return static_cast<Index>(kept_.size()); }
  Index inputs() const override { return raw_->inputs(); }
  bool has_weights() const override { return raw_->has_weights() || factors_.size() > 0; }

  // A row moves to the front of the scratch only after those before it, so that reading and copying share one scratch.
  RowBlock read(Index first, Index count, RowScratch& scratch) const override {
    require(first >= 0 && count >= 0 && first + count <= rows(), "rows: read outside of them");
    if (count == 0) return raw_->read(0, 0, scratch);
    const Index begin = at(first), span = at(first + count - 1) - begin + 1;
    const RowBlock raw = raw_->read(begin, span, scratch);
    if (scratch.x.rows() < span || raw.y.data() != scratch.y.data()) {
      scratch.reserve(span, inputs());
      scratch.x.topRows(span) = raw.x.dense();
      scratch.y.head(span) = raw.y;
    }
    Vector weights(has_weights() ? count : 0);
    for (Index i = 0; i < count; ++i) {
      const Index from = at(first + i) - begin;
      if (from != i) scratch.x.row(i) = scratch.x.row(from);
      scratch.y[i] = scratch.y[from];
      if (has_weights())
        weights[i] = (raw_->has_weights() ? raw.weights[from] : 1) * (factors_.size() > 0 ? factors_[first + i] : 1);
    }
    scratch.weights = std::move(weights);
    return scratch.block(count);
  }
  double scratch_bytes(Index count) const override {
    const auto rows_there = static_cast<double>(raw_->rows()),
               rows_here = static_cast<double>(std::max<Index>(1, rows()));
    const auto span = static_cast<Index>(1.5 * static_cast<double>(count) * rows_there / rows_here) + 1;
    return std::max(raw_->scratch_bytes(span), 8.0 * static_cast<double>(span * (inputs() + 2)));
  }
  double memory_bytes() const override {
    return raw_->memory_bytes() + 8 * static_cast<double>(rows() + factors_.size());
  }

 private:
  Index at(Index i) const { return kept_[static_cast<std::size_t>(i)]; }

  const std::shared_ptr<const RowSource> raw_;
  const std::vector<Index> kept_;
  const Vector factors_;
};

}  // namespace

std::shared_ptr<RowSource> without_rows(std::shared_ptr<RowSource> rows, const std::vector<Index>& left_out) {
  std::vector<Index> kept = rows_but(rows->rows(), left_out);
  if (const auto memory = std::dynamic_pointer_cast<MemoryRows>(rows)) return memory->data().select_rows(kept);
  return std::make_shared<ChangedRows>(std::move(rows), std::move(kept), Vector());
}

std::shared_ptr<RowSource> with_factors(const std::shared_ptr<RowSource>& rows, const Vector& factors) {
  require(factors.size() == 0 || factors.size() == rows->rows(), "with_factors: one for each row");
  if (const auto memory = std::dynamic_pointer_cast<MemoryRows>(rows)) {
    Dataset data = memory->data();
    if (factors.size() > 0)
      data.weights = data.weights.size() > 0 ? Vector(data.weights.cwiseProduct(factors)) : factors;
    return std::make_shared<MemoryRows>(std::move(data));
  }
  return std::make_shared<ChangedRows>(rows, rows_but(rows->rows(), {}), factors);
}

std::shared_ptr<RowSource> with_targets(const RowSource& rows, const std::vector<Index>& which, const Vector& targets) {
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
  data.target = targets;
  return std::make_shared<MemoryRows>(std::move(data));
}

}  // namespace alacarte
