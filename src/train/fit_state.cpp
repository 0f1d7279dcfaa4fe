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

template <class Values>
Json numbers(const Values& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}
std::vector<double> numbers_of(const Json& json) {
  std::vector<double> values;
  for (const Json& value : json) values.push_back(number(value));
  return values;
}

Vector vector_of(const Json& json) {
  const std::vector<double> values = numbers_of(json);
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

template <class List>
Json vectors_json(const List& vectors) {
  Json list = Json::array();
  for (const auto& values : vectors) list.push_back(numbers(values));
  return list;
}
std::vector<Vector> vectors_of(const Json& json) {
  std::vector<Vector> vectors;
  for (const Json& values : json) vectors.push_back(vector_of(values));
  return vectors;
}

Json descent_json(const DescentState& state) {
  const DescentResult& best = state.best;
  return {{"theta", numbers(best.theta)},
          {"objective", number(best.objective)},
          {"gradient_norm", number(best.gradient_norm)},
          {"evaluations", best.evaluations},
          {"failed_evaluations", best.failed_evaluations},
          {"restarts", best.restarts},
          {"jitter", number(best.jitter)},
          {"trace", numbers(best.trace)},
          {"best_gradient", numbers(state.best_gradient)},
          {"points", vectors_json(state.points)},
          {"gradients", vectors_json(state.gradients)},
          {"value", number(state.value)},
          {"restart_value", number(state.restart_value)},
          {"warm_start", numbers(state.warm_start)}};
}

DescentState descent_of(const Json& json) {
  DescentState state;
  DescentResult& best = state.best;
  best.theta = vector_of(json.at("theta"));
  best.objective = number(json.at("objective"));
  best.gradient_norm = number(json.at("gradient_norm"));
  best.evaluations = json.at("evaluations").get<Index>();
  best.failed_evaluations = json.at("failed_evaluations").get<Index>();
  best.restarts = json.at("restarts").get<Index>();
  best.jitter = number(json.at("jitter"));
  best.trace = numbers_of(json.at("trace"));
  state.best_gradient = vector_of(json.at("best_gradient"));
  state.points = vectors_of(json.at("points"));
  state.gradients = vectors_of(json.at("gradients"));
  state.value = number(json.at("value"));
  state.restart_value = number(json.at("restart_value"));
  state.warm_start = vector_of(json.at("warm_start"));
  return state;
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
  summary.start_objectives = numbers_of(json.at("start_objectives"));
  summary.best_start = json.at("best_start").get<Index>();
  summary.at_bound = json.at("at_bound").get<std::vector<std::string>>();
  summary.trace = numbers_of(json.at("trace"));
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
  return {{"probe_theta", vectors_json(state.probe_theta)},
          {"probe_objective", numbers(state.probe_objective)},
          {"probe_trace", vectors_json(state.probe_trace)},
          {"descent", descent_json(state.descent)},
          {"in_final", state.in_final},
          {"finished", state.finished},
          {"best_theta", numbers(state.best_theta)},
          {"summary", to_json(state.summary)}};
}

FitState fit_state_from_json(const Json& json) {
  FitState state;
  try {
    state.probe_theta = vectors_of(json.at("probe_theta"));
    for (const Json& trace : json.at("probe_trace")) state.probe_trace.push_back(numbers_of(trace));
    state.probe_objective = numbers_of(json.at("probe_objective"));
    state.descent = descent_of(json.at("descent"));
    state.in_final = json.at("in_final").get<bool>();
    state.finished = json.at("finished").get<bool>();
    state.best_theta = vector_of(json.at("best_theta"));
    state.summary = summary_of(json.at("summary"));
  } catch (const Json::exception& error) {
    throw IoError("checkpoint", "malformed state of a fit: " + short_message(error));
  }
  if (state.probe_objective.size() != state.probe_theta.size() || state.probe_trace.size() != state.probe_theta.size())
    throw IoError("checkpoint", "malformed state of a fit: its probes do not agree in number");
  return state;
}

}  // namespace alacarte
