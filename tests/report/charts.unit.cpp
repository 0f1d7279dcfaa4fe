#include "report/charts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "experiment/result_document.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;
using test::result_document;

RunResult scored(const std::string& dataset, const std::string& label, int fold, double rmse) {
  return parse_result(result_document(dataset, label, fold, rmse, rmse - 1));
}

ResultSet three_methods() {
  ResultSet results;
  const double gm[] = {0.2, 0.3, 0.4}, ard[] = {0.5, 0.61, 0.7}, rbf[] = {0.26, 0.25, 0.40};
  for (int fold = 0; fold < 3; ++fold) {
    results.runs.push_back(scored("a", "GM", fold, gm[fold]));
    results.runs.push_back(scored("a", "ARD", fold, ard[fold]));
    results.runs.push_back(scored("a", "RBF", fold, rbf[fold]));
  }
  return results;
}

std::map<std::string, Chart> charts_by_name(const ResultSet& results) {
  std::map<std::string, Chart> charts;
  for (Chart& chart : make_charts(results, summarise(results, nullptr))) charts[chart.name] = chart;
  return charts;
}

/// Returns a series of the first panel.
const Series& series_named(const Chart& chart, const std::string& name) {
  for (const Series& series : chart.panels.at(0).series)
    if (series.name == name) return series;
  throw std::out_of_range(name);
}

TEST(Charts, NumbersAreThoseOfTheSummary) {
  auto charts = charts_by_name(three_methods());
  ASSERT_EQ(charts.size(), 10u);
  // The reference is RBF, with a mean of 0.91 / 3; GM's is 0.3. All times are equal.
  const Series& gm = series_named(charts["accuracy-time"], "GM");
  EXPECT_NEAR(gm.y.at(0), 0.91 / 0.9, 1e-12);
  EXPECT_EQ(gm.x.at(0), 1.0);
  EXPECT_EQ(gm.details.at(0).at(0), 1);
  // With 51 rows at 0.95, P(at most 44) < 0.025 < P(at most 45), and 51 is the upper end.
  const Chart& calibration = charts["calibration"];
  EXPECT_EQ(calibration.panels.at(0).choices, std::vector<std::string>{"All data sets"});
  EXPECT_NEAR(series_named(calibration, "GM").y.at(2), -5, 1e-9);
  EXPECT_EQ(series_named(calibration, "GM").details.at(0).at(2), 51);
  const Series& band = calibration.panels.at(0).series.at(0);
  EXPECT_NEAR(band.low.at(2), 100 * 44 / 51.0 - 95, 1e-9);
  EXPECT_NEAR(band.high.at(2), 5, 1e-9);
  EXPECT_NEAR(charts["predictions"].panels.at(0).series.at(0).low.at(0), 1.1 - 1.96 * 0.2, 1e-12);
  EXPECT_EQ(charts["predictions"].panels.at(0).series.at(2).x.size(), 9u) << "three rows of three folds";
  EXPECT_EQ(series_named(charts["traces"], "RBF").y, (std::vector<double>{9, 4, 3.5}));
  EXPECT_NEAR(charts["relevances"].panels.at(0).series.at(0).details.at(0).at(1), 0.3 / 0.7, 1e-12);
  // Three methods with the same parameters; the fourth input hardly matters.
  EXPECT_EQ(charts["spectra-radial"].panels.at(0).series.size(), 3u);
  const Chart& inputs = charts["spectra-inputs"];
  ASSERT_EQ(inputs.panels.size(), 3u);
  ASSERT_EQ(inputs.panels.at(0).series.size(), 3u);
  EXPECT_EQ(inputs.panels.at(0).series.at(2).name, "3");
  int shown = 0;
  for (const Panel& panel : inputs.panels) {
    shown += panel.in_static_svg;
    EXPECT_EQ(panel.in_static_svg, panel.choices.at(1) == "GM") << "the method of least RMSE";
  }
  EXPECT_EQ(shown, 1);
}

TEST(Charts, CurvesOfSpectraKeepTheirArea) {
  ResultSet results = three_methods();
  // A needle-like hat far below another, as maximum likelihood produces them.
  Json needle = result_document("a", "needle", 0, 1, 1);
  needle["training"]["fits"][0]["parameters"] = {
      {"pwl[0].log_amplitude", {0.1}}, {"pwl[0].log_lengthscale", {0, 0, 0, 0}},
      {"pwl[0].log_mu", {-3}},         {"pwl[0].log_sigma", {-10}},
      {"pwl[1].log_amplitude", {0.1}}, {"pwl[1].log_lengthscale", {0, 0, 0, 0}},
      {"pwl[1].log_mu", {1}},          {"pwl[1].log_sigma", {0}}};
  results.runs.push_back(parse_result(needle));
  auto charts = charts_by_name(results);
  for (const char* name : {"spectra-radial", "spectra-inputs"})
    for (const Panel& panel : charts.at(name).panels)
      for (const Series& s : panel.series) {
        double area = 0;  // over the logarithm of x, by trapezia
        for (std::size_t i = 1; i < s.x.size(); ++i)
          area += 0.5 * (s.y[i] + s.y[i - 1]) * std::log(s.x[i] / s.x[i - 1]);
        EXPECT_NEAR(area, 1, 0.03) << name << ' ' << s.name;
      }
}

