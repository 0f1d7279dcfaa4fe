// Fastfood features against dense ones, and predictive variances, on one core.
#include <fmt/format.h>
#include <memory>
#include <utility>
#include <vector>

#include "alacarte/core/random.hpp"
#include "alacarte/features/feature_map.hpp"
#include "bench/dense_opponents.hpp"
#include "bench/machine.hpp"
#include "bench/suite.hpp"
#include "core/large_matrix.hpp"
#include "linalg/dense.hpp"
#ifdef ALACARTE_HAVE_OPENBLAS
#include <cblas.h>
#endif

namespace alacarte::bench {
namespace {

/// Fastfood features of the RBF kernel with length-scale 1.
struct Fast {
  std::shared_ptr<const FeatureMap> map;
  std::unique_ptr<PreparedMap> prepared;

  Fast(Index inputs, Index frequencies) {
    Recipe recipe;
    recipe.features.frequencies = frequencies;
    map = find_feature_map("rbf")->make(recipe, inputs, RandomStreams(1), {});
    prepared = map->prepare(Vector::Zero(map->parameters().size()));
  }

  template <class Scalar>
  std::unique_ptr<LinearPredictor> predictor(const Vector& weights) const {
    return prepared->linear_predictor(weights, sizeof(Scalar) == 8 ? FloatType::float64 : FloatType::float32);
  }
};

Matrix points(Index rows, Index inputs) {
  RandomStream stream(2);
  Matrix x(rows, inputs);
  for (Index j = 0; j < inputs; ++j) x.col(j) = stream.normals(rows);
  return x;
}

/// Rows of an evaluation's chunk at 2048 features, which fits the second-level cache.
constexpr Index kEvaluationRows = 136;

/// Times the features of a batch of rows, by the map and by a matrix product.
void race_batch(Suite& suite, Index inputs, Index rows) {
  const std::string name = fmt::format("features f64 d={} rows={}", inputs, rows);
  if (!suite.wants(name)) return;
  const Index frequencies = std::max<Index>(1024, inputs);
  const Fast fast(inputs, frequencies);
  const DenseFeatures<double> dense(inputs, frequencies);
  const Matrix x = points(rows, inputs);
  Matrix psi = large_matrix(rows, 2 * frequencies);
  suite.run({name,
             {{"d", inputs}, {"frequencies", frequencies}, {"rows", rows}},
             static_cast<double>(rows * frequencies),
             "frequency and row",
             {{"fastfood", [&] { fast.prepared->forward(x, psi); }}, {"gemm", [&] { dense.forward(x, psi); }}},
             {{"gemm", "fastfood"}}});
}

/// Times a new matrix of features of many rows, as a library call returns it; the peers' scripts compare with it.
void time_transform(Suite& suite, Index rows, Index inputs, Index columns) {
  const std::string name = fmt::format("transform f64 n={} d={} columns={}", rows, inputs, columns);
  if (!suite.wants(name)) return;
  const Fast fast(inputs, columns / 2);
  const Matrix x = points(rows, inputs);
  const auto transform = [&] {
    Matrix psi = large_matrix(rows, columns);
    fast.prepared->forward(x, psi);
  };
  suite.run({name, {{"n", rows}, {"d", inputs}, {"columns", columns}}, 1, "transform", {{"fastfood", transform}}});
}

/// Returns true if this is to be measured and its matrix of frequencies fits the free memory.
template <class Scalar>
bool wants_dense(Suite& suite, const std::string& name, Index inputs, Index frequencies) {
  const double bytes = static_cast<double>(sizeof(Scalar)) * static_cast<double>(inputs * frequencies);
  return suite.wants(name) && !suite.skip_for_memory(name, "matrix takes", bytes);
}

/// Times predictions without stored features against dense features times the weights. One row: Table 2 of Le, Sarlos
/// and Smola (2013).
template <class Scalar>
void race_prediction(Suite& suite, const std::string& kind, Index inputs, Index frequencies, Index rows) {
  using Dense = DenseFeatures<Scalar>;
  const std::string name = fmt::format("{} {} d={} m={}", kind, type_name<Scalar>(), inputs, frequencies);
  if (!wants_dense<Scalar>(suite, name, inputs, frequencies)) return;
  const Fast fast(inputs, frequencies);
  Dense dense(inputs, frequencies);
  const Matrix x = points(rows, inputs);
  const Vector weights = Vector::Ones(2 * frequencies);
  const auto predictor = fast.predictor<Scalar>(weights);
  Vector f = Vector::Zero(rows);
  const typename Dense::Matrix same_x = x.cast<Scalar>();
  const typename Dense::Vector same_weights = weights.cast<Scalar>();
  typename Dense::Matrix psi(rows > 1 ? rows : 0, 2 * frequencies);
  typename Dense::Vector same_f(rows);
  const auto predict_dense = [&] {
    if (rows == 1) {
      same_f[0] = dense.predict(same_x, same_weights);
      return;
    }
    dense.forward(same_x, psi);
    same_f.noalias() = psi * same_weights;
  };
  suite.run({name,
             {{"d", inputs}, {"frequencies", frequencies}, {"rows", rows}},
             static_cast<double>(rows),
             "prediction",
             {{"fastfood", [&] { predictor->add(x, f); }}, {"dense", predict_dense}},
             {{"dense", "fastfood"}}});
}

/// Records the memory for predictions: Fastfood's diagonals against the matrix of frequencies, with weights on both
/// sides.
template <class Scalar>
void measure_held(Suite& suite, Index inputs, Index frequencies) {
  const std::string name = fmt::format("held {} d={} m={}", type_name<Scalar>(), inputs, frequencies);
  if (!held_memory() || !wants_dense<Scalar>(suite, name, inputs, frequencies)) return;
  const Vector weights = Vector::Ones(2 * frequencies);
  const double before = *held_memory();
  const Fast map(inputs, frequencies);
  const auto predictor = map.predictor<Scalar>(weights);
  const double fast = *held_memory() - before;
  const DenseFeatures<Scalar> dense(inputs, frequencies);
  const typename DenseFeatures<Scalar>::Vector same_weights = weights.cast<Scalar>();
  const double matrix = *held_memory() - before - fast;
  suite.record("memory",
               {{"name", name},
                {"d", inputs},
                {"frequencies", frequencies},
                {"fastfood_bytes", fast},
                {"dense_bytes", matrix},
                {"ratio", matrix / fast}},
               fmt::format("{}: fastfood {:.2f} MiB, dense {:.0f} MiB, ratio {:.0f}", name, fast / 1048576,
                           matrix / 1048576, matrix / fast));
}

// Computes x := x inverse^T, inverse (n, n) lower triangular. Cost n^2 per row, like the solve.
void multiply_lower_right_transposed(const Matrix& inverse, Matrix& x) {
#ifdef ALACARTE_HAVE_OPENBLAS
  const auto n = static_cast<int>(inverse.rows()), rows = static_cast<int>(x.rows());
  cblas_dtrmm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, rows, n, 1.0, inverse.data(), n,
              x.data(), rows);
#else
  x = x * inverse.transpose().triangularView<Eigen::Upper>();
#endif
}

/// Times the variances of a batch of rows from their features: by triangular solve, by the inverse factor, or row by
/// row.
void race_variance(Suite& suite, Index features, Index rows) {
  const std::string name = fmt::format("variance f64 D={} rows={}", features, rows);
  if (!suite.wants(name)) return;
  const Matrix sample = Matrix::Random(features, features);
  Matrix factor = Matrix::Identity(features, features), inverse = factor;
  syrk_lower(1.0 / static_cast<double>(features), sample, Op::none, 1.0, factor);
  safe_cholesky(factor, "benchmark");
  factor.triangularView<Eigen::StrictlyUpper>().setZero();
  solve_lower(factor, Op::none, inverse);
  const Matrix psi = Matrix::Random(rows, features);
  Matrix x = psi;
  Vector one;
  const auto solve = [&] {
    x = psi;
    solve_lower_right(factor, Op::transpose, x);
  };
  const auto multiply = [&] {
    x = psi;
    multiply_lower_right_transposed(inverse, x);
  };
  const auto one_by_one = [&] {
    for (Index i = 0; i < rows; ++i) {
      one = psi.row(i).transpose();
      solve_lower_vector(factor, Op::none, one);
    }
  };
  suite.run({name,
             {{"D", features}, {"rows", rows}},
             static_cast<double>(rows),
             "row",
             {{"solve", solve}, {"inverse", multiply}, {"one by one", one_by_one}},
             {{"solve", "inverse"}, {"one by one", "solve"}}});
}

}  // namespace

