#include "report/report.hpp"

#include <fmt/format.h>

#include "core/spelling.hpp"
#include "summary.hpp"

namespace alacarte {
namespace {

constexpr std::size_t kInputWidth = 24, kChangeBar = 30;

std::string plus_minus(const Estimate& estimate, bool variances) {
  return variances ? fmt::format("{:.4g} +- {:.2g}", estimate.mean, estimate.sd) : fmt::format("{:.4g}", estimate.mean);
}

/// Draws `value` as a share of `largest` in characters.
std::string text_bar(double value, double largest) {
  if (!(largest > 0)) return "";
  return std::string(static_cast<std::size_t>(std::lround(kChangeBar * std::clamp(value / largest, 0.0, 1.0))), '#');
}

/// Returns the indices of the largest absolute mean.
std::pair<Index, Index> largest_at(const Interaction& own) {
  Index i = 0, j = 0;
  own.mean.cwiseAbs().maxCoeff(&i, &j);
  return {i, j};
}

/// Returns the inputs by decreasing absolute Shapley value.
std::vector<std::size_t> shapley_order(const ShapleyValues& own) {
  std::vector<double> sizes;
  for (const Estimate& one : own.shapley) sizes.push_back(std::abs(one.mean));
  return order_of(sizes, true);
}

void add_importance_text(const Explanation& all, std::string& text) {
  if (!all.importance) {
    text += "\nimportance: the rows have no target\n";
    return;
  }
  const PermutationImportance& own = *all.importance;
  text += fmt::format("\nimportance: increase of the RMSE ({:.4g} over {} rows) when an input is permuted, {} times\n",
                      own.rmse, all.importance_rows, all.repeats);
  for (std::size_t j = 0; j < own.inputs.size(); ++j) {
    const auto at = static_cast<Index>(j);
    text += fmt::format("  {:<{}} {:>10.4g} +- {:<8.2g} {}\n", one_line(own.inputs[j].name), kInputWidth,
                        own.increase[at], own.standard_error[at], text_bar(own.increase[at], own.increase[0]));
  }
}

void add_dependence_text(const Explanation& all, std::string& text) {
  if (all.partial_dependence.empty()) return;
  text += fmt::format("\npartial dependence: mean of f over {} rows with the input set\n", all.background);
  for (const PartialDependence& own : all.partial_dependence) {
    text += fmt::format("  {:<{}} changes f by {:.4g} (standard deviation)\n", one_line(own.input.name), kInputWidth,
                        own.spread);
    const std::size_t count = own.values.size(), step = std::max<std::size_t>(1, (count + 3) / 5);
    for (std::size_t k = 0; k < count; k += own.input.categories.empty() ? step : 1)
      text += fmt::format("    at {:<{}} {}\n", one_line(own.values[k].label), kInputWidth - 5,
                          plus_minus(own.f[k], all.variances));
  }
}

void add_interaction_text(const Explanation& all, std::string& text) {
  if (all.interactions.empty()) return;
  text += "\ninteractions: what two inputs do together beyond what each does alone\n";
  for (const Interaction& own : all.interactions) {
    const auto [i, j] = largest_at(own);
    text += fmt::format("  {:<{}} {:>10.4g} (root mean square); {} at {}, {}\n",
                        one_line(own.first.name + " x " + own.second.name), kInputWidth, own.strength,
                        plus_minus({own.mean(i, j), own.sd(i, j)}, all.variances),
                        one_line(own.first_values[static_cast<std::size_t>(i)].label),
                        one_line(own.second_values[static_cast<std::size_t>(j)].label));
  }
}

void add_shapley_text(const Explanation& all, std::string& text) {
  if (!all.shapley) return;
  const ShapleyValues& own = *all.shapley;
  text += fmt::format("\nShapley values of row {}, by sampling ({} orders): prediction {:.6g}, average {:.6g}\n",
                      all.row, own.orders, own.prediction, own.average);
  for (const std::size_t j : shapley_order(own)) {
    const std::string error =
        own.sampling_error ? fmt::format(" (sampling {:.2g})", (*own.sampling_error)[static_cast<Index>(j)]) : "";
    text += fmt::format("  {:<{}} {}{}\n", one_line(fmt::format("{} = {}", own.inputs[j].name, own.values[j].label)),
                        kInputWidth, plus_minus(own.shapley[j], all.variances), error);
  }
}

ReportCell number_text(double value, int digits = 4) { return {fmt::format("{:.{}g}", value, digits), false, value}; }

ReportTable importance_table(const Explanation& all) {
  ReportTable table{
      "importance", "Importance by permutation", "", {"Input", "Increase of the RMSE", "Standard error"}, 1};
  if (!all.importance) return table;
  table.caption = fmt::format(
      "How much larger the root mean squared error, {:.4g} over {} rows, becomes when the input is permuted among "
      "them; "
      "the mean of {} permutations.",
      all.importance->rmse, all.importance_rows, all.repeats);
  for (std::size_t j = 0; j < all.importance->inputs.size(); ++j)
    table.rows.push_back({{all.importance->inputs[j].name},
                          number_text(all.importance->increase[static_cast<Index>(j)]),
                          number_text(all.importance->standard_error[static_cast<Index>(j)], 2)});
  return table;
}

ReportTable interaction_table(const Explanation& all) {
  ReportTable table{
      "interactions",
      "Interactions",
      "What two inputs do together beyond what each does alone: root mean square over values of both, and "
      "the largest with its standard deviation, in the unit of the target.",
      {"First input", "Second input", "Strength", "Largest", "Standard deviation"},
      2};
  for (const Interaction& own : all.interactions) {
    const auto [i, j] = largest_at(own);
    table.rows.push_back({{own.first.name},
                          {own.second.name},
                          number_text(own.strength),
                          number_text(own.mean(i, j)),
                          all.variances ? number_text(own.sd(i, j), 2) : ReportCell{"–"}});
  }
  return table;
}

ReportTable shapley_table(const Explanation& all) {
  ReportTable table{
      "shapley", "Shapley values", "", {"Input", "Value", "Shapley value", "Standard deviation", "Sampling error"}, 2};
  if (!all.shapley) return table;
  const ShapleyValues& own = *all.shapley;
  table.caption = fmt::format(
      "Row {}: prediction {:.6g}, average {:.6g} over {} rows; the values add up to the difference. By sampling, {} "
      "orders of the inputs.",
      all.row, own.prediction, own.average, all.background, own.orders);
  for (const std::size_t j : shapley_order(own))
    table.rows.push_back(
        {{own.inputs[j].name},
         {own.values[j].label},
         number_text(own.shapley[j].mean),
         all.variances ? number_text(own.shapley[j].sd, 2) : ReportCell{"–"},
         own.sampling_error ? number_text((*own.sampling_error)[static_cast<Index>(j)], 2) : ReportCell{"–"}});
  return table;
}

Chart dependence_chart(const Explanation& all) {
  Chart chart{.name = "partial-dependence",
              .title = "Partial dependence",
              .description = fmt::format(
                  "Mean of f over {} rows with one input set to each value, with twice its standard deviation.",
                  all.background),
              .x = {"Value of the input"},
              .y = {all.target},
              .choices = {"Input"}};
  for (const PartialDependence& own : all.partial_dependence) {
    Panel panel{{own.input.name}};
    const bool number = own.input.categories.empty();
    Series line{number ? Mark::line_and_points : Mark::points, "mean of f"},
        band{number ? Mark::band : Mark::error_bars};
    for (std::size_t k = 0; k < own.values.size(); ++k) {
      const double x = number ? own.values[k].number : static_cast<double>(k);
      if (!number) panel.x_categories.push_back(own.values[k].label);
      line.x.push_back(x);
      line.y.push_back(own.f[k].mean);
      band.x.push_back(x);
      band.low.push_back(own.f[k].mean - 2 * own.f[k].sd);
      band.high.push_back(own.f[k].mean + 2 * own.f[k].sd);
    }
    if (all.variances) panel.series.push_back(std::move(band));
    panel.series.push_back(std::move(line));
    panel.in_static_svg = chart.panels.size() < max_static_panels;
    chart.panels.push_back(std::move(panel));
  }
  return chart;
}

/// Draws one bar per input.
Chart bar_chart(Chart chart, const std::vector<std::pair<std::string, double>>& bars) {
  if (bars.empty()) return chart;
  Panel panel;
  Series series{Mark::bars, chart.y.title};
  for (const auto& [name, value] : bars) {
    series.x.push_back(static_cast<double>(panel.x_categories.size()));
    series.y.push_back(value);
    panel.x_categories.push_back(name);
  }
  panel.series.push_back(std::move(series));
  chart.panels.push_back(std::move(panel));
  return chart;
}

Chart importance_chart(const Explanation& all) {
  std::vector<std::pair<std::string, double>> bars;
  for (std::size_t j = 0; all.importance && j < all.importance->inputs.size(); ++j)
    bars.emplace_back(all.importance->inputs[j].name, all.importance->increase[static_cast<Index>(j)]);
  return bar_chart({.name = "importance",
                    .title = "Importance by permutation",
                    .description = "Increase of the root mean squared error when an input is permuted.",
                    .x = {"Input"},
                    .y = {"Increase of the RMSE", 0, true}},
                   bars);
}

Chart shapley_chart(const Explanation& all) {
  std::vector<std::pair<std::string, double>> bars;
  if (all.shapley)
    for (const std::size_t j : shapley_order(*all.shapley))
      bars.emplace_back(fmt::format("{} = {}", all.shapley->inputs[j].name, all.shapley->values[j].label),
                        all.shapley->shapley[j].mean);
  return bar_chart({.name = "shapley",
                    .title = fmt::format("Shapley values of row {}", all.row),
                    .description = "What each input adds to the average prediction, by sampling.",
                    .x = {"Input"},
                    .y = {"Shapley value", 0, true}},
                   bars);
}

}  // namespace

namespace {

std::string unit_text(const Explanation& explanation) {
  return explanation.transform.empty()
             ? "in the unit of the target"
             : fmt::format("of the target after its transform ({}), except the RMSE", explanation.transform);
}

}  // namespace

std::string explanation_text(const Explanation& explanation) {
  std::string text = fmt::format("target {}, {} rows; all {}\n", one_line(explanation.target), explanation.rows,
                                 unit_text(explanation));
  add_importance_text(explanation, text);
  add_dependence_text(explanation, text);
  add_interaction_text(explanation, text);
  add_shapley_text(explanation, text);
  return text;
}

Report explanation_page(const Explanation& explanation, const std::string& name) {
  Report page;
  page.title = "Explanation of " + name;
  page.description = fmt::format("Target {}, {} rows; all numbers are {}.", explanation.target, explanation.rows,
                                 unit_text(explanation));
  page.tables = {importance_table(explanation), interaction_table(explanation), shapley_table(explanation)};
  std::erase_if(page.tables, [](const ReportTable& table) { return table.rows.empty(); });
  page.charts = {dependence_chart(explanation), importance_chart(explanation), shapley_chart(explanation)};
  std::erase_if(page.charts, [](const Chart& chart) { return chart.panels.empty(); });
  return page;
}

}  // namespace alacarte
