#include "experiment/still_chart.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace alacarte::experiment_detail {
namespace {

constexpr double kWidth = 640, kLeft = 120, kRight = 90, kTop = 14, kPlotHeight = 300, kBottom = 48;
constexpr double kPlotWidth = kWidth - kLeft - kRight, kLegendLine = 18, kLegendColumn = 150;
constexpr const char* kColors[] = {"#4c78a8", "#f58518", "#e45756", "#3a9d94", "#54a24b",
                                   "#b79a20", "#b279a2", "#e8788a", "#9d755d", "#8a8580"};

const char* color_of(std::size_t index) { return kColors[index % std::size(kColors)]; }

/// Circles; squares where the colours begin anew.
std::string marker(double x, double y, std::size_t color, const std::string& title) {
  if (color < std::size(kColors))
    return fmt::format("<circle fill=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\">{}</circle>\n", color_of(color), x, y,
                       title);
  return fmt::format("<rect fill=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"9\" height=\"9\">{}</rect>\n",
                     color_of(color), x - 4.5, y - 4.5, title);
}

double along(const Axis& axis, double value) {
  if (axis.logarithmic) return std::log(value / axis.low) / std::log(axis.high / axis.low);
  return (value - axis.low) / (axis.high - axis.low);
}

Axis widened(Axis axis) {
  if (axis.logarithmic) {
    const double factor = std::pow(axis.high / axis.low, 0.08) * 1.05;
    axis.low /= factor;
    axis.high *= factor;
  } else {
    const double margin = 0.08 * (axis.high - axis.low) + (axis.high == axis.low ? 0.5 : 0.0);
    axis.low -= margin;
    axis.high += margin;
  }
  return axis;
}

/// Round numbers inside the axis, about six of them.
std::vector<std::pair<double, std::string>> round_ticks(const Axis& axis) {
  std::vector<std::pair<double, std::string>> ticks;
  if (axis.logarithmic && axis.high / axis.low > 8) {
    const bool wide = axis.high / axis.low > 1000;
    for (double power = std::pow(10, std::floor(std::log10(axis.low))); power <= axis.high; power *= 10)
      for (const double digit : {1.0, 2.0, 5.0})
        if (const double tick = power * digit; tick >= axis.low && tick <= axis.high && (digit == 1 || !wide))
          ticks.emplace_back(tick, fmt::format("{:.3g}", tick));
    return ticks;
  }
  const double raw = (axis.high - axis.low) / 6, power = std::pow(10, std::floor(std::log10(raw)));
  const double step = power * (raw / power > 5 ? 10 : raw / power > 2 ? 5 : raw / power > 1 ? 2 : 1);
  for (double k = std::ceil(axis.low / step); k * step <= axis.high; ++k)
    ticks.emplace_back(k * step, fmt::format("{:.4g}", k == 0 ? 0.0 : k * step));
  return ticks;
}

}  // namespace

std::string xml_escape(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        // Control characters are allowed neither in XML nor in HTML.
        result += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    }
  }
  return result;
}

StillChart::StillChart(std::string title, Axis x, Axis y)
    : title_(std::move(title)), x_(widened(std::move(x))), y_(widened(std::move(y))) {
  ticks_x_ = round_ticks(x_);
  ticks_y_ = round_ticks(y_);
}

void StillChart::ticks_x(const std::vector<std::pair<double, std::string>>& ticks) { ticks_x_ = ticks; }
void StillChart::ticks_y(const std::vector<std::pair<double, std::string>>& ticks) { ticks_y_ = ticks; }

double StillChart::px(double x) const { return kLeft + kPlotWidth * along(x_, x); }
double StillChart::py(double y) const { return kTop + kPlotHeight * (1 - along(y_, y)); }

void StillChart::point(double x, double y, const std::string& label, std::size_t color) {
  body_ += marker(px(x), py(y), color, fmt::format("<title>{}: {:.4g}, {:.4g}</title>", xml_escape(label), x, y));
  if (legend_height_ == 0)
    body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", px(x) + 8, py(y) + 4, xml_escape(label));
}

void StillChart::line(const std::vector<std::pair<double, double>>& points, std::optional<std::size_t> color) {
  const char* const kRule = "class=\"rule\" stroke=\"#555\" stroke-dasharray=\"4 4\"";
  body_ += fmt::format("<polyline fill=\"none\" stroke-width=\"1.5\" {} points=\"",
                       color ? fmt::format("stroke=\"{}\"", color_of(*color)) : kRule);
  for (const auto& [x, y] : points) body_ += fmt::format("{:.1f},{:.1f} ", px(x), py(y));
  body_ += "\"/>\n";
}

void StillChart::band(const std::vector<std::pair<double, double>>& low,
                      const std::vector<std::pair<double, double>>& high) {
  body_ += "<polygon class=\"band\" fill=\"#777\" opacity=\"0.25\" points=\"";
  for (const auto& [x, y] : low) body_ += fmt::format("{:.1f},{:.1f} ", px(x), py(y));
  for (auto at = high.rbegin(); at != high.rend(); ++at)
    body_ += fmt::format("{:.1f},{:.1f} ", px(at->first), py(at->second));
  body_ += "\"/>\n";
}

void StillChart::legend(const std::vector<std::string>& names) {
  const auto columns = static_cast<std::size_t>((kWidth - 20) / kLegendColumn);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double x = 20 + kLegendColumn * static_cast<double>(i % columns);
    const double y = kTop + kPlotHeight + kBottom + kLegendLine * (static_cast<double>(i / columns) + 0.6);
    body_ += marker(x, y, i, "");
    body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + 9, y + 4, xml_escape(names[i]));
  }
  legend_height_ = kLegendLine * static_cast<double>((names.size() + columns - 1) / columns) + 6;
}

std::string StillChart::axes() const {
  const double bottom = kTop + kPlotHeight, right = kLeft + kPlotWidth;
  std::string text = fmt::format(
      "<rect class=\"frame\" fill=\"none\" stroke=\"#bbb\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", kLeft,
      kTop, kPlotWidth, kPlotHeight);
  for (const auto& [value, label] : ticks_x_)
    text += fmt::format(
        "<line class=\"grid\" stroke=\"#ddd\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/><text "
        "text-anchor=\"middle\" "
        "x=\"{0:.1f}\" y=\"{3}\">{4}</text>\n",
        px(value), kTop, bottom, bottom + 17, xml_escape(label));
  for (const auto& [value, label] : ticks_y_)
    text += fmt::format(
        "<line class=\"grid\" stroke=\"#ddd\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/><text "
        "text-anchor=\"end\" "
        "x=\"{3}\" y=\"{4:.1f}\">{5}</text>\n",
        kLeft, right, py(value), kLeft - 6, py(value) + 4, xml_escape(label));
  text += fmt::format("<text text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text>\n", kLeft + kPlotWidth / 2, bottom + 38,
                      xml_escape(x_.title));
  text += fmt::format("<text text-anchor=\"middle\" transform=\"translate(14 {}) rotate(-90)\">{}</text>\n",
                      kTop + kPlotHeight / 2, xml_escape(y_.title));
  return text;
}

std::string StillChart::text() const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"still\" role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {} {}\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n{}{}</svg>\n",
      xml_escape(title_), kWidth, kTop + kPlotHeight + kBottom + legend_height_, axes(), body_);
}

}  // namespace alacarte::experiment_detail