RunResult sized(const std::string& label, int fold, double rmse, int components, int frequencies, double floor = 0.1) {
  Json document = result_document("a", label, fold, rmse, 0);
  document["recipe"] = {{"model", "gm"},
                        {"description", label},
                        {"noise", {{"floor", floor}}},
                        {"features", {{"components", components}, {"frequencies", frequencies}}}};
  return parse_result(document);
}

TEST(Charts, ErrorAgainstComponentsAndFrequencies) {
  ResultSet results;
  for (int fold = 0; fold < 4; ++fold) {
    results.runs.push_back(sized("small", fold, 1 + 0.1 * fold, 1, 8));
    results.runs.push_back(sized("large", fold, 0.5, 1, 16));
    results.runs.push_back(sized("wide", fold, 0.4, 2, 8));
    results.runs.push_back(sized("other", fold, 0.3, 2, 32, 0.2));  // differs in more than its size
  }
  const Chart chart = charts_by_name(results).at("rmse-counts");
  ASSERT_EQ(chart.panels.size(), 1u);
  EXPECT_EQ(chart.panels[0].choices, (std::vector<std::string>{"a", "gm"}));
  EXPECT_EQ(chart.series, (std::vector<std::string>{"Q = 1", "Q = 2"}));
  const Series& one = series_named(chart, "Q = 1");
  EXPECT_EQ(one.x, (std::vector<double>{8, 16}));
  EXPECT_NEAR(one.y[0], 1.15, 1e-12);
  // Values 1, 1.1, 1.2, 1.3 over four folds have a standard deviation of 0.1 sqrt(5 / 3).
  EXPECT_NEAR(one.details[0][0], 0.1 * std::sqrt(5.0 / 3) / 2, 1e-12);
  EXPECT_EQ(one.details[1][0], 4);
  EXPECT_EQ(series_named(chart, "Q = 2").x, std::vector<double>{8});
  // A single size of a family has nothing to compare with.
  results.runs.erase(results.runs.begin() + 1, results.runs.end());
  EXPECT_EQ(charts_by_name(results).count("rmse-counts"), 0u);
}

// Returns a chart with every mark, on every kind of axis.
Chart chart_of_all_marks() {
  Chart chart{"all", "All marks", "", {"x"}, {"y"}};
  chart.choices = {"Data set"};
  chart.series_title = "Method";
  chart.series = {"A", "B"};
  chart.details = {"Rows"};
  const std::vector<double> x = {0, 1}, y = {1, 2}, low = {0.5, 1.5}, high = {1.5, 2.5};
  for (const char* option : {"first", "second"})
    chart.panels.push_back({{option},
                            {{Mark::band, "", x, {}, low, high},
                             {Mark::x_range, "", {}, {}, {0.25}, {0.75}},
                             {Mark::reference, "", x, y},
                             {Mark::error_bars, "", x, {}, low, high},
                             {Mark::line, "A", x, y},
                             {Mark::points, "B", x, y},
                             {Mark::line_and_points, "B", x, y, {}, {}, {}, {{10, 20}}}}});
  return chart;
}

TEST(VegaLite, RowsAreSeriesAndLayersTakeThemApart) {
  const Json spec = Json::parse(vega_lite(chart_of_all_marks()));
  EXPECT_EQ(spec["$schema"], "https://vega.github.io/schema/vega-lite/v5.json");
  ASSERT_EQ(spec["data"]["values"].size(), 14u);
  const Json row = {{"mark", "line and points"}, {"Data set", "first"}, {"Method", "B"}, {"x", {0, 1}}, {"y", {1, 2}},
                    {"Rows", {10, 20}}};
  EXPECT_EQ(spec["data"]["values"][6], row);
  ASSERT_EQ(spec["layer"].size(), 7u);
  EXPECT_EQ(spec["layer"][6]["transform"][0]["filter"], "datum.mark === 'line and points'");
  EXPECT_EQ(spec["layer"][6]["transform"][1]["flatten"], (Json{"x", "y", "Rows"}));
  EXPECT_EQ(spec["layer"][3]["encoding"]["y2"]["field"], "high");
  EXPECT_EQ(spec["layer"][1]["encoding"].count("y"), 0u) << "a range of x has the full height";
  EXPECT_EQ(spec["params"][0]["bind"]["options"], (Json{"first", "second"}));
  EXPECT_EQ(spec["transform"][0]["filter"], "datum['Data set'] === choice0");
}

