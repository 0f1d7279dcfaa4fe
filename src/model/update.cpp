#include "alacarte/model/update.hpp"

#include <fmt/format.h>

#include "data/row_pass.hpp"
#include "model/posterior_update.hpp"

namespace alacarte {
namespace {

constexpr double kBytesInMegabyte = 1e6;
// Smallest difference of two mean log densities, in standard errors, that is not chance.
constexpr double kSureErrors = 4;
constexpr Index kMinRows = 10;  // fewest rows whose mean is compared

std::string reason_against(const FittedModel& model) {
  if (model.recipe.learner.kind != LearnerKind::gp)
    return "learner '" + word(model.recipe.learner.kind) + "' takes no further rows; train anew on all of them";
  if (model.target() != TargetKind::numbers)
    return fmt::format(
        "predicts {}, whose posterior is an approximation around all of its rows; train on all of them, with --from "
        "this model",
        model.target() == TargetKind::classes ? "classes" : "counts");
  if (!model.has_variance()) return "was saved with --mean-only, without what further rows need";
  if (model.calibration.kind != CalibrationKind::none)
    return "was calibrated by rows that it did not learn, and what they say holds for no other model; train on all "
           "rows, "
           "with --from this model";
  return "";
}

/// Returns the NLPD of the training rows by the model, or by the one that was updated first; NaN if it is not known.
double left_out_nlpd(const TrainingRecord& training) {
  if (training.leave_one_out) {
    if (const auto* scores = std::get_if<Metrics>(&*training.leave_one_out)) return scores->nlpd;
    if (const auto* scores = std::get_if<CountMetrics>(&*training.leave_one_out)) return scores->nlpd;
  }
  return training.updates.empty() ? std::nan("") : training.updates.back().leave_one_out_nlpd;
}

}  // namespace

ModelUpdate::ModelUpdate(const FittedModel& model, const UpdateOptions& options)
    : model_(model), options_(options), standardizer_(model.standardizer) {
  if (const std::string reason = reason_against(model); !reason.empty()) throw ConfigError(options.name, reason);
  if (!(options.forget >= 0 && options.forget < 1)) throw ConfigError("forget", "must be from 0 to less than 1");
  for (const Member& member : model.members) {
    if (!(member.posterior->noise_variance() > 0))
      throw ConfigError(options.name, "has a noise of 0: rows teach it nothing");
    updates_.push_back(make_posterior_update(member, 1 - options.forget));
    if (!updates_.back())
      throw ConfigError(options.name,
                        "its fit '" + member.recipe.model + "' takes no further rows" +
                            (model.schema.level_counts().empty() ? "" : " beside random effects of levels"));
  }
}

ModelUpdate::~ModelUpdate() = default;

void ModelUpdate::score(const Dataset& rows) {
  PredictOptions how;
  how.threads = options_.threads;
  how.weights = rows.weights;
  const PredictiveDistribution p = model_.predict(rows.view(), how).distribution();
  const Vector given = model_.schema.score_weights(rows.weights);
  sums_.add(p, rows.target, given);
  const Vector weights = given.size() > 0 ? given : Vector::Ones(rows.rows());
  const Vector log_density = p.log_density(rows.target);
  weight_ += weights.sum();
  const PredictiveDistribution transformed = p.of_transformed();
  squared_z_ += weights.dot(Vector((transformed.mean() - p.transform().forward(rows.target)).array().square() /
                                   transformed.variance().array()));
  log_ += weights.dot(log_density);
  squared_log_ += weights.dot(log_density.cwiseAbs2());
  if (!rows.is_sparse()) outside_ += weights.dot(model_.standardizer.share_outside(rows.inputs));
}

/// Returns the weights of rows, into which noise that varies enters where it did in training.
Vector ModelUpdate::weights_of(const Dataset& rows) const {
  if (!model_.noise_model || model_.recipe.noise.rounds == 0) return rows.weights;
  const double scale = model_.standardizer.target_scale();
  const double unit = model_.members.front().posterior->noise_variance() * scale * scale;
  const Vector inverse = unit / model_.noise_variances(rows.view(), options_.threads).col(0).array();
  return rows.weights.size() > 0 ? Vector(inverse.cwiseProduct(rows.weights)) : inverse;
}

void ModelUpdate::add(const Dataset& rows) {
  require(rows.target.size() == rows.rows(), "update: one target for each row");
  if (rows.rows() == 0) return;
  if (!rows.target.allFinite()) throw DataError("update", "the target of a row is not finite");
  const auto levels = static_cast<Index>(model_.schema.level_counts().size());
  if ((rows.inputs.rightCols(levels).array() < 0).any())
    throw DataError("update", "a row is of a level that the model was not trained on; train a model on all rows");
  if (const TargetTransform& transform = model_.standardizer.transform(); !transform.forward(rows.target).allFinite())
    throw DataError("update", fmt::format("a target is {:g}, which the model's scale.target '{}' has no place for",
                                          rows.target.minCoeff(), word(model_.recipe.scale_target)));
  score(rows);
  Dataset z;
  z.target = model_.standardizer.target(rows.target);
  if (rows.is_sparse()) {
    z.sparse.clear(rows.sparse.width);
    z.sparse.append(rows.sparse.view());
    model_.standardizer.standardise(z.sparse);
  } else {
    z.inputs = model_.standardizer.inputs(rows.inputs);
    standardizer_.widen(rows.inputs);
  }
  const Vector weights = weights_of(rows);
  for_each_chunk(static_cast<Index>(updates_.size()), 1, options_.threads,
                 [&](int, Index k, Index) { updates_[static_cast<std::size_t>(k)]->add(z.view(), z.target, weights); });
  rows_ += rows.rows();
  double bytes = 0;
  for (const auto& update : updates_) bytes += update->model_bytes();
  if (const double limit = model_.recipe.max_model_mb; limit > 0 && bytes > kBytesInMegabyte * limit)
    throw ConfigError("/max_model_mb",
                      fmt::format("the model file would have {:.0f} MB with these rows, and its recipe "
                                  "allows {:g} MB; train a model of features on all rows",
                                  bytes / kBytesInMegabyte, limit));
}

UpdateRecord ModelUpdate::record() const {
  const double mean = log_ / weight_;
  const double variance = std::max(0.0, squared_log_ / weight_ - mean * mean);
  UpdateRecord record;
  record.rows = rows_;
  record.forget = options_.forget;
  if (!options_.data.empty()) record.data = options_.data;
  record.before_learning.metrics = sums_.result();
  // The mean of a few rows says nothing yet.
  const bool tells = rows_ >= kMinRows;
  record.before_learning.nlpd_error = tells ? std::sqrt(variance / static_cast<double>(rows_ - 1)) : std::nan("");
  record.before_learning.squared_z = squared_z_ / weight_;
  record.before_learning.share_outside = outside_ / weight_;
  record.leave_one_out_nlpd = left_out_nlpd(model_.training);
  return record;
}

FittedModel ModelUpdate::finish() {
  if (rows_ == 0) throw DataError("update", "there are no rows to learn");
  std::vector<UpdatedPosterior> updated(updates_.size());
  for_each_chunk(static_cast<Index>(updates_.size()), 1, options_.threads, [&](int, Index k, Index) {
    const auto at = static_cast<std::size_t>(k);
    updated[at] = updates_[at]->finish();
    updates_[at].reset();
  });
  FittedModel model;
  model.recipe = model_.recipe;
  model.seed = model_.seed;
  model.schema = model_.schema;
  model.standardizer = standardizer_;
  model.training = model_.training;
  model.noise_model = model_.noise_model;
  model.log_noise_range = model_.log_noise_range;
  model.noise_shape = model_.noise_shape;
  for (std::size_t k = 0; k < updated.size(); ++k) {
    const Member& old = model_.members[k];
    Member member;
    member.recipe = old.recipe;
    member.prior = old.prior;
    member.theta = old.theta;
    member.weight = old.weight;
    member.summary = old.summary;
    member.posterior = std::move(updated[k].posterior);
    member.summary.log_evidence = member.summary.log_evidence.value_or(std::nan("")) + updated[k].log_density;
    member.summary.jitter = updated[k].jitter;
    model.members.push_back(std::move(member));
  }
  model.training.updates.push_back(record());
  if (model.training.rows) *model.training.rows += rows_;
  model.training.leave_one_out.reset();
  return model;
}

std::string update_text(const TrainingRecord& training) {
  if (training.updates.empty()) return "";
  const UpdateRecord& last = training.updates.back();
  const BeforeLearning& before = last.before_learning;
  const double nlpd = before.metrics.nlpd, error = before.nlpd_error, left_out = last.leave_one_out_nlpd;
  std::string text =
      fmt::format("the new rows, before they were learned: RMSE {:.4g}, NLPD {:.4g}", before.metrics.rmse, nlpd);
  if (std::isfinite(error)) text += fmt::format(" +- {:.2g}", error);
  if (std::isfinite(left_out)) text += fmt::format(" (training rows, each left out: {:.4g})", left_out);
  text += fmt::format(", 95 % intervals hold {:.1f} %", 100 * before.metrics.coverage95);
  if (nlpd - left_out > kSureErrors * error) text += "; they are not like the training rows: consider training anew";
  return text;
}

}  // namespace alacarte
