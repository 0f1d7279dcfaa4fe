#include "training_text.hpp"

#include <fmt/format.h>

#include "core/spelling.hpp"
#include "quantities.hpp"

namespace alacarte {
namespace {

std::string classifier_line(const FitSummary& s) {
  std::string text = fmt::format("C {:g}", s.cost.value_or(0));
  if (s.scale) text += fmt::format(", length-scale {:g} of the median distance", *s.scale);
  if (s.cross_validation_error)
    text += fmt::format(", {:.2f} % wrong in cross-validation", 100 * *s.cross_validation_error);
  return text + fmt::format(", {:.2f} % of the training rows wrong, {}", 100 * s.training_error.value_or(0),
                            format_seconds(s.seconds.value_or(0)));
}

}  // namespace

double noise_sd_of(const FittedModel& model, const Member& member) {
  if (member.recipe.learner.kind != LearnerKind::gp) return 0;
  return std::sqrt(member.posterior->noise_variance()) * model.standardizer.target_scale();
}

std::string plan_text(const TrainingPlan& plan, int threads, double seconds) {
  const EvaluationPlan first = plan.fits.empty() ? EvaluationPlan{} : plan.fits.front().evaluation;
  std::vector<std::vector<std::string>> rows = {
      {"fit", "features", "parameters", "form", "flops/evaluation", "evaluations", "memory", "model"}};
  for (const auto& fit : plan.fits) {
    const EvaluationPlan& e = fit.evaluation;
    rows.push_back({one_line(fit.name), std::to_string(e.features), std::to_string(e.parameters), word(e.form),
                    format_flops(e.flops), std::to_string(fit.planned_evaluations), format_bytes(e.memory_bytes),
                    format_bytes(e.model_bytes)});
  }
  const std::string merged = first.distinct_rows > 0 ? fmt::format(" ({} distinct)", first.distinct_rows) : "";
  return fmt::format("plan: n {}{}, d {}, {} fit{}, {} at a time, {} thread{}\n{}", first.rows, merged, first.inputs,
                     plan.fits.size(), plan.fits.size() == 1 ? "" : "s", plan.concurrent_fits, threads,
                     threads == 1 ? "" : "s", text_table(rows, "lrrlrrrr", 2)) +
         fmt::format("  in all: {}, about {}; memory at most about {} ({} of it rows), model file {}",
                     format_flops(plan.total_flops), format_seconds(seconds), format_bytes(plan.memory_bytes),
                     format_bytes(plan.row_bytes), format_bytes(plan.model_bytes));
}

std::string stages_text(const TrainingPlan& plan) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& stage : plan.stages) rows.push_back({stage.name, stage.purpose});
  return "stages:\n" + text_table(rows, "ll", 2);
}

std::string fit_text(const FittedModel& model, std::size_t k) {
  const Member& member = model.members[k];
  const FitSummary& s = member.summary;
  const std::string name = one_line(s.name.value_or(member.recipe.model));
  if (member.recipe.learner.kind != LearnerKind::gp)
    return fmt::format("{}: {}, {}", name, word(member.recipe.learner.kind), classifier_line(s));
  const double noise = noise_sd_of(model, member);
  const char* noise_form = model.schema.knows_noise() ? ", noise {:.4g} of that known" : ", noise sd {:.4g}";
  return fmt::format("{}: log evidence {:.6g}{}, {} evaluations in {}, stopped by {}", name, s.log_evidence.value_or(0),
                     noise > 0 ? fmt::format(fmt::runtime(noise_form), noise) : "", s.evaluations.value_or(0),
                     format_seconds(s.seconds.value_or(0)), s.stop ? word(*s.stop) : "?");
}

std::string left_out_text(const FittedModel& model) {
  if (!model.training.leave_one_out) return "";
  const LeftOutScores& scores = *model.training.leave_one_out;
  const DataConfig& data = model.schema.config();
  const char* const how = !data.group.empty() ? "left out by groups"
                          : data.time.empty() ? "leave-one-out"
                                              : "last rows";
  std::string text = fmt::format("{}, of the training rows: ", how);
  if (const auto* classes = std::get_if<ClassMetrics>(&scores))
    return text + fmt::format("accuracy {:.2f} %, log loss {:.4g}", 100 * classes->accuracy, classes->log_loss);
  if (const auto* counts = std::get_if<CountMetrics>(&scores))
    return text + fmt::format("RMSE {:.4g}, NLPD {:.4g}", counts->rmse, counts->nlpd);
  const auto& numbers = std::get<Metrics>(scores);
  return text + fmt::format("RMSE {:.4g}, NLPD {:.4g}, 95 % intervals hold {:.1f} %", numbers.rmse, numbers.nlpd,
                            100 * numbers.coverage95);
}

}  // namespace alacarte
