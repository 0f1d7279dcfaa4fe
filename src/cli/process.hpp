#pragma once
// How a process of these programs begins and ends: signals, a limit of its address space, checked output, and from what
// a command throws to an exit code and one line on standard error.
#include <alacarte/app/job.hpp>
#include <alacarte/core/error.hpp>
#include <atomic>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "program.hpp"

namespace alacarte::cli {

enum ExitCode : int {
  kSuccess = 0,
  kUsageError = 1,
  kConfigError = 2,
  kDataError = 3,
  kIoError = 4,
  kNumericalError = 5,
  kInternalError = 70,
  kInterrupted = 130,
  kClosedPipe = 141,  ///< as a shell reports a program ended by SIGPIPE
};

/// A combination of options that the table of options cannot refuse by itself.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Runs `body`, then makes sure standard output reached its destination. Never throws.
int guarded(const std::function<int()>& body) noexcept;

/// Ctrl-C, SIGTERM, SIGXCPU and, unless it was ignored, SIGHUP (a terminal that closes): the first requests an orderly
/// stop of the running command, the second ends the program at once. SIGUSR1 (a batch system's warning of its time
/// limit), unless it was ignored, requests the stop, however often it comes. A program that waits for a pipe ends at
/// the first. SIGPIPE and SIGXFSZ (`ulimit -f`) are ignored, so that a closed pipe and a file that grows too large are
/// errors like any other write error. However a signal but SIGKILL ends the program, no temporary file stays.
void install_signal_handlers();

/// Set by the first signal.
const std::atomic<bool>& interrupt_flag();

/// From the first call on SIGUSR1 stops nothing and sets this flag alone: for commands that have parts to complete.
const std::atomic<bool>& wind_down_flag();

/// From here on the first signal that stops a program ends this one, at once: nothing of its work is kept. SIGUSR1 is
/// none of them.
void end_at_first_signal();

/// Throws Interrupted when the flag is set; called between chunks of rows.
void stop_if_interrupted();

/// Throws IoError now when one of `paths` cannot be written later, and UsageError when it is one of `others`, files
/// that the command reads besides, or an earlier one of `paths`, which would be lost; nothing is left behind. "-" is
/// standard output, "" no file.
void require_writable(const std::vector<std::string>& paths, const std::vector<std::string>& others = {});

/// Writes a file atomically by `write`, and logs it. Throws IoError.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& write);

/// OpenBLAS would ask for its buffers for ever under `ulimit -v`. Makes every command that computes refuse a limit
/// under which it cannot, with exit code 70 (out of memory), and take no more threads than the limit has room for. Less
/// still, too little for the libraries to start, is refused before main().
void watch_address_space(Command& program, int& threads);

/// Starts the program again, with OPENBLAS_CORETYPE set, where the BLAS does not know the processor
/// (better_blas_kernels()): the library reads it before main(). Otherwise, and where that fails, returns.
void restart_with_better_blas(char** arguments) noexcept;

}  // namespace alacarte::cli
