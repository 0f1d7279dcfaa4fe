// The variances of a batch of rows, given their features: by triangular solve, or by product with the inverse factor.
#include <fmt/format.h>

#include <memory>
#include <vector>

#include "alacarte/core/error.hpp"
#include "alacarte/linalg/dense.hpp"
#include "bench/feature_races.hpp"
#ifdef ALACARTE_HAVE_OPENBLAS
#include <cblas.h>
#endif

namespace alacarte::bench {
namespace {

// x := x inverse^T, inverse (n, n) lower triangular: Cost n^2 a row, as the solve.
void multiply_lower_right_transposed(const Matrix& inverse, Matrix& x) {
#ifdef ALACARTE_HAVE_OPENBLAS
  const auto n = static_cast<int>(inverse.rows()), rows = static_cast<int>(x.rows());
  cblas_dtrmm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, rows, n, 1.0, inverse.data(), n,
              x.data(), rows);
#else
  x = x * inverse.transpose().triangularView<Eigen::Upper>();
#endif
}

void race_variance(Suite& suite, Index features, Index rows) {
  const std::string name = fmt::format("variance f64 D={} rows={}", features, rows);
  if (!suite.wants(name)) return;
  struct Work {
    Matrix factor, inverse, psi, x;
    Vector one;
  };
  auto work = std::make_shared<Work>();
  const Matrix sample = Matrix::Random(features, features);
  work->factor = Matrix::Identity(features, features);
  syrk_lower(1.0 / static_cast<double>(features), sample, Op::none, 1.0, work->factor);
  safe_cholesky(work->factor, "benchmark");
  work->factor.triangularView<Eigen::StrictlyUpper>().setZero();
  work->inverse = Matrix::Identity(features, features);
  solve_lower(work->factor, Op::none, work->inverse);
  work->psi = Matrix::Random(rows, features);
  work->x = work->psi;
  suite.run({name,
             {{"D", features}, {"rows", rows}},
             static_cast<double>(rows),
             "row",
             {{"solve",
               [work] {
                 work->x = work->psi;
                 solve_lower_right(work->factor, Op::transpose, work->x);
               }},
              {"inverse",
               [work] {
                 work->x = work->psi;
                 multiply_lower_right_transposed(work->inverse, work->x);
               }},
              {"one by one",
               [work, rows] {
                 for (Index i = 0; i < rows; ++i) {
                   work->one = work->psi.row(i).transpose();
                   solve_lower_vector(work->factor, Op::none, work->one);
                 }
               }}},
             {{"solve", "inverse"}, {"one by one", "solve"}}});
}

}  // namespace

void race_variances(Suite& suite) {
  if (suite.quick()) return race_variance(suite, 64, 64);
  for (const Index features : {80, 192, 512, 1536}) race_variance(suite, features, 256);
}

}  // namespace alacarte::bench
