// Page of one model.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "alacarte/eval/metrics.hpp"
#include "inspection.hpp"
#include "io/documents.hpp"
#include "model/fit_inputs.hpp"
#include "report/charts.hpp"

namespace alacarte {
namespace {

using nlohmann::json;

/// Returns the spectrum in closed form, or estimated from frequencies that are free parameters; null for models without
/// frequencies.
std::shared_ptr<const Spectrum> spectrum_of(const Member& member, const NamedValues& values, Index inputs) {
  if (view_of(member.recipe).trees != TreeInputs::none) return nullptr;  // its columns are not the inputs
  if (auto learned = learned_spectrum(values, inputs, member.recipe.kernel.nu)) return learned;
  if (!member.prior.map()) return nullptr;
  const FrequencyRows frequencies =
      member.prior.map()->frequencies(member.theta.head(member.prior.parameters().size()));
  const auto scales = values.find(member.recipe.model + ".log_lengthscale");
  if (frequencies.rows.rows() == 0 || scales == values.end()) return nullptr;
  const auto& logs = scales->second;
  Vector lengthscale(inputs);
  for (Index j = 0; j < inputs; ++j)
    lengthscale[j] = std::exp(logs.size() == 1 ? logs.front() : logs[static_cast<std::size_t>(j)]);
  return sampled_spectrum(frequencies.rows, frequencies.shares, lengthscale);
}

/// Returns the numbers of a list, NaN for others, and at most so many.
std::vector<double> finite_numbers(const json& list, Index most = std::numeric_limits<Index>::max()) {
  std::vector<double> values;
  for (const json& value : list)
    if (static_cast<Index>(values.size()) < most)
      values.push_back(value.is_number() ? value.get<double>() : std::nan(""));
  return values;
}

/// Returns standard deviations in target units: of the components of the function, and of the noise.
std::vector<std::pair<std::string, double>> amplitudes_of(const json& description, double noise_sd, double scale) {
  std::vector<std::pair<std::string, double>> amplitudes;
  const json components = description.value("components", json::array());
  for (std::size_t q = 0; q < components.size(); ++q)
    amplitudes.emplace_back(std::to_string(q), components[q].value("amplitude", 0.0) * scale);
  if (components.empty()) amplitudes.emplace_back("0", description.value("amplitude", 0.0) * scale);
  amplitudes.emplace_back("noise", noise_sd);
  return amplitudes;
}

/// Returns the name of the fit, numbered if it is not unique.
std::string label_of(const std::vector<FitInspection>& fits, std::size_t k) {
  const auto alike = std::count_if(fits.begin(), fits.end(), [&](const auto& fit) { return fit.name == fits[k].name; });
  return alike > 1 ? fmt::format("{} (fit {})", fits[k].name, k) : fits[k].name;
}

RunResult empty_result(const FittedModel& model, const std::string& label) {
  RunResult result;
  result.dataset = model.schema.target_name();
  result.label = label;
  result.done = true;
  return result;
}

RunResult fit_result(const FittedModel& model, const std::vector<FitInspection>& fits, std::size_t k) {
  const FitInspection& fit = fits[k];
  RunResult result = empty_result(model, label_of(fits, k));
  // Codes of levels, the last inputs, have neither a relevance nor a spectrum.
  result.inputs = model.standardizer.smooth_count();
  result.input_names = model.schema.input_names();
  if (result.input_names.size() > static_cast<std::size_t>(result.inputs))
    result.input_names.resize(static_cast<std::size_t>(result.inputs));
  const json description = to_json(fit.description);
  result.fits = {{result.label, finite_numbers(fit.summary.value("trace", json::array())),
                  finite_numbers(description.value("relevance", json::array()), result.inputs),
                  spectrum_of(fit.member, fit.parameters, result.inputs),
                  amplitudes_of(description, fit.noise_sd.value_or(0), model.standardizer.target_scale())}};
  return result;
}

void add_predictions(const PredictedRows& rows, const Metrics& scores, RunResult& result) {
  const Vector mean = rows.predicted.mean(), sd = rows.predicted.variance().array().sqrt();
  result.test_rows = rows.predicted.rows();
  result.target = rows.target;
  result.mean = {mean.data(), mean.data() + mean.size()};
  result.sd = {sd.data(), sd.data() + sd.size()};
  if (!rows.predicted.transform().is_identity()) {
    constexpr double kTail = 0.025;
    const Vector lower = rows.predicted.quantile(kTail), upper = rows.predicted.quantile(1 - kTail);
    result.lower = {lower.data(), lower.data() + lower.size()};
    result.upper = {upper.data(), upper.data() + upper.size()};
  }
  result.coverage = {{50, scores.coverage50}, {90, scores.coverage90}, {95, scores.coverage95}};
}

ReportCell number_cell(const json& value) {
  if (!value.is_number()) return {"–"};
  if (value.is_number_integer()) return {value.dump(), false, value.get<double>()};
  return {fmt::format("{:.4g}", value.get<double>()), false, value.get<double>()};
}

template <class Value>
ReportCell number_cell(const std::optional<Value>& value) {
  return number_cell(value ? json(*value) : json());
}

/// Adds the entries of a record, which may lack some.
void add_numbers(const json& record, std::initializer_list<const char*> keys, std::vector<ReportCell>& row) {
  for (const char* key : keys) row.push_back(number_cell(record.value(key, json())));
}

ReportTable fit_table(const std::vector<FitInspection>& fits) {
  ReportTable table{"fits",
                    "Fits",
                    "The mixture of these predicts, with weights whose mean is 1. The noise is a standard deviation in "
                    "the unit of the target, after its transform if it has one; the evidence is of the standardised "
                    "target.",
                    {"Fit", "Stopped by", "Features", "Weight", "Log evidence", "Noise", "Iterations", "Jitter"},
                    2};
  for (std::size_t k = 0; k < fits.size(); ++k) {
    const json& summary = fits[k].summary;
    table.rows.push_back({{label_of(fits, k)},
                          {summary.value("stop", "–")},
                          number_cell(fits[k].features),
                          number_cell(fits[k].weight)});
    add_numbers(summary, {"log_evidence"}, table.rows.back());
    table.rows.back().push_back(number_cell(fits[k].noise_sd));
    add_numbers(summary, {"iterations", "jitter"}, table.rows.back());
  }
  return table;
}

ReportTable input_table(const std::vector<InputRelevance>& inputs, Index max_inputs) {
  ReportTable table{"inputs",
                    "Inputs by relevance",
                    "Root mean square frequency of the learned spectra along each input, in radians per unit of the "
                    "scaled input; the length-scale, its inverse, is in the input's own unit.",
                    {"Input", "Relevance", "Length-scale"},
                    1};
  for (const InputRelevance& input : inputs)
    if (static_cast<Index>(table.rows.size()) < max_inputs)
      table.rows.push_back({{input.name}, number_cell(json(input.relevance)), number_cell(input.lengthscale)});
  if (inputs.size() > table.rows.size())
    table.notes.push_back(fmt::format("And {} less relevant.", inputs.size() - table.rows.size()));
  return table;
}

ReportTable season_table(const std::vector<SeasonRecord>& seasons) {
  ReportTable table{"seasons",
                    "Seasons",
                    "Sinusoids that the training rows hold along one input, found before any fit: the period is in the "
                    "input's own unit, the share of the target's variance in per cent.",
                    {"Input", "Period", "Share"},
                    1};
  for (const SeasonRecord& season : seasons)
    table.rows.push_back({{season.input}, number_cell(json(season.period)), number_cell(json(100 * season.share))});
  return table;
}

ReportTable score_table(bool of_classes) {
  if (of_classes)
    return {"scores",
            "Scores",
            "Share of right classes, mean of -log p of the own class (nats), Brier score (0 to 2) and expected "
            "calibration error.",
            {"Rows", "n", "Accuracy", "Log loss", "Brier", "ECE"}};
  return {"scores",
          "Scores",
          "RMSE, R², mean negative log predictive density (NLPD) and CRPS, in the unit of the target; shares of rows "
          "inside the central intervals in per cent.",
          {"Rows", "n", "RMSE", "R²", "NLPD", "CRPS", "In 50 %", "In 90 %", "In 95 %"}};
}

/// Adds a line of scores, or none if there are none. `scores`: the record of the training, or of rows.
void add_scores(const char* rows, const json& scores, TargetKind target, bool variance, ReportTable& table) {
  if (!scores.is_object() || target == TargetKind::counts) return;
  std::vector<ReportCell>& row = table.rows.emplace_back(1, ReportCell{rows});
  if (target == TargetKind::classes) return add_numbers(scores, {"n", "accuracy", "log_loss", "brier", "ece"}, row);
  add_numbers(scores, {"n", "rmse", "r2"}, row);
  const json intervals = variance ? scores : json::object();
  add_numbers(intervals, {"nlpd", "crps"}, row);
  const json coverage = intervals.value("coverage", json::object());
  json percent = json::object();
  for (const auto& [level, share] : coverage.items())
    if (share.is_number()) percent[level] = 100 * share.get<double>();
  add_numbers(percent, {"50", "90", "95"}, row);
}

const char* const kOwnRows = "Rows of --data";
constexpr std::size_t kMaxConfusionColumns = 20, kMaxConfusions = 20;

ReportTable confusion_matrix(const ClassMetrics& metrics, const std::vector<std::string>& names) {
  ReportTable table{
      "confusion", "Confusion", "Rows of each class (down) by the class that is predicted (across).", {"Class"}, 1};
  table.columns.insert(table.columns.end(), names.begin(), names.end());
  for (std::size_t k = 0; k < names.size(); ++k) {
    table.rows.push_back({{names[k]}});
    for (std::size_t j = 0; j < names.size(); ++j) {
      table.rows.back().push_back(number_cell(metrics.confusion[k][j]));
      table.rows.back().back().strong = j == k;
    }
  }
  return table;
}

/// Lists, for many classes, the pairs most often confused.
ReportTable confusion_list(const ClassMetrics& metrics, const std::vector<std::string>& names) {
  std::vector<std::tuple<Index, std::string, std::string>> pairs;  // rows, true class, predicted class
  for (std::size_t k = 0; k < names.size(); ++k)
    for (std::size_t j = 0; j < names.size(); ++j)
      if (j != k && metrics.confusion[k][j] > 0) pairs.emplace_back(metrics.confusion[k][j], names[k], names[j]);
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& a, const auto& b) { return std::get<Index>(a) > std::get<Index>(b); });
  ReportTable table{"confusion",
                    "Confusions",
                    "The classes that are taken for one another most often.",
                    {"Class", "Predicted", "Rows"},
                    2};
  for (const auto& [rows, own, predicted] : pairs)
    if (table.rows.size() < kMaxConfusions) table.rows.push_back({{own}, {predicted}, number_cell(json(rows))});
  if (pairs.size() > table.rows.size())
    table.notes.push_back(fmt::format("And {} other pairs.", pairs.size() - table.rows.size()));
  return table;
}

