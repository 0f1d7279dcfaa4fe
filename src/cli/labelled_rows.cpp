#include "labelled_rows.hpp"

#include <chrono>

#include "alacarte/core/error.hpp"
#include "alacarte/data/table.hpp"
#include "signals.hpp"

namespace alacarte::cli {
namespace {

constexpr Index kChunkRows = 4096;

void add(LabelledRows& result, const FittedModel& model, const Matrix& inputs, const Vector& target, int threads) {
  PredictOptions options;
  options.threads = threads;
  options.variance = model.has_variance();
  const auto start = std::chrono::steady_clock::now();
  const PredictiveDistribution p = model.predict(inputs, options);
  result.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.components = p.component_count();
  for (Index i = 0; i < p.rows(); ++i) {
    for (Index j = 0; j < p.component_count(); ++j) {
      result.means.push_back(p.component_means()(i, j));
      result.variances.push_back(p.component_variances()(i, j));
    }
    result.target.push_back(target[i]);
  }
}

}  // namespace

PredictiveDistribution LabelledRows::distribution(bool has_variance) const {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto table = [&](const std::vector<double>& values) {
    return Matrix(Eigen::Map<const RowMajor>(values.data(), rows(), components));
  };
  Matrix spread = table(variances);
  if (!has_variance) spread.setOnes();
  return {table(means), std::move(spread), true};
}

LabelledRows predict_labelled(const FittedModel& model, const std::string& path, const std::vector<bool>& selected,
                              int threads) {
  DatasetStream stream(path, model.schema, true);
  LabelledRows result;
  Dataset chunk;
  while (stream.next(chunk, kChunkRows)) {
    stop_if_interrupted();
    std::vector<Index> kept;
    for (Index i = 0; i < chunk.rows(); ++i) {
      const auto source = static_cast<std::size_t>(chunk.source_rows[static_cast<std::size_t>(i)]);
      if (selected.empty() || selected[source]) kept.push_back(i);
    }
    if (!kept.empty()) add(result, model, chunk.inputs(kept, Eigen::all), chunk.target(kept), threads);
  }
  if (result.rows() == 0) throw DataError(path, "no row to score");
  return result;
}

}  // namespace alacarte::cli
