// alacarte: one subcommand a file, see commands.cpp.
#include <cstdlib>

#include "alacarte/linalg/simd.hpp"
#include "command.hpp"
#include "guard.hpp"
#include "log.hpp"
#include "signals.hpp"
#include "usage.hpp"

int main(int argc, char** argv) {
  using namespace alacarte::cli;
  install_signal_handlers();
  return guarded([&] {
    if (const char* isa = std::getenv("ALACARTE_ISA")) alacarte::choose_simd_path(isa);
    CommonOptions common;
    std::function<int()> selected;
    CLI::App app("Gaussian-process regression with learned Fastfood kernels.", "alacarte");
    describe_program(app);
    for (const Command& command : commands()) {
      CLI::App* sub = app.add_subcommand(command.name, command.summary);
      const auto run = command.configure(*sub, common);
      sub->callback([&selected, run] { selected = run; });
    }
    if (const auto finished = parse_arguments(app, argc, argv)) return *finished;
    configure_log({common.quiet, common.log == "json"});
    return selected();
  });
}
