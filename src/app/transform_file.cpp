#include "alacarte/app/transform_file.hpp"

#include <algorithm>
#include <filesystem>

#include "alacarte/core/error.hpp"
#include "alacarte/core/threads.hpp"
#include "alacarte/data/feature_writer.hpp"
#include "alacarte/data/sparse_dataset.hpp"
#include "alacarte/train/start.hpp"
#include "core/workers.hpp"
#include "finite.hpp"
#include "training_rows.hpp"

namespace alacarte {
namespace {

constexpr Index kBlockRows = 256;
constexpr Index kMaxCells = Index{1} << 22;  // of the dense features at hand: 32 MiB

/// The features of chunks of standardised rows, and where they go.
class Transformer {
 public:
  Transformer(std::shared_ptr<const FeatureMap> map, ConstVec theta, const TransformFileOptions& options,
              const Schema& schema, const Job& job)
      : map_(std::move(map)),
        prepared_(map_->prepare(theta)),
        writer_(make_feature_writer(options.out, map_->feature_count(),
                                    {options.with_target, schema.target_name(), schema.classes()})),
        job_(job),
        with_target_(options.with_target),
        sparse_(static_cast<std::size_t>(job.threads)) {}

  Index chunk_rows() const {
    const Index fit = map_->sparse_support().features ? kBlockRows * job_.threads : kMaxCells / map_->feature_count();
    return std::clamp<Index>(fit, 1, kBlockRows * job_.threads);
  }

  /// x (rows, d): standardised; target (rows), or empty where there is none.
  void add(const InputView& x, ConstVec target) {
    job_.stop_if_interrupted();
    const Index rows = x.rows();
    const Vector own = with_target_ ? Vector(target) : Vector();
    if (map_->sparse_support().features) {
      share_out(rows, [&](int worker, Index first, Index count) {
        SparseRows& psi = sparse_[static_cast<std::size_t>(worker)];
        psi.clear(map_->feature_count());
        if (count > 0) prepared_->forward(x.middle_rows(first, count), psi);
      });
      Index first = 0;
      for (const SparseRows& psi : sparse_) {
        for (const double value : psi.values) finite(value, "features");
        writer_->add(psi.view(), with_target_ ? Vector(own.segment(first, psi.rows())) : own);
        first += psi.rows();
      }
    } else {
      dense_.resize(rows, map_->feature_count());
      share_out(rows, [&](int, Index first, Index count) {
        if (count > 0) prepared_->forward(x.middle_rows(first, count), dense_.middleRows(first, count));
      });
      require_finite(dense_, "features");
      writer_->add(dense_, own);
    }
    rows_ += rows;
    job_.report_rows("transforming", -1, rows_);
  }

  /// The file is there.
  TransformedFile finish() {
    job_.stop_if_interrupted();
    writer_->commit();
    return {rows_, map_->feature_count()};
  }

 private:
  /// body(worker, first, count) by all threads.
  template <class Body>
  void share_out(Index rows, const Body& body) {
    const BlasThreads single(1);
    run_workers(job_.threads, [&](int worker) {
      const Index first = rows * worker / job_.threads;
      body(worker, first, rows * (worker + 1) / job_.threads - first);
    });
  }

  std::shared_ptr<const FeatureMap> map_;
  std::unique_ptr<PreparedMap> prepared_;
  std::unique_ptr<FeatureWriter> writer_;
  const Job& job_;
  bool with_target_;
  Matrix dense_;
  std::vector<SparseRows> sparse_;  // of each thread
  Index rows_ = 0;
};

TransformedFile transform_stream(DatasetStream& rows, const Standardizer& standardizer, Transformer& transformer) {
  Dataset chunk;
  while (rows.next(chunk, transformer.chunk_rows())) {
    if (chunk.is_sparse()) {
      standardizer.standardise(chunk.sparse);
      transformer.add(chunk.sparse.view(), chunk.target);
    } else {
      transformer.add(standardizer.inputs(chunk.inputs), chunk.target);
    }
  }
  return transformer.finish();
}

/// Rows that stay sparse are read twice.
TransformedFile transform_sparse(Recipe recipe, const std::string& path, const TransformFileOptions& options,
                                 const Job& job) {
  if (!options.with_target) recipe.data.labels = false;
  const SparseSurvey survey =
      survey_sparse(path, recipe.data, [&](Index rows) { job.report_rows("reading", -1, rows); });
  const StartedMap start = start_map(recipe, survey, options.seed);
  Transformer transformer(start.map, start.theta, options, survey.schema, job);
  DatasetStream rows(path, survey.schema, options.with_target);
  return transform_stream(rows, start.standardizer, transformer);
}

TransformedFile transform_stored(const Recipe& recipe, const std::string& path, const TransformFileOptions& options,
                                 const Job& job) {
  const std::string folder = std::filesystem::path(options.out).parent_path().string();
  const StoredRows data = store_training_rows(path, recipe.data, {}, folder.empty() ? "." : folder, job);
  const StartedMap start = start_map(recipe, *data.rows, options.seed);
  Transformer transformer(start.map, start.theta, options, data.schema, job);
  const Index step = transformer.chunk_rows(), all = data.rows->rows();
  Matrix x;
  Vector y;
  std::vector<double> scratch;
  for (Index first = 0; first < all; first += step) {
    const Index rows = std::min(step, all - first);
    x.resize(rows, data.rows->inputs());
    y.resize(rows);
    data.rows->read(first, rows, x, y, scratch);
    start.standardizer.standardise(x);
    transformer.add(x, y);
  }
  return transformer.finish();
}

}  // namespace

TransformedFile transform_file(const Recipe& recipe, const std::string& path, const TransformFileOptions& options,
                               const Job& job) {
  check_feature_path(options.out);
  require_features(recipe);
  const bool sparse = is_libsvm_file(path) && starts_on_sparse_rows(recipe);
  return sparse ? transform_sparse(recipe, path, options, job) : transform_stored(recipe, path, options, job);
}

TransformedFile transform_file(const FittedModel& model, const std::string& path, const TransformFileOptions& options,
                               const Job& job) {
  check_feature_path(options.out);
  const Member& member = model.members.front();
  if (model.members.size() > 1)
    throw ConfigError(options.model_name, "has several fits, each with features of its own");
  if (!member.map)
    throw ConfigError(options.model_name, "'" + member.recipe.model + "' is an exact kernel: no features");
  DatasetStream rows(path, model.schema, options.with_target);
  Transformer transformer(member.map, member.theta, options, model.schema, job);
  return transform_stream(rows, model.standardizer, transformer);
}

}  // namespace alacarte
