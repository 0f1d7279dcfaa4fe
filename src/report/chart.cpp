#include "alacarte/report/chart.hpp"

#include <algorithm>
#include <iterator>
#include <map>

namespace alacarte {

const char* series_color(std::size_t index) {
  static constexpr const char* kColors[] = {"#4c78a8", "#f58518", "#e45756", "#3a9d94", "#54a24b", "#b79a20", "#b279a2",
                                            "#e8788a", "#9d755d", "#8a8580", "#2a9df4", "#c0392b", "#7f8c1a", "#8e6bd8",
                                            "#c2185b", "#00897b", "#a1662f", "#5c6bc0", "#7cb342", "#d81b9a"};
  return kColors[index % std::size(kColors)];
}

std::size_t static_panel_count(const Chart& chart) {
  const auto asked =
      std::count_if(chart.panels.begin(), chart.panels.end(), [](const Panel& p) { return p.in_static_svg; });
  return std::min(static_cast<std::size_t>(asked), max_static_panels);
}

std::string xml_escape(const std::string& text) {
  static const std::map<char, std::string> entities = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  std::string result;
  for (const char c : text) {
    const auto entity = entities.find(c);
    // Control characters are allowed neither in XML nor in HTML.
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    result += entity != entities.end() ? entity->second : std::string(1, control ? ' ' : c);
  }
  return result;
}

}  // namespace alacarte
