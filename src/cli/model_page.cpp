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

}  // namespace

ModelPage model_page(const FittedModel& model, const std::string& name, const LabelledRows* rows, Index most_inputs) {
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
  for (ReportTable& table :
       std::vector<ReportTable>{scores, fit_table(document), input_table(document["inputs"], most_inputs)})
    if (!table.rows.empty()) page.report.tables.push_back(std::move(table));
  page.charts = make_model_charts(results, summarise(results, nullptr));
  return page;
}

}  // namespace alacarte::cli
