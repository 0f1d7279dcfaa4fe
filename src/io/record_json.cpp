// Records of a training as JSON.
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/training_record.hpp"
#include "documents.hpp"
#include "record_fields.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

template <class Value>
constexpr bool kIsOptional = false;
template <class Value>
constexpr bool kIsOptional<std::optional<Value>> = true;
template <class Value>
constexpr bool kIsList = false;
template <class Value>
constexpr bool kIsList<std::vector<Value>> = true;
template <>
constexpr bool kIsList<Vector> = true;
template <class Value>
constexpr bool kIsMap = false;
template <class Value>
constexpr bool kIsMap<std::map<std::string, Value>> = true;

/// Fields without a value, flags that are not set and lists without entries are left out, unless all are asked for.
template <bool kAll = false>
class RecordWriter {
 public:
  template <class Value>
  void operator()(const char* key, const Value& value) {
    if constexpr (kAll) {
      document_[key] = written(value);
    } else if constexpr (kIsOptional<Value>) {
      if (value) document_[key] = written(*value);
    } else if constexpr (std::is_same_v<Value, bool>) {
      if (value) document_[key] = true;
    } else if constexpr (kIsList<Value>) {
      if (!value.empty()) document_[key] = written(value);
    } else {
      document_[key] = written(value);
    }
  }
  void always(const char* key, bool value) { document_[key] = value; }
  template <class Visit>
  void inside(const char* key, const Visit& visit) {
    RecordWriter inner;
    visit(inner);
    document_[key] = inner.take();
  }
  Json take() { return std::move(document_); }

  template <class Value>
  static Json written(const Value& value) {
    if constexpr (std::is_same_v<Value, double>) {
      return std::isfinite(value) ? Json(value) : Json();  // JSON has no infinity
    } else if constexpr (HasWords<Value>) {
      return word(value);
    } else if constexpr (std::is_same_v<Value, LeftOutScores>) {
      return std::visit([](const auto& scores) { return written(scores); }, value);
    } else if constexpr (kIsList<Value>) {
      Json list = Json::array();
      for (const auto& one : value) list.push_back(written(one));
      return list;
    } else if constexpr (std::is_constructible_v<Json, Value>) {
      return value;
    } else {
      RecordWriter inner;
      visit_record(value, inner);
      return inner.take();
    }
  }

 private:
  Json document_ = Json::object();
};

/// Every complaint is an IoError of "model file" that names the place.
class RecordReader {
 public:
  RecordReader(const Json& document, std::string place) : document_(document), place_(std::move(place)) {
    if (!document.is_object()) throw IoError("model file", place_ + " is no object");
  }

  template <class Value>
  void operator()(const char* key, Value& value) {
    const auto found = document_.find(key);
    read_.insert(key);
    if (found == document_.end()) {
      if constexpr (std::is_same_v<Value, double>) value = std::nan("");
      return;
    }
    read(*found, place_ + '/' + key, value);
  }
  void always(const char* key, bool& value) { (*this)(key, value); }
  template <class Visit>
  void inside(const char* key, const Visit& visit) {
    const auto found = document_.find(key);
    read_.insert(key);
    RecordReader inner(found == document_.end() || found->is_null() ? kNothing : *found, place_ + '/' + key);
    visit(inner);
  }

  /// Returns the entries that no field has read, as text; empty if there are none.
  std::string rest() const {
    Json rest = Json::object();
    for (const auto& item : document_.items())
      if (!read_.contains(item.key())) rest[item.key()] = item.value();
    return rest.empty() ? "" : rest.dump();
  }

  template <class Value>
  static void read(const Json& json, const std::string& place, Value& value) {
    if constexpr (kIsOptional<Value>) {
      using Inner = typename Value::value_type;
      if (json.is_null() && !std::is_same_v<Inner, double>) return require_record<Inner>(place);
      read(json, place, value.emplace());
    } else if constexpr (std::is_same_v<Value, double>) {
      require_kind(json.is_number() || json.is_null(), place);
      value = json.is_null() ? std::nan("") : json.get<double>();
    } else if constexpr (std::is_same_v<Value, bool> || std::is_same_v<Value, std::string>) {
      require_kind(std::is_same_v<Value, bool> ? json.is_boolean() : json.is_string(), place);
      value = json.get<Value>();
    } else if constexpr (HasWords<Value>) {
      const auto known = json.is_string() ? from_word<Value>(json.get<std::string>()) : std::nullopt;
      require_kind(known.has_value(), place);
      value = *known;
    } else if constexpr (std::is_integral_v<Value>) {
      constexpr auto kMaxWhole = static_cast<std::uint64_t>(std::numeric_limits<Value>::max());
      require_kind(json.is_number_unsigned() ? json.get<std::uint64_t>() <= kMaxWhole
                                             : json.is_number_integer() && std::is_signed_v<Value>,
                   place);
      require_kind(!place.ends_with("/best_start") || (json >= 0 && json <= std::numeric_limits<int>::max()), place);
      value = json.get<Value>();
    } else if constexpr (kIsList<Value>) {
      require_kind(json.is_array(), place);
      for (const Json& one : json) {
        require_kind(one.is_object() == is_record<typename Value::value_type>(), place);
        read(one, place, value.emplace_back());
      }
    } else if constexpr (kIsMap<Value>) {
      require_kind(json.is_object(), place);
      for (const auto& [key, one] : json.items()) read(one, place + '/' + key, value[key]);
    } else if constexpr (std::is_same_v<Value, LeftOutScores>) {
      require_kind(json.is_object(), place);
      if (json.contains("accuracy"))
        read(json, place, value.template emplace<ClassMetrics>());
      else if (json.contains("coverage"))
        read(json, place, value.template emplace<Metrics>());
      else
        read(json, place, value.template emplace<CountMetrics>());
    } else {
      require_kind(json.is_object(), place);
      RecordReader inner(json, place);
      visit_record(value, inner);
    }
  }

