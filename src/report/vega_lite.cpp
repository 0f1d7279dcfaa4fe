// Charts as Vega-Lite; no other file writes their JSON. A row of the data is a whole series; each layer splits the
// series of its mark into points.
#include <fmt/format.h>
#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "chart.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;
using Names = std::vector<std::string>;

constexpr std::size_t kPaletteSize = 20;

template <class Value>
void append_once(std::vector<Value>& values, const Value& value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

/// Returns the label by which layers select the series of a mark, and the name and style of the mark in Vega-Lite.
const std::pair<const char*, Json>& mark_words(Mark mark) {
  static const std::map<Mark, std::pair<const char*, Json>> words = {
      {Mark::line, {"line", {{"type", "line"}}}},
      {Mark::points, {"points", {{"type", "point"}, {"filled", true}, {"size", 60}}}},
      {Mark::line_and_points, {"line and points", {{"type", "line"}, {"point", true}}}},
      {Mark::error_bars, {"error bars", {{"type", "rule"}, {"opacity", 0.4}}}},
      {Mark::band, {"band", {{"type", "area"}, {"opacity", 0.2}}}},
      {Mark::x_range, {"range", {{"type", "rect"}, {"opacity", 0.15}}}},
      {Mark::reference, {"reference", {{"type", "line"}, {"strokeDash", {4, 4}}, {"color", "#777"}}}},
      {Mark::bars, {"bars", {{"type", "bar"}}}},
      {Mark::cells, {"cells", {{"type", "rect"}}}}};
  return words.at(mark);
}

/// Returns numbers, or the category names that they index.
Json values_of(const std::vector<double>& values, const Names& categories) {
  Json list = Json::array();
  for (const double value : values)
    if (categories.empty())
      list.push_back(std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr));
    else
      list.push_back(categories[static_cast<std::size_t>(value)]);
  return list;
}

/// One entry per point, and the title in tooltips.
struct Column {
  std::string field, title;
  const std::vector<double>* numbers;
};

std::vector<Column> columns_of(const Chart& chart, const Series& series) {
  std::vector<Column> columns = {{"x", chart.x.title.empty() ? "Value" : chart.x.title, &series.x},
                                 {"y", chart.y.title.empty() ? "Name" : chart.y.title, &series.y},
                                 {"low", "From", &series.low},
                                 {"high", "To", &series.high}};
  for (std::size_t i = 0; i < series.details.size(); ++i)
    columns.push_back({chart.details[i], chart.details[i], &series.details[i]});
  std::erase_if(columns, [](const Column& column) { return column.numbers->empty(); });
  return columns;
}

Json data_of(const Chart& chart) {
  Json values = Json::array();
  for (const Panel& panel : chart.panels)
    for (const Series& series : panel.series) {
      Json row = {{"mark", mark_words(series.mark).first}};
      for (std::size_t i = 0; i < chart.choices.size(); ++i) row[chart.choices[i]] = panel.choices[i];
      if (!series.name.empty()) row[chart.series_title] = series.name;
      for (const auto& [field, title, numbers] : columns_of(chart, series))
        row[field] = values_of(*numbers, field == "x"   ? panel.x_categories
                                         : field == "y" ? panel.y_categories
                                                        : Names());
      if (!series.labels.empty()) row["label"] = series.labels;
      values.push_back(std::move(row));
    }
  return values;
}

class VegaLiteWriter {
 public:
  explicit VegaLiteWriter(const Chart& chart) : chart_(chart) {
    for (const Panel& panel : chart.panels) {
      for (const std::string& name : panel.x_categories) append_once(x_categories_, name);
      for (const std::string& name : panel.y_categories) append_once(y_categories_, name);
      for (const Series& series : panel.series) {
        const auto alike = [&](const Series* other) { return other->mark == series.mark; };
        if (std::none_of(marks_.begin(), marks_.end(), alike)) marks_.push_back(&series);
        names_.insert(series.name);
        labelled_ = labelled_ || !series.labels.empty();
        has_points_ = has_points_ || series.mark == Mark::points || series.mark == Mark::error_bars;
      }
    }
  }

  Json specification() const {
    Json palette = Json::array();
    for (std::size_t i = 0; i < kPaletteSize; ++i) palette.push_back(series_colour(i));
    Json spec = {{"$schema", "https://vega.github.io/schema/vega-lite/v5.json"},
                 {"description", chart_.title + ". " + chart_.description},
                 {"width", "container"},
                 {"height", y_categories_.empty() ? 340 : 40 + 22 * y_categories_.size()},
                 {"config", {{"range", {{"category", palette}}}}},
                 {"data", {{"values", data_of(chart_)}}},
                 {"layer", Json::array()}};
    if (!chart_.choices.empty()) add_choices(spec);
    for (const Series* series : marks_) add_layers(*series, spec["layer"]);
    return spec;
  }

 private:
  /// Adds a menu for each choice with several options, and the filter that follows them.
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
      channel.update({{"type", "nominal"}, {"sort", categories}});
      if (&axis == &chart_.x)
        channel["axis"] = {{"labelAngle", words ? -45 : 0}, {"labelOverlap", true}, {"labelLimit", 90}};
      return channel;
    }
    channel["type"] = "quantitative";
    Json& scale = channel["scale"] = {{"zero", axis.from_zero}};
    if (axis.log_base > 0) {
      scale = {{"type", "log"}, {"base", axis.log_base}, {"nice", false}};
      channel["axis"] = {{"format", "~g"}};
    }
    if (axis.domain)
      scale["domain"] = *axis.domain;
    else if (labelled_ || has_points_)
      scale["padding"] = labelled_ ? 40 : 20;
    return channel;
  }

  Json colour() const {
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
    for (const std::string& name : chart_.series)
      if (names_.count(name) > 0) channel["legend"]["values"].push_back(name);
    return channel;
  }

  Json encoding(const Series& series) const {
    Json channels = {{"tooltip", Json::array()}};
    const auto explain = [&](const std::string& field, const std::string& title) {
      channels["tooltip"].push_back({{"field", field}, {"title", title}});
    };
    if (!series.name.empty()) explain(chart_.series_title, chart_.series_title);
    for (const Column& column : columns_of(chart_, series)) explain(column.field, column.title);
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
      channels["color"] = colour();
    return channels;
  }

  /// Adds the layers of a mark. `series`: the first of its mark; the others have the same columns.
  void add_layers(const Series& series, Json& layers) const {
    Names fields;
    for (const Column& column : columns_of(chart_, series)) fields.push_back(column.field);
    if (!series.labels.empty()) fields.push_back("label");
    const auto& [label, style] = mark_words(series.mark);
    Json layer = {{"transform", {{{"filter", fmt::format("datum.mark === '{}'", label)}}, {{"flatten", fields}}}},
                  {"mark", style},
                  {"encoding", encoding(series)}};
    layers.push_back(layer);
    if (series.labels.empty()) return;
    layer["mark"] = {{"type", "text"}, {"align", "left"}, {"dx", 8}};
    layer["encoding"].erase("color");
    layer["encoding"]["text"] = {{"field", "label"}};
    layers.push_back(std::move(layer));
  }

  const Chart& chart_;
  Names x_categories_, y_categories_;
  std::vector<const Series*> marks_;  ///< first series of each mark
  std::set<std::string> names_;
  bool labelled_ = false, has_points_ = false;
};

}  // namespace

std::string vega_lite(const Chart& chart) { return VegaLiteWriter(chart).specification().dump(); }

}  // namespace alacarte
