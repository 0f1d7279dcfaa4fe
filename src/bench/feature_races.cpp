#include "bench/feature_races.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "alacarte/core/large_matrix.hpp"
#include "alacarte/core/random.hpp"
#include "alacarte/features/feature_map.hpp"
#include "bench/dense_features.hpp"
#include "bench/machine.hpp"

namespace alacarte::bench {
namespace {

/// Fastfood features of the RBF kernel at its length-scale 1.
struct Fast {
  std::shared_ptr<const FeatureMap> map;
  std::unique_ptr<PreparedMap> prepared;

  Fast(Index inputs, Index frequencies) {
    Recipe recipe;
    recipe.features.frequencies = frequencies;
    map = find_feature_map("rbf")->make(recipe, inputs, RandomStreams(1), {});
    prepared = map->prepare(Vector::Zero(map->parameters().size()));
  }
};

Matrix points(Index rows, Index inputs) {
  RandomStream stream(2);
  Matrix x(rows, inputs);
  for (Index j = 0; j < inputs; ++j) x.col(j) = stream.normals(rows);
  return x;
}

/// What a chunk of an evaluation comes to at 2048 features: they stay in the second level of cache.
constexpr Index kEvaluationRows = 136;

void race_batch(Suite& suite, Index inputs, Index rows) {
  const std::string name = fmt::format("features f64 d={} rows={}", inputs, rows);
  if (!suite.wants(name)) return;
  const Index frequencies = std::max<Index>(1024, inputs);
  struct Work {
    Fast fast;
    DenseFeatures<double> dense;
    Matrix x, psi;
  };
  auto work = std::make_shared<Work>(Work{Fast(inputs, frequencies), DenseFeatures<double>(inputs, frequencies),
                                          points(rows, inputs), large_matrix(rows, 2 * frequencies)});
  suite.run({name,
             {{"d", inputs}, {"frequencies", frequencies}, {"rows", rows}},
             static_cast<double>(rows * frequencies),
             "frequency and row",
             {{"fastfood", [work] { work->fast.prepared->forward(work->x, work->psi); }},
              {"gemm", [work] { work->dense.forward(work->x, work->psi); }}},
             {{"gemm", "fastfood"}}});
}

/// A new matrix of features of many rows, as a program that calls a library gets it; the peers' scripts compare to it.
void time_transform(Suite& suite, Index rows, Index inputs, Index columns) {
  const std::string name = fmt::format("transform f64 n={} d={} columns={}", rows, inputs, columns);
  if (!suite.wants(name)) return;
  auto fast = std::make_shared<Fast>(inputs, columns / 2);
  auto x = std::make_shared<Matrix>(points(rows, inputs));
  suite.run({name,
             {{"n", rows}, {"d", inputs}, {"columns", columns}},
             1,
             "transform",
             {{"fastfood",
               [=] {
                 Matrix psi = large_matrix(rows, columns);
                 fast->prepared->forward(*x, psi);
               }}},
             {}});
}

/// Rows to predictions, features never stored, against dense features and their product with the weights.
template <class Scalar>
void race_prediction(Suite& suite, const std::string& kind, Index inputs, Index frequencies, Index rows) {
  const std::string name =
      fmt::format("{} {} d={} m={}", kind, sizeof(Scalar) == 8 ? "f64" : "f32", inputs, frequencies);
  if (!suite.wants(name)) return;
  const double bytes = static_cast<double>(sizeof(Scalar)) * static_cast<double>(inputs * frequencies);
  if (const auto free = available_memory(); free && *free < 1.3 * bytes)
    return suite.skip(name, fmt::format("its matrix takes {:.0f} MiB and too little is free", bytes / 1048576));
  struct Work {
    Fast fast;
    std::unique_ptr<LinearPredictor> predictor;
    DenseFeatures<Scalar> dense;
    Matrix x;
    Vector f;
    typename DenseFeatures<Scalar>::Matrix same_x, psi;
    typename DenseFeatures<Scalar>::Vector weights, same_f;
  };
  const Matrix x = points(rows, inputs);
  const Vector weights = Vector::Ones(2 * frequencies);
  auto work = std::make_shared<Work>(Work{Fast(inputs, frequencies),
                                          nullptr,
                                          DenseFeatures<Scalar>(inputs, frequencies),
                                          x,
                                          Vector::Zero(rows),
                                          x.cast<Scalar>(),
                                          {},
                                          weights.cast<Scalar>(),
                                          {}});
  work->predictor =
      work->fast.prepared->linear_predictor(weights, sizeof(Scalar) == 8 ? FloatType::float64 : FloatType::float32);
  if (rows > 1) work->psi.resize(rows, 2 * frequencies);
  const auto dense = [work, rows] {
    if (rows == 1) {
      work->same_f = DenseFeatures<Scalar>::Vector::Constant(1, work->dense.predict(work->same_x, work->weights));
      return;
    }
    work->dense.forward(work->same_x, work->psi);
    work->same_f.noalias() = work->psi * work->weights;
  };
  suite.run({name,
             {{"d", inputs}, {"frequencies", frequencies}, {"rows", rows}},
             static_cast<double>(rows),
             "prediction",
             {{"fastfood", [work] { work->predictor->add(work->x, work->f); }}, {"dense", dense}},
             {{"dense", "fastfood"}}});
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
}

/// What stays in memory to predict with: Fastfood's diagonals against the matrix of frequencies, weights on both sides.
template <class Scalar>
void measure_held(Suite& suite, Index inputs, Index frequencies) {
  const std::string name = fmt::format("held {} d={} m={}", sizeof(Scalar) == 8 ? "f64" : "f32", inputs, frequencies);
  const double bytes = static_cast<double>(sizeof(Scalar)) * static_cast<double>(inputs * frequencies);
  if (!suite.wants(name) || !held_memory()) return;
  if (const auto free = available_memory(); free && *free < 1.3 * bytes)
    return suite.skip(name, fmt::format("its matrix takes {:.0f} MiB and too little is free", bytes / 1048576));
  const Vector weights = Vector::Ones(2 * frequencies);
  const double before = *held_memory();
  const Fast map(inputs, frequencies);
  const auto predictor =
      map.prepared->linear_predictor(weights, sizeof(Scalar) == 8 ? FloatType::float64 : FloatType::float32);
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

void race_one_vector(Suite& suite) {
  const std::vector<std::pair<Index, Index>> shapes =
      suite.quick() ? std::vector<std::pair<Index, Index>>{{64, 512}}
                    : std::vector<std::pair<Index, Index>>{{1024, 16384}, {4096, 32768}, {8192, 65536}};
  for (const auto& [inputs, frequencies] : shapes) {
    race_prediction<double>(suite, "one vector", inputs, frequencies, 1);
    race_prediction<float>(suite, "one vector", inputs, frequencies, 1);
    race_prediction<float>(suite, "batch", inputs, frequencies, suite.quick() ? 8 : 64);
    measure_held<double>(suite, inputs, frequencies);
    measure_held<float>(suite, inputs, frequencies);
  }
}

}  // namespace alacarte::bench
