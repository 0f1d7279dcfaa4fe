#include "quantities.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cstddef>

namespace alacarte {
namespace {

std::string with_prefix(double value, double step, const char* unit) {
  constexpr std::array<const char*, 6> prefixes{"", "k", "M", "G", "T", "P"};
  std::size_t k = 0;
  while (value >= step && k + 1 < prefixes.size()) {
    value /= step;
    ++k;
  }
  return fmt::format("{:.3g} {}{}", value, prefixes[k], unit);
}

}  // namespace

std::string format_flops(double flops) { return with_prefix(flops, 1000, "FLOP"); }

std::string format_bytes(double bytes) { return with_prefix(bytes, 1000, "B"); }

std::string format_seconds(double seconds) {
  if (seconds < 60) return fmt::format("{:.{}f} s", seconds, seconds < 10 ? 1 : 0);
  const auto whole = static_cast<long long>(std::min(seconds, 1e15));
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string text_table(const std::vector<std::vector<std::string>>& rows, const std::string& alignment,
                       std::size_t indent) {
  std::vector<std::size_t> widths(alignment.size(), 0);
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  std::string text;
  for (const auto& row : rows) {
    std::string line(indent, ' ');
    for (std::size_t c = 0; c < row.size(); ++c)
      line +=
          alignment[c] == 'r' ? fmt::format("{:>{}}  ", row[c], widths[c]) : fmt::format("{:<{}}  ", row[c], widths[c]);
    text += line.erase(line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

}  // namespace alacarte
