#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/train/trainer.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

// JSON has no infinity: a start that could not be evaluated is null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
double number(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::infinity() : json.get<double>();
}

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}
std::vector<double> numbers(const Json& json) {
  std::vector<double> values;
  for (const Json& value : json) values.push_back(number(value));
  return values;
}

Json vector_json(const Vector& values) { return numbers(std::vector<double>(values.begin(), values.end())); }
Vector vector_of(const Json& json) {
  const std::vector<double> values = numbers(json);
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

TrainingSummary summary_of(const Json& json) {
  TrainingSummary summary;
  summary.stop = json.at("stop").get<std::string>();
  summary.objective = number(json.at("objective"));
  summary.log_evidence = number(json.at("log_evidence"));
  summary.gradient_norm = number(json.at("gradient_norm"));
  summary.iterations = json.at("iterations").get<Index>();
  summary.evaluations = json.at("evaluations").get<Index>();
  summary.failed_evaluations = json.at("failed_evaluations").get<Index>();
  summary.restarts = json.at("restarts").get<Index>();
  summary.jitter = number(json.at("jitter"));
  summary.start_objectives = numbers(json.at("start_objectives"));
  summary.best_start = json.at("best_start").get<Index>();
  summary.at_bound = json.at("at_bound").get<std::vector<std::string>>();
  summary.trace = numbers(json.at("trace"));
  summary.seconds = number(json.at("seconds"));
  return summary;
}

}  // namespace

Json to_json(const TrainingSummary& summary) {
  return {{"stop", summary.stop},
          {"objective", number(summary.objective)},
          {"log_evidence", number(summary.log_evidence)},
          {"gradient_norm", number(summary.gradient_norm)},
          {"iterations", summary.iterations},
          {"evaluations", summary.evaluations},
          {"failed_evaluations", summary.failed_evaluations},
          {"restarts", summary.restarts},
          {"jitter", number(summary.jitter)},
          {"start_objectives", numbers(summary.start_objectives)},
          {"best_start", summary.best_start},
          {"at_bound", summary.at_bound},
          {"trace", numbers(summary.trace)},
          {"seconds", number(summary.seconds)}};
}

Json to_json(const FitState& state) {
  Json json = {{"probe_theta", Json::array()},
               {"probe_objective", numbers(state.probe_objective)},
               {"probe_trace", Json::array()},
               {"best_theta", vector_json(state.best_theta)},
               {"best_objective", number(state.best_objective)},
               {"stage_trace", numbers(state.stage_trace)},
               {"in_final", state.in_final},
               {"finished", state.finished},
               {"summary", to_json(state.summary)}};
  for (const Vector& theta : state.probe_theta) json["probe_theta"].push_back(vector_json(theta));
  for (const auto& trace : state.probe_trace) json["probe_trace"].push_back(numbers(trace));
  return json;
}

FitState fit_state_from_json(const Json& json) {
  FitState state;
  try {
    for (const Json& theta : json.at("probe_theta")) state.probe_theta.push_back(vector_of(theta));
    for (const Json& trace : json.at("probe_trace")) state.probe_trace.push_back(numbers(trace));
    state.probe_objective = numbers(json.at("probe_objective"));
    state.best_theta = vector_of(json.at("best_theta"));
    state.best_objective = number(json.at("best_objective"));
    state.stage_trace = numbers(json.at("stage_trace"));
    state.in_final = json.at("in_final").get<bool>();
    state.finished = json.at("finished").get<bool>();
    state.summary = summary_of(json.at("summary"));
  } catch (const Json::exception& error) {
    throw IoError("checkpoint", "malformed state of a fit: " + short_message(error));
  }
  if (state.probe_objective.size() != state.probe_theta.size() || state.probe_trace.size() != state.probe_theta.size())
    throw IoError("checkpoint", "malformed state of a fit: its probes do not agree in number");
  return state;
}

}  // namespace alacarte
