#include "report/still_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

namespace alacarte::report_detail {

struct StillChart::Layout {
  double width, left, right, top, plot_height, bottom, title_below, title_left;
  int ticks;  ///< about so many on an axis
  double plot_width() const { return width - left - right; }
};

namespace {

constexpr double kLegendLine = 18, kLegendColumn = 150;
constexpr double kGridWidth = 784;  // three panels
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

/// Round numbers inside the axis, about as many as are wanted.
std::vector<std::pair<double, std::string>> round_ticks(const Axis& axis, int wanted) {
  std::vector<std::pair<double, std::string>> ticks;
  if (axis.logarithmic && axis.high / axis.low > 8) {
    const double decades = std::log10(axis.high / axis.low);
    const bool wide = 3 * decades > 1.5 * wanted;
    const double step = std::pow(10, std::max(1.0, std::ceil(decades / wanted)));
    for (double power = std::pow(10, std::floor(std::log10(axis.low))); power <= axis.high; power *= step)
      for (const double digit : {1.0, 2.0, 5.0})
        if (const double tick = power * digit; tick >= axis.low && tick <= axis.high && (digit == 1 || !wide))
          ticks.emplace_back(tick, fmt::format("{:.3g}", tick));
    return ticks;
  }
  const double raw = (axis.high - axis.low) / wanted, power = std::pow(10, std::floor(std::log10(raw)));
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

std::string shortened(const std::string& text, std::size_t most) {
  std::size_t characters = 0, cut = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] & 0xc0) == 0x80) continue;  // goes on with a character
    if (++characters == most) cut = i;
  }
  return characters <= most ? text : text.substr(0, cut) + "\u2026";
}

namespace {

std::string outer_svg(const std::string& title, double width, double height, int font, const std::string& body) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"still\" role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {} {}\" "
      "font-family=\"sans-serif\" font-size=\"{}\">\n{}</svg>\n",
      xml_escape(title), width, height, font, body);
}

/// Markers with names in columns from `top` on, and how high they stand.
std::pair<std::string, double> legend_text(const NamesByColor& names, double width, double top) {
  if (names.empty()) return {"", 0};
  std::string text;
  const auto columns = static_cast<std::size_t>((width - 20) / kLegendColumn);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double x = 20 + kLegendColumn * static_cast<double>(i % columns);
    const double y = top + kLegendLine * (static_cast<double>(i / columns) + 0.6);
    text += marker(x, y, names[i].second, "");
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + 9, y + 4, xml_escape(names[i].first));
  }
  return {text, kLegendLine * static_cast<double>((names.size() + columns - 1) / columns) + 6};
}

}  // namespace

StillChart::StillChart(std::string title, Axis x, Axis y, StillSize size)
    : layout_(&layout_of(size)), title_(std::move(title)), x_(widened(std::move(x))), y_(widened(std::move(y))) {
  ticks_x_ = round_ticks(x_, layout_->ticks);
  ticks_y_ = round_ticks(y_, layout_->ticks);
}

const StillChart::Layout& StillChart::layout_of(StillSize size) {
  static const Layout kWhole{640, 120, 90, 14, 300, 48, 38, 14, 6}, kPanel{256, 62, 8, 24, 150, 40, 31, 11, 5},
      kWide{784, 110, 8, 24, 280, 40, 31, 14, 8};
  return size == StillSize::whole ? kWhole : size == StillSize::panel ? kPanel : kWide;
}

void StillChart::ticks_x(const std::vector<std::pair<double, std::string>>& ticks) { ticks_x_ = ticks; }
void StillChart::ticks_y(const std::vector<std::pair<double, std::string>>& ticks) { ticks_y_ = ticks; }

double StillChart::px(double x) const { return layout_->left + layout_->plot_width() * along(x_, x); }
double StillChart::py(double y) const { return layout_->top + layout_->plot_height * (1 - along(y_, y)); }

void StillChart::point(double x, double y, const std::string& label, std::size_t color) {
  body_ += marker(px(x), py(y), color, fmt::format("<title>{}: {:.4g}, {:.4g}</title>", xml_escape(label), x, y));
  if (legend_height_ > 0) return;
  const double left = px(x) + 8, bottom = free_line(left, py(y) + 4);
  names_.emplace_back(left, bottom);
  body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", left, bottom, xml_escape(label));
}

/// The nearest line below where no name stands yet.
double StillChart::free_line(double left, double bottom) const {
  constexpr double kNameWidth = 70, kNameHeight = 10;
  const auto taken = [&](const std::pair<double, double>& name) {
    return std::abs(name.first - left) < kNameWidth && std::abs(name.second - bottom) < kNameHeight;
  };
  while (std::any_of(names_.begin(), names_.end(), taken)) bottom += kNameHeight;
  return bottom;
}

void StillChart::dots(const Points& points, std::size_t color) {
  body_ += fmt::format("<path stroke=\"{}\" stroke-width=\"4\" stroke-linecap=\"round\" d=\"", color_of(color));
  for (const auto& [x, y] : points) body_ += fmt::format("M{:.1f} {:.1f}h0", px(x), py(y));
  body_ += "\"/>\n";
}

void StillChart::bars(const std::vector<Bar>& bars) {
  body_ += "<path class=\"rule\" fill=\"none\" stroke=\"#555\" opacity=\"0.4\" d=\"";
  for (const Bar& bar : bars) body_ += fmt::format("M{:.1f} {:.1f}V{:.1f}", px(bar.x), py(bar.low), py(bar.high));
  body_ += "\"/>\n";
}

