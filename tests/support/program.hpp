#pragma once
// Runs a program like a shell, and captures its output.
#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace alacarte::test {

/// A folder that is removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const;  ///< returns the path
  std::vector<std::string> entries() const;                                   ///< sorted names

 private:
  std::filesystem::path path_;
};

/// Returns the program of this build, or the one named by ALACARTE_PROGRAM in the environment: that with sanitizers, in
/// `ctest -L asan`.
std::string program_path();
/// Returns true if ALACARTE_SANITIZED is in the environment: such a program needs more memory and time.
bool program_has_sanitizers();

std::string read_file(const std::string& path);
std::vector<std::string> lines_of(const std::string& text);

struct RunOptions {
  std::string input;                               ///< contents of a pipe on standard input; at most 60 000 bytes
  std::string output_to;                           ///< file or device for standard output instead of capturing it
  std::map<std::string, std::string> environment;  ///< added to the current environment
  bool own_group = false;                          ///< run in a new process group, which receives signals
};

struct RunResult {
  int code = -1;   ///< exit code, or 128 + signal
  int signal = 0;  ///< 0 if the program exited by itself
  std::string out, err;
  long peak_kilobytes = 0;
};

/// A program in the background; the destructor kills it.
class RunningProgram {
 public:
  RunningProgram(const std::string& program, const std::vector<std::string>& arguments, const RunOptions& options = {});
  ~RunningProgram();
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;
  void send(int signal) const;
  std::string err_so_far() const;
  /// Waits until standard error contains `text`; returns false after `seconds` or if the program has ended without it.
  bool wait_for(const std::string& text, double seconds);
  RunResult wait();

 private:
  bool ended();
  TemporaryFolder folder_;
  pid_t pid_ = -1;
  bool reaped_ = false;
  RunResult result_;
  bool own_group_ = false, captures_output_ = true;
};

RunResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                      const RunOptions& options = {});

}  // namespace alacarte::test
