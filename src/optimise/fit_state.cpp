#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "trainer.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

// The fields of each record, once for both directions: visit(key, field).

template <class State, class Visit>
requires std::is_same_v<std::remove_const_t<State>, TrainingSummary>
void visit_fields(State& summary, const Visit& visit) {
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
}

template <class State, class Visit>
requires std::is_same_v<std::remove_const_t<State>, DescentState>
void visit_fields(State& state, const Visit& visit) {
  visit("theta", state.best.theta);
  visit("objective", state.best.objective);
  visit("gradient_norm", state.best.gradient_norm);
  visit("evaluations", state.best.evaluations);
  visit("failed_evaluations", state.best.failed_evaluations);
  visit("restarts", state.best.restarts);
  visit("jitter", state.best.jitter);
  visit("trace", state.best.trace);
  visit("best_gradient", state.best_gradient);
  visit("points", state.points);
  visit("gradients", state.gradients);
  visit("value", state.value);
  visit("restart_value", state.restart_value);
  visit("warm_start", state.warm_start);
}

template <class State, class Visit>
requires std::is_same_v<std::remove_const_t<State>, FitState>
void visit_fields(State& state, const Visit& visit) {
  visit("probe_theta", state.probe_theta);
  visit("probe_objective", state.probe_objective);
  visit("probe_trace", state.probe_trace);
  visit("descent", state.descent);
  visit("in_final", state.in_final);
  visit("finished", state.finished);
  visit("best_theta", state.best_theta);
  visit("summary", state.summary);
}

template <class Value>
concept Record =
    std::is_same_v<Value, TrainingSummary> || std::is_same_v<Value, DescentState> || std::is_same_v<Value, FitState>;
/// Numbers, or such lists.
template <class Value>
concept List = std::is_same_v<Value, Vector> || std::is_same_v<Value, std::vector<double>> ||
    std::is_same_v<Value, std::vector<Vector>> || std::is_same_v<Value, std::vector<std::vector<double>>>;

// JSON has no infinity: a start that could not be evaluated is null.
template <class Value>
Json json_of(const Value& value) {
  if constexpr (std::is_same_v<Value, double>) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
  } else if constexpr (Record<Value>) {
    Json json = Json::object();
    visit_fields(value, [&](const char* key, const auto& field) { json[key] = json_of(field); });
    return json;
  } else if constexpr (List<Value>) {
    Json list = Json::array();
    for (const auto& one : value) list.push_back(json_of(one));
    return list;
  } else {
    return value;
  }
}

template <class Value>
void take(const Json& json, Value& value) {
  if constexpr (std::is_same_v<Value, double>) {
    value = json.is_null() ? std::numeric_limits<double>::infinity() : json.get<double>();
  } else if constexpr (Record<Value>) {
    visit_fields(value, [&](const char* key, auto& field) { take(json.at(key), field); });
  } else if constexpr (std::is_same_v<Value, Vector>) {
    std::vector<double> numbers;
    take(json, numbers);
    value = Eigen::Map<const Vector>(numbers.data(), static_cast<Index>(numbers.size()));
  } else if constexpr (List<Value>) {
    for (const Json& one : json) take(one, value.emplace_back());
  } else {
    value = json.get<Value>();
  }
}

}  // namespace

Json to_json(const TrainingSummary& summary) { return json_of(summary); }
Json to_json(const FitState& state) { return json_of(state); }

FitState fit_state_from_json(const Json& json) {
  FitState state;
  try {
    take(json, state);
  } catch (const Json::exception& error) {
    throw IoError("checkpoint", "malformed state of a fit: " + short_message(error));
  }
  if (state.probe_objective.size() != state.probe_theta.size() || state.probe_trace.size() != state.probe_theta.size())
    throw IoError("checkpoint", "malformed state of a fit: its probes do not agree in number");
  return state;
}

}  // namespace alacarte
