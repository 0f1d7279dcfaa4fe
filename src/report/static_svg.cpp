// Static SVG charts, shown without Vega, and helpers shared with other chart writers.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "chart.hpp"

namespace alacarte {
namespace {

using Ticks = std::vector<std::pair<double, std::string>>;

/// Maps the numbers of an axis to [0, 1].
class Scale {
 public:
  /// Fits the scale to all of `numbers` with a margin, or to the categories.
  Scale(const ChartAxis& axis, const std::vector<std::string>& categories, std::vector<double> numbers)
      : base_(axis.log_base) {
    if (!categories.empty()) {
      low_ = -0.5;
      high_ = static_cast<double>(categories.size()) - 0.5;
      return;
    }
    if (axis.domain) numbers = {axis.domain->first, axis.domain->second};
    if (axis.from_zero || numbers.empty()) numbers.push_back(0);
    const auto [minimum, maximum] = std::minmax_element(numbers.begin(), numbers.end());
    // A margin keeps points off the frame.
    const double factor = base_ > 0 ? std::pow(*maximum / *minimum, 0.08) * 1.05 : 1;
    const double margin = base_ > 0 ? 0 : 0.08 * (*maximum - *minimum) + (*maximum == *minimum ? 0.5 : 0.0);
    low_ = *minimum / factor - margin;
    high_ = *maximum * factor + margin;
  }

  double place(double value) const {
    if (base_ > 0) return std::log(value / low_) / std::log(high_ / low_);
    return (value - low_) / (high_ - low_);
  }

  /// Returns about `wanted` ticks at round numbers.
  Ticks ticks(int wanted) const {
    if (base_ > 0 && high_ / low_ > 8) return log_ticks(wanted);
    Ticks ticks;
    const double raw = (high_ - low_) / wanted, power = std::pow(10, std::floor(std::log10(raw)));
    const double step = power * (raw / power > 5 ? 10 : raw / power > 2 ? 5 : raw / power > 1 ? 2 : 1);
    for (double k = std::ceil(low_ / step); k * step <= high_; ++k)
      ticks.emplace_back(k * step, fmt::format("{:.4g}", k == 0 ? 0.0 : k * step));
    return ticks;
  }

 private:
  Ticks log_ticks(int wanted) const {
    Ticks ticks;
    const double powers = std::log(high_ / low_) / std::log(base_);
    const double step = std::pow(base_, std::max(1.0, std::ceil(powers / wanted)));
    const bool between = base_ == 10 && 3 * powers <= 1.5 * wanted;  // adds 2 and 5
    for (double power = std::pow(base_, std::floor(std::log(low_) / std::log(base_))); power <= high_; power *= step)
      for (const double digit : {1.0, 2.0, 5.0})
        if (const double tick = power * digit; tick >= low_ && tick <= high_ && (digit == 1 || between))
          ticks.emplace_back(tick, fmt::format("{:.4g}", tick));
    return ticks;
  }

  double base_, low_ = 0, high_ = 1;
};

/// Truncates the text to max_letters characters (UTF-8), the last an ellipsis if any are omitted.
std::string shortened(const std::string& text, std::size_t max_letters) {
  std::size_t letters = 0, cut = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] & 0xc0) == 0x80) continue;  // continuation byte of a character
    if (++letters == max_letters) cut = i;
  }
  return letters <= max_letters ? text : text.substr(0, cut) + "\u2026";
}

/// Returns at most max_ticks of the categories, evenly spaced, each shortened to max_letters.
Ticks category_ticks(const std::vector<std::string>& categories, std::size_t max_ticks, std::size_t max_letters) {
  Ticks ticks;
  const std::size_t step = (categories.size() + max_ticks - 1) / max_ticks;
  for (std::size_t i = 0; i < categories.size(); i += step)
    ticks.emplace_back(static_cast<double>(i), shortened(categories[i], max_letters));
  return ticks;
}

using Names = std::vector<std::string>;

/// Sizes in pixels. `ticks`: approximate number per axis; `letters`: maximum length of a category name.
struct Layout {
  double width, left, right, plot_height, title_below, title_left;
  int font, ticks;
  std::size_t letters;

  double plot_width() const { return width - left - right; }
  double bottom() const { return kTop + plot_height; }
  double height() const { return bottom() + title_below + 8; }
  static constexpr double kTop = 24;
};

