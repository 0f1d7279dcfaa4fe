// The choice of the form of an inference: merged rows, primal, dual, exact or Laplace's approximation.
#include "inference/inference.hpp"

#include "data/distributed_rows.hpp"
#include "data/merged_rows.hpp"
#include "features/kernel_features.hpp"
#include "inference/evaluation.hpp"

namespace alacarte {
namespace {

// Share of InferenceOptions::memory_bytes for merging; an evaluation needs the rest.
constexpr double kMergedShare = 0.5;

/// Tells whether a row is of an unknown level: it has an effect of its own, however equal its inputs are to another's.
bool has_unknown_levels(const RowSource& rows) {
  const auto levels = static_cast<Index>(rows.level_counts().size());
  bool any = false;
  if (levels > 0)
    for_each_block(rows,
                   [&](const RowBlock& block) { any = any || (block.x.dense().rightCols(levels).array() < 0).any(); });
  return any;
}

/// Returns the inference on merged rows where it pays to merge them, or null.
std::unique_ptr<Inference> on_merged_rows(const Prior& prior, const std::shared_ptr<const RowSource>& rows,
                                          const InferenceOptions& options) {
  if (!options.merges_equal_rows || !options.likelihood.get().is_conjugate() || has_unknown_levels(*rows))
    return nullptr;
  const std::shared_ptr<const MergedRows> merged = MergedRows::make(rows, kMergedShare * options.memory_bytes);
  if (!merged) return nullptr;
  InferenceOptions own = options;
  if (own.memory_bytes > 0) own.memory_bytes -= MergedRows::making_bytes(*rows);
  return make_merged(make_inference(prior, merged, own), merged, options);
}

}  // namespace

std::unique_ptr<Inference> make_inference(const Prior& prior, std::shared_ptr<const RowSource> rows,
                                          const InferenceOptions& options) {
  const bool conjugate = options.likelihood.get().is_conjugate();
  require(rows != nullptr && rows->inputs() == prior.input_count(), "inference: rows and inputs do not fit");
  require(conjugate || rows->more_targets().size() == 0, "inference: several targets are of the gaussian likelihood");
  std::shared_ptr<const FeatureMap> map = prior.map();
  if (!map) rows = whole_rows(std::move(rows), "/model");
  if (!conjugate) {
    if (!map) {
      map = make_kernel_features(prior.kernel(), rows->rows(), [rows] {
        RowScratch scratch;
        return Matrix(rows->read(0, rows->rows(), scratch).x.dense());
      });
    }
    return make_laplace(std::move(map), std::move(rows), options);
  }
  if (auto merged = on_merged_rows(prior, rows, options)) return merged;
  if (!map) return make_gaussian_exact(prior.kernel(), std::move(rows), options);
  if (eliminates_levels(*map, *rows) && options.form != EvidenceForm::dual &&
      (options.form == EvidenceForm::primal || map->level_split().rest->feature_count() <= rows->rows()))
    return make_gaussian_levels(std::move(map), std::move(rows), options);
  // 3 n D^2 + D^3 flops against 3 n^2 D + n^3: the smaller of n and D decides.
  const bool primal = options.form == EvidenceForm::automatic ? map->feature_count() <= rows->rows()
                                                              : options.form == EvidenceForm::primal;
  if (!primal) rows = whole_rows(std::move(rows), "/evidence");
  return primal ? make_gaussian_primal(std::move(map), std::move(rows), options)
                : make_gaussian_dual(std::move(map), std::move(rows), options);
}

std::unique_ptr<Inference> make_inference(const Prior& prior, const Matrix& x, const Vector& y,
                                          const InferenceOptions& options) {
  return make_inference(prior, MemoryRows::view(x, y), options);
}

}  // namespace alacarte
