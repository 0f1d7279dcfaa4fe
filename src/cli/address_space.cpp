#include "address_space.hpp"

#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "alacarte/core/threads.hpp"
#include "guard.hpp"
#include "log.hpp"

namespace alacarte::cli {
namespace {

#if defined(ALACARTE_HAVE_OPENBLAS) && !defined(ALACARTE_SANITIZED)

[[noreturn]] void refuse(const char* program, double needed) {
  char text[200];
  const int length =
      std::snprintf(text, sizeof text,
                    "%s: error: out of memory: %.0f MB of address space are needed, the limit (ulimit -v) is %.0f MB\n",
                    program, needed / 1e6, address_space_limit() / 1e6);
  if (::write(STDERR_FILENO, text, static_cast<std::size_t>(length)) < 0) ::_exit(kInternalError);
  ::_exit(kInternalError);
}

/// Runs before the constructors of the libraries, where OpenBLAS starts its threads: refuses, or starts the program
/// again with as many of them as there is room for. Nothing of the C++ library may be used here, and no setenv(), since
/// the C library takes its environment later.
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

}  // namespace

void watch_address_space(Command& program, int& threads) {
  static const std::vector<std::string> without_blas = {"kernels", "datasets", "convert", "run", "report"};
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

}  // namespace alacarte::cli
