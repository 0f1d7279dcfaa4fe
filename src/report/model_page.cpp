#include "model_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "alacarte/eval/metrics.hpp"
#include "inspection.hpp"

namespace alacarte::cli {
namespace {

using nlohmann::json;

NamedValues named_values(const ParameterLayout& layout, const Vector& theta) {
  NamedValues values;
  for (const ParameterSlot& slot : layout.slots()) {
    const Vector part = theta.segment(slot.offset, slot.size);
    values[slot.name] = {part.data(), part.data() + part.size()};
  }
  return values;
}

/// By its law, or of its frequencies where these are free; null for models without any.
std::shared_ptr<const Spectrum> spectrum_of(const Member& member, const Vector& theta, Index inputs) {
  const NamedValues values = named_values(member.parameters(), theta);
  if (auto learned = learned_spectrum(values, inputs, member.recipe.kernel.nu)) return learned;
  if (!member.map) return nullptr;
  const FrequencyRows frequencies = member.map->frequencies(theta);
  const auto scales = values.find(member.recipe.model + ".log_lengthscale");
  if (frequencies.rows.rows() == 0 || scales == values.end()) return nullptr;
  const auto& logs = scales->second;
  Vector lengthscale(inputs);
  for (Index j = 0; j < inputs; ++j)
    lengthscale[j] = std::exp(logs.size() == 1 ? logs.front() : logs[static_cast<std::size_t>(j)]);
  return sampled_spectrum(frequencies.rows, frequencies.shares, lengthscale);
}

std::vector<double> finite_numbers(const json& list) {
  std::vector<double> values;
  for (const json& value : list) values.push_back(value.is_number() ? value.get<double>() : std::nan(""));
  return values;
}

/// Standard deviations in the unit of the target: of the components' parts of the function, and of the noise.
std::vector<std::pair<std::string, double>> amplitudes_of(const json& description, double noise_sd, double scale) {
  std::vector<std::pair<std::string, double>> amplitudes;
  const json components = description.value("components", json::array());
  for (std::size_t q = 0; q < components.size(); ++q)
    amplitudes.emplace_back(std::to_string(q), components[q].value("amplitude", 0.0) * scale);
  if (components.empty()) amplitudes.emplace_back("0", description.value("amplitude", 0.0) * scale);
  amplitudes.emplace_back("noise", noise_sd);
  return amplitudes;
}

/// The fit's own name, with its number where two have the same.
std::string label_of(const json& fits, std::size_t k) {
  const auto name = [&](std::size_t i) {
    return fits[i]["summary"].is_object() ? fits[i]["summary"].value("name", fits[i].value("model", ""))
                                          : fits[i].value("model", "");
  };
  std::size_t alike = 0;
  for (std::size_t i = 0; i < fits.size(); ++i) alike += name(i) == name(k) ? 1 : 0;
  return alike > 1 ? fmt::format("{} (fit {})", name(k), k) : name(k);
}

UnitResult fit_result(const FittedModel& model, const json& document, std::size_t k) {
  const Member& member = model.members[k];
  const json& fit = document["fits"][k];
  const Index inputs = model.schema.input_count();
  UnitResult unit;
  unit.dataset = model.schema.target_name();
  unit.label = label_of(document["fits"], k);
  unit.done = true;
  unit.inputs = inputs;
  unit.input_names = model.schema.input_names();
  FitRecord record;
  record.name = unit.label;
  if (member.summary.is_object()) record.trace = finite_numbers(member.summary.value("trace", json::array()));
  record.relevance = finite_numbers(fit["description"].value("relevance", json::array()));
  record.spectrum = spectrum_of(member, member.theta.head(member.parameters().size()), inputs);
  record.amplitudes = amplitudes_of(fit["description"], fit.value("noise_sd", 0.0), model.standardizer.target_scale());
  unit.fits.push_back(std::move(record));
  return unit;
}

void add_predictions(const LabelledRows& rows, const PredictiveDistribution& predicted, const Metrics& scores,
                     UnitResult& unit) {
  const Vector mean = predicted.mean(), sd = predicted.variance().array().sqrt();
  unit.test_rows = rows.rows();
  unit.target = rows.target;
  unit.mean = {mean.data(), mean.data() + mean.size()};
  unit.sd = {sd.data(), sd.data() + sd.size()};
  unit.coverage = {{50, scores.coverage50}, {90, scores.coverage90}, {95, scores.coverage95}};
}

ReportCell number(const json& value) {
  if (!value.is_number()) return {"–", false, {}};
  if (value.is_number_integer()) return {value.dump(), false, value.get<double>()};
  return {fmt::format("{:.4g}", value.get<double>()), false, value.get<double>()};
}

ReportTable fit_table(const json& document) {
  ReportTable table{"fits",
                    "Fits",
                    "An equal-weight mixture of these predicts. The noise is a standard deviation in the unit of the "
                    "target; the evidence is of the standardised target.",
                    {"Fit", "Stopped by", "Features", "Log evidence", "Noise", "Iterations", "Jitter"},
                    2,
                    {},
                    {}};
  const json& fits = document["fits"];
  for (std::size_t k = 0; k < fits.size(); ++k) {
    const json summary = fits[k]["summary"].is_object() ? fits[k]["summary"] : json::object();
    table.rows.push_back({{label_of(fits, k), false, {}},
                          {summary.value("stop", "–"), false, {}},
                          number(fits[k]["features"]),
                          number(summary.value("log_evidence", json())),
                          number(fits[k].value("noise_sd", json())),
                          number(summary.value("iterations", json())),
                          number(summary.value("jitter", json()))});
  }
  return table;
}

ReportTable input_table(const json& inputs, Index most) {
  ReportTable table{"inputs",
                    "Inputs by relevance",
                    "Root mean square frequency of the learned spectra along each input, in radians per unit of the "
                    "scaled input; the length-scale, its inverse, is in the input's own unit.",
                    {"Input", "Relevance", "Length-scale"},
                    1,
                    {},
                    {}};
  for (const json& input : inputs)
    if (static_cast<Index>(table.rows.size()) < most)
      table.rows.push_back(
          {{input["name"].get<std::string>(), false, {}}, number(input["relevance"]), number(input["lengthscale"])});
  if (inputs.size() > table.rows.size())
    table.notes.push_back(fmt::format("And {} less relevant.", inputs.size() - table.rows.size()));
  return table;
}

ReportTable score_table() {
  return {"scores",
          "Scores",
          "RMSE, R², mean negative log predictive density (NLPD) and CRPS, in the unit of the target; shares of rows "
          "inside the central intervals in per cent.",
          {"Rows", "n", "RMSE", "R²", "NLPD", "CRPS", "In 50 %", "In 90 %", "In 95 %"},
          1,
          {},
          {}};
}

void add_scores(const std::string& name, const json& scores, bool variance, ReportTable& table) {
  if (!scores.is_object()) return;
  std::vector<ReportCell> row = {{name, false, {}},
                                 number(scores.value("n", json())),
                                 number(scores.value("rmse", json())),
                                 number(scores.value("r2", json()))};
  for (const char* key : {"nlpd", "crps"}) row.push_back(number(variance ? scores.value(key, json()) : json()));
  const json coverage = scores.value("coverage", json::object());
  for (const char* level : {"50", "90", "95"}) {
    const json share = coverage.is_object() ? coverage.value(level, json()) : json();
    row.push_back(number(variance && share.is_number() ? json(100 * share.get<double>()) : json()));
  }
  table.rows.push_back(std::move(row));
}

/// `left_out`: of the training; `metrics` may be null.
ReportTable class_score_table(const json& left_out, const ClassMetrics* metrics) {
  ReportTable table{"scores",
                    "Scores",
                    "Share of right classes, mean of -log p of the own class (nats), Brier score (0 to 2) and expected "
                    "calibration error.",
                    {"Rows", "n", "Accuracy", "Log loss", "Brier", "ECE"},
                    1,
                    {},
                    {}};
  const auto add = [&](const std::string& rows, const json& scores) {
    if (!scores.is_object()) return;
    table.rows.push_back({{rows, false, {}}});
    for (const char* key : {"n", "accuracy", "log_loss", "brier", "ece"})
      table.rows.back().push_back(number(scores.value(key, json())));
  };
  add("Training rows, each left out", left_out);
  if (metrics == nullptr) return table;
  add("Rows of --data", to_json(*metrics, {}));
  if (!metrics->probabilities)
    table.notes.emplace_back("Decision values are no probabilities, so three scores are missing.");
  return table;
}

constexpr std::size_t kMostConfusionColumns = 20, kMostConfusions = 20;

ReportTable confusion_matrix(const ClassMetrics& metrics, const std::vector<std::string>& names) {
  ReportTable table{"confusion", "Confusion", "Rows of each class (down) by the class that is predicted (across).",
                    {"Class"},   1,           {},
                    {}};
  table.columns.insert(table.columns.end(), names.begin(), names.end());
  for (std::size_t k = 0; k < names.size(); ++k) {
    table.rows.push_back({{names[k], false, {}}});
    for (std::size_t j = 0; j < names.size(); ++j) {
      table.rows.back().push_back(number(metrics.confusion[k][j]));
      table.rows.back().back().strong = j == k;
    }
  }
  return table;
}

/// Of many classes those that are taken for one another most often.
ReportTable confusion_list(const ClassMetrics& metrics, const std::vector<std::string>& names) {
  struct Pair {
    std::size_t own, predicted;
    Index rows;
  };
  std::vector<Pair> pairs;
  for (std::size_t k = 0; k < names.size(); ++k)
    for (std::size_t j = 0; j < names.size(); ++j)
      if (j != k && metrics.confusion[k][j] > 0) pairs.push_back({k, j, metrics.confusion[k][j]});
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.rows > b.rows; });
  ReportTable table{"confusion",
                    "Confusions",
                    "The classes that are taken for one another most often.",
                    {"Class", "Predicted", "Rows"},
                    2,
                    {},
                    {}};
  for (std::size_t i = 0; i < std::min(pairs.size(), kMostConfusions); ++i)
    table.rows.push_back(
        {{names[pairs[i].own], false, {}}, {names[pairs[i].predicted], false, {}}, number(pairs[i].rows)});
  if (pairs.size() > table.rows.size())
    table.notes.push_back(fmt::format("And {} other pairs.", pairs.size() - table.rows.size()));
  return table;
}

