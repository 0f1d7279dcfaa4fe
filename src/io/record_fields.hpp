#pragma once
// The fields of each record of a training, once for both directions: visit(key, field). Private to the room io.
#include <type_traits>

#include "alacarte/model/training_record.hpp"

namespace alacarte {

template <class Record, class Kind>
concept IsRecord = std::is_same_v<std::remove_const_t<Record>, Kind>;

template <IsRecord<TriedCost> R>
void visit_record(R& tried, auto& visit) {
  visit("scale", tried.scale);
  visit("cost", tried.cost);
  visit("error", tried.error);
}

template <IsRecord<TermShare> R>
void visit_record(R& term, auto& visit) {
  visit("model", term.model);
  visit("prior_share", term.prior_share);
  visit("posterior_share", term.posterior_share);
}

template <IsRecord<NoisePriorRecord> R>
void visit_record(R& prior, auto& visit) {
  visit("center", prior.center);
  visit("from", prior.from);
}

template <IsRecord<SamplesRecord> R>
void visit_record(R& samples, auto& visit) {
  visit("count", samples.count);
  visit("acceptance", samples.acceptance);
  visit("evaluations", samples.evaluations);
  visit("seconds", samples.seconds);
}

template <IsRecord<HeldOutScores> R>
void visit_record(R& held_out, auto& visit) {
  visit("rows", held_out.rows);
  visit("rmse", held_out.rmse);
  visit("log_density", held_out.log_density);
}

template <IsRecord<MinibatchRecord> R>
void visit_record(R& result, auto& visit) {
  visit("passes", result.passes);
  visit("best_step", result.best_step);
  visit("stop", result.stop);
  visit("posterior_rows", result.posterior_rows);
  visit("held_out", result.held_out);
}

template <IsRecord<FitSummary> R>
void visit_record(R& summary, auto& visit) {
  visit("name", summary.name);
  visit("stop", summary.stop);
  visit("objective", summary.objective);
  visit("log_evidence", summary.log_evidence);
  visit("gradient_norm", summary.gradient_norm);
  visit("iterations", summary.iterations);
  visit("evaluations", summary.evaluations);
  visit("failed_evaluations", summary.failed_evaluations);
  visit("restarts", summary.restarts);
  visit("jitter", summary.jitter);
  visit("start_objectives", summary.start_objectives);
  visit("best_start", summary.best_start);
  visit("at_bound", summary.at_bound);
  visit("trace", summary.trace);
  visit("seconds", summary.seconds);
  visit("is_sample", summary.is_sample);
  visit("samples", summary.samples);
  visit("minibatches", summary.minibatches);
  visit("noise_prior", summary.noise_prior);
  visit("terms", summary.terms);
  visit("learner", summary.learner);
  visit("solver", summary.solver);
  visit("class_weights", summary.class_weights);
  visit("cost", summary.cost);
  visit("scale", summary.scale);
  visit("search_rows", summary.search_rows);
  visit("search", summary.search);
  visit("folds", summary.folds);
  visit("cross_validation_error", summary.cross_validation_error);
  visit("cross_validation", summary.cross_validation);
  visit("feature_seconds", summary.feature_seconds);
  visit("solver_seconds", summary.solver_seconds);
  visit("training_error", summary.training_error);
}

template <IsRecord<StartRecord> R>
void visit_record(R& start, auto& visit) {
  visit("model", start.model);
  visit("sha256", start.sha256);
  visit("fits", start.fits);
}

template <IsRecord<NoiseRecord> R>
void visit_record(R& noise, auto& visit) {
  visit("rows", noise.rows);
  visit.always("varies", noise.varies);
  visit("reason", noise.reason);
  visit("exponent", noise.exponent);
  visit("log_scale", noise.log_scale);
  visit("log_density", noise.log_density);
  visit("log_density_of_one_size", noise.log_density_of_one_size);
}

template <IsRecord<CalibrationRecord> R>
void visit_record(R& calibration, auto& visit) {
  visit("kind", calibration.kind);
  visit("rows", calibration.rows);
  visit("temperature", calibration.temperature);
}

template <IsRecord<Metrics> R>
void visit_record(R& metrics, auto& visit) {
  visit("n", metrics.n);
  visit("rmse", metrics.rmse);
  visit("mae", metrics.mae);
  visit("r2", metrics.r2);
  visit("smse", metrics.smse);
  visit("nlpd", metrics.nlpd);
  visit("nlpd_median", metrics.nlpd_median);
  visit("crps", metrics.crps);
  visit.inside("coverage", [&](auto& inner) {
    inner("50", metrics.coverage50);
    inner("90", metrics.coverage90);
    inner("95", metrics.coverage95);
  });
}

template <IsRecord<ClassMetrics> R>
void visit_record(R& metrics, auto& visit) {
  visit("n", metrics.n);
  visit("accuracy", metrics.accuracy);
  visit("log_loss", metrics.log_loss);
  visit("brier", metrics.brier);
  visit("ece", metrics.ece);
  auto bins = kCalibrationBins;
  visit("ece_bins", bins);
}

template <IsRecord<CountMetrics> R>
void visit_record(R& metrics, auto& visit) {
  visit("n", metrics.n);
  visit("rmse", metrics.rmse);
  visit("mae", metrics.mae);
  visit("nlpd", metrics.nlpd);
}

template <IsRecord<BeforeLearning> R>
void visit_record(R& before, auto& visit) {
  visit_record(before.metrics, visit);
  visit("nlpd_error", before.nlpd_error);
  visit("squared_z", before.squared_z);
  visit("share_outside", before.share_outside);
}

template <IsRecord<UpdateRecord> R>
void visit_record(R& update, auto& visit) {
  visit("rows", update.rows);
  visit("forget", update.forget);
  visit("data", update.data);
  visit("before_learning", update.before_learning);
  visit("leave_one_out_nlpd", update.leave_one_out_nlpd);
}

template <IsRecord<SplitRecord> R>
void visit_record(R& held_out, auto& visit) {
  visit("kind", held_out.kind);
  if (held_out.kind == "holdout") visit("share", held_out.share);
  if (held_out.kind == "folds") visit("folds", held_out.folds);
  if (held_out.kind != "holdout") visit("fold", held_out.fold);
  if (held_out.kind != "holdout" && held_out.kind != "folds") visit("mask", held_out.mask);
  if (held_out.kind != "mask") visit("seed", held_out.seed);
  visit("rows", held_out.rows);
}

template <IsRecord<TrainingRecord> R>
void visit_record(R& training, auto& visit) {
  visit("rows", training.rows);
  visit("inputs", training.inputs);
  visit("target", training.target);
  visit("seconds", training.seconds);
  visit("threads", training.threads);
  visit("ranks", training.ranks);
  visit("evaluations", training.evaluations);
  visit("planned_fits", training.planned_fits);
  visit("fits", training.fits);
  visit("cut_short", training.cut_short);
  visit("notes", training.notes);
  visit("program_version", training.program_version);
  visit("classes", training.classes);
  visit("leave_one_out", training.leave_one_out);
  visit("data", training.data);
  visit("data_sha256", training.data_sha256);
  visit("held_out", training.held_out);
  visit("started_from", training.started_from);
  visit("work", training.work);
  visit("noise", training.noise);
  visit("calibrated", training.calibrated);
  visit("short_of_time", training.short_of_time);
  visit("bound_for_time", training.bound_for_time);
  visit("rows_drawn", training.rows_drawn);
  visit("rows_given", training.rows_given);
  visit("updates", training.updates);
}

}  // namespace alacarte
