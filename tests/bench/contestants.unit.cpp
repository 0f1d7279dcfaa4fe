// Contestants of a race must compute the same result.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "alacarte/core/random.hpp"
#include "bench/dense_opponents.hpp"
#include "bench/kernel_opponents.hpp"
#include "bench/machine.hpp"
#include "bench/suite.hpp"

namespace alacarte::bench {
namespace {

template <class Scalar>
std::vector<Scalar> numbers(Index count) {
  RandomStream stream(1);
  std::vector<Scalar> values;
  for (Index i = 0; i < count; ++i) values.push_back(static_cast<Scalar>(stream.normal()));
  return values;
}

template <class Scalar, class Transform>
void expect_hadamard(const Transform& transform, Index length) {
  constexpr Index kRows = 3;
  const std::vector<Scalar> x = numbers<Scalar>(kRows * length);
  std::vector<Scalar> out = x;
  transform(out.data(), length, kRows);
  const double tolerance = (sizeof(Scalar) == 8 ? 1e-14 : 1e-5) * static_cast<double>(length);
  for (Index row = 0; row < kRows; ++row) {
    for (Index i = 0; i < length; ++i) {
      double sum = 0;
      for (Index j = 0; j < length; ++j)
        sum += (std::popcount(static_cast<std::uint64_t>(i & j)) % 2 ? -1.0 : 1.0) *
               x[static_cast<std::size_t>(row * length + j)];
      ASSERT_NEAR(out[static_cast<std::size_t>(row * length + i)], sum, tolerance) << length << ' ' << i;
    }
  }
}

TEST(RowHadamard, IsTheTransform) {
  const auto naive = [](auto* x, Index l, Index count) { naive_hadamard(x, l, count); };
  for (Index length = 8; length <= 1024; length *= 2) {
    expect_hadamard<double>(naive, length);
    expect_hadamard<float>(naive, length);
    if (!has_row_hadamard()) continue;
    for (const auto lanes : {LaneButterflies::ffht, LaneButterflies::fused}) {
      const auto rows = [lanes](auto* x, Index l, Index count) { row_hadamard(x, l, count, lanes); };
      expect_hadamard<double>(rows, length);
      expect_hadamard<float>(rows, length);
    }
  }
  std::vector<double> none(8);
  EXPECT_THROW(row_hadamard(none.data(), 4, 1, LaneButterflies::ffht), std::invalid_argument);
  EXPECT_THROW(row_hadamard(none.data(), 12, 1, LaneButterflies::fused), std::invalid_argument);
}

template <class Scalar>
void expect_sincos(VectorBits bits) {
  const std::vector<Scalar> x = numbers<Scalar>(64);
  std::vector<Scalar> sine(64), cosine(64);
  libmvec_sincos(bits, x.data(), 64, sine.data(), cosine.data());
  const double tolerance = sizeof(Scalar) == 8 ? 1e-15 : 1e-6;
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_NEAR(sine[i], std::sin(static_cast<double>(x[i])), tolerance);
    EXPECT_NEAR(cosine[i], std::cos(static_cast<double>(x[i])), tolerance);
  }
}

TEST(Libmvec, IsSineAndCosine) {
  int found = 0;
  for (const VectorBits bits : {VectorBits::avx2, VectorBits::avx512}) {
    if (!has_libmvec(bits)) {
      std::vector<double> x(16);
      EXPECT_THROW(libmvec_sincos(bits, x.data(), 16, x.data(), x.data()), std::invalid_argument);
      continue;
    }
    ++found;
    expect_sincos<double>(bits);
    expect_sincos<float>(bits);
  }
  if (found == 0) GTEST_SKIP() << "neither processor nor C library has vector sines";
}

template <class Scalar>
void expect_one_row_equals_a_batch() {
  using Features = DenseFeatures<Scalar>;
  Features dense(5, 16);
  const typename Features::Matrix x = Features::Matrix::Random(3, 5);
  typename Features::Matrix psi(3, 32);
  dense.forward(x, psi);
  const typename Features::Vector weights = Features::Vector::Random(32);
  EXPECT_NEAR(dense.predict(x.row(1), weights), psi.row(1).dot(weights), sizeof(Scalar) == 8 ? 1e-13 : 1e-4);
  EXPECT_NEAR(psi.row(0).squaredNorm(), 16, 1e-3);
}

TEST(DenseFeatures, OneRowEqualsABatch) {
  expect_one_row_equals_a_batch<double>();
  expect_one_row_equals_a_batch<float>();
}

TEST(BlasFloor, RunsForShapesThatDoNotDivide) {
  for (const int threads : {1, 3}) {
    const auto floor = blas_floor(1001, 37, threads);
    EXPECT_NO_THROW(floor());
    EXPECT_NO_THROW(floor());
  }
}

TEST(Problems, HaveTheirShapes) {
  const Dataset rows = generated_rows(20, 3, 1);
  EXPECT_EQ(rows.inputs.cols(), 3);
  EXPECT_EQ(rows.target.size(), 20);
  EXPECT_EQ(generated_schema(3).input_count(), 3);
}

TEST(PeakMemory, SeesWhatIsTouched) {
  const PeakMemory peak;
  {
    std::vector<double> block(8 << 20, 1.0);
    ASSERT_EQ(block[12345], 1.0);
  }
  const auto bytes = peak.extra();
  if (!bytes) GTEST_SKIP() << "the system does not tell";
  EXPECT_GT(*bytes, 60e6);
#ifndef ALACARTE_SANITIZED  // sanitizers keep several bytes per byte
  EXPECT_LT(*bytes, 200e6);
#endif
}

TEST(Machine, SaysWhatItIs) {
  EXPECT_GE(machine().at("processors"), 1);
  EXPECT_FALSE(machine().at("isa").get<std::string>().empty());
  for (const char* key : {"version", "commit", "compiler", "flags", "blas"}) EXPECT_TRUE(build().contains(key)) << key;
}

}  // namespace
}  // namespace alacarte::bench