constexpr Layout kLarge{720, 120, 90, 300, 38, 14, 13, 6, 15}, kSmall{256, 62, 8, 150, 31, 11, 11, 5, 8};
constexpr std::size_t kColumns = 3;
constexpr const char* kBand = "class=\"band\" fill=\"#777\" opacity=\"0.25\"";
constexpr double kGap = 8, kLegendLine = 18, kLegendColumn = 150;

std::string dot(double x, double y, std::size_t colour) {
  return fmt::format("<circle fill=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>\n", series_colour(colour), x, y);
}

/// Returns the numbers of a panel along one axis.
std::vector<double> numbers_along(const Panel& panel, bool x) {
  std::vector<double> numbers;
  for (const Series& series : panel.series) {
    const auto add = [&](const std::vector<double>& more) { numbers.insert(numbers.end(), more.begin(), more.end()); };
    add(x ? series.x : series.y);
    if (x == (series.mark == Mark::x_range)) {
      add(series.low);
      add(series.high);
    }
  }
  return numbers;
}

/// Returns the colour index of a panel's series.
std::size_t colour_index(const Chart& chart, const Panel& panel, const Series& series) {
  if (series.name.empty()) return 0;
  Names names = chart.series;
  if (names.empty())
    for (const Series& other : panel.series) names.push_back(other.name);
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), series.name) - names.begin());
}

class PanelDrawing {
 public:
  PanelDrawing(const Chart& chart, const Panel& panel, const Layout& layout)
      : chart_(chart),
        panel_(panel),
        at_(layout),
        x_(chart.x, panel.x_categories, numbers_along(panel, true)),
        y_(chart.y, panel.y_categories, numbers_along(panel, false)) {}

  std::string text() {
    std::string text = fmt::format("<text font-weight=\"bold\" x=\"{}\" y=\"15\">{}</text>\n", at_.left,
                                   xml_escape(shortened(fmt::format("{}", fmt::join(panel_.choices, ", ")),
                                                        static_cast<std::size_t>(at_.plot_width() / 6.2))));
    text += axes();
    for (const Series& series : panel_.series) text += shape(series, colour_index(chart_, panel_, series));
    return text;
  }

 private:
  double px(double x) const { return at_.left + at_.plot_width() * x_.place(x); }
  /// Maps y to pixels: numbers increase upwards, categories go from top to bottom.
  double py(double y) const {
    return Layout::kTop + at_.plot_height * (panel_.y_categories.empty() ? 1 - y_.place(y) : y_.place(y));
  }

  /// Returns a path through the segments of `count` points.
  template <class Segment>
  static std::string path(const std::string& attributes, std::size_t count, Segment&& segment) {
    std::string text = "<path " + attributes + " d=\"";
    for (std::size_t i = 0; i < count; ++i) text += segment(i);
    return text + "\"/>\n";
  }

  static std::string box(double left, double top, double right, double bottom) {
    return fmt::format("M{:.1f} {:.1f}H{:.1f}V{:.1f}H{:.1f}z", left, top, right, bottom, left);
  }

  std::string shape(const Series& s, std::size_t colour) {
    const std::size_t count = s.x.size();
    const auto stroke = [&] { return fmt::format("fill=\"none\" stroke=\"{}\" ", series_colour(colour)); };
    switch (s.mark) {
      case Mark::line: return line(s, stroke());
      case Mark::line_and_points: return line(s, stroke()) + points(s, colour);
      case Mark::reference: return line(s, "class=\"rule\" fill=\"none\" stroke=\"#555\" stroke-dasharray=\"4 4\"");
      case Mark::points: return points(s, colour);
      case Mark::error_bars:
        return path("class=\"rule\" fill=\"none\" stroke=\"#555\" opacity=\"0.4\"", count, [&](std::size_t i) {
          return fmt::format("M{:.1f} {:.1f}V{:.1f}", px(s.x[i]), py(s.low[i]), py(s.high[i]));
        });
      case Mark::band:  // along the lower edge, back along the upper one
        return path(kBand, 2 * count, [&](std::size_t i) {
          const std::size_t at = i < count ? i : 2 * count - 1 - i;
          return fmt::format("{}{:.1f} {:.1f}", i == 0 ? 'M' : 'L', px(s.x[at]),
                             py(i < count ? s.low[at] : s.high[at]));
        });
      case Mark::x_range:
        return path(kBand, s.low.size(),
                    [&](std::size_t i) { return box(px(s.low[i]), Layout::kTop, px(s.high[i]), at_.bottom()); });
      case Mark::bars: return bars(s, colour);
      case Mark::cells: return cells(s);
    }
    return {};
  }

