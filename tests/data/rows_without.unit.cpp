#include "data/changed_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "alacarte/core/random.hpp"

namespace alacarte {
namespace {

/// Row source without storage: rows are written into the scratch, like those of a file.
class WrittenRows final : public RowSource {
 public:
  explicit WrittenRows(const MemoryRows& rows) : rows_(rows) {}
  Index rows() const override { return rows_.rows(); }
  Index inputs() const override { return rows_.inputs(); }
  bool has_weights() const override { return rows_.has_weights(); }
  double scratch_bytes(Index count) const override { return 8.0 * static_cast<double>(count * (inputs() + 2)); }
  RowBlock read(Index first, Index count, RowScratch& scratch) const override {
    scratch.reserve(count, inputs());
    scratch.x.topRows(count) = rows_.x().dense().middleRows(first, count);
    scratch.y.head(count) = rows_.y().segment(first, count);
    if (has_weights()) scratch.weights = rows_.weights().segment(first, count);
    return scratch.block(count);
  }

 private:
  const MemoryRows& rows_;
};

Dataset numbered_rows(Index count, bool weighted) {
  Dataset data;
  data.inputs = Matrix::Random(count, 3);
  data.target = Vector::LinSpaced(count, 0, static_cast<double>(count - 1));
  if (weighted) data.weights = Vector::LinSpaced(count, 1, static_cast<double>(count));
  return data;
}

/// Expects every block to equal that of `expected`, for several steps.
void expect_same_rows(const RowSource& rows, const MemoryRows& expected) {
  ASSERT_EQ(rows.rows(), expected.rows());
  for (const Index step : {1, 4, 7, 30}) {
    RowScratch scratch;
    for (Index first = 0; first < rows.rows(); first += step) {
      const Index count = std::min(step, rows.rows() - first);
      const RowBlock block = rows.read(first, count, scratch);
      ASSERT_EQ(block.y, expected.y().segment(first, count));
      ASSERT_EQ(Matrix(block.x.dense()), Matrix(expected.x().dense().middleRows(first, count)));
      if (rows.has_weights()) {
        ASSERT_EQ(block.weights, expected.weights().segment(first, count));
      }
    }
  }
}

TEST(RowsWithout, AreTheOtherRowsInTheirOrderByAnyBlocks) {
  const std::vector<std::vector<Index>> cases = {{}, {0}, {29}, {0, 1, 2, 28, 29}, {3, 4, 9, 10, 17, 22}};
  for (const bool weighted : {false, true}) {
    const Dataset data = numbered_rows(30, weighted);
    const auto memory = std::make_shared<const MemoryRows>(data);
    for (const std::vector<Index>& left_out : cases) {
      std::vector<Index> kept;
      for (Index i = 0; i < 30; ++i)
        if (!std::binary_search(left_out.begin(), left_out.end(), i)) kept.push_back(i);
      const auto expected = gather_rows(*memory, kept);
      expect_same_rows(*rows_without(memory, left_out), *expected);
      expect_same_rows(*rows_without(std::make_shared<WrittenRows>(*memory), left_out), *expected);
    }
  }
}

TEST(RowsWithout, TakesSparseRows) {
  SparseRows sparse;
  sparse.clear(4);
  for (const double value : {1.0, 2.0, 3.0}) {
    SparseRows row;
    row.clear(4);
    row.add(1, value);
    row.end_row();
    sparse.append(row.view());
  }
  const auto rest = rows_without(std::make_shared<MemoryRows>(sparse, Vector(Vector::LinSpaced(3, 1, 3))), {1});
  RowScratch scratch;
  const RowBlock block = rest->read(0, 2, scratch);
  EXPECT_EQ(Vector(block.y), Vector((Vector(2) << 1, 3).finished()));
  EXPECT_EQ(block.x.sparse().values[1], 3);
}

TEST(RowsWithout, RefusesRowsThatAreNotThere) {
  const auto source = std::make_shared<MemoryRows>(numbered_rows(5, false));
  EXPECT_THROW(rows_without(source, {5}), std::invalid_argument);
  EXPECT_THROW(rows_without(source, {2, 1}), std::invalid_argument);
}

}  // namespace
}  // namespace alacarte