ReportTable confusion_table(const ClassMetrics& metrics, const std::vector<std::string>& names) {
  return names.size() > kMostConfusionColumns ? confusion_list(metrics, names) : confusion_matrix(metrics, names);
}

}  // namespace

ModelPage model_page(const FittedModel& model, const std::string& name, const LabelledRows* rows,
                     const ClassMetrics* classes, Index most_inputs) {
  const json document = inspection(model);
  ResultSet results;
  for (std::size_t k = 0; k < model.members.size(); ++k) {
    results.units.push_back(fit_result(model, document, k));
    results.labels.push_back(results.units.back().label);
  }
  ReportTable scores = score_table();
  if (model.training.is_object() && !model.has_classes() && !model.has_counts())
    add_scores("Training rows, each left out", model.training.value("leave_one_out", json()), true, scores);
  if (rows != nullptr) {
    const PredictiveDistribution predicted = rows->distribution();
    const Metrics metrics = score(predicted, Eigen::Map<const Vector>(rows->target.data(), rows->rows()));
    add_scores("Rows of --data", to_json(metrics), model.has_variance(), scores);
    if (model.members.size() > 1) {
      results.units.emplace_back();
      results.units.back().dataset = model.schema.target_name();
      results.units.back().label = "all fits together";
      results.units.back().done = true;
      results.labels.push_back(results.units.back().label);
    }
    if (model.has_variance())
      add_predictions(*rows, predicted, metrics, results.units.back());
    else
      scores.notes.push_back("The model was saved with --mean-only: it has no intervals.");
  }
  ModelPage page;
  page.report.title = "Model " + name;
  page.report.description =
      fmt::format("{}: {} fit{}, target {}, {} inputs.", model.recipe.model, model.members.size(),
                  model.members.size() == 1 ? "" : "s", model.schema.target_name(), model.schema.input_count());
  std::vector<ReportTable> tables{scores};
  if (model.has_classes()) {
    const json left_out = model.training.is_object() ? model.training.value("leave_one_out", json()) : json();
    tables = {class_score_table(left_out, classes)};
  }
  if (classes != nullptr) tables.push_back(confusion_table(*classes, model.schema.classes()));
  tables.push_back(fit_table(document));
  tables.push_back(input_table(document["inputs"], most_inputs));
  for (ReportTable& table : tables)
    if (!table.rows.empty()) page.report.tables.push_back(std::move(table));
  page.charts = make_model_charts(results, summarise(results, nullptr));
  if (classes == nullptr) return page;
  Chart reliability = make_reliability_chart(*classes);
  if (!reliability.title.empty()) page.charts.insert(page.charts.begin(), std::move(reliability));
  return page;
}

}  // namespace alacarte::cli