void race_features(Suite& suite) {
  const bool quick = suite.quick();
  for (const Index columns : quick ? std::vector<Index>{64, 32} : std::vector<Index>{8192, 1024})
    time_transform(suite, quick ? 600 : 10000, quick ? 16 : 128, columns);
  const Index rows = quick ? 64 : 512;
  for (const Index inputs : quick ? std::vector<Index>{32} : std::vector<Index>{32, 128, 512, 1024, 4096}) {
    for (const Index chunk : {kEvaluationRows, rows}) race_batch(suite, inputs, chunk);
    const Index frequencies = std::max<Index>(quick ? 64 : 1024, inputs);
    race_prediction<double>(suite, "predictions", inputs, frequencies, rows);
    race_prediction<float>(suite, "predictions", inputs, frequencies, rows);
  }
  using Shapes = std::vector<std::pair<Index, Index>>;
  for (const auto& [inputs, frequencies] :
       quick ? Shapes{{64, 512}} : Shapes{{1024, 16384}, {4096, 32768}, {8192, 65536}}) {
    race_prediction<double>(suite, "one vector", inputs, frequencies, 1);
    race_prediction<float>(suite, "one vector", inputs, frequencies, 1);
    race_prediction<float>(suite, "batch", inputs, frequencies, quick ? 8 : 64);
    measure_held<double>(suite, inputs, frequencies);
    measure_held<float>(suite, inputs, frequencies);
  }
  if (quick) return race_variance(suite, 64, 64);
  for (const Index features : {80, 192, 512, 1536}) race_variance(suite, features, 256);
}

}  // namespace alacarte::bench
