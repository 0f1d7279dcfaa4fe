#include "bench/feature_races.hpp"

#include <fmt/format.h>

#include <memory>
#include <numeric>

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

void race_prediction(Suite& suite, Index inputs, Index frequencies) {
  const std::string name = fmt::format("one vector f64 d={} m={}", inputs, frequencies);
  if (!suite.wants(name)) return;
  const double bytes = 8.0 * static_cast<double>(inputs) * static_cast<double>(frequencies);
  if (const auto free = available_memory(); free && *free < 1.3 * bytes) {
    suite.skip(name, fmt::format("the matrix takes {:.0f} MiB and too little is free", bytes / 1048576));
    return;
  }
  struct Work {
    Fast fast;
    DenseFeatures<double> dense;
    Matrix x, psi;
    Vector column, weights;
    double sink = 0;
  };
  auto work = std::make_shared<Work>(Work{Fast(inputs, frequencies), DenseFeatures<double>(inputs, frequencies),
                                          points(1, inputs), Matrix(1, 2 * frequencies), Vector::Ones(inputs),
                                          Vector::Ones(2 * frequencies)});
  suite.run({name,
             {{"d", inputs}, {"frequencies", frequencies}},
             1,
             "prediction",
             {{"fastfood",
               [work] {
                 work->fast.prepared->forward(work->x, work->psi);
                 work->sink += work->psi.row(0).transpose().dot(work->weights);
               }},
              {"gemv", [work] { work->sink += work->dense.predict(work->column, work->weights); }}},
             {{"gemv", "fastfood"}}});
}

}  // namespace

void race_features(Suite& suite) {
  if (suite.quick()) return race_batch(suite, 32, 64);
  for (const Index inputs : {32, 128, 512, 1024, 4096}) race_batch(suite, inputs, 512);
}

void race_one_vector(Suite& suite) {
  if (suite.quick()) return race_prediction(suite, 64, 512);
  race_prediction(suite, 1024, 16384);
  race_prediction(suite, 4096, 32768);
  race_prediction(suite, 8192, 65536);
}

}  // namespace alacarte::bench
