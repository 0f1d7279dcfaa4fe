#pragma once
// Ctrl-C, SIGTERM, SIGHUP (a terminal that closes) and SIGXCPU: the first requests an orderly stop of the running
// command, the second ends the program at once. A program that waits for a pipe ends at the first.
#include <atomic>

namespace alacarte::cli {

/// Installs the handlers. SIGPIPE and SIGXFSZ (`ulimit -f`) are ignored, so that a closed pipe and a file that grows
/// too large are errors like any other write error. However a signal but SIGKILL ends the program, no temporary file
/// stays.
void install_signal_handlers();

/// Set by the first signal.
const std::atomic<bool>& interrupt_flag();

/// Throws Interrupted when the flag is set; called between chunks of rows.
void stop_if_interrupted();

}  // namespace alacarte::cli
