#include "support/program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

extern char** environ;

namespace alacarte::test {
namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "alacarte-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& text) const {
  fs::create_directories((path_ / name).parent_path());
  std::ofstream(path_ / name, std::ios::binary) << text;
  return (path_ / name).string();
}

std::vector<std::string> TemporaryFolder::entries() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path_)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string program_path() {
  const char* other = std::getenv("ALACARTE_PROGRAM");
#ifdef ALACARTE_PROGRAM
  return other ? other : ALACARTE_PROGRAM;
#else
  return other ? other : "";
#endif
}

bool program_has_sanitizers() {
#ifdef ALACARTE_SANITIZED
  return true;
#else
  return std::getenv("ALACARTE_SANITIZED") != nullptr;
#endif
}

std::string read_file(const std::string& path) {
  std::ostringstream text;
  std::ifstream file(path, std::ios::binary);
  if (file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (added.count(text.substr(0, text.find('='))) == 0) result.push_back(text);
  }
  for (const auto& [name, value] : added) result.push_back(name + "=" + value);
  return result;
}

/// Returns the read end of a closed pipe that holds `text`.
int pipe_holding(const std::string& text) {
  int ends[2];
  if (text.size() > 60000 || ::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe for standard input");
  if (::write(ends[1], text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw std::runtime_error("standard input does not fit its pipe");
  }
  ::close(ends[1]);
  return ends[0];
}

}  // namespace

RunningProgram::RunningProgram(const std::string& program, const std::vector<std::string>& arguments,
                               const RunOptions& options)
    : own_group_(options.own_group), captures_output_(options.output_to.empty()) {
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = merged_environment(options.environment);
  const std::string out = captures_output_ ? folder_ / "out" : options.output_to;
  const int input = pipe_holding(options.input);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::posix_spawn_file_actions_addopen(&actions, 2, (folder_ / "err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  // 0: a group with the process's own number
  if (own_group_) ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int error =
      ::posix_spawn(&pid_, program.c_str(), &actions, &attributes, pointers(words).data(), pointers(variables).data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(input);
  if (error != 0) throw std::runtime_error("cannot run " + program);
}

RunningProgram::~RunningProgram() {
  send(SIGKILL);
  wait();
}

void RunningProgram::send(int signal) const {
  if (!reaped_) ::kill(own_group_ ? -pid_ : pid_, signal);
}

std::string RunningProgram::err_so_far() const { return read_file(folder_ / "err"); }

bool RunningProgram::ended() {
  siginfo_t info{};
  return reaped_ || (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid);
}

bool RunningProgram::wait_for(const std::string& text, double seconds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < deadline) {
    const bool last_look = ended();
    if (err_so_far().find(text) != std::string::npos) return true;
    if (last_look) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

RunResult RunningProgram::wait() {
  if (reaped_) return result_;
  int status = 0;
  rusage usage{};
  while (::wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  reaped_ = true;
  result_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  result_.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + result_.signal;
  result_.peak_kilobytes = usage.ru_maxrss;
  if (captures_output_) result_.out = read_file(folder_ / "out");
  result_.err = err_so_far();
  return result_;
}

RunResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                      const RunOptions& options) {
  return RunningProgram(program, arguments, options).wait();
}

}  // namespace alacarte::test
