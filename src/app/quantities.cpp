#include "quantities.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <boost/algorithm/string/case_conv.hpp>
#include <boost/algorithm/string/trim.hpp>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>

#include "alacarte/core/threads.hpp"

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

/// Returns the first number of a file; negative if there is none ("max").
double number_in(const std::string& path) {
  std::ifstream file(path);
  double value = -1;
  return file >> value ? value : -1;
}

/// Returns the bytes in the line "NAME: 123 kB" of a file; nullopt if there is none.
std::optional<double> bytes_in(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name + ":")) return 1024 * std::strtod(line.c_str() + name.size() + 1, nullptr);
  return std::nullopt;
}

/// Returns the memory that the control groups (version 2) of this process leave available; infinity without a limit.
double group_memory() {
  double minimum = std::numeric_limits<double>::infinity();
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("0::/", 0) != 0) continue;
    for (std::string group = line.substr(3);; group.resize(group.find_last_of('/'))) {
      const std::string folder = "/sys/fs/cgroup" + group;
      const double maximum = number_in(folder + "/memory.max"), used = number_in(folder + "/memory.current");
      if (maximum >= 0 && used >= 0) minimum = std::min(minimum, std::max(0.0, maximum - used));
      if (group.empty() || group == "/") break;
    }
  }
  return minimum;
}

/// Returns what `ulimit -v` leaves after the buffers of the threads that will run; infinity without a limit.
double address_space() {
  const auto used = bytes_in("/proc/self/status", "VmSize");
  const double buffers = kBufferBytes + kThreadBytes * (hardware_threads() - 1);
  return used ? std::max(1.0, address_space_limit() - *used - buffers) : std::numeric_limits<double>::infinity();
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

std::optional<double> parse_size(const std::string& text) {
  static const std::map<std::string, double> units = {
      {"", 1},     {"b", 1},    {"k", 0x1p10}, {"m", 0x1p20},   {"g", 0x1p30},   {"t", 0x1p40},   {"kb", 1e3},
      {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12},  {"kib", 0x1p10}, {"mib", 0x1p20}, {"gib", 0x1p30}, {"tib", 0x1p40}};
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto status = std::from_chars(text.data(), end, value);
  const auto found = units.find(boost::to_lower_copy(boost::trim_left_copy(std::string(status.ptr, end))));
  if (status.ec != std::errc() || found == units.end() || !(value > 0) || !std::isfinite(value)) return std::nullopt;
  return value * found->second;
}

double available_memory() {
  return std::min({bytes_in("/proc/meminfo", "MemAvailable").value_or(0), group_memory(), address_space()});
}

}  // namespace alacarte
