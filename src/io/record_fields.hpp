#pragma once
// The fields of each record of a training, once for both directions: visit(key, field).
#include <type_traits>

#include "alacarte/model/training_record.hpp"

namespace alacarte {

template <class Record, class Kind>
concept IsRecord = std::is_same_v<std::remove_const_t<Record>, Kind>;

/// Calls visit(key, field) for each of the pairs that are given.
template <class Field, class... Rest>
void each_field(auto& visit, const char* key, Field& field, Rest&... rest) {
  visit(key, field);
  if constexpr (sizeof...(rest) > 0) each_field(visit, rest...);
}

/// Visits the fields that a fit has alike while it runs and when it is done.
void visit_outcome(auto& r, auto& visit) {
  each_field(visit, "stop", r.stop, "objective", r.objective, "log_evidence", r.log_evidence, "gradient_norm",
             r.gradient_norm, "iterations", r.iterations, "evaluations", r.evaluations, "failed_evaluations",
             r.failed_evaluations, "restarts", r.restarts, "jitter", r.jitter, "start_objectives", r.start_objectives,
             "best_start", r.best_start, "at_bound", r.at_bound, "trace", r.trace, "seconds", r.seconds);
}

void visit_record(IsRecord<TriedCost> auto& r, auto& visit) {
  each_field(visit, "scale", r.scale, "cost", r.cost, "error", r.error);
}

void visit_record(IsRecord<TermShare> auto& r, auto& visit) {
  each_field(visit, "model", r.model, "prior_share", r.prior_share, "posterior_share", r.posterior_share);
}

void visit_record(IsRecord<NoisePriorRecord> auto& r, auto& visit) {
  each_field(visit, "center", r.center, "from", r.from);
}

void visit_record(IsRecord<SamplesRecord> auto& r, auto& visit) {
  each_field(visit, "count", r.count, "acceptance", r.acceptance, "evaluations", r.evaluations, "seconds", r.seconds);
}

void visit_record(IsRecord<HeldOutScores> auto& r, auto& visit) {
  each_field(visit, "rows", r.rows, "rmse", r.rmse, "log_density", r.log_density);
}

void visit_record(IsRecord<MinibatchRecord> auto& r, auto& visit) {
  each_field(visit, "passes", r.passes, "best_step", r.best_step, "stop", r.stop, "posterior_rows", r.posterior_rows,
             "held_out", r.held_out);
}

void visit_record(IsRecord<FitSummary> auto& r, auto& visit) {
  visit("name", r.name);
  visit_outcome(r, visit);
  each_field(visit, "is_sample", r.is_sample, "samples", r.samples, "minibatches", r.minibatches, "noise_prior",
             r.noise_prior, "terms", r.terms, "learner", r.learner, "solver", r.solver, "class_weights",
             r.class_weights, "cost", r.cost, "scale", r.scale, "search_rows", r.search_rows, "search", r.search,
             "folds", r.folds, "cross_validation_error", r.cross_validation_error, "cross_validation",
             r.cross_validation, "feature_seconds", r.feature_seconds, "solver_seconds", r.solver_seconds,
             "training_error", r.training_error);
}

void visit_record(IsRecord<StartRecord> auto& r, auto& visit) {
  each_field(visit, "model", r.model, "sha256", r.sha256, "fits", r.fits);
}

void visit_record(IsRecord<NoiseRecord> auto& r, auto& visit) {
  visit("rows", r.rows);
  visit.always("varies", r.varies);
  each_field(visit, "reason", r.reason, "exponent", r.exponent, "log_scale", r.log_scale, "log_density", r.log_density,
             "log_density_of_one_size", r.log_density_of_one_size);
}

void visit_record(IsRecord<CalibrationRecord> auto& r, auto& visit) {
  each_field(visit, "kind", r.kind, "rows", r.rows, "temperature", r.temperature);
}

void visit_record(IsRecord<Metrics> auto& r, auto& visit) {
  each_field(visit, "n", r.n, "rmse", r.rmse, "mae", r.mae, "r2", r.r2, "smse", r.smse, "nlpd", r.nlpd, "nlpd_median",
             r.nlpd_median, "crps", r.crps);
  visit.inside("coverage",
               [&](auto& inner) { each_field(inner, "50", r.coverage50, "90", r.coverage90, "95", r.coverage95); });
}

void visit_record(IsRecord<ClassMetrics> auto& r, auto& visit) {
  auto bins = kCalibrationBins;
  each_field(visit, "n", r.n, "accuracy", r.accuracy, "log_loss", r.log_loss, "brier", r.brier, "ece", r.ece,
             "ece_bins", bins);
}

void visit_record(IsRecord<CountMetrics> auto& r, auto& visit) {
  each_field(visit, "n", r.n, "rmse", r.rmse, "mae", r.mae, "nlpd", r.nlpd);
}

void visit_record(IsRecord<BeforeLearning> auto& r, auto& visit) {
  visit_record(r.metrics, visit);
  each_field(visit, "nlpd_error", r.nlpd_error, "squared_z", r.squared_z, "share_outside", r.share_outside);
}

void visit_record(IsRecord<UpdateRecord> auto& r, auto& visit) {
  each_field(visit, "rows", r.rows, "forget", r.forget, "data", r.data, "before_learning", r.before_learning,
             "leave_one_out_nlpd", r.leave_one_out_nlpd);
}

void visit_record(IsRecord<SplitRecord> auto& r, auto& visit) {
  visit("kind", r.kind);
  if (r.kind == "holdout") visit("share", r.share);
  if (r.kind == "folds") visit("folds", r.folds);
  if (r.kind != "holdout") visit("fold", r.fold);
  if (r.kind != "holdout" && r.kind != "folds") visit("mask", r.mask);
  if (r.kind != "mask") visit("seed", r.seed);
  visit("rows", r.rows);
  if (r.kind != "mask") each_field(visit, "group", r.group, "time", r.time);
}

void visit_record(IsRecord<SeasonRecord> auto& r, auto& visit) {
  each_field(visit, "input", r.input, "period", r.period, "share", r.share);
}

void visit_record(IsRecord<TrainingRecord> auto& r, auto& visit) {
  each_field(visit, "rows", r.rows, "inputs", r.inputs, "target", r.target, "seconds", r.seconds, "threads", r.threads,
             "ranks", r.ranks, "evaluations", r.evaluations, "planned_fits", r.planned_fits, "fits", r.fits,
             "cut_short", r.cut_short, "notes", r.notes, "program_version", r.program_version, "classes", r.classes,
             "leave_one_out", r.leave_one_out, "data", r.data, "data_sha256", r.data_sha256, "held_out", r.held_out,
             "started_from", r.started_from, "work", r.work, "noise", r.noise, "calibrated", r.calibrated,
             "short_of_time", r.short_of_time, "bound_for_time", r.bound_for_time, "rows_drawn", r.rows_drawn,
             "rows_given", r.rows_given, "updates", r.updates, "seasons", r.seasons);
}

}  // namespace alacarte
