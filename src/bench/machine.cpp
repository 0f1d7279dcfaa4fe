#include "bench/machine.hpp"

#include <algorithm>
#include <fstream>
#include <string>

#include "alacarte/core/threads.hpp"
#include "alacarte/core/version.hpp"
#include "linalg/simd.hpp"
#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef ALACARTE_HAVE_OPENBLAS
#include <cblas.h>
#include <nlohmann/json.hpp>
#endif

namespace alacarte::bench {
namespace {

constexpr double kKibibyte = 1024;

/// Returns the text after "KEY :" or "KEY:" on the first line that begins with `key`.
std::string field(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key, 0) != 0) continue;
    const auto colon = line.find(':');
    const auto first = line.find_first_not_of(" \t", colon + 1);
    return first == std::string::npos ? "" : line.substr(first);
  }
  return "";
}

/// Returns a size that /proc gives in kB.
std::optional<double> kilobytes(const std::string& path, const std::string& key) {
  const std::string text = field(path, key);
  return text.empty() ? std::nullopt : std::optional<double>(kKibibyte * std::stod(text));
}

std::string word(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  file >> text;
  return text;
}

nlohmann::json caches() {
  nlohmann::json found = nlohmann::json::array();
  for (int index = 0; index < 8; ++index) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    const std::string level = word(folder + "level"), size = word(folder + "size");
    if (level.empty() || size.empty()) continue;
    found.push_back({{"level", std::stoi(level)}, {"type", word(folder + "type")}, {"kib", std::stoi(size)}});
  }
  return found;
}

}  // namespace

nlohmann::json machine() {
  nlohmann::json found = {
      {"isa", simd_path_name(simd_path())}, {"processors", hardware_threads()}, {"caches", caches()}};
  if (const std::string cpu = field("/proc/cpuinfo", "model name"); !cpu.empty()) found["cpu"] = cpu;
  if (const auto total = kilobytes("/proc/meminfo", "MemTotal")) found["memory_mib"] = *total / kKibibyte / kKibibyte;
  return found;
}

nlohmann::json build() {
  const BuildInfo info = build_info();
#ifdef ALACARTE_HAVE_OPENBLAS
  const std::string blas = ::openblas_get_config();
#else
  const std::string blas = "Eigen";
#endif
  return {{"version", version()},
          {"commit", info.commit},
          {"compiler", info.compiler},
          {"flags", info.flags},
          {"blas", blas}};
}

std::optional<double> available_memory() { return kilobytes("/proc/meminfo", "MemAvailable"); }

std::optional<double> held_memory() {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
#else
  return std::nullopt;
#endif
}

// Returns freed memory to the system first, since memory kept by the C library would hide new allocations. Writing 5 to
// clear_refs resets the peak to the current resident size.
PeakMemory::PeakMemory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  std::ofstream reset("/proc/self/clear_refs");
  reset << 5 << std::flush;
  if (reset) start_ = kilobytes("/proc/self/status", "VmRSS");
}

std::optional<double> PeakMemory::extra() const {
  const auto peak = kilobytes("/proc/self/status", "VmHWM");
  if (!start_ || !peak) return std::nullopt;
  return std::max(0.0, *peak - *start_);
}

}  // namespace alacarte::bench
