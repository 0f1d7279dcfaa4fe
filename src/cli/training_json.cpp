#include "training_json.hpp"

#include "io/documents.hpp"

namespace alacarte::cli {
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

}  // namespace

nlohmann::json plan_json(const TrainingPlan& plan, int threads, double seconds) {
  nlohmann::json fits = nlohmann::json::array();
  for (const auto& fit : plan.fits) fits.push_back(planned_fit_json(fit));
  nlohmann::json stages = nlohmann::json::array();
  for (const auto& stage : plan.stages) stages.push_back({{"name", stage.name}, {"purpose", stage.purpose}});
  return {{"threads", threads},
          {"concurrent_fits", plan.concurrent_fits},
          {"total_flops", plan.total_flops},
          {"memory_bytes", plan.memory_bytes},
          {"row_bytes", plan.row_bytes},
          {"seconds", seconds},
          {"model_bytes", plan.model_bytes},
          {"fits", fits},
          {"stages", stages}};
}

nlohmann::json fit_json(const FittedModel& model, std::size_t k) {
  const Member& member = model.members[k];
  nlohmann::json fields = to_json(member.summary);
  if (fields.is_object()) fields.erase("trace");
  fields["fit"] = k;
  fields["model"] = member.recipe.model;
  if (const double noise = noise_sd_of(model, member); noise > 0) fields["noise_sd"] = noise;
  return fields;
}

}  // namespace alacarte::cli
