#include "bench/feature_races.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "alacarte/core/random.hpp"
#include "alacarte/features/feature_map.hpp"
#include "bench/dense_features.hpp"
#include "bench/fastfood_vector.hpp"
#include "bench/machine.hpp"

namespace alacarte::bench {
namespace {

/// Fastfood features of the RBF kernel at its length-scale 1.
struct Fast {
  std::shared_ptr<const FeatureMap> map;
  std::unique_ptr<PreparedMap> prepared;

  Fast(Index inputs, Index frequencies) {
    FeatureConfig config;
    config.frequencies = frequencies;
    map = find_feature_map("rbf")->make(config, inputs, RandomStreams(1));
    prepared = map->prepare(Vector::Zero(map->parameters().size()));
  }
};

Matrix points(Index rows, Index inputs) {
  RandomStream stream(2);
  Matrix x(rows, inputs);
  for (Index j = 0; j < inputs; ++j) x.col(j) = stream.normals(rows);
  return x;
}

void race_batch(Suite& suite, Index inputs, Index rows) {
  const std::string name = fmt::format("features f64 d={}", inputs);
  if (!suite.wants(name)) return;
  const Index frequencies = std::max<Index>(1024, inputs);
  struct Work {
    Fast fast;
    DenseFeatures<double> dense;
    Matrix x, psi;
  };
  auto work = std::make_shared<Work>(Work{Fast(inputs, frequencies), DenseFeatures<double>(inputs, frequencies),
                                          points(rows, inputs), Matrix(rows, 2 * frequencies)});
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
                 Matrix psi(rows, columns);
                 fast->prepared->forward(*x, psi);
               }}},
             {}});
}

template <class Scalar>
void race_prediction(Suite& suite, Index inputs, Index frequencies) {
  const std::string name =
      fmt::format("one vector {} d={} m={}", sizeof(Scalar) == 8 ? "f64" : "f32", inputs, frequencies);
  if (!suite.wants(name)) return;
  const double bytes = static_cast<double>(sizeof(Scalar)) * static_cast<double>(inputs * frequencies);
  if (const auto free = available_memory(); free && *free < 1.3 * bytes)
    return suite.skip(name, fmt::format("its matrix takes {:.0f} MiB and too little is free", bytes / 1048576));
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  struct Work {
    FastfoodVector<Scalar> fastfood;
    DenseFeatures<Scalar> dense;
    Vector x, weights;
    Scalar sink = 0;
  };
  auto work = std::make_shared<Work>(Work{FastfoodVector<Scalar>(inputs, frequencies, 1),
                                          DenseFeatures<Scalar>(inputs, frequencies),
                                          points(inputs, 1).template cast<Scalar>(), Vector::Ones(2 * frequencies)});
  suite.run({name,
             {{"d", inputs}, {"frequencies", frequencies}},
             1,
             "prediction",
             {{"fastfood", [work] { work->sink += work->fastfood.predict(work->x, work->weights); }},
              {"gemv", [work] { work->sink += work->dense.predict(work->x, work->weights); }}},
             {{"gemv", "fastfood"}}});
}

}  // namespace

void race_features(Suite& suite) {
  for (const Index columns : suite.quick() ? std::vector<Index>{64, 32} : std::vector<Index>{8192, 1024})
    time_transform(suite, suite.quick() ? 600 : 10000, suite.quick() ? 16 : 128, columns);
  if (suite.quick()) return race_batch(suite, 32, 64);
  for (const Index inputs : {32, 128, 512, 1024, 4096}) race_batch(suite, inputs, 512);
}

void race_one_vector(Suite& suite) {
  const std::vector<std::pair<Index, Index>> shapes =
      suite.quick() ? std::vector<std::pair<Index, Index>>{{64, 512}}
                    : std::vector<std::pair<Index, Index>>{{1024, 16384}, {4096, 32768}, {8192, 65536}};
  for (const auto& [inputs, frequencies] : shapes) {
    race_prediction<double>(suite, inputs, frequencies);
    race_prediction<float>(suite, inputs, frequencies);
  }
}

}  // namespace alacarte::bench
