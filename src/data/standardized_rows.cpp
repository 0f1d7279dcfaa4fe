// Rows standardised in place, or when they are read if they do not fit memory.
#include "alacarte/core/error.hpp"
#include "alacarte/data/dataset.hpp"
#include "data/distributed_rows.hpp"

namespace alacarte {
namespace {

class StandardizedRows final : public RowSource {
 public:
  StandardizedRows(std::shared_ptr<const RowSource> raw, Standardizer standardizer)
      : raw_(std::move(raw)), standardizer_(std::move(standardizer)) {}
  Index rows() const override { return raw_->rows(); }
  Index inputs() const override { return raw_->inputs(); }
  bool has_weights() const override { return raw_->has_weights(); }
  RowBlock read(Index first, Index count, RowScratch& scratch) const override {
    const RowBlock raw = raw_->read(first, count, scratch);
    if (raw.y.data() != scratch.y.data()) {  // views of rows in memory
      scratch.reserve(count, inputs());
      scratch.x.topRows(count) = raw.x.dense();
      scratch.y.head(count) = raw.y;
    }
    standardizer_.standardise(scratch.x.topRows(count));
    scratch.y.head(count) = standardizer_.target(scratch.y.head(count));
    const RowBlock block = scratch.block(count);
    return {block.x, block.y, raw.weights};
  }
  double scratch_bytes(Index count) const override {
    return std::max(raw_->scratch_bytes(count), 8.0 * static_cast<double>(count * (inputs() + 1)));
  }
  double memory_bytes() const override { return raw_->memory_bytes(); }

 private:
  const std::shared_ptr<const RowSource> raw_;
  const Standardizer standardizer_;
};

}  // namespace

std::shared_ptr<const RowSource> Standardizer::standardise(std::shared_ptr<RowSource> raw) const {
  if (const auto* shared = dynamic_cast<const DistributedRows*>(raw.get()))
    return distribute(std::const_pointer_cast<RowSource>(standardise(shared->own())));
  const auto memory = std::dynamic_pointer_cast<MemoryRows>(raw);
  if (!memory) return std::make_shared<const StandardizedRows>(std::move(raw), *this);
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
