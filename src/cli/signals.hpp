#pragma once
// Ctrl-C and SIGTERM: the first requests an orderly stop of the running command, the second ends the program at once.
#include <atomic>

namespace alacarte::cli {

/// Installs the handlers, and ignores SIGPIPE so that a closed pipe is an error like any other write error.
void install_signal_handlers();

/// Set by the first signal.
const std::atomic<bool>& interrupt_flag();

/// Throws Interrupted when the flag is set; called between chunks of rows.
void stop_if_interrupted();

}  // namespace alacarte::cli