// One path for each of a few shades: a cell is twenty bytes.
void StillChart::cells(const std::vector<Cell>& cells) {
  constexpr int kShades = 10;
  std::map<int, std::string> paths;
  for (const Cell& cell : cells)
    if (const int shade = static_cast<int>(std::lround(kShades * cell.value)); shade > 0)
      paths[shade] += fmt::format("M{:.1f} {:.1f}H{:.1f}V{:.1f}H{:.1f}z", px(cell.x - 0.5), py(cell.y + 0.5),
                                  px(cell.x + 0.5), py(cell.y - 0.5), px(cell.x - 0.5));
  for (const auto& [shade, path] : paths)
    body_ += fmt::format("<path fill=\"{}\" opacity=\"{:.2g}\" d=\"{}\"/>\n", color_of(0),
                         shade / static_cast<double>(kShades), path);
}

void StillChart::line(const Points& points, std::optional<std::size_t> color) {
  const char* const kRule = "class=\"rule\" stroke=\"#555\" stroke-dasharray=\"4 4\"";
  body_ += fmt::format("<polyline fill=\"none\" stroke-width=\"1.5\" {} points=\"",
                       color ? fmt::format("stroke=\"{}\"", color_of(*color)) : kRule);
  for (const auto& [x, y] : points) body_ += fmt::format("{:.1f},{:.1f} ", px(x), py(y));
  body_ += "\"/>\n";
}

void StillChart::band(const Points& low, const Points& high) {
  body_ += "<polygon class=\"band\" fill=\"#777\" opacity=\"0.25\" points=\"";
  for (const auto& [x, y] : low) body_ += fmt::format("{:.1f},{:.1f} ", px(x), py(y));
  for (auto at = high.rbegin(); at != high.rend(); ++at)
    body_ += fmt::format("{:.1f},{:.1f} ", px(at->first), py(at->second));
  body_ += "\"/>\n";
}

void StillChart::legend(const NamesByColor& names) {
  const auto [text, height] = legend_text(names, layout_->width, layout_->top + layout_->plot_height + layout_->bottom);
  body_ += text;
  legend_height_ = height;
}

double StillChart::width() const { return layout_->width; }

double StillChart::height() const { return layout_->top + layout_->plot_height + layout_->bottom + legend_height_; }

std::string StillChart::axes() const {
  const Layout& at = *layout_;
  const double bottom = at.top + at.plot_height, right = at.left + at.plot_width();
  std::string text = fmt::format(
      "<rect class=\"frame\" fill=\"none\" stroke=\"#bbb\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", at.left,
      at.top, at.plot_width(), at.plot_height);
  std::string lines, numbers;
  for (const auto& [value, label] : ticks_x_) {
    lines += fmt::format("M{:.1f} {}V{}", px(value), at.top, bottom);
    numbers += fmt::format("<text text-anchor=\"middle\" x=\"{:.1f}\" y=\"{}\">{}</text>\n", px(value), bottom + 15,
                           xml_escape(label));
  }
  for (const auto& [value, label] : ticks_y_) {
    lines += fmt::format("M{} {:.1f}H{}", at.left, py(value), right);
    numbers += fmt::format("<text text-anchor=\"end\" x=\"{}\" y=\"{:.1f}\">{}</text>\n", at.left - 5, py(value) + 4,
                           xml_escape(label));
  }
  text += fmt::format("<path class=\"grid\" fill=\"none\" stroke=\"#ddd\" d=\"{}\"/>\n{}", lines, numbers);
  text += fmt::format("<text text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text>\n", at.left + at.plot_width() / 2,
                      bottom + at.title_below, xml_escape(x_.title));
  if (!y_.title.empty())
    text += fmt::format("<text text-anchor=\"middle\" transform=\"translate({} {}) rotate(-90)\">{}</text>\n",
                        at.title_left, at.top + at.plot_height / 2, xml_escape(y_.title));
  return text;
}

std::string StillChart::text() const { return outer_svg(title_, layout_->width, height(), 13, axes() + body_); }

std::string StillChart::nested(double left, double top) const {
  return fmt::format(
      "<svg x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\">\n<text font-weight=\"bold\" x=\"{}\" y=\"15\">{}</text>\n"
      "{}{}</svg>\n",
      left, top, layout_->width, height(), layout_->left, xml_escape(title_), axes(), body_);
}

std::string still_grid(const std::string& title, const std::vector<StillChart>& panels, const NamesByColor& legend) {
  const double gap = 8, step_x = panels.front().width() + gap, step_y = panels.front().height() + gap;
  const auto fitting = static_cast<std::size_t>((kGridWidth + gap) / step_x);
  const std::size_t columns = std::min(panels.size(), fitting), rows = (panels.size() + columns - 1) / columns;
  const double width = std::max(500.0, step_x * static_cast<double>(columns) - gap);
  std::string body;
  for (std::size_t i = 0; i < panels.size(); ++i)
    body += panels[i].nested(step_x * static_cast<double>(i % columns), step_y * static_cast<double>(i / columns));
  const auto [text, height] = legend_text(legend, width, step_y * static_cast<double>(rows));
  const int font = columns == 1 && step_x > kGridWidth ? 13 : 11;
  return outer_svg(title, width, step_y * static_cast<double>(rows) + height, font, body + text);
}

}  // namespace alacarte::report_detail
