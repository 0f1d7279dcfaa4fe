#include "progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "log.hpp"
#include "signals.hpp"

namespace alacarte::cli {
namespace {

// The live line may change often; a log file should stay readable after a night of training.
constexpr double kProgressSeconds = 0.1;
constexpr double kSparseSeconds = 10;

nlohmann::json to_json(const TrainingPlan::Fit& fit) {
  const EvaluationPlan& e = fit.evaluation;
  return {{"name", fit.name},
          {"rows", e.rows},
          {"inputs", e.inputs},
          {"features", e.features},
          {"parameters", e.parameters},
          {"form", e.form},
          {"flops_per_evaluation", e.flops},
          {"planned_evaluations", fit.planned_evaluations},
          {"memory_bytes", e.memory_bytes},
          {"model_bytes", e.model_bytes}};
}

/// By rates of current processors: `exact` evaluations are mostly factors and exponentials, and threads shorten an
/// evaluation as far as it is large.
double plan_seconds(const TrainingPlan& plan, int threads) {
  constexpr double kFlopsPerSecond = 2e10, kExactFlopsPerSecond = 1e10, kSharedFlops = 3.5e9;
  double flops = 0, seconds = 0;
  for (const auto& fit : plan.fits) {
    const EvaluationPlan& e = fit.evaluation;
    const double own = e.flops * static_cast<double>(std::max<Index>(1, fit.planned_evaluations));
    const double gain =
        plan.concurrent_fits > 1 ? plan.concurrent_fits : 1 + (threads - 1) * e.flops / (e.flops + kSharedFlops);
    flops += own;
    seconds += own / (gain * (e.form == "exact" ? kExactFlopsPerSecond : kFlopsPerSecond));
  }
  return flops > 0 ? plan.total_flops * seconds / flops : 0;
}

void report_plan(const TrainingPlan& plan, int threads) {
  nlohmann::json fields = {{"threads", threads},
                           {"concurrent_fits", plan.concurrent_fits},
                           {"total_flops", plan.total_flops},
                           {"memory_bytes", plan.memory_bytes},
                           {"row_bytes", plan.row_bytes},
                           {"seconds", plan_seconds(plan, threads)},
                           {"model_bytes", plan.model_bytes},
                           {"fits", nlohmann::json::array()}};
  const EvaluationPlan first = plan.fits.empty() ? EvaluationPlan{} : plan.fits.front().evaluation;
  std::string text =
      fmt::format("plan: n {}, d {}, {} fit{}, {} at a time, {} thread{}", first.rows, first.inputs, plan.fits.size(),
                  plan.fits.size() == 1 ? "" : "s", plan.concurrent_fits, threads, threads == 1 ? "" : "s");
  text += fmt::format("\n  {:<20} {:>8} {:>10}  {:<7} {:>16} {:>11} {:>10} {:>10}", "fit", "features", "parameters",
                      "form", "flops/evaluation", "evaluations", "memory", "model");
  for (const auto& fit : plan.fits) {
    const EvaluationPlan& e = fit.evaluation;
    text += fmt::format("\n  {:<20} {:>8} {:>10}  {:<7} {:>16} {:>11} {:>10} {:>10}", fit.name, e.features,
                        e.parameters, e.form, format_flops(e.flops), fit.planned_evaluations,
                        format_bytes(e.memory_bytes), format_bytes(e.model_bytes));
    fields["fits"].push_back(to_json(fit));
  }
  text += fmt::format("\n  in all: {}, about {}; memory at most about {} ({} of it rows), model file {}",
                      format_flops(plan.total_flops), format_seconds(plan_seconds(plan, threads)),
                      format_bytes(plan.memory_bytes), format_bytes(plan.row_bytes), format_bytes(plan.model_bytes));
  log_event("plan", fields, text);
}

std::string classifier_line(const nlohmann::json& s) {
  std::string text = fmt::format("C {:g}", s.value("cost", 0.0));
  if (s.contains("scale")) text += fmt::format(", length-scale {:g} of the median distance", s.value("scale", 0.0));
  if (s.contains("cross_validation_error"))
    text += fmt::format(", {:.2f} % wrong in cross-validation", 100 * s.value("cross_validation_error", 0.0));
  return text + fmt::format(", {:.2f} % of the training rows wrong, {}", 100 * s.value("training_error", 0.0),
                            format_seconds(s.value("seconds", 0.0)));
}

}  // namespace

void report_fits(const FittedModel& model) {
  for (std::size_t k = 0; k < model.members.size(); ++k) {
    const Member& member = model.members[k];
    const nlohmann::json& s = member.summary;
    nlohmann::json fields = s.is_object() ? s : nlohmann::json::object();
    fields.erase("trace");
    fields["fit"] = k;
    fields["model"] = member.recipe.model;
    const std::string name = fields.value("name", member.recipe.model);
    if (member.recipe.learner.kind != "gp") {
      log_event("fitted", fields,
                fmt::format("{}: {}, {}", one_line(name), member.recipe.learner.kind, classifier_line(s)));
      continue;
    }
    const double noise_sd = std::sqrt(member.posterior->noise_variance()) * model.standardizer.target_scale();
    if (noise_sd > 0) fields["noise_sd"] = noise_sd;
    log_event("fitted", fields,
              fmt::format("{}: log evidence {:.6g}{}, {} evaluations in {}, stopped by {}", one_line(name),
                          s.value("log_evidence", 0.0), noise_sd > 0 ? fmt::format(", noise sd {:.4g}", noise_sd) : "",
                          s.value("evaluations", 0), format_seconds(s.value("seconds", 0.0)),
                          s.value("stop", std::string("?"))));
  }
}

bool ProgressReporter::live_line_wanted() { return live_line_possible(); }

ProgressReporter::~ProgressReporter() { clear_live_line(); }

std::string ProgressReporter::describe(const Progress& p) const {
  std::string text = p.fit + "  " + p.stage;
  if (p.has_evidence)
    text +=
        fmt::format("  evaluation {}  evidence {:.6g}  |gradient| {:.2e}", p.evaluation, -p.objective, p.gradient_norm);
  if (p.has_evidence && p.noise_sd > 0) text += fmt::format("  noise {:.3g}", p.noise_sd * target_scale_);
  text += fmt::format("  {}", format_seconds(p.seconds));
  if (p.seconds_left >= 0) text += fmt::format("  left {}", format_seconds(p.seconds_left));
  return text;
}

void ProgressReporter::on_plan(const TrainingPlan& plan) {
  target_scale_ = plan.target_scale;
  report_plan(plan, threads_);
}

void ProgressReporter::on_progress(const Progress& p) {
  const std::string stage = p.fit + '/' + p.stage;
  const double elapsed = p.seconds - last_seconds_;
  // Probes that run side by side report in turn: each is announced once, then the clock decides.
  const bool announce = !live_ && stages_.insert(stage).second;
  if (!announce && elapsed < (live_ ? kProgressSeconds : kSparseSeconds)) return;
  last_seconds_ = p.seconds;
  if (live_) {
    show_live_line(describe(p));
    return;
  }
  nlohmann::json fields = {{"fit", p.fit}, {"stage", p.stage}, {"seconds", p.seconds}};
  if (p.has_evidence)
    fields.update({{"iteration", p.iteration},
                   {"evaluation", p.evaluation},
                   {"objective", p.objective},
                   {"gradient_norm", p.gradient_norm}});
  if (p.has_evidence && p.noise_sd > 0) fields["noise_sd"] = p.noise_sd * target_scale_;
  if (p.seconds_left >= 0) fields["seconds_left"] = p.seconds_left;
  log_event("progress", fields, describe(p));
}

void ProgressReporter::on_message(const std::string& text) { log_info(text); }

Job ProgressReporter::job() { return {threads_, this, &interrupt_flag()}; }

void ProgressReporter::on_rows(const char* activity, double share, Index rows) {
  if (!live_) return;
  show_live_line(share < 0 ? fmt::format("{}  {} rows", activity, rows)
                           : fmt::format("{}  {:.0f} %  {} rows", activity, 100 * share, rows));
}

void ProgressReporter::on_training_rows(Index training_rows, Index file_rows, const std::string& target) {
  const Index left_out = file_rows - training_rows;
  const std::string rest = left_out > 0 ? fmt::format(" of {}, {} held out or dropped", file_rows, left_out) : "";
  log_event("rows", {{"file", file_rows}, {"training", training_rows}, {"target", target}},
            fmt::format("rows: {}{}; target '{}'", training_rows, rest, one_line(target)));
}

void ProgressReporter::on_rows_stored(Index rows) {
  log_event("converted", {{"rows", rows}}, fmt::format("converted {} rows", rows));
}

}  // namespace alacarte::cli
