#include "linalg/columns.hpp"

#include <stdexcept>

#include "alacarte/core/random.hpp"
#include "simd_scope.hpp"

namespace alacarte {
namespace {

constexpr double kRounding = 1e-12;

Matrix random_columns(Index rows, Index cols, std::uint64_t seed) {
  RandomStream stream(seed);
  Matrix a(rows, cols);
  for (Index i = 0; i < a.size(); ++i) a.data()[i] = stream.normal();
  return a;
}

// Runs shapes on both sides of the kernels' block sizes, in a matrix whose columns are padded.
template <class Body>
void for_shapes(const Body& body) {
  on_every_path([&] {
    for (const Index rows : {0, 1, 7, 8, 33, 304})
      for (const Index cols : {0, 1, 3, 4, 7, 8, 19}) {
        SCOPED_TRACE(testing::Message() << rows << " x " << cols);
        const Matrix whole = random_columns(rows + 5, cols, 3);
        body(whole.middleRows(2, rows), random_columns(rows, 1, 4).col(0));
      }
  });
}

TEST(Columns, SumsAreThoseOfTheProducts) {
  for_shapes([](ConstMat a, ConstVec y) {
    Vector sums = Vector::Ones(a.cols()), products = Vector::Constant(a.cols(), 2.0);
    add_column_sums(a, y, sums, products);
    EXPECT_LT((sums.array() - 1 - a.colwise().sum().transpose().array()).matrix().norm(), kRounding);
    EXPECT_LT((products.array() - 2 - (a.transpose() * y).array()).matrix().norm(), kRounding);
  });
}

TEST(Columns, ProductIsTakenOff) {
  for_shapes([](ConstMat a, ConstVec y) {
    const Vector x = random_columns(a.cols(), 1, 5).col(0);
    Vector left = y;
    subtract_product(a, x, left);
    EXPECT_LT((left - (y - a * x)).norm(), kRounding);
  });
}

TEST(Columns, LinesAreTakenOff) {
  for_shapes([](ConstMat a, ConstVec y) {
    const Vector level = random_columns(a.cols(), 1, 6).col(0), slope = random_columns(a.cols(), 1, 7).col(0);
    Matrix whole = Matrix::Constant(a.rows() + 2, a.cols(), 9.0);
    whole.middleRows(1, a.rows()) = a;
    subtract_lines(level, slope, y, whole.middleRows(1, a.rows()));
    const Matrix expected = a - Vector::Ones(a.rows()) * level.transpose() - y * slope.transpose();
    EXPECT_LT((whole.middleRows(1, a.rows()) - expected).norm(), kRounding);
    EXPECT_TRUE((whole.row(0).array() == 9).all() && (whole.row(a.rows() + 1).array() == 9).all());
  });
}

TEST(Columns, ShapesThatDoNotFitAreRefused) {
  const Matrix a = Matrix::Zero(3, 2);
  Matrix b = a;
  const Vector two = Vector::Zero(2), three = Vector::Zero(3);
  Vector sums = two, products = three, y = two;
  EXPECT_THROW(add_column_sums(a, three, sums, products), std::invalid_argument);
  EXPECT_THROW(subtract_product(a, two, y), std::invalid_argument);
  EXPECT_THROW(subtract_lines(two, three, three, b), std::invalid_argument);
}

}  // namespace
}  // namespace alacarte