  std::string line(const Series& s, const std::string& style) const {
    return path(style, s.x.size(), [&](std::size_t i) {
      return fmt::format("{}{:.1f} {:.1f}", i == 0 ? 'M' : 'L', px(s.x[i]), py(s.y[i]));
    });
  }

  std::string points(const Series& s, std::size_t colour) {
    if (s.labels.empty())
      return path(fmt::format("stroke=\"{}\" stroke-width=\"5\" stroke-linecap=\"round\"", series_colour(colour)),
                  s.x.size(), [&](std::size_t i) { return fmt::format("M{:.1f} {:.1f}h0", px(s.x[i]), py(s.y[i])); });
    std::string text;
    for (std::size_t i = 0; i < s.x.size(); ++i)
      text += dot(px(s.x[i]), py(s.y[i]), colour) + label(px(s.x[i]) + 8, py(s.y[i]) + 4, s.labels[i]);
    return text;
  }

  /// Places text on the nearest free line below.
  std::string label(double left, double bottom, const std::string& text) {
    constexpr double kWidth = 70, kHeight = 10;
    const auto taken = [&](const std::pair<double, double>& other) {
      return std::abs(other.first - left) < kWidth && std::abs(other.second - bottom) < kHeight;
    };
    while (std::any_of(labels_.begin(), labels_.end(), taken)) bottom += kHeight;
    labels_.emplace_back(left, bottom);
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", left, bottom, xml_escape(text));
  }

  std::string bars(const Series& s, std::size_t colour) const {
    std::size_t all = 0, before = 0;
    for (const Series& other : panel_.series) {
      if (&other == &s) before = all;
      all += other.mark == Mark::bars;
    }
    const double width = 0.8 / static_cast<double>(all), from = -0.4 + width * static_cast<double>(before);
    return path(fmt::format("fill=\"{}\"", series_colour(colour)), s.x.size(),
                [&](std::size_t i) { return box(px(s.x[i] + from), py(s.y[i]), px(s.x[i] + from + width), py(0)); });
  }

  /// Draws one path per shade, with few shades.
  std::string cells(const Series& s) const {
    constexpr int kShades = 10;
    std::map<int, std::string> shades;
    for (std::size_t i = 0; i < s.x.size(); ++i)
      if (const int shade = static_cast<int>(std::lround(kShades * s.details.front()[i])); shade > 0)
        shades[shade] += box(px(s.x[i] - 0.5), py(s.y[i] - 0.5), px(s.x[i] + 0.5), py(s.y[i] + 0.5));
    std::string text;
    for (const auto& [shade, boxes] : shades)
      text += path(fmt::format("fill=\"{}\" opacity=\"{:.1f}\"", series_colour(0), 0.1 * shade), 1,
                   [&boxes = boxes](std::size_t) { return boxes; });
    return text;
  }

  std::string axes() const {
    const Names &across = panel_.x_categories, &up = panel_.y_categories;
    const double bottom = at_.bottom(), right = at_.left + at_.plot_width();
    std::string lines, numbers;
    for (const auto& [value, label] : across.empty() ? x_.ticks(at_.ticks) : category_ticks(across, 10, 9)) {
      lines += fmt::format("M{:.1f} {}V{}", px(value), Layout::kTop, bottom);
      numbers += fmt::format("<text text-anchor=\"middle\" x=\"{:.1f}\" y=\"{}\">{}</text>\n", px(value), bottom + 15,
                             xml_escape(label));
    }
    for (const auto& [value, label] : up.empty() ? y_.ticks(at_.ticks) : category_ticks(up, 40, at_.letters)) {
      lines += fmt::format("M{} {:.1f}H{}", at_.left, py(value), right);
      numbers += fmt::format("<text text-anchor=\"end\" x=\"{}\" y=\"{:.1f}\">{}</text>\n", at_.left - 5, py(value) + 4,
                             xml_escape(label));
    }
    // A small panel has no room for remarks in brackets.
    const auto title = [&](const std::string& text) {
      return xml_escape(&at_ == &kSmall ? text.substr(0, text.find(" (")) : text);
    };
    return fmt::format(
               "<rect class=\"frame\" fill=\"none\" stroke=\"#bbb\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
               at_.left, Layout::kTop, at_.plot_width(), at_.plot_height) +
           fmt::format("<path class=\"grid\" fill=\"none\" stroke=\"#ddd\" d=\"{}\"/>\n{}", lines, numbers) +
           fmt::format("<text text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text>\n", at_.left + at_.plot_width() / 2,
                       bottom + at_.title_below, title(chart_.x.title)) +
           fmt::format("<text text-anchor=\"middle\" transform=\"translate({} {}) rotate(-90)\">{}</text>\n",
                       at_.title_left, Layout::kTop + at_.plot_height / 2, title(chart_.y.title));
  }

