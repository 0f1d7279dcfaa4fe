// alacarte: one command a file, see commands.cpp.
#include <cstdlib>

#include "alacarte/linalg/simd.hpp"
#include "command.hpp"
#include "guard.hpp"
#include "log.hpp"
#include "signals.hpp"

int main(int argc, char** argv) {
  using namespace alacarte::cli;
  install_signal_handlers();
  return guarded([&] {
    if (const char* isa = std::getenv("ALACARTE_ISA")) alacarte::choose_simd_path(isa);
    CommonOptions common;
    const auto start_log = [&] { configure_log({common.quiet, common.log == "json"}); };
    return run_command_line(program(common), start_log, argc, argv);
  });
}