 private:
  static inline const Json kNothing = Json::object();

  template <class Value>
  static constexpr bool is_record() {
    return !std::is_constructible_v<Json, Value> && !HasWords<Value>;
  }
  /// Records, and nothing else, may be null.
  template <class Value>
  static void require_record(const std::string& place) {
    require_kind(is_record<Value>(), place);
  }
  static void require_kind(bool fits, const std::string& place) {
    if (!fits) throw IoError("model file", place + " is not of its kind");
  }

  const Json& document_;
  std::string place_;
  std::set<std::string> read_;
};

template <class Record>
Json record_json(const Record& record) {
  Json document = RecordWriter<>::written(record);
  if (!record.other_keys.empty()) document.update(Json::parse(record.other_keys));
  return document.empty() ? Json() : document;
}

template <class Record>
Record record_from_json(const Json& document, const std::string& place) {
  Record record;
  if (document.is_null()) return record;
  RecordReader reader(document, place);
  visit_record(record, reader);
  record.other_keys = reader.rest();
  return record;
}

void visit_record(IsRecord<TrainingSummary> auto& r, auto& visit) { visit_outcome(r, visit); }

void visit_record(IsRecord<DescentState> auto& r, auto& visit) {
  auto& best = r.best;
  each_field(visit, "theta", best.theta, "objective", best.objective, "gradient_norm", best.gradient_norm,
             "evaluations", best.evaluations, "failed_evaluations", best.failed_evaluations, "restarts", best.restarts,
             "jitter", best.jitter, "trace", best.trace, "best_gradient", r.best_gradient, "points", r.points,
             "gradients", r.gradients, "value", r.value, "restart_value", r.restart_value, "warm_start", r.warm_start);
}

void visit_record(IsRecord<FitState> auto& r, auto& visit) {
  each_field(visit, "probe_theta", r.probe_theta, "probe_objective", r.probe_objective, "probe_trace", r.probe_trace,
             "descent", r.descent, "in_final", r.in_final, "finished", r.finished, "best_theta", r.best_theta,
             "summary", r.summary);
}

template <class Value>
concept StateRecord =
    std::is_same_v<Value, TrainingSummary> || std::is_same_v<Value, DescentState> || std::is_same_v<Value, FitState>;

// JSON has no infinity: a start that could not be evaluated is null.
template <class Value>
void take(const Json& json, Value& value) {
  if constexpr (std::is_same_v<Value, double>) {
    value = json.is_null() ? std::numeric_limits<double>::infinity() : json.get<double>();
  } else if constexpr (HasWords<Value>) {
    const auto known = from_word<Value>(json.get<std::string>());
    if (!known) throw IoError("checkpoint", "malformed state of a fit: an unknown reason to stop");
    value = *known;
  } else if constexpr (StateRecord<Value>) {
    const auto visit = [&](const char* key, auto& field) { take(json.at(key), field); };
    visit_record(value, visit);
  } else if constexpr (std::is_same_v<Value, Vector>) {
    std::vector<double> numbers;
    take(json, numbers);
    value = Eigen::Map<const Vector>(numbers.data(), static_cast<Index>(numbers.size()));
  } else if constexpr (kIsList<Value>) {
    for (const Json& one : json) take(one, value.emplace_back());
  } else {
    value = json.get<Value>();
  }
}

}  // namespace

Json to_json(const FitSummary& summary) { return record_json(summary); }

Json to_json(const TrainingRecord& training) {
  Json document = record_json(training);
  if (document.is_object() && !document.contains("leave_one_out")) document["leave_one_out"] = nullptr;
  return document;
}

Json to_json(const LeftOutScores& scores) { return RecordWriter<>::written(scores); }
Json to_json(const UpdateRecord& update) { return RecordWriter<>::written(update); }
Json to_json(const CalibrationRecord& calibration) { return RecordWriter<>::written(calibration); }
Json to_json(const MinibatchRecord& minibatches) { return RecordWriter<>::written(minibatches); }

FitSummary fit_summary_from_json(const Json& document, const std::string& place) {
  return record_from_json<FitSummary>(document, place);
}
TrainingRecord training_from_json(const Json& document, const std::string& place) {
  return record_from_json<TrainingRecord>(document, place);
}
MinibatchRecord minibatches_from_json(const Json& document) {
  MinibatchRecord minibatches;
  RecordReader::read(document, "minibatches", minibatches);
  return minibatches;
}

Json to_json(const TrainingSummary& summary) { return RecordWriter<true>::written(summary); }
Json to_json(const FitState& state) { return RecordWriter<true>::written(state); }

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