ReportTable confusion_table(const ClassMetrics& metrics, const std::vector<std::string>& names) {
  return names.size() > kMaxConfusionColumns ? confusion_list(metrics, names) : confusion_matrix(metrics, names);
}

/// Returns a result per fit, and the scores and predictions of rows, which belong to all fits together.
ResultSet model_results(const FittedModel& model, const std::vector<FitInspection>& fits,
                        const std::optional<PredictedRows>& rows, ReportTable& scores) {
  ResultSet results;
  for (std::size_t k = 0; k < fits.size(); ++k) results.runs.push_back(fit_result(model, fits, k));
  if (rows) {
    const Metrics metrics =
        score(rows->predicted, Eigen::Map<const Vector>(rows->target.data(), rows->predicted.rows()));
    add_scores(kOwnRows, to_json(metrics), TargetKind::numbers, model.has_variance(), scores);
    if (fits.size() > 1) results.runs.push_back(empty_result(model, "all fits together"));
    if (model.has_variance())
      add_predictions(*rows, metrics, results.runs.back());
    else
      scores.notes.push_back("The model was saved with --mean-only: it has no intervals.");
  }
  for (const RunResult& result : results.runs) results.labels.push_back(result.label);
  return results;
}

/// Lists what became of each column of the training table; without rows if all are plain numbers.
ReportTable column_table(const Schema& schema) {
  ReportTable table{
      "columns",
      "Columns",
      "What became of each column of the training table; the last two are its rows without a value and the "
      "values of a category.",
      {"Column", "Kind", "Encoding", "Remark", "Missing", "Levels"},
      4};
  const std::vector<ColumnSummary> columns =
      schema.is_sparse() ? std::vector<ColumnSummary>() : column_summaries(schema);
  if (std::all_of(columns.begin(), columns.end(), [](const ColumnSummary& column) { return column.is_plain(); }))
    return table;
  for (const ColumnSummary& column : columns)
    table.rows.push_back({{column.column},
                          {column.kind},
                          {column.encoding},
                          {column.remark},
                          number_cell(json(column.missing)),
                          column.levels > 0 ? number_cell(json(column.levels)) : ReportCell{""}});
  return table;
}

}  // namespace

