#include "experiment/run_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "alacarte/core/error.hpp"

namespace alacarte {
namespace {

constexpr int kCannotStart = 127, kStoppedBySignal = 130;

/// Executes the command in the child. Only async-signal-safe calls are allowed between fork and exec; all arguments
/// were prepared before.
[[noreturn]] void exec_child(char* const* arguments, int log, pid_t parent) {
  ::setpgid(0, 0);  // Ctrl-C goes to the runner: an interrupted run must not look done
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kCannotStart);
  const struct rlimit no_core { 0, 0 };
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::signal(SIGUSR1, SIG_IGN);  // a job-wide warning of the time limit, which the runner handles
  ::dup2(log, STDERR_FILENO);
  ::dup2(log, STDOUT_FILENO);
  ::execv(arguments[0], arguments);
  ::_exit(kCannotStart);
}

}  // namespace

RunProcess::RunProcess(std::vector<std::string> command, const std::string& log_path, ProcessLimits limits)
    : log_path_(log_path), limits_(limits), began_(std::chrono::steady_clock::now()) {
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int log = ::open(log_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (log < 0) throw IoError(log_path, std::string("cannot be written: ") + std::strerror(errno));
  const pid_t parent = ::getpid();
  process_ = ::fork();
  if (process_ == 0) exec_child(arguments.data(), log, parent);
  const int reason = errno;
  ::close(log);
  if (process_ < 0) throw IoError(arguments[0], std::string("no further process: ") + std::strerror(reason));
}

double RunProcess::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

bool RunProcess::ended() {
  if (reaped_ || ::waitpid(process_, &status_, WNOHANG) == process_) return reaped_ = true;
  if (!killed_for_.empty()) return false;
  if (limits_.seconds > 0 && seconds() > limits_.seconds)
    killed_for_ = fmt::format("time limit of {:g} s", limits_.seconds);
  else if (limits_.memory_mb > 0 && resident_megabytes() > limits_.memory_mb)
    killed_for_ = fmt::format("memory limit of {:g} MB", limits_.memory_mb);
  if (!killed_for_.empty()) ::kill(process_, SIGKILL);
  return false;
}

// Polls memory instead of limiting it by setrlimit(): OpenBLAS waits forever if its buffers cannot be allocated.
double RunProcess::resident_megabytes() const {
  std::ifstream file("/proc/" + std::to_string(process_) + "/statm");
  double all = 0, resident = 0;
  if (!(file >> all >> resident)) return 0;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

void RunProcess::kill_now() {
  if (reaped_) return;  // the number may belong to another process by now
  ::kill(process_, SIGKILL);
  ::waitpid(process_, &status_, 0);
  reaped_ = true;
}

bool RunProcess::cut_short() const {
  if (!killed_for_.empty()) return false;
  return WIFSIGNALED(status_) || (WIFEXITED(status_) && WEXITSTATUS(status_) == kStoppedBySignal);
}

std::string RunProcess::failure() const {
  if (!killed_for_.empty()) return killed_for_;
  if (WIFEXITED(status_) && WEXITSTATUS(status_) == 0) return {};
  const std::string words = last_log_line();
  if (WIFSIGNALED(status_)) return "signal " + std::to_string(WTERMSIG(status_));
  return words.empty() ? "exit code " + std::to_string(WEXITSTATUS(status_)) : words;
}

std::string RunProcess::last_log_line() const {
  std::ifstream log(log_path_);
  std::string last;
  for (std::string line; std::getline(log, line);)
    if (!line.empty()) last = line;
  const std::string prefix = "alacarte: ";
  return last.rfind(prefix, 0) == 0 ? last.substr(prefix.size()) : last;
}

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
