#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "alacarte/core/error.hpp"
#include "alacarte/io/model_file.hpp"
#include "linalg/dense.hpp"
#include "support/small_model.hpp"

// Counts every allocation of this program by new or, for Eigen, malloc.
namespace {
std::atomic<long> allocations{0};
}

#if !defined(ALACARTE_SANITIZED) && defined(__GLIBC__)
#define ALACARTE_COUNTS_ALLOCATIONS
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  ++allocations;
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : 12;
}
}
#endif

namespace alacarte {
namespace {

Vector row_of(Index i) {
  return (Vector(2) << 0.1 * static_cast<double>(i) - 1, 90 + 2 * static_cast<double>(i)).finished();
}

void expect_equal_to_predict(const FittedModel& model) {
  OneRowWorkspace workspace = model.one_row_workspace();
  for (Index i = 0; i < 12; ++i) {
    const Vector raw = row_of(i);
    for (const Moment wanted : {Moment::mean, Moment::latent_variance, Moment::variance}) {
      PredictOptions options;
      options.variance = wanted != Moment::mean;
      options.latent = wanted == Moment::latent_variance;
      const PredictiveDistribution batch = model.predict(Matrix(raw.transpose()), options).distribution();
      const OneRowPrediction& one = model.predict_one(raw, workspace, wanted);
      EXPECT_NEAR(one.mean, batch.mean()[0], 1e-9 * (1 + std::abs(one.mean)));
      EXPECT_NEAR(one.component_means[0], batch.component_means()(0, 0), 1e-9 * (1 + std::abs(one.mean)));
      if (wanted == Moment::mean) {
        EXPECT_EQ(one.variance, 0);
        continue;
      }
      EXPECT_NEAR(one.variance, batch.variance()[0], 1e-8 * batch.variance()[0]);
      EXPECT_GT(one.variance, 0);
      EXPECT_NEAR(one.component_variances[0], batch.component_variances()(0, 0),
                  1e-8 * batch.component_variances()(0, 0));
    }
  }
}

class PredictOne : public ::testing::TestWithParam<std::string> {};

TEST_P(PredictOne, EqualsPredict) {
  for (const Index rows : {40, 9}) expect_equal_to_predict(small_model({GetParam()}, small_problem(rows)));
}

#ifdef ALACARTE_COUNTS_ALLOCATIONS
TEST_P(PredictOne, AllocatesNothing) {
  for (const Index rows : {40, 9}) {
    const FittedModel model = small_model({GetParam()}, small_problem(rows));
    OneRowWorkspace workspace = model.one_row_workspace();
    const Vector raw = row_of(3);
    const long before = allocations;
    double sum = 0;
    for (const Moment wanted : {Moment::mean, Moment::latent_variance, Moment::variance})
      sum += model.predict_one(raw, workspace, wanted).mean;
    EXPECT_EQ(allocations - before, 0) << sum;
    const PredictiveDistribution batch = model.predict(Matrix(raw.transpose())).distribution();
    EXPECT_GT(allocations - before, 0);  // verifies the counter
  }
}
#endif

INSTANTIATE_TEST_SUITE_P(Registered, PredictOne, ::testing::ValuesIn(registered_models()), [](const auto& info) {
  std::string name = info.param;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

TEST(PredictOneMixture, HasTheMomentsOfTheMixture) {
  const SmallProblem problem = small_problem(20);
  expect_equal_to_predict(small_model({"ard", "exact-matern", "gm"}, problem));
}

TEST(PredictOneErrors, AreSaid) {
  const SmallProblem problem = small_problem(40);
  const FittedModel model = small_model({"ard"}, problem), two = small_model({"ard", "rbf"}, problem);
  OneRowWorkspace workspace = model.one_row_workspace(), empty;
  EXPECT_THROW(model.predict_one(Vector::Zero(3), workspace), std::invalid_argument);
  EXPECT_THROW(model.predict_one(Vector::Zero(2), empty), std::invalid_argument);
  EXPECT_THROW(two.predict_one(Vector::Zero(2), workspace), std::invalid_argument);
  const FittedModel mean_only = FittedModel::load(model.save(true));
  OneRowWorkspace means = mean_only.one_row_workspace();
  EXPECT_EQ(mean_only.predict_one(row_of(1), means, Moment::mean).mean,
            model.predict_one(row_of(1), workspace, Moment::mean).mean);
  EXPECT_THROW(mean_only.predict_one(row_of(1), means), NumericalError);
}

TEST(VectorAlgebra, EqualsTheMatrixForms) {
  const Matrix a = Matrix::Random(7, 4);
  const Vector x = Vector::Random(4), z = Vector::Random(7);
  Vector y = Vector::Constant(7, std::nan(""));
  gemv(2, a, Op::none, x, 0, y);
  EXPECT_LT((y - 2 * a * x).norm(), 1e-13);
  Vector t = Vector::Ones(4);
  gemv(-1, a, Op::transpose, z, 3, t);
  EXPECT_LT((t - (3 * Vector::Ones(4) - a.transpose() * z)).norm(), 1e-13);
  EXPECT_THROW(gemv(1, a, Op::none, z, 0, y), std::invalid_argument);
  Matrix l = Matrix::Random(5, 5);
  l.diagonal().array() += 4;
  for (const Op op : {Op::none, Op::transpose}) {
    Vector v = Vector::LinSpaced(5, 1, 2);
    Matrix m = v;
    solve_lower_vector(l, op, v);
    solve_lower(l, op, m);
    EXPECT_LT((v - m.col(0)).norm(), 1e-13);
  }
  Matrix x2 = Matrix::Random(3, 5), expected = x2 * Matrix(l.transpose().triangularView<Eigen::UnitUpper>());
  multiply_unit_upper_right(l.transpose(), x2);
  EXPECT_LT((x2 - expected).norm(), 1e-12);
  Matrix inverse = l;
  invert_lower(inverse);
  EXPECT_LT((Matrix(inverse.triangularView<Eigen::Lower>()) * Matrix(l.triangularView<Eigen::Lower>()) -
             Matrix::Identity(5, 5))
                .norm(),
            1e-13);
  inverse(2, 2) = 0;
  EXPECT_THROW(invert_lower(inverse), NumericalError);
  Vector wrong(4);
  EXPECT_THROW(solve_lower_vector(l, Op::none, wrong), std::invalid_argument);
}

}  // namespace
}  // namespace alacarte
