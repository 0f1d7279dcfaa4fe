#include "data/distributed_rows.hpp"

#include "core/ranks.hpp"

namespace alacarte {
namespace {

// Largest number of rows gathered on each rank; algorithms that need all rows take quadratic time or more.
constexpr Index kMaxWholeRows = 50000;

}  // namespace

DistributedRows::DistributedRows(std::shared_ptr<RowSource> own) : own_(std::move(own)) {
  require(!own_->is_sparse() && own_->more_targets().size() == 0, "distributed rows: dense, of one target");
  const Vector counts = ranks::of_each(static_cast<double>(own_->rows()));
  rows_ = static_cast<Index>(counts.sum());
  first_ = static_cast<Index>(counts.head(ranks::own()).sum());
  largest_ = static_cast<Index>(counts.maxCoeff());
  // Empty rows in memory have no weights and no offsets.
  has_weights_ = ranks::any(own_->has_weights());
  has_offsets_ = ranks::any(own_->has_offsets());
  // Scratch grows linearly with the rows of a chunk.
  Vector most{{own_->memory_bytes(), own_->scratch_bytes(0), own_->scratch_bytes(1 << 20)}};
  ranks::maximum(most);
  memory_bytes_ = most[0];
  fixed_scratch_ = most[1];
  row_scratch_ = most[2] / (1 << 20);
}

double DistributedRows::scratch_bytes(Index count) const {
  return fixed_scratch_ + row_scratch_ * static_cast<double>(count);
}

std::vector<Index> DistributedRows::own_places(const std::vector<Index>& places) const {
  std::vector<Index> here;
  for (const Index place : places)
    if (place >= first_ && place < first_ + own_rows()) here.push_back(place - first_);
  return here;
}

std::shared_ptr<RowSource> distribute(std::shared_ptr<RowSource> own) {
  if (ranks::count() == 1) return own;
  return std::make_shared<DistributedRows>(std::move(own));
}

void take_from_first(const RowSource& rows, MatRef values) {
  require(values.outerStride() == values.rows() || values.cols() == 1, "take_from_first: part of a matrix");
  if (rows.is_distributed()) ranks::share(values.data(), static_cast<std::size_t>(values.size()) * sizeof(double), 0);
}

std::shared_ptr<const RowSource> pick_rows(const std::shared_ptr<const RowSource>& rows,
                                           const std::vector<Index>& order) {
  const auto* shared = dynamic_cast<const DistributedRows*>(rows.get());
  if (shared == nullptr) return gather_rows(*rows, order);
  return distribute(std::const_pointer_cast<MemoryRows>(gather_rows(*shared->own(), shared->own_places(order))));
}

std::shared_ptr<const RowSource> whole_rows(std::shared_ptr<const RowSource> rows, const char* place) {
  if (!rows->is_distributed()) return rows;
  if (rows->rows() > kMaxWholeRows)
    throw ConfigError(place, "needs all " + std::to_string(rows->rows()) +
                                 " rows in one process, and they are shared by several; take a model of features, and "
                                 "fewer of them than rows");
  return gather_all_rows(*rows);
}

}  // namespace alacarte
