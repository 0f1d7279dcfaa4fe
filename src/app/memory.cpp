#include "alacarte/app/memory.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>

#include "alacarte/core/threads.hpp"

namespace alacarte {
namespace {

/// The first number of a file; negative when there is none ("max").
double number_in(const std::string& path) {
  std::ifstream file(path);
  double value = -1;
  return file >> value ? value : -1;
}

double machine_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    double kilobytes = 0;
    if (words >> name >> kilobytes && name == "MemAvailable:") return 1024 * kilobytes;
  }
  return 0;
}

/// Memory that the control groups (version 2) of this process leave available; infinite without a limit.
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

/// What `ulimit -v` leaves beside the buffers that threads have still to get; infinite without a limit.
double address_space() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("VmSize:", 0) == 0) {
      const double used = 1024 * std::strtod(line.c_str() + 7, nullptr);
      const double buffers = kBufferBytes + kThreadBytes * (affordable_threads() - 1);
      return std::max(1.0, address_space_limit() - used - buffers);
    }
  return std::numeric_limits<double>::infinity();
}

}  // namespace

std::optional<double> parse_size(const std::string& text) {
  static const std::map<std::string, double> units = {
      {"", 1},     {"b", 1},    {"k", 0x1p10}, {"m", 0x1p20},   {"g", 0x1p30},   {"t", 0x1p40},   {"kb", 1e3},
      {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12},  {"kib", 0x1p10}, {"mib", 0x1p20}, {"gib", 0x1p30}, {"tib", 0x1p40}};
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto status = std::from_chars(text.data(), end, value);
  std::string unit(status.ptr, end);
  unit.erase(0, unit.find_first_not_of(' ') == std::string::npos ? unit.size() : unit.find_first_not_of(' '));
  std::transform(unit.begin(), unit.end(), unit.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  const auto found = units.find(unit);
  if (status.ec != std::errc() || found == units.end() || !(value > 0) || !std::isfinite(value)) return std::nullopt;
  return value * found->second;
}

double available_memory() { return std::min({machine_memory(), group_memory(), address_space()}); }

}  // namespace alacarte
