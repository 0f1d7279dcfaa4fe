// The text of an inspection for a terminal.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>

#include "alacarte/model/update.hpp"
#include "app/coefficients.hpp"
#include "app/quantities.hpp"
#include "core/spelling.hpp"
#include "inspection.hpp"
#include "io/documents.hpp"
#include "model/fit_inputs.hpp"
#include "model/season_records.hpp"
#include "report/columns.hpp"

namespace alacarte {
namespace {

using nlohmann::json;

constexpr std::size_t kBarWidth = 30, kNameWidth = 24, kMaxNumbers = 8;

/// Formats a scalar or a list as short text; empty if it does not fit a line.
std::string brief(const json& value) {
  if (value.is_string()) return one_line(value.get<std::string>());
  if (value.is_number_float()) return fmt::format("{:.4g}", value.get<double>());
  if (value.is_primitive()) return value.dump();
  std::vector<std::string> parts;
  for (const auto& [key, entry] : value.items()) {
    if (value.is_array() && parts.size() == kMaxNumbers) {
      parts.push_back(fmt::format(".. ({} in all)", value.size()));
      break;
    }
    parts.push_back(value.is_object() ? key + ' ' + brief(entry) : brief(entry));
  }
  return value.is_object() ? fmt::format("{}", fmt::join(parts, ", ")) : fmt::format("[{}]", fmt::join(parts, " "));
}

template <class... Values>
void add_line(std::string& text, const std::string& name, fmt::format_string<Values...> format, Values&&... values) {
  text += fmt::format("{:<16} {}\n", name, fmt::format(format, std::forward<Values>(values)...));
}

/// Returns an entry of a record that may lack it.
double number(const json& record, const char* key, double otherwise = 0) {
  const auto found = record.find(key);
  return found != record.end() && found->is_number() ? found->get<double>() : otherwise;
}
std::string word(const json& record, const char* key, const json& otherwise = "?") {
  return brief(record.value(key, otherwise));
}

void add_inputs(std::string& text, const std::vector<InputRelevance>& inputs, Index max_inputs) {
  if (inputs.empty()) return;
  const double largest = std::max(inputs.front().relevance, 1e-300);
  const bool has_lengthscales = std::any_of(inputs.begin(), inputs.end(),
                                            [](const InputRelevance& input) { return input.lengthscale.has_value(); });
  const auto column = [&](const std::string& cell) { return has_lengthscales ? fmt::format(" {:>13}", cell) : ""; };
  text += fmt::format("  {:<{}} {:>10}{}\n", "input", kNameWidth, "relevance", column("length-scale"));
  const auto shown = std::min(inputs.size(), static_cast<std::size_t>(max_inputs));
  for (std::size_t k = 0; k < shown; ++k) {
    const InputRelevance& input = inputs[k];
    const auto bar = static_cast<std::size_t>(std::lround(kBarWidth * std::clamp(input.relevance / largest, 0.0, 1.0)));
    const std::string lengthscale = input.lengthscale ? fmt::format("{:.4g}", *input.lengthscale) : "-";
    text += fmt::format("  {:<{}} {:>10.4g}{}  {}\n", one_line(input.name), kNameWidth, input.relevance,
                        column(lengthscale), std::string(bar, '#'));
  }
  if (shown < inputs.size()) text += fmt::format("  .. and {} less relevant\n", inputs.size() - shown);
}

/// Adds each component's share of the prior variance (squared amplitudes). The terms of a sum have their own
/// components, on lines below theirs.
void add_components(std::string& text, const json& components, const std::string& indent) {
  double total = 0;
  for (const json& component : components)
    if (component.is_object()) total += std::pow(number(component, "amplitude"), 2);
  for (std::size_t q = 0; q < components.size(); ++q) {
    std::string line = fmt::format("{}component {}:", indent, q);
    json component = components[q], parts = json::array();
    if (component.is_object() && total > 0 && component.contains("amplitude")) {
      const double amplitude = number(component, "amplitude");
      line +=
          fmt::format(" {:.1f} % of the variance (amplitude {:.4g});", 100 * amplitude * amplitude / total, amplitude);
      component.erase("amplitude");
    }
    if (component.is_object()) parts = component.value("components", parts);
    if (!parts.empty()) component.erase("components");
    text += line + ' ' + brief(component) + '\n';
    if (!parts.empty()) add_components(text, parts, indent + "  ");
  }
}

/// Adds the record of the training; its leave-one-out scores show how well the error bars are calibrated.
void add_training(std::string& text, const json& training, const TrainingRecord& record) {
  for (const auto& [key, value] : training.items())
    if (key != "leave_one_out" && key != "target" && key != "notes" && key != "updates" && key != "seasons")
      add_line(text, key == "classes" ? "rows of each" : key, "{}", brief(value));
  for (const SeasonRecord& season : record.seasons) add_line(text, "season", "{}", season_text(season));
  for (const json& note : training.value("notes", json::array())) add_line(text, "note", "{}", brief(note));
  if (const std::string last = update_text(record); !last.empty())
    add_line(text, "updates", "{}; of the last {} rows, {}", training["updates"].size(),
             brief(training["updates"].back().value("rows", json())), last);
  const json scores = training.value("leave_one_out", json());
  if (!scores.is_object()) return;
  using Words = std::vector<std::pair<const char*, const char*>>;      // words in the text, keys in the record
  Words words = {{"rmse", "rmse"}, {"mae", "mae"}, {"nlpd", "nlpd"}};  // for counts
  if (scores.contains("log_loss"))
    words = {{"accuracy", "accuracy"}, {"log loss", "log_loss"}, {"Brier", "brier"}, {"ECE", "ece"}};
  else if (scores.contains("coverage"))
    words = {{"rmse", "rmse"}, {"r2", "r2"}, {"nlpd", "nlpd"}, {"crps", "crps"}};
  std::vector<std::string> parts;
  for (const auto& [name, key] : words)
    parts.push_back(scores.value(key, json()).is_number() ? fmt::format("{} {:.4g}", name, number(scores, key))
                                                          : fmt::format("{} unknown", name));
  add_line(text, "leave-one-out", "{} over the training rows", fmt::join(parts, ", "));
  if (!scores.contains("coverage")) return;
  parts.clear();
  const json coverage = scores.value("coverage", json::object());
  for (const auto& [level, share] : coverage.items())
    parts.push_back(fmt::format("{} % intervals hold {:.1f} %", level, 100 * number(coverage, level.c_str())));
  add_line(text, "calibration", "{}", fmt::join(parts, ", "));
}

void add_starts(std::string& text, const json& summary) {
  std::vector<double> values;
  for (const json& value : summary.value("start_objectives", json::array()))
    if (value.is_number()) values.push_back(value.get<double>());
  if (values.empty()) return;
  const auto [minimum, maximum] = std::minmax_element(values.begin(), values.end());
  add_line(text, "  starts", "{} probed, objective {:.6g} to {:.6g} (spread {:.3g}), start {} continued", values.size(),
           *minimum, *maximum, *maximum - *minimum, summary.value("best_start", 0));
}

/// Adds cross-validation errors, a line per scale.
void add_errors(std::string& text, const json& tried) {
  std::map<double, std::string> lines;
  for (const json& one : tried)
    lines[number(one, "scale", 1)] += fmt::format(" C {:g}: {:.2f} %", number(one, "cost"), 100 * number(one, "error"));
  for (const auto& [scale, line] : lines) add_line(text, fmt::format("  errors, {:g}", scale), "{}", line.substr(1));
}

/// Adds the record of the learners svm and logistic.
void add_classifier(std::string& text, const json& summary) {
  add_line(text, "  learner", "{} by {}, class weights {}", brief(summary["learner"]), word(summary, "solver"),
           word(summary, "class_weights"));
  add_line(text, "  cost", "C {:g}", number(summary, "cost"));
  if (summary.contains("scale"))
    add_line(text, "  scale", "length-scale {:g} of the median distance", number(summary, "scale"));
  const json tried = summary.value("cross_validation", json::array());
  if (summary.contains("search")) {
    add_line(text, "  search", "on {} rows, of each class its share", word(summary, "search_rows", 0));
    add_errors(text, summary["search"]);
    add_line(text, "  then", "on all rows");
  }
  add_errors(text, tried);
  if (!tried.empty())
    add_line(text, "  chosen", "{:.2f} % wrong in cross-validation of {} folds",
             100 * number(summary, "cross_validation_error"), word(summary, "folds", 0));
  add_line(text, "  training", "{:.2f} % of the training rows wrong, in {}; {}",
           100 * number(summary, "training_error"), format_seconds(number(summary, "seconds")), word(summary, "stop"));
}

void add_evidence(std::string& text, const json& summary) {
  const bool has_gradient = summary.contains("gradient_norm") && summary["gradient_norm"].is_number();
  // A model that has forgotten rows has no evidence.
  const bool has_evidence = summary.contains("log_evidence") && summary["log_evidence"].is_number();
  add_line(text, "  log evidence", "{} (training: objective with priors {:.6g}{})",
           has_evidence ? fmt::format("{:.6g}", number(summary, "log_evidence")) : "none", number(summary, "objective"),
           has_gradient ? fmt::format(", |gradient| {:.2e}", number(summary, "gradient_norm")) : "");
  add_line(text, "  training", "{} iterations, {} evaluations ({} failed, {} restarts) in {}; stopped by {}",
           word(summary, "iterations", 0), word(summary, "evaluations", 0), word(summary, "failed_evaluations", 0),
           word(summary, "restarts", 0), format_seconds(number(summary, "seconds")), word(summary, "stop"));
  add_starts(text, summary);
  const json at_bound = summary.value("at_bound", json::array());
  add_line(text, "  at a bound", "{}", at_bound.empty() ? "none" : brief(at_bound));
  add_line(text, "  jitter", "{:g}", number(summary, "jitter"));
}

/// Adds the learned parameters of the likelihood besides the noise scale.
void add_likelihood(std::string& text, const Member& member) {
  const Vector& theta = member.likelihood_theta;
  if (theta.size() == 2)
    add_line(text, "  likelihood", "{}, {:.3g} degrees of freedom", member.recipe.likelihood, 2 + std::exp(theta[1]));
  if (theta.size() == 1)
    add_line(text, "  likelihood", "{}, dispersion {:.3g}", member.recipe.likelihood, std::exp(theta[0]));
}

/// Adds a line of periods for each input that has some.
void add_periods(std::string& text, const std::vector<InputRelevance>& inputs, Index max_inputs) {
  Index shown = 0;
  for (const InputRelevance& input : inputs) {
    if (input.periods.empty() || ++shown > max_inputs) continue;
    std::vector<std::string> numbers;
    for (const double period : input.periods) numbers.push_back(fmt::format("{:.4g}", period));
    add_line(text, "  period", "{} of {}, in its own unit", fmt::join(numbers, ", "), one_line(input.name));
  }
}

/// Returns a description without the periods, of its terms either, which have lines of their own.
KernelDescription without_periods(KernelDescription description) {
  description.period = {};
  for (KernelDescription& term : description.terms) term = without_periods(std::move(term));
  return description;
}

void add_fit(std::string& text, const FitInspection& fit, std::size_t k, Index max_inputs, bool alone, bool knows_noise,
             const std::string& after) {
  text += fmt::format("\nfit {}: {}{}; numbers in scaled units unless said otherwise\n", k, one_line(fit.name),
                      fit.features ? fmt::format(", {} features", *fit.features) : "");
  if (!alone) add_line(text, "  weight", "{:.3g} (equal weights are 1)", fit.weight);
  if (const FitView view = view_of(fit.member.recipe); !view.is_plain())
    add_line(text, "  inputs", "{}{}", view.trees == TreeInputs::none ? "through " : "", text_of(view));
  if (fit.noise_sd && knows_noise)
    add_line(text, "  noise sd", "{:.4g} times that of the row, which is known", *fit.noise_sd);
  else if (fit.noise_sd)
    add_line(text, "  noise sd", "{:.4g} in units of the target{} ({:.3g} of its scale)", *fit.noise_sd, after,
             fit.noise_sd_standardised);
  add_likelihood(text, fit.member);
  if (const json samples = fit.summary.value("samples", json()); samples.is_object())
    add_line(text, "  samples", "{} of its hyperparameters, {:.0f} % accepted, {} evaluations in {}; this is the first",
             word(samples, "count", 0), 100 * number(samples, "acceptance"), word(samples, "evaluations", 0),
             format_seconds(number(samples, "seconds")));
  if (!fit.summary.empty()) (fit.summary.contains("learner") ? add_classifier : add_evidence)(text, fit.summary);
  // Variances are shares of the variance of f over the training rows.
  for (const json& term : fit.summary.value("terms", json::array()))
    add_line(text, "  term", "{}: {:.1f} % of the variance a priori, {:.1f} % in the posterior",
             one_line(term.value("model", "?")), 100 * number(term, "prior_share"),
             100 * number(term, "posterior_share"));
  for (const RandomEffect& effect : fit.effects)
    add_line(text, "  effect", "{}: {} levels, sd {:.4g} in units of the target", one_line(effect.name), effect.levels,
             effect.sd);
  const auto has_periods = [](const InputRelevance& input) { return !input.periods.empty(); };
  const bool are_listed = std::any_of(fit.inputs.begin(), fit.inputs.end(), has_periods);
  const json description = to_json(are_listed ? without_periods(fit.description) : fit.description);
  for (const auto& [key, value] : description.items())
    if (key != "relevance" && key != "components") add_line(text, "  " + key, "{}", brief(value));
  if (const json components = description.value("components", json()); components.is_array())
    add_components(text, components, "  ");
  add_periods(text, fit.inputs, max_inputs);
  if (!alone) add_inputs(text, fit.inputs, max_inputs);
}

}  // namespace

std::string inspection_text(const Inspection& inspection, Index max_inputs) {
  const FittedModel& model = inspection.model;
  const auto is_fit = [](const FitInspection& fit) { return !is_further_sample(fit.member); };
  const auto count = std::count_if(inspection.fits.begin(), inspection.fits.end(), is_fit);
  const bool of_classes = model.target() == TargetKind::classes;
  const TargetTransform& transform = model.standardizer.transform();
  const std::string after = transform.is_identity() ? "" : ", after " + transform.text();
  std::string text;
  add_line(text, "model", "{}, {} fit{}, seed {}{}", model.recipe.model, count, count == 1 ? "" : "s", model.seed,
           model.has_variance() ? "" : ", means only");
  add_line(text, "target", "{}{}", one_line(model.schema.target_name()),
           of_classes ? "" : fmt::format(" (scale {:.4g}{})", model.standardizer.target_scale(), after));
  if (of_classes) add_line(text, "classes", "{}", brief(model.schema.classes()));
  if (model.noise_model)
    add_line(text, "noise", "varies with the inputs: a second function is the logarithm of its factor");
  if (!model.noise_shape.is_gaussian()) add_line(text, "noise", "{}", shape_text(model.noise_shape));
  add_training(text, inspection.training, model.training);
  if (const std::string columns = columns_text(model.schema); !columns.empty()) text += '\n' + columns + '\n';
  if (const auto coefficients = linear_coefficients(model))
    text += '\n' + coefficients_text(*coefficients, model, static_cast<std::size_t>(max_inputs));
  text += fmt::format("\nrelevance{}: how fast the function may change along an input, not how much that matters\n",
                      count == 1 ? "" : ", all fits together");
  add_inputs(text, inspection.inputs, max_inputs);
  for (std::size_t k = 0; k < inspection.fits.size(); ++k)
    if (is_fit(inspection.fits[k]))
      add_fit(text, inspection.fits[k], k, max_inputs, count == 1, model.schema.knows_noise(), after);
  return text;
}

}  // namespace alacarte
