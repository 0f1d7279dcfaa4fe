// A view of rows never copies them, whatever its source.
#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "alacarte/core/input_view.hpp"

namespace alacarte {
namespace {

using Strided = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;

Matrix counted(Index rows, Index cols) {
  Matrix x(rows, cols);
  for (Index i = 0; i < x.size(); ++i) x.data()[i] = static_cast<double>(i);
  return x;
}

void expect_view(const InputView& view, ConstMat x) {
  ASSERT_FALSE(view.is_sparse());
  EXPECT_EQ(view.rows(), x.rows());
  EXPECT_EQ(view.cols(), x.cols());
  EXPECT_EQ(view.dense().data(), x.data());
  EXPECT_EQ(Matrix(view.dense()), Matrix(x));
  EXPECT_THROW(view.sparse(), std::invalid_argument);
}

TEST(InputView, IsTheMemoryOfDenseRows) {
  const Matrix x = counted(7, 3);
  expect_view(x, x);
  expect_view(x.middleRows(2, 4), x.middleRows(2, 4));
  expect_view(x.middleCols(1, 2).topRows(3), x.middleCols(1, 2).topRows(3));
  expect_view(x.col(2), x.col(2));
  const Eigen::Ref<const Matrix> ref = x.bottomRows(3);
  expect_view(ref, x.bottomRows(3));
  expect_view(Strided(x.data(), 5, 3, Eigen::OuterStride<>(7)), x.topRows(5));
  expect_view(Eigen::Map<const Matrix>(x.data(), 1, 21), Eigen::Map<const Matrix>(x.data(), 1, 21));
  Matrix changed = x;
  MatRef writable = changed.topRows(2);
  expect_view(writable, changed.topRows(2));
  expect_view(Matrix(0, 3), Matrix(0, 3));
}

TEST(InputView, CutsRowsWithoutCopying) {
  const Matrix x = counted(7, 3);
  const InputView middle = InputView(x).middle_rows(1, 5).middle_rows(2, 3);
  expect_view(middle, x.middleRows(3, 3));
  EXPECT_EQ(InputView(x).middle_rows(7, 0).rows(), 0);
  for (const auto& [first, count] : {std::pair<Index, Index>{-1, 2}, {0, -1}, {6, 2}})
    EXPECT_THROW(InputView(x).middle_rows(first, count), std::invalid_argument);
}

TEST(InputView, DoesNotConvertFromWhatItCannotView) {
  using Product = decltype(2.0 * std::declval<const Matrix&>());
  using Transpose = decltype(std::declval<const Matrix&>().transpose());
  using Row = decltype(std::declval<const Matrix&>().row(0));
  using Listed = decltype(std::declval<const Matrix&>()(std::vector<Index>(), Eigen::all));
  EXPECT_TRUE((std::is_convertible_v<const Matrix&, InputView>));
  EXPECT_FALSE((std::is_convertible_v<Product, InputView>));
  EXPECT_FALSE((std::is_convertible_v<Transpose, InputView>));
  EXPECT_FALSE((std::is_convertible_v<Row, InputView>));
  EXPECT_FALSE((std::is_convertible_v<Listed, InputView>));
  EXPECT_FALSE((std::is_convertible_v<Eigen::MatrixXf, InputView>));
}

TEST(InputView, SparseRowsAreSeenAndCut) {
  Matrix x = counted(5, 4);
  x.row(2).setZero();
  x.col(1).setZero();
  const SparseRows rows = to_sparse(x);
  const InputView view = rows.view(), middle = view.middle_rows(1, 3);
  ASSERT_TRUE(view.is_sparse());
  EXPECT_EQ(view.rows(), 5);
  EXPECT_EQ(view.cols(), 4);
  EXPECT_EQ(view.sparse().values, rows.values.data());
  EXPECT_EQ(to_dense(middle.sparse()), x.middleRows(1, 3));
  EXPECT_THROW(view.dense(), std::invalid_argument);
  EXPECT_THROW(view.middle_rows(4, 2), std::invalid_argument);
}

TEST(InputView, EntriesOfARowComeByColumn) {
  const Matrix x = (Matrix(2, 3) << 1, 0, 2, 0, 3, 0).finished();
  const SparseRows rows = to_sparse(x);
  using Entries = std::vector<std::pair<Index, double>>;
  const auto entries = [](const InputView& view, Index row) {
    Entries all;
    view.for_each_entry(row, [&](Index column, double value) { all.emplace_back(column, value); });
    return all;
  };
  EXPECT_EQ(entries(x, 0), (Entries{{0, 1}, {1, 0}, {2, 2}}));
  EXPECT_EQ(entries(rows.view(), 0), (Entries{{0, 1}, {2, 2}}));
  EXPECT_EQ(entries(InputView(rows.view()).middle_rows(1, 1), 0), (Entries{{1, 3}}));
}

}  // namespace
}  // namespace alacarte
