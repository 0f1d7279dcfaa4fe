#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "documents.hpp"
#include "io/record_fields.hpp"

namespace alacarte {
namespace {

using StateJson = nlohmann::json;

void visit_state(IsRecord<TrainingSummary> auto& r, const auto& visit) { visit_outcome(r, visit); }

void visit_state(IsRecord<DescentState> auto& r, const auto& visit) {
  auto& best = r.best;
  each_field(visit, "theta", best.theta, "objective", best.objective, "gradient_norm", best.gradient_norm,
             "evaluations", best.evaluations, "failed_evaluations", best.failed_evaluations, "restarts", best.restarts,
             "jitter", best.jitter, "trace", best.trace, "best_gradient", r.best_gradient, "points", r.points,
             "gradients", r.gradients, "value", r.value, "restart_value", r.restart_value, "warm_start", r.warm_start);
}

void visit_state(IsRecord<FitState> auto& r, const auto& visit) {
  each_field(visit, "probe_theta", r.probe_theta, "probe_objective", r.probe_objective, "probe_trace", r.probe_trace,
             "descent", r.descent, "in_final", r.in_final, "finished", r.finished, "best_theta", r.best_theta,
             "summary", r.summary);
}

template <class Value>
concept StateRecord =
    std::is_same_v<Value, TrainingSummary> || std::is_same_v<Value, DescentState> || std::is_same_v<Value, FitState>;
/// Numbers, or such lists.
template <class Value>
concept List = std::is_same_v<Value, Vector> || std::is_same_v<Value, std::vector<double>> ||
    std::is_same_v<Value, std::vector<Vector>> || std::is_same_v<Value, std::vector<std::vector<double>>>;

// JSON has no infinity: a start that could not be evaluated is null.
template <class Value>
StateJson json_of(const Value& value) {
  if constexpr (std::is_same_v<Value, double>) {
    return std::isfinite(value) ? StateJson(value) : StateJson(nullptr);
  } else if constexpr (StateRecord<Value>) {
    StateJson json = StateJson::object();
    visit_state(value, [&](const char* key, const auto& field) { json[key] = json_of(field); });
    return json;
  } else if constexpr (List<Value>) {
    StateJson list = StateJson::array();
    for (const auto& one : value) list.push_back(json_of(one));
    return list;
  } else {
    return value;
  }
}

template <class Value>
void take(const StateJson& json, Value& value) {
  if constexpr (std::is_same_v<Value, double>) {
    value = json.is_null() ? std::numeric_limits<double>::infinity() : json.get<double>();
  } else if constexpr (StateRecord<Value>) {
    visit_state(value, [&](const char* key, auto& field) { take(json.at(key), field); });
  } else if constexpr (std::is_same_v<Value, Vector>) {
    std::vector<double> numbers;
    take(json, numbers);
    value = Eigen::Map<const Vector>(numbers.data(), static_cast<Index>(numbers.size()));
  } else if constexpr (List<Value>) {
    for (const StateJson& one : json) take(one, value.emplace_back());
  } else {
    value = json.get<Value>();
  }
}

}  // namespace

StateJson to_json(const TrainingSummary& summary) { return json_of(summary); }
StateJson to_json(const FitState& state) { return json_of(state); }

FitState fit_state_from_json(const StateJson& json) {
  FitState state;
  try {
    take(json, state);
  } catch (const StateJson::exception& error) {
    throw IoError("checkpoint", "malformed state of a fit: " + short_message(error));
  }
  if (state.probe_objective.size() != state.probe_theta.size() || state.probe_trace.size() != state.probe_theta.size())
    throw IoError("checkpoint", "malformed state of a fit: its probes do not agree in number");
  return state;
}

}  // namespace alacarte