Report model_page(const FittedModel& model, const std::string& name, const PageData& data, Index max_inputs) {
  const Inspection inspection = inspect(model);
  const TargetKind target = model.target();
  Report page;
  page.tables = {score_table(target == TargetKind::classes)};
  add_scores("Training rows, each left out", inspection.training.value("leave_one_out", json()), target, true,
             page.tables.front());
  std::vector<FitInspection> fits;
  for (const FitInspection& fit : inspection.fits)
    if (!is_further_sample(fit.member)) fits.push_back(fit);
  const ResultSet results = model_results(model, fits, data.rows, page.tables.front());
  page.charts = make_charts(results, summarise(results, nullptr), true);
  if (data.classes) {
    add_scores(kOwnRows, to_json(*data.classes, {}), target, true, page.tables.front());
    if (!data.classes->probabilities)
      page.tables.front().notes.emplace_back("Decision values are no probabilities, so three scores are missing.");
    page.tables.push_back(confusion_table(*data.classes, model.schema.classes()));
    Chart reliability = make_reliability_chart(*data.classes);
    if (!reliability.panels.empty()) page.charts.insert(page.charts.begin(), std::move(reliability));
  }
  page.tables.push_back(fit_table(fits));
  page.tables.push_back(input_table(inspection.inputs, max_inputs));
  page.tables.push_back(season_table(model.training.seasons));
  page.tables.push_back(column_table(model.schema));
  page.title = "Model " + name;
  page.description = fmt::format("{}: {} fit{}, target {}, {} inputs.", model.recipe.model, fits.size(),
                                 fits.size() == 1 ? "" : "s", model.schema.target_name(), model.schema.input_count());
  std::erase_if(page.tables, [](const ReportTable& table) { return table.rows.empty(); });
  return page;
}

}  // namespace alacarte
