#include "program.hpp"

#include <cstdlib>

#include "address_space.hpp"
#include "alacarte/core/threads.hpp"
#include "alacarte/linalg/simd.hpp"
#include "guard.hpp"
#include "log.hpp"
#include "signals.hpp"

namespace alacarte::cli {

void add_log_options(Command& command, CommonOptions& common) {
  command.add({"--quiet", &common.quiet, "Nothing on standard error but warnings and errors"}).group = "Messages";
  Option& log =
      command.add({"--log", &common.log, "Form of the messages on standard error: text, or json (one object a line)"});
  log.choices = {"text", "json"};
  log.show_default = true;
  log.group = "Messages";
}

void add_seed_option(Command& command, CommonOptions& common, const std::string& meaning) {
  Option& seed =
      command.add({"--seed", &common.seed, meaning + "; the same seed and number of threads give the same result"});
  seed.show_default = true;
  seed.given = &common.seed_given;
}

void add_threads_option(Command& command, CommonOptions& common) {
  common.threads = hardware_threads();
  Option& threads = command.add({"--threads", &common.threads, "Processor threads to use; small work stays on one"});
  threads.range = {1, 4096};
  threads.show_default = true;
}

int run_main(const char* name, Command (*program)(CommonOptions&), int argc, char** argv) noexcept {
  name_program(name);
  install_signal_handlers();
  return guarded([&] {
    if (const char* isa = std::getenv("ALACARTE_ISA")) choose_simd_path(isa);
    CommonOptions common;
    const auto start_log = [&] { configure_log({common.quiet, common.log == "json"}); };
    Command commands = program(common);
    watch_address_space(commands, common.threads);
    return run_command_line(commands, start_log, argc, argv);
  });
}

}  // namespace alacarte::cli
