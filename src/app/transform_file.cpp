#include "transform_file.hpp"

#include <filesystem>

#include "data/feature_writer.hpp"
#include "data/row_pass.hpp"
#include "data/sparse_dataset.hpp"
#include "finite.hpp"
#include "train/plan/fit_jobs.hpp"
#include "train/plan/start.hpp"
#include "training_rows.hpp"

namespace alacarte {
namespace {

constexpr Index kBlockRows = 256;            // rows per worker
constexpr Index kMaxCells = Index{1} << 22;  // entries of a block of dense features: 32 MiB

/// Computes the features of chunks of rows and writes them.
class Transformer {
 public:
  Transformer(std::shared_ptr<const FeatureMap> map, ConstVec theta, const Standardizer& standardizer,
              const TransformFileOptions& options, const Schema& schema, const Job& job)
      : map_(std::move(map)),
        prepared_(map_->prepare(theta)),
        standardizer_(standardizer),
        writer_(make_feature_writer(options.out, map_->feature_count(),
                                    {options.with_target, schema.target_name(), schema.classes()})),
        job_(job),
        with_target_(options.with_target) {}

  /// Returns the number of rows that keeps all workers busy.
  Index team_rows() const { return kBlockRows * job_.threads; }

  /// Adds raw rows and their targets, which may be missing if none are written.
  void add(ConstMat raw, ConstVec target) { add_standardised(standardizer_.inputs(raw), target); }
  void add(Dataset& rows) {
    if (!rows.is_sparse()) return add(rows.inputs, rows.target);
    standardizer_.standardise(rows.sparse);
    add_standardised(rows.sparse.view(), rows.target);
  }

  /// Completes the file.
  TransformedFile finish() {
    job_.stop_if_interrupted();
    writer_->commit();
    return {rows_, map_->feature_count()};
  }

 private:
  void add_standardised(const InputView& x, ConstVec target) {
    const bool sparse = map_->sparse_support().features;
    const Index fit = sparse ? team_rows() : std::clamp<Index>(kMaxCells / map_->feature_count(), 1, team_rows());
    for (Index first = 0; first < x.rows(); first += fit) {
      const Index rows = std::min(fit, x.rows() - first);
      const Vector own = with_target_ ? Vector(target.segment(first, rows)) : Vector();
      sparse ? write_sparse(x.middle_rows(first, rows), own) : write_dense(x.middle_rows(first, rows), own);
      rows_ += rows;
      job_.report_rows("transforming", -1, rows_);
    }
  }

  void write_sparse(const InputView& x, const Vector& target) {
    parts_.resize(static_cast<std::size_t>((x.rows() + kBlockRows - 1) / kBlockRows));
    for_each_chunk(x.rows(), kBlockRows, job_.threads, [&](Index, Index first, Index count) {
      SparseRows& psi = parts_[static_cast<std::size_t>(first / kBlockRows)];
      psi.clear(map_->feature_count());
      prepared_->forward(x.middle_rows(first, count), psi);
    });
    Index first = 0;
    for (const SparseRows& psi : parts_) {
      for (const double value : psi.values) finite(value, "features");
      writer_->add(psi.view(), with_target_ ? Vector(target.segment(first, psi.rows())) : target);
      first += psi.rows();
    }
  }

  void write_dense(const InputView& x, const Vector& target) {
    dense_.resize(x.rows(), map_->feature_count());
    for_each_chunk(x.rows(), kBlockRows, job_.threads, [&](Index, Index first, Index count) {
      prepared_->forward(x.middle_rows(first, count), dense_.middleRows(first, count));
    });
    require_finite(dense_, "features");
    writer_->add(dense_, target);
  }

  std::shared_ptr<const FeatureMap> map_;
  std::unique_ptr<PreparedMap> prepared_;
  const Standardizer& standardizer_;
  std::unique_ptr<FeatureWriter> writer_;
  const Job& job_;
  bool with_target_;
  Matrix dense_;
  std::vector<SparseRows> parts_;
  Index rows_ = 0;
};

TransformedFile transform_stream(const std::string& path, const Schema& schema, const TransformFileOptions& options,
                                 Transformer transformer) {
  DatasetStream rows(path, schema, options.with_target);
  Dataset chunk;
  while (rows.next(chunk, transformer.team_rows())) transformer.add(chunk);
  return transformer.finish();
}

/// Transforms rows that stay sparse, reading them twice.
TransformedFile transform_sparse(Recipe recipe, const std::string& path, const TransformFileOptions& options,
                                 const Job& job) {
  if (!options.with_target) recipe.data.labels = false;
  const auto watch = [&](Index rows) { job.report_rows("reading", -1, rows); };
  const SparseSurvey survey = survey_sparse(path, recipe.data, recipe.scale_rows, watch);
  const StartedMap start = start_map(recipe, survey.statistics, options.seed);
  const Standardizer standardizer = Standardizer::sparse(survey.schema.input_count(), recipe.scale_rows);
  return transform_stream(path, survey.schema, options,
                          {start.map, start.theta, standardizer, options, survey.schema, job});
}

TransformedFile transform_stored(const Recipe& recipe, const std::string& path, const TransformFileOptions& options,
                                 const Job& job) {
  const std::string folder = std::filesystem::path(options.out).parent_path().string();
  const EncodedFile data = store_training_rows(path, recipe.data, {}, folder.empty() ? "." : folder, job);
  const PreparedRows prepared = prepare_rows(recipe, data.rows, options.seed);
  const StartedMap start = start_map(recipe, prepared.rows.statistics, options.seed);
  Transformer transformer(start.map, start.theta, prepared.standardizer, options, data.schema, job);
  for_each_block(*data.rows, [&](const RowBlock& block) { transformer.add(block.x.dense(), block.y); });
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
  if (!member.prior.map())
    throw ConfigError(options.model_name, "'" + member.recipe.model + "' is an exact kernel: no features");
  return transform_stream(path, model.schema, options,
                          {member.prior.map(), member.theta, model.standardizer, options, model.schema, job});
}

}  // namespace alacarte