TEST(VegaLite, CategoriesGoByTheirNames) {
  Chart chart{"c", "Cells", "", {"Input"}, {""}};
  chart.details = {"Relevance"};
  chart.panels = {{{}, {{Mark::cells, "", {0, 1}, {0, 0}, {}, {}, {}, {{1, 0.5}}}}, {"long name", "b"}, {"GM"}}};
  const Json spec = Json::parse(vega_lite(chart));
  EXPECT_EQ(spec["data"]["values"][0]["x"], (Json{"long name", "b"}));
  EXPECT_EQ(spec["layer"][0]["encoding"]["x"]["sort"], (Json{"long name", "b"}));
  EXPECT_EQ(spec["layer"][0]["encoding"]["color"]["field"], "Relevance");
  EXPECT_EQ(spec.count("params"), 0u);
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::vector<std::string> lines_of_text(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(StaticSvg, DrawsEveryPanelAndMark) {
  const std::string svg = static_svg(chart_of_all_marks());
  EXPECT_EQ(svg.rfind("<svg xmlns", 0), 0u);
  for (const char* part : {">first</text>", ">second</text>", ">A</text>", ">B</text>"})
    EXPECT_EQ(count_of(svg, part), 1u) << part;
  // Small panels: x from -0.08 to 1.08 over 186 pixels from 62 on, y from 0.34 to 2.66 over 150 pixels up from 174.
  const std::string line = "M74.8 131.3L235.2 66.7", dots = "M74.8 131.3h0M235.2 66.7h0";
  const std::string blue = series_colour(0), orange = series_colour(1);
  const std::vector<std::array<std::string, 2>> marks = {
      {"class=\"band\"", "M74.8 163.7L235.2 99.0L235.2 34.3L74.8 99.0"},
      {"class=\"band\"", "M114.9 24.0H195.1V174.0H114.9z"},
      {"stroke-dasharray=\"4 4\"", line},
      {"class=\"rule\"", "M74.8 163.7V99.0M235.2 99.0V34.3"},
      {"fill=\"none\" stroke=\"" + blue + "\"", line},
      {"fill=\"none\" stroke=\"" + orange + "\"", line},
      {"stroke=\"" + orange + "\" stroke-width=\"5\" stroke-linecap=\"round\"", dots}};
  const std::vector<std::string> lines = lines_of_text(svg);
  std::size_t paths = 0;
  for (const std::string& one : lines) paths += count_of(one, "<path ");
  EXPECT_EQ(paths, 2 * (1 + marks.size() + 1)) << "of each panel the grid, the marks, and the points twice";
  for (const auto& [style, shape] : marks) {
    const auto drawn =
        std::count_if(lines.begin(), lines.end(), [&, &own_style = style, &own = shape](const auto& one) {
          return one.find(own_style) != std::string::npos && one.find(" d=\"" + own + "\"") != std::string::npos;
        });
    EXPECT_EQ(drawn, shape == dots ? 4 : 2) << style << ' ' << shape;
  }
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(StaticSvg, ShowsAtMostTwelvePanelsAndThoseThatAskForIt) {
  Chart chart = chart_of_all_marks();
  chart.panels[0].in_static_svg = false;
  EXPECT_EQ(static_panels(chart).size(), 1u);
  EXPECT_EQ(static_svg(chart).find(">first</text>"), std::string::npos);
  chart.panels.resize(20, chart.panels[1]);
  EXPECT_EQ(static_panels(chart).size(), max_static_panels);
}

TEST(StaticSvg, NamesOfPointsDoNotCoverEachOther) {
  Chart chart{"t", "t", "", {"x"}, {"y"}};
  chart.panels = {{{}, {{Mark::points, "", {1, 1, 1}, {2, 2, 2}, {}, {}, {"first", "second", "third"}}}}};
  const std::string text = static_svg(chart);
  std::set<std::string> lines;
  for (const char* name : {"first", "second", "third"}) {
    const auto end = text.find(std::string("\">") + name + "</text>"), begin = text.rfind(" y=\"", end);
    ASSERT_NE(end, std::string::npos) << name;
    lines.insert(text.substr(begin, end - begin));
  }
  EXPECT_EQ(lines.size(), 3u) << text;
}

TEST(StaticSvg, NamesStayText) {
  Chart chart{"t", "a\"b", "", {"<x>"}, {"y"}};
  chart.panels = {{{"<script>"}, {{Mark::line, "", {1, 2}, {1, 2}}}}};
  const std::string text = static_svg(chart);
  EXPECT_EQ(text.find("<script>"), std::string::npos);
  EXPECT_NE(text.find("&lt;x&gt;"), std::string::npos);
  EXPECT_NE(text.find("aria-label=\"a&quot;b\""), std::string::npos);
}

}  // namespace
}  // namespace alacarte
