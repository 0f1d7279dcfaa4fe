#include "alacarte/app/training_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/app/quantities.hpp"
#include "alacarte/core/spelling.hpp"

namespace alacarte {
namespace {

nlohmann::json planned_fit_json(const TrainingPlan::Fit& fit) {
  const EvaluationPlan& e = fit.evaluation;
  return {{"name", fit.name},
          {"rows", e.rows},
          {"distinct_rows", e.distinct_rows > 0 ? e.distinct_rows : e.rows},
          {"inputs", e.inputs},
          {"features", e.features},
          {"parameters", e.parameters},
          {"form", e.form},
          {"flops_per_evaluation", e.flops},
          {"planned_evaluations", fit.planned_evaluations},
          {"memory_bytes", e.memory_bytes},
          {"model_bytes", e.model_bytes}};
}

std::string classifier_line(const nlohmann::json& s) {
  std::string text = fmt::format("C {:g}", s.value("cost", 0.0));
  if (s.contains("scale")) text += fmt::format(", length-scale {:g} of the median distance", s.value("scale", 0.0));
  if (s.contains("cross_validation_error"))
    text += fmt::format(", {:.2f} % wrong in cross-validation", 100 * s.value("cross_validation_error", 0.0));
  return text + fmt::format(", {:.2f} % of the training rows wrong, {}", 100 * s.value("training_error", 0.0),
                            format_seconds(s.value("seconds", 0.0)));
}

/// In the unit of the target; 0 where the model has no noise.
double noise_sd(const FittedModel& model, const Member& member) {
  if (member.recipe.learner.kind != LearnerKind::gp) return 0;
  return std::sqrt(member.posterior->noise_variance()) * model.standardizer.target_scale();
}

}  // namespace

std::string plan_text(const TrainingPlan& plan, int threads, double seconds) {
  const EvaluationPlan first = plan.fits.empty() ? EvaluationPlan{} : plan.fits.front().evaluation;
  std::vector<std::vector<std::string>> rows = {
      {"fit", "features", "parameters", "form", "flops/evaluation", "evaluations", "memory", "model"}};
  for (const auto& fit : plan.fits) {
    const EvaluationPlan& e = fit.evaluation;
    rows.push_back({one_line(fit.name), std::to_string(e.features), std::to_string(e.parameters), e.form,
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

nlohmann::json plan_json(const TrainingPlan& plan, int threads, double seconds) {
  nlohmann::json fits = nlohmann::json::array();
  for (const auto& fit : plan.fits) fits.push_back(planned_fit_json(fit));
  return {{"threads", threads},
          {"concurrent_fits", plan.concurrent_fits},
          {"total_flops", plan.total_flops},
          {"memory_bytes", plan.memory_bytes},
          {"row_bytes", plan.row_bytes},
          {"seconds", seconds},
          {"model_bytes", plan.model_bytes},
          {"fits", fits}};
}

std::string fit_text(const FittedModel& model, std::size_t k) {
  const Member& member = model.members[k];
  const nlohmann::json s = member.summary.is_object() ? member.summary : nlohmann::json::object();
  const std::string name = one_line(s.value("name", member.recipe.model));
  if (member.recipe.learner.kind != LearnerKind::gp)
    return fmt::format("{}: {}, {}", name, word(member.recipe.learner.kind), classifier_line(s));
  const double noise = noise_sd(model, member);
  const char* noise_form = model.schema.knows_noise() ? ", noise {:.4g} of that known" : ", noise sd {:.4g}";
  return fmt::format("{}: log evidence {:.6g}{}, {} evaluations in {}, stopped by {}", name,
                     s.value("log_evidence", 0.0), noise > 0 ? fmt::format(fmt::runtime(noise_form), noise) : "",
                     s.value("evaluations", 0), format_seconds(s.value("seconds", 0.0)),
                     s.value("stop", std::string("?")));
}

std::string left_out_text(const FittedModel& model) {
  const nlohmann::json s = model.training.value("leave_one_out", nlohmann::json());
  if (!s.is_object()) return "";
  std::string text;
  const auto add = [&](const char* name, double value, const char* form = "{:.4g}") {
    text += (text.empty() ? "" : ", ") + std::string(name) + ' ' + fmt::format(fmt::runtime(form), value);
  };
  const auto number = [](const nlohmann::json& from, const char* key) {
    const nlohmann::json value = from.value(key, nlohmann::json());
    return value.is_number() ? value.get<double>() : std::nan("");
  };
  if (s.contains("accuracy")) {
    add("accuracy", 100 * number(s, "accuracy"), "{:.2f} %");
    add("log loss", number(s, "log_loss"));
  } else {
    add("RMSE", number(s, "rmse"));
    add("NLPD", number(s, "nlpd"));
  }
  if (const nlohmann::json coverage = s.value("coverage", nlohmann::json()); coverage.is_object())
    add("95 % intervals hold", 100 * number(coverage, "95"), "{:.1f} %");
  return "leave-one-out, of the training rows: " + text;
}

nlohmann::json fit_json(const FittedModel& model, std::size_t k) {
  const Member& member = model.members[k];
  nlohmann::json fields = member.summary.is_object() ? member.summary : nlohmann::json::object();
  fields.erase("trace");
  fields["fit"] = k;
  fields["model"] = member.recipe.model;
  if (const double noise = noise_sd(model, member); noise > 0) fields["noise_sd"] = noise;
  return fields;
}

}  // namespace alacarte
