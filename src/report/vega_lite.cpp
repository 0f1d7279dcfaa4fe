// Charts as Vega-Lite: the only place that writes their JSON. A row of the data is a whole series; each layer takes the
// series of its mark apart into points.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "alacarte/report/chart.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;
using Names = std::vector<std::string>;

constexpr std::size_t kPaletteSize = 20;

void append_once(Names& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

/// For each mark: the label by which layers select their series, and the name and style in Vega-Lite.
std::pair<const char*, Json> mark_words(Mark mark) {
  switch (mark) {
    case Mark::line:
      return {"line", {{"type", "line"}}};
    case Mark::points:
      return {"points", {{"type", "point"}, {"filled", true}, {"size", 60}}};
    case Mark::line_and_points:
      return {"line and points", {{"type", "line"}, {"point", true}}};
    case Mark::error_bars:
      return {"error bars", {{"type", "rule"}, {"opacity", 0.4}}};
    case Mark::band:
      return {"band", {{"type", "area"}, {"opacity", 0.2}}};
    case Mark::x_range:
      return {"range", {{"type", "rect"}, {"opacity", 0.15}}};
    case Mark::reference:
      return {"reference", {{"type", "line"}, {"strokeDash", {4, 4}}, {"color", "#777"}}};
    case Mark::bars:
      return {"bars", {{"type", "bar"}}};
    case Mark::cells:
      return {"cells", {{"type", "rect"}}};
  }
  return {};
}

/// Numbers, or the names of categories that they are indices of.
Json column(const std::vector<double>& values, const Names& categories) {
  Json list = Json::array();
  for (const double value : values)
    if (categories.empty())
      list.push_back(std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr));
    else
      list.push_back(categories[static_cast<std::size_t>(value)]);
  return list;
}

/// The columns of numbers that hold one entry for each point.
std::vector<std::pair<std::string, const std::vector<double>*>> number_columns(const Chart& chart,
                                                                               const Series& series) {
  std::vector<std::pair<std::string, const std::vector<double>*>> columns = {
      {"x", &series.x}, {"y", &series.y}, {"low", &series.low}, {"high", &series.high}};
  for (std::size_t i = 0; i < series.details.size(); ++i) columns.emplace_back(chart.details[i], &series.details[i]);
  columns.erase(std::remove_if(columns.begin(), columns.end(), [](const auto& c) { return c.second->empty(); }),
                columns.end());
  return columns;
}

Json data_of(const Chart& chart) {
  Json values = Json::array();
  for (const Panel& panel : chart.panels)
    for (const Series& series : panel.series) {
      Json row = {{"mark", mark_words(series.mark).first}};
      for (std::size_t i = 0; i < chart.choices.size(); ++i) row[chart.choices[i]] = panel.choices[i];
      if (!series.name.empty()) row[chart.series_title] = series.name;
      for (const auto& [name, numbers] : number_columns(chart, series))
        row[name] = column(*numbers, name == "x" ? panel.x_categories : name == "y" ? panel.y_categories : Names());
      if (!series.labels.empty()) row["label"] = series.labels;
      values.push_back(std::move(row));
    }
  return values;
}

/// The categories of all panels, in order; empty for an axis of numbers.
Names categories_of(const Chart& chart, Names Panel::*axis) {
  Names categories;
  for (const Panel& panel : chart.panels)
    for (const std::string& name : panel.*axis) append_once(categories, name);
  return categories;
}

/// The columns of a mark's series, as its first series has them.
const Series& first_of(const Chart& chart, Mark mark) {
  for (const Panel& panel : chart.panels)
    for (const Series& series : panel.series)
      if (series.mark == mark) return series;
  return chart.panels.front().series.front();
}

class VegaLiteWriter {
 public:
  explicit VegaLiteWriter(const Chart& chart)
      : chart_(chart),
        x_categories_(categories_of(chart, &Panel::x_categories)),
        y_categories_(categories_of(chart, &Panel::y_categories)) {
    for (const Panel& panel : chart.panels)
      for (const Series& series : panel.series) {
        if (std::find(marks_.begin(), marks_.end(), series.mark) == marks_.end()) marks_.push_back(series.mark);
        if (!series.name.empty()) append_once(names_, series.name);
        labelled_ = labelled_ || !series.labels.empty();
        has_points_ = has_points_ || series.mark == Mark::points || series.mark == Mark::error_bars;
      }
  }

  Json specification() const {
    Json palette = Json::array();
    for (std::size_t i = 0; i < kPaletteSize; ++i) palette.push_back(series_color(i));
    Json spec = {{"$schema", "https://vega.github.io/schema/vega-lite/v5.json"},
                 {"description", chart_.title + ". " + chart_.description},
                 {"width", "container"},
                 {"height", y_categories_.empty() ? 340 : 40 + 22 * y_categories_.size()},
                 {"config", {{"range", {{"category", palette}}}}},
                 {"data", {{"values", data_of(chart_)}}},
                 {"layer", Json::array()}};
    if (!chart_.choices.empty()) add_choices(spec);
    for (const Mark mark : marks_) add_layers(mark, spec["layer"]);
    return spec;
  }

