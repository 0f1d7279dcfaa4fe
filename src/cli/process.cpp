#include "process.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <new>
#include <set>
#include <string_view>
#include <thread>

#include "alacarte/core/threads.hpp"
#include "core/atomic_file.hpp"
#include "core/pipes.hpp"
#include "core/ranks.hpp"
#include "linalg/simd.hpp"
#include "log.hpp"

namespace alacarte::cli {
namespace {

std::atomic<bool> interrupted{false}, winding_down{false}, keeps_nothing{false};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

/// Writes text without allocating; async-signal-safe.
void say(std::string_view text) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // nobody is left to tell
}

[[noreturn]] void end_now() {
  if (PipeWait::waiting()) {
    say(program_name());
    say(": error: interrupted while waiting for the other end of a pipe\n");
  } else if (keeps_nothing) {
    say(program_name());
    say(": error: interrupted\n");
  }
  remove_temporary_files();
  ::_exit(kInterrupted);
}

/// Returns the milliseconds of a clock; async-signal-safe.
std::int64_t milliseconds_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{1000} * now.tv_sec + now.tv_nsec / 1'000'000;
}

extern "C" void on_stop(int signal) {
  // Milliseconds within which a repeated SIGTERM counts once: a batch system and its script may both send it.
  constexpr std::int64_t kSameSignal = 1000;
  static std::atomic<std::int64_t> first{0};
  const bool again = interrupted.exchange(true);
  const bool same = again && signal == SIGTERM && milliseconds_now() - first < kSameSignal;
  if (!again) first = milliseconds_now();
  if ((again && !same) || keeps_nothing || PipeWait::waiting()) end_now();
}

/// Handles Slurm's --signal=USR1, sent before the time of a job is over: requests a stop like the first signal, but
/// never counts as the second.
extern "C" void on_warning(int) {
  interrupted = true;
  if (PipeWait::waiting()) end_now();
}

extern "C" void on_warning_of_run(int) { winding_down = true; }

/// Removes temporary files; the signal's own action follows when the handler returns.
extern "C" void on_quit(int signal) {
  remove_temporary_files();
  ::raise(signal);
}

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  ::sigemptyset(&action.sa_mask);
  action.sa_flags = flags;
  ::sigaction(signal, &action, nullptr);
}

bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// Returns true if standard output is closed; also detects an earlier failed write, whose errno is lost.
bool pipe_closed() {
  pollfd output{STDOUT_FILENO, 0, 0};
  return ::poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

/// Returns an identity common to all names of a file, even one that does not exist yet.
std::string identity(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return fmt::format("{}:{}", status.st_dev, status.st_ino);
  std::error_code error;
  // weakly_canonical() alone leaves a relative name of a missing file relative, except for "./NAME".
  const std::string whole = std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error).string();
  return error ? path : whole;
}

/// Throws IoError if standard output took less than was written to it.
void flush_standard_output() {
  errno = 0;
  const PipeWait wait(PipeWait::writing);
  if (std::cout.flush()) return;
  const int error = errno;
  std::cout.clear();
  if (error == EPIPE || pipe_closed()) throw ClosedPipe();
  std::string message = "cannot be written";
  if (error != 0) message += std::string(": ") + std::strerror(error);
  throw IoError("standard output", message);
}

template <class Kind>
bool is(const std::exception& error) {
  return dynamic_cast<const Kind*>(&error) != nullptr;
}

int exit_code(const std::exception& error) {
  if (is<UsageError>(error)) return kUsageError;
  if (is<Interrupted>(error)) return kInterrupted;
  if (is<ConfigError>(error)) return kConfigError;
  if (is<DataError>(error)) return kDataError;
  if (is<ClosedPipe>(error)) return kClosedPipe;
  if (is<IoError>(error)) return kIoError;
  return is<NumericalError>(error) ? kNumericalError : kInternalError;
}

/// Reports why the program ends, and ends other ranks with it. The first rank reports what all ranks meet; another rank
/// reports what it meets alone, if the first had time to end the job.
int fail(int code, const std::string& text) {
#ifdef ALACARTE_SANITIZED
  constexpr std::chrono::milliseconds kTimeOfFirst{6000};  // the program is many times slower
#else
  constexpr std::chrono::milliseconds kTimeOfFirst{1000};
#endif
  if (!ranks::is_first()) {
    std::this_thread::sleep_for(kTimeOfFirst);
    silence_log(interrupted);  // the first rank has ended the job
  }
  if (!text.empty()) log_error(text);
  ranks::abort(code);
  return code;
}

int run(const std::function<int()>& body) {
  try {
    const int code = body();
    flush_standard_output();
    return code;
  } catch (const std::bad_alloc&) {
    return fail(kInternalError, "out of memory");
  } catch (const std::exception& error) {
    const int code = exit_code(error);
    const char* const kind = code == kInterrupted ? "interrupted; " : code == kInternalError ? "internal error: " : "";
    return fail(code, code == kClosedPipe ? "" : std::string(kind) + error.what());
  }
}

// OpenBLAS may come with LIBLINEAR (as libblas) even if the program itself is built without it.
#ifndef ALACARTE_SANITIZED

[[noreturn]] void refuse(const char* program, double needed) {
  char text[200];
  const int length =
      std::snprintf(text, sizeof text,
                    "%s: error: out of memory: %.0f MB of address space are needed, the limit (ulimit -v) is %.0f MB\n",
                    program, needed / 1e6, address_space_limit() / 1e6);
  if (::write(STDERR_FILENO, text, static_cast<std::size_t>(length)) < 0) ::_exit(kInternalError);
  ::_exit(kInternalError);
}

