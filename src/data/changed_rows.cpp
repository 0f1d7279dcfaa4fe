#include "data/changed_rows.hpp"

#include <numeric>

#include "data/distributed_rows.hpp"
#include "data/rows_without.hpp"

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
  RowBlock read(Index first, Index count, RowScratch& scratch) const override {
    const RowBlock raw = raw_->read(first, count, scratch);
    Vector weights = factors_.segment(first, count);
    if (raw_->has_weights()) weights.array() *= raw.weights.array();  // else the scratch has the last chunk's
    scratch.weights = std::move(weights);
    return {raw.x, raw.y, {scratch.weights.data(), count}};
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
  data.more_targets = gathered->more_targets();
  return data;
}

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
  return std::make_shared<MemoryRows>(std::move(data));
}

std::shared_ptr<RowSource> some_rows(const RowSource& rows, const std::vector<Index>& which) {
  return std::make_shared<MemoryRows>(copied(rows, which));
}

}  // namespace alacarte