 private:
  /// A menu for each choice (none where there is one option), and the filter that follows them.
  void add_choices(Json& spec) const {
    std::string filter;
    for (std::size_t i = 0; i < chart_.choices.size(); ++i) {
      Names options;
      for (const Panel& panel : chart_.panels) append_once(options, panel.choices[i]);
      Json param = {{"name", fmt::format("choice{}", i)}, {"value", options.front()}};
      if (options.size() > 1)
        param["bind"] = {{"input", "select"}, {"options", options}, {"name", chart_.choices[i] + " "}};
      spec["params"].push_back(std::move(param));
      filter += fmt::format("{}datum['{}'] === choice{}", i > 0 ? " && " : "", chart_.choices[i], i);
    }
    spec["transform"] = Json::array({{{"filter", filter}}});
  }

  Json position(const ChartAxis& axis, const char* field, const Names& categories) const {
    Json channel = {{"field", field}, {"title", axis.title.empty() ? Json() : Json(axis.title)}};
    if (!categories.empty()) {
      const bool words = std::any_of(categories.begin(), categories.end(), [](const auto& c) { return c.size() > 6; });
      channel["type"] = "nominal";
      channel["sort"] = categories;
      if (&axis == &chart_.x)
        channel["axis"] = {{"labelAngle", words ? -45 : 0}, {"labelOverlap", true}, {"labelLimit", 90}};
      return channel;
    }
    channel["type"] = "quantitative";
    Json& scale = channel["scale"];
    if (axis.log_base > 0)
      scale = {{"type", "log"}, {"base", axis.log_base}, {"nice", false}};
    else
      scale = {{"zero", axis.from_zero}};
    if (axis.domain)
      scale["domain"] = *axis.domain;
    else if (labelled_ || has_points_)
      scale["padding"] = labelled_ ? 40 : 20;
    if (axis.log_base > 0) channel["axis"] = {{"format", "~g"}};
    return channel;
  }

  Json color() const {
    Json channel = {{"field", chart_.series_title}, {"type", "nominal"}, {"title", chart_.series_title}};
    if (chart_.series.empty())
      channel["sort"] = nullptr;
    else
      channel["scale"] = {{"domain", chart_.series}};
    if (labelled_) {
      channel["legend"] = nullptr;
      return channel;
    }
    channel["legend"] = {{"orient", "bottom"}, {"columns", 3}, {"symbolOpacity", 1}};
    Names shown;
    for (const std::string& name : chart_.series)
      if (std::find(names_.begin(), names_.end(), name) != names_.end()) shown.push_back(name);
    if (!shown.empty()) channel["legend"]["values"] = shown;
    return channel;
  }

  Json tooltip(const Series& series) const {
    Json lines = Json::array();
    const auto add = [&](const std::string& field, const std::string& title) {
      lines.push_back({{"field", field}, {"title", title}});
    };
    if (!series.name.empty()) add(chart_.series_title, chart_.series_title);
    if (!series.x.empty()) add("x", chart_.x.title.empty() ? "Value" : chart_.x.title);
    if (!series.y.empty()) add("y", chart_.y.title.empty() ? "Name" : chart_.y.title);
    if (!series.low.empty()) add("low", "From");
    if (!series.high.empty()) add("high", "To");
    for (std::size_t i = 0; i < series.details.size(); ++i) add(chart_.details[i], chart_.details[i]);
    return lines;
  }

  Json encoding(const Series& series) const {
    Json channels = {{"tooltip", tooltip(series)}};
    if (series.mark == Mark::x_range) {
      channels["x"] = position(chart_.x, "low", {});
      channels["x2"] = {{"field", "high"}};
      return channels;
    }
    channels["x"] = position(chart_.x, "x", x_categories_);
    channels["y"] = position(chart_.y, series.low.empty() ? "y" : "low", y_categories_);
    if (!series.low.empty()) channels["y2"] = {{"field", "high"}};
    if (series.mark == Mark::bars) channels["xOffset"] = {{"field", chart_.series_title}, {"sort", chart_.series}};
    if (series.mark == Mark::cells)
      channels["color"] = {{"field", chart_.details.front()},
                           {"type", "quantitative"},
                           {"title", chart_.details.front()},
                           {"scale", {{"domain", {0, 1}}, {"scheme", "viridis"}}}};
    else if (!series.name.empty())
      channels["color"] = color();
    return channels;
  }

  void add_layers(Mark mark, Json& layers) const {
    const Series& series = first_of(chart_, mark);
    Names fields;
    for (const auto& [name, numbers] : number_columns(chart_, series)) fields.push_back(name);
    if (!series.labels.empty()) fields.push_back("label");
    const auto [label, style] = mark_words(mark);
    Json layer = {{"transform", {{{"filter", fmt::format("datum.mark === '{}'", label)}}, {{"flatten", fields}}}},
                  {"mark", style},
                  {"encoding", encoding(series)}};
    if (!series.labels.empty()) {
      Json text = layer;
      text["mark"] = {{"type", "text"}, {"align", "left"}, {"dx", 8}};
      text["encoding"].erase("color");
      text["encoding"]["text"] = {{"field", "label"}};
      layers.push_back(std::move(layer));
      layers.push_back(std::move(text));
    } else {
      layers.push_back(std::move(layer));
    }
  }

  const Chart& chart_;
  Names x_categories_, y_categories_;
  std::vector<Mark> marks_;
  Names names_;
  bool labelled_ = false, has_points_ = false;
};

}  // namespace

std::string vega_lite(const Chart& chart) { return VegaLiteWriter(chart).specification().dump(); }

}  // namespace alacarte
