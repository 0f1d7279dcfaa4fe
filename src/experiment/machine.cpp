#include "experiment/machine.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

namespace alacarte {

std::string this_machine() {
  char space[64] = "";
  const ssize_t length = ::readlink("/proc/self/ns/pid", space, sizeof space - 1);
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return length <= 0 || boot.empty() ? "" : boot + "/" + space;
}

std::string process_start(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::size_t name_ends = text.rfind(')');
  if (name_ends == std::string::npos) return {};
  std::istringstream fields(text.substr(name_ends + 1));
  std::vector<std::string> values;
  for (std::string value; fields >> value;) values.push_back(value);
  constexpr std::size_t kStart = 19;  // index of field 22 of proc(5) among those after the name
  if (values.size() <= kStart || values[0] == "Z" || values[0] == "X") return {};
  return values[kStart];
}

bool process_lives(pid_t process, const std::string& start) {
  if (::kill(process, 0) != 0 && errno == ESRCH) return false;
  // If /proc is hidden, an unknown start proves nothing.
  return start == process_start(process) || ::access(fmt::format("/proc/{}", process).c_str(), F_OK) != 0;
}

double peak_megabytes() {
  std::ifstream file("/proc/self/status");
  double kibibytes = 0;
  for (std::string line; std::getline(file, line);)
    if (line.rfind("VmHWM:", 0) == 0) std::istringstream(line.substr(6)) >> kibibytes;
  return kibibytes * 1024 / 1e6;
}

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  std::string text;
  for (const char* c = name; *c != 0; ++c) text += std::isalnum(static_cast<unsigned char>(*c)) != 0 ? *c : '-';
  return text.empty() ? "unknown" : text;
}

}  // namespace alacarte
