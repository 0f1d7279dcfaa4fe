#pragma once
// Start and end of a process of these programs: signals, a limit of its address space, checked output, and from an
// exception to an exit code and one line on standard error, also where a program can neither continue nor throw: memory
// exhausted in a destructor or a thread.
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
  kClosedPipe = 141,  ///< the code of a shell for a program ended by SIGPIPE
};

/// Invalid combination of options that the table of options cannot express.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Runs `body`, then ensures that standard output reached its destination. Never throws.
int guarded(const std::function<int()>& body) noexcept;

/// Installs handlers. Ctrl-C, SIGTERM, SIGXCPU and, unless it was ignored, SIGHUP (a terminal that closes): the first
/// requests an orderly stop of the running command, the second ends the program at once. SIGUSR1 (a batch system's
/// warning of its time limit), unless it was ignored, requests the stop, however often it comes. A program that waits
/// for a pipe ends at the first. SIGPIPE and SIGXFSZ (`ulimit -f`) are ignored, so that a closed pipe and a file that
/// grows too large are ordinary write errors. After any signal except SIGKILL no temporary file remains.
void install_signal_handlers();

/// Returns the flag that the first signal sets.
const std::atomic<bool>& interrupt_flag();

/// Returns the flag that SIGUSR1 sets, instead of stopping, from the first call on: for commands that complete parts.
const std::atomic<bool>& wind_down_flag();

/// Makes the first stop signal end the program at once, without keeping its work. SIGUSR1 is none of them.
void end_at_first_signal();

/// Throws Interrupted if the flag is set; called between chunks of rows.
void stop_if_interrupted();

/// Throws IoError if one of `paths` could not be written later, and UsageError if it is one of `others` (files that the
/// command also reads) or an earlier one of `paths`, which would be lost; leaves nothing behind. "-" is standard
/// output, "" no file.
void require_writable(const std::vector<std::string>& paths, const std::vector<std::string>& others = {});

/// Writes a file atomically by `write`, and logs it. Throws IoError.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& write);

/// Makes every command that computes refuse an address-space limit that is too small for it, with exit code 70 (out of
/// memory), and use no more threads than fit; OpenBLAS would retry its allocations forever under `ulimit -v`. A limit
/// too small for the libraries to start is refused before main().
void watch_address_space(Command& program, int& threads);

/// Restarts the program with OPENBLAS_CORETYPE set if the BLAS does not know the processor (better_blas_kernels()): the
/// library reads it before main(). Otherwise, or if that fails, returns.
void restart_with_better_blas(char** arguments) noexcept;

/// Makes std::terminate() remove the temporary files, report the cause in one line and exit with code 70 instead of a
/// signal. nlohmann's JSON, for one, allocates in its destructor.
void install_terminate_handler();

/// Records that the cause has been reported, so that no second line follows.
void told_why() noexcept;

/// Reports the exception being handled, without allocating, unless one has been reported.
void say_why() noexcept;

}  // namespace alacarte::cli