/// Runs before the constructors of the libraries, where OpenBLAS starts its threads: refuses, or restarts the program
/// with as many of them as fit. The C++ library is not usable here, nor is setenv(), since the C library takes its
/// environment later.
void before_libraries(int, char** arguments, char** environment) {
  constexpr const char* kVariable = "OPENBLAS_NUM_THREADS=";
  constexpr int kMaxVariables = 4000;
  if (address_space_limit() > kCodeBytes + kBufferBytes + 4095 * kThreadBytes) return;
  if (address_space_limit() < kCodeBytes) refuse("alacarte", kCodeBytes);
  static char setting[40];
  static char* with_setting[kMaxVariables + 2];
  int count = 0;
  for (char** entry = environment; *entry != nullptr && count < kMaxVariables; ++entry) {
    if (std::strncmp(*entry, kVariable, std::strlen(kVariable)) != 0) {
      with_setting[count++] = *entry;
    } else if (const int threads = std::atoi(*entry + std::strlen(kVariable)); threads > 0) {
      if (threads <= affordable_threads()) return;
    }
  }
  std::snprintf(setting, sizeof setting, "%s%d", kVariable, affordable_threads());
  with_setting[count] = setting;
  const char* program = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  if (program != nullptr) ::execve(program, arguments, with_setting);
}

__attribute__((section(".preinit_array"), used)) void (*const start)(int, char**, char**) = before_libraries;

void require_buffers() {
  const double needed = kCodeBytes + kBufferBytes;
  if (address_space_limit() < needed) refuse(program_name(), needed);
}

#else

void require_buffers() {}

#endif

std::atomic<bool> told{false};

[[noreturn]] void end_program() {
  remove_temporary_files();
  say_why();
  ::_exit(kInternalError);
}

}  // namespace

void install_signal_handlers() {
  for (const int signal : {SIGINT, SIGTERM, SIGXCPU}) handle(signal, on_stop, SA_RESTART);
  if (!is_ignored(SIGHUP)) handle(SIGHUP, on_stop, SA_RESTART);  // nohup ignores it
  if (!is_ignored(SIGUSR1)) handle(SIGUSR1, on_warning, SA_RESTART);
  handle(SIGQUIT, on_quit, SA_RESETHAND);
  for (const int signal : {SIGPIPE, SIGXFSZ}) handle(signal, SIG_IGN, 0);
  PipeWait::before_waiting([] {
    if (interrupted) end_now();
  });
}

const std::atomic<bool>& interrupt_flag() { return interrupted; }

const std::atomic<bool>& wind_down_flag() {
  if (!is_ignored(SIGUSR1)) handle(SIGUSR1, on_warning_of_run, SA_RESTART);
  return winding_down;
}

void end_at_first_signal() {
  wind_down_flag();  // SIGUSR1 now sets this flag, no longer the one below
  keeps_nothing = true;
  stop_if_interrupted();  // for an earlier signal
}

void stop_if_interrupted() {
  if (interrupted) throw Interrupted();
}

void require_writable(const std::vector<std::string>& paths, const std::vector<std::string>& others) {
  std::set<std::string> taken;
  for (const std::string& other : others)
    if (!other.empty()) taken.insert(identity(other));
  for (const std::string& path : paths) {
    if (path.empty() || path == "-") continue;
    if (!taken.insert(identity(path)).second)
      throw UsageError(path +
                       " is another file of this command too, which would be written over; give it another name");
    // Named pipes are not opened: their readers would take closing them for the end of the output.
    if (!is_stream(path)) {
      const AtomicFile probe(path);
    } else if (::access(path.c_str(), W_OK) != 0) {
      throw IoError(path, std::string("cannot be written: ") + std::strerror(errno));
    }
  }
}

void write_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  AtomicFile file(path);
  write(file.stream());
  file.commit();
  log_info("wrote " + path);
}

int guarded(const std::function<int()>& body) noexcept {
  try {
    return run(body);
  } catch (...) {
    // Reporting itself failed, most likely for lack of memory, so nothing is allocated here.
    say_why();
    ranks::abort(kInternalError);  // the other ranks may wait for this one
    return kInternalError;
  }
}

void watch_address_space(Command& program, int& threads) {
  static const std::vector<std::string> without_blas = {"kernels", "datasets",   "convert", "run",
                                                        "report",  "completion", "man"};
  for (Command& command : program.subcommands) {
    const bool computes = std::find(without_blas.begin(), without_blas.end(), command.name) == without_blas.end();
    if (!computes || !command.run) continue;
    command.run = [run = command.run, &threads] {
      require_buffers();
      threads = std::min(threads, affordable_threads());
      return run();
    };
  }
}

void restart_with_better_blas(char** arguments) noexcept {
  const char* const kernels = better_blas_kernels();
  const char* const program = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  if (*kernels == 0 || program == nullptr || ::setenv("OPENBLAS_CORETYPE", kernels, 0) != 0) return;
  ::execv(program, arguments);
}

void install_terminate_handler() { std::set_terminate(end_program); }

void told_why() noexcept { told = true; }

void say_why() noexcept {
  if (told.exchange(true)) return;
  say(program_name());
  try {
    if (std::current_exception()) throw;
    say(": error: internal error: the program cannot go on\n");
  } catch (const std::bad_alloc&) {
    say(": error: out of memory; ended at once\n");
  } catch (const std::exception& error) {
    say(": error: internal error: ");
    say(error.what());
    say("\n");
  } catch (...) {
    say(": error: internal error: an unknown exception\n");
  }
}

}  // namespace alacarte::cli