  const Chart& chart_;
  const Panel& panel_;
  const Layout& at_;
  Scale x_, y_;
  std::vector<std::pair<double, double>> labels_;
};

/// Returns names by colour index; ranks, if names differ between panels.
std::map<std::size_t, std::string> legend_of(const Chart& chart, const std::vector<Panel>& panels) {
  std::map<std::size_t, std::string> names;
  for (const Panel& panel : panels)
    for (const Series& series : panel.series) {
      if (!series.labels.empty()) return {};
      if (series.name.empty()) continue;
      const std::size_t colour = colour_index(chart, panel, series);
      names[colour] = chart.series.empty() && panels.size() > 1 ? fmt::format("rank {}", colour + 1) : series.name;
    }
  return names;
}

/// Returns the entries in columns from `top` on, and their height.
std::pair<std::string, double> legend_text(const std::map<std::size_t, std::string>& names, double width, double top) {
  std::string text;
  const auto columns = static_cast<std::size_t>((width - 20) / kLegendColumn);
  std::size_t i = 0;
  for (const auto& [colour, name] : names) {
    const double x = 20 + kLegendColumn * static_cast<double>(i % columns);
    const double y = top + kLegendLine * (static_cast<double>(i / columns) + 0.6);
    text += dot(x, y, colour);
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + 9, y + 4, xml_escape(shortened(name, 20)));
    ++i;
  }
  return {text, kLegendLine * static_cast<double>((i + columns - 1) / columns) + 6};
}

}  // namespace

const char* series_colour(std::size_t index) {
  static constexpr const char* kColours[] = {
      "#4c78a8", "#f58518", "#e45756", "#3a9d94", "#54a24b", "#b79a20", "#b279a2", "#e8788a", "#9d755d", "#8a8580",
      "#2a9df4", "#c0392b", "#7f8c1a", "#8e6bd8", "#c2185b", "#00897b", "#a1662f", "#5c6bc0", "#7cb342", "#d81b9a"};
  return kColours[index % std::size(kColours)];
}

std::vector<Panel> static_panels(const Chart& chart) {
  std::vector<Panel> panels;
  for (const Panel& panel : chart.panels)
    if (panel.in_static_svg && panels.size() < max_static_panels) panels.push_back(panel);
  return panels;
}

std::string xml_escape(const std::string& text) {
  static const std::map<char, std::string> entities = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  std::string result;
  for (const char c : text) {
    const auto entity = entities.find(c);
    // Control characters are not allowed in XML or HTML.
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    result += entity != entities.end() ? entity->second : std::string(1, control ? ' ' : c);
  }
  return result;
}

std::string static_svg(const Chart& chart) {
  const std::vector<Panel> panels = static_panels(chart);
  const Layout& layout = panels.size() == 1 ? kLarge : kSmall;
  const std::size_t columns = std::min(panels.size(), kColumns), rows = (panels.size() + columns - 1) / columns;
  const double step_x = layout.width + kGap, step_y = layout.height() + kGap;
  const double width = step_x * static_cast<double>(columns) - kGap, height = step_y * static_cast<double>(rows);
  std::string body;
  for (std::size_t i = 0; i < panels.size(); ++i)
    body += fmt::format("<svg x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\">\n{}</svg>\n",
                        step_x * static_cast<double>(i % columns), step_y * static_cast<double>(i / columns),
                        layout.width, layout.height(), PanelDrawing(chart, panels[i], layout).text());
  const auto [legend, legend_height] = legend_text(legend_of(chart, panels), width, height);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"static\" role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {} {}\" "
      "font-family=\"sans-serif\" font-size=\"{}\">\n{}{}</svg>\n",
      xml_escape(chart.title), width, height + legend_height, layout.font, body, legend);
}

}  // namespace alacarte
