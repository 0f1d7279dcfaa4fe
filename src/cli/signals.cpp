#include "signals.hpp"

#include <signal.h>
#include <unistd.h>

#include "guard.hpp"

namespace alacarte::cli {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

extern "C" void on_signal(int) {
  if (interrupted.exchange(true)) ::_exit(kInterrupted);
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  ::sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &action, nullptr);
}

const std::atomic<bool>& interrupt_flag() { return interrupted; }

void stop_if_interrupted() {
  if (interrupted) throw Interrupted();
}

}  // namespace alacarte::cli
