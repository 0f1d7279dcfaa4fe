#include "program.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstdlib>

#include "alacarte/core/threads.hpp"
#include "alacarte/core/version.hpp"
#include "linalg/fourier.hpp"
#include "linalg/simd.hpp"
#include "log.hpp"
#include "process.hpp"
#ifdef ALACARTE_HAVE_OPENBLAS
#include <cblas.h>
#endif

namespace alacarte::cli {
namespace {

std::string version_text(const char* program) {
#if defined(__clang__)
  const std::string compiler = fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  const std::string compiler = fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
#ifdef ALACARTE_HAVE_OPENBLAS
  const std::string blas = ::openblas_get_config();
#else
  const std::string blas =
      fmt::format("Eigen {}.{}.{} (no external BLAS)", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);
#endif
  return fmt::format("{} {}\ncompiler {}\nBLAS {}\nFourier draws {}\nkernels {}\nthreads {}", program,
                     alacarte::version(), compiler, blas, has_fftw() ? "FFTW (GPL)" : "Eigen",
                     simd_path_name(simd_path()), hardware_threads());
}

/// Adds the message options, which all commands have.
void add_log_options(Command& command, CommonOptions& common) {
  for (Command& subcommand : command.subcommands) add_log_options(subcommand, common);
  if (!command.run) return;
  add_group("Messages",
            {{"--quiet", &common.quiet, "Nothing on standard error but warnings and errors"},
             one_of({"text", "json"},
                    {"--log", &common.log, "Form of the messages on standard error: text, or json (one object a line)",
                     "", kShowDefault})},
            command.options);
}

void list_below(const Command& command, const std::string& before, std::vector<ListedCommand>& list) {
  std::vector<Option> options = command.options;
  const auto grouped = [](const Option& option) { return !option.group.empty(); };
  const auto place = std::find_if(options.begin(), options.end(), grouped);
  std::vector<Option> added = {{"--help", static_cast<bool*>(nullptr), kHelpText}};
  if (before.empty()) added.push_back({"--version", static_cast<bool*>(nullptr), kVersionText});
  options.insert(place, added.begin(), added.end());
  list.push_back({before + command.name, &command, std::move(options)});
  for (const Command& subcommand : command.subcommands) list_below(subcommand, before + command.name + " ", list);
}

}  // namespace

std::vector<ListedCommand> list_commands(const Command& program) {
  std::vector<ListedCommand> list;
  list_below(program, "", list);
  return list;
}

Option in_range(Option option, int least, int most) {
  option.range = {least, most};
  return option;
}

Option one_of(std::vector<std::string> choices, Option option) {
  option.choices = std::move(choices);
  return option;
}

void add_group(const std::string& heading, std::vector<Option> more, std::vector<Option>& options) {
  for (Option& option : more) {
    option.group = heading;
    options.push_back(std::move(option));
  }
}

Command whole_table(Command (*program)(CommonOptions&), CommonOptions& common) {
  Command table = program(common);
  add_log_options(table, common);
  return table;
}

Option seed_option(CommonOptions& common, const std::string& meaning) {
  return {"--seed", &common.given_seed,
          meaning + "; the same seed and number of threads give the same result (default: 0)"};
}

Option threads_option(CommonOptions& common) {
  common.threads = hardware_threads();
  return in_range({"--threads", &common.threads, "Processor threads to use (default: all); small work stays on one"}, 1,
                  4096);
}

int run_main(const char* name, Command (*program)(CommonOptions&), int argc, char** argv) noexcept {
  restart_with_better_blas(argv);  // precedes ignoring signals, which the new program would inherit
  name_program(name);
  install_terminate_handler();
  install_signal_handlers();
  const auto body = [&] {
    if (const char* isa = std::getenv("ALACARTE_ISA")) choose_simd_path(isa);
    CommonOptions common;
    const auto start_log = [&] { configure_log({common.quiet, common.log == "json"}); };
    Command commands = whole_table(program, common);
    watch_address_space(commands, common.threads);
    return run_command_line(
        commands, [&] { return version_text(name); }, start_log, argc, argv);
  };
  return guarded(std::ref(body));  // a copy would need memory outside the guard against its lack
}

}  // namespace alacarte::cli
