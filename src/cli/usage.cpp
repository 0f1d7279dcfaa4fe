#include "usage.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "alacarte/core/spelling.hpp"
#include "alacarte/core/threads.hpp"
#include "alacarte/core/version.hpp"
#include "alacarte/linalg/hartley.hpp"
#include "alacarte/linalg/simd.hpp"
#include "guard.hpp"
#include "log.hpp"
#ifdef ALACARTE_HAVE_OPENBLAS
#include <cblas.h>
#endif

namespace alacarte::cli {
namespace {

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

std::string blas() {
#ifdef ALACARTE_HAVE_OPENBLAS
  return ::openblas_get_config();
#else
  return fmt::format("Eigen {}.{}.{} (no external BLAS)", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
                     EIGEN_MINOR_VERSION);
#endif
}

std::string version() {
  return fmt::format("alacarte {}\ncompiler {}\nBLAS {}\nFourier draws {}\nkernels {}\nthreads {}", alacarte::version(),
                     compiler(), blas(), has_fftw() ? "FFTW (GPL)" : "none", simd_path_name(simd_path()),
                     hardware_threads());
}

std::vector<std::string> subcommand_names(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands({})) names.push_back(sub->get_name());
  return names;
}

/// Errors of usage come before the options are known; who asked for JSON should get it all the same.
bool asks_for_json(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--log=json" || (word == "--log" && i + 1 < argc && std::string(argv[i + 1]) == "json")) return true;
  }
  return false;
}

CLI::App& active(CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : active(*parsed.front());
}

/// "alacarte datasets list": the words that lead to a command.
std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent ? full_name(*parent) + " " + command.get_name() : command.get_name();
}

/// A message when a word that must name a command names none; "" otherwise.
std::string unknown_command(CLI::App& app, int argc, char** argv, int position) {
  const auto names = subcommand_names(app);
  if (names.empty() || position >= argc || argv[position][0] == '-') return {};
  const std::string word = argv[position];
  if (std::find(names.begin(), names.end(), word) != names.end())
    return unknown_command(*app.get_subcommand(word), argc, argv, position + 1);
  const std::string owner = app.get_parent() ? full_name(app) + " has" : "there is";
  return fmt::format("{} no command '{}'{}; see {} --help", owner, word, did_you_mean(word, names), full_name(app));
}

/// A message about the first argument that looks like an option and is none; "" if there is none such. It says more
/// than that the option meant is missing.
std::string unknown_option(CLI::App& app, int argc, char** argv) {
  std::vector<std::string> known;
  for (const CLI::Option* option : active(app).get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::string word = argument.substr(0, argument.find('='));
    if (word.size() < 3 || word.rfind("--", 0) != 0) continue;
    if (std::find(known.begin(), known.end(), word) != known.end()) continue;
    return fmt::format("there is no option {}{}", word, did_you_mean(word, known));
  }
  return {};
}

int usage_error(CLI::App& app, const std::string& text) {
  log_error(fmt::format("{}; see {} --help", text, full_name(active(app))));
  return kUsageError;
}

}  // namespace

void describe_program(CLI::App& app) {
  app.set_version_flag("--version", version,
                       "Print version, compiler, BLAS, instruction set of the kernels and threads");
  app.require_subcommand(1);
  app.footer(
      "alacarte COMMAND --help describes a command.\n\n"
      "A first round:\n"
      "  alacarte generate friedman1 --rows 500 --seed 1 --out f.csv\n"
      "  alacarte train ard --data f.csv --holdout 0.2 --model f.model\n"
      "  alacarte evaluate f.model --data f.csv --held-out\n"
      "  alacarte inspect f.model\n\n"
      "Environment:\n"
      "  ALACARTE_CONFIG_DIR  folder with recipes/NAME.json for recipes given by bare name, and datasets.json\n"
      "  ALACARTE_DATA_DIR    folder searched for --data and --mask files that are not found as given, and that of\n"
      "                       the data sets of the catalogue\n"
      "  ALACARTE_VEGA_DIR    node_modules folder with vega, vega-lite and vega-embed, for alacarte report\n\n"
      "Exit codes: 0 ok, 1 usage, 2 recipe or option, 3 data, 4 file, 5 numerics, 70 internal,\n"
      "130 interrupted (train has saved the best model so far), 141 the reader of the output has gone.");
}

std::optional<int> parse_arguments(CLI::App& app, int argc, char** argv) {
  configure_log({false, asks_for_json(argc, argv)});
  if (const std::string unknown = unknown_command(app, argc, argv, 1); !unknown.empty()) {
    log_error(unknown);
    return kUsageError;
  }
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return kSuccess;
  } catch (const CLI::CallForVersion& request) {
    std::cout << request.what() << '\n';
    return kSuccess;
  } catch (const CLI::ParseError& error) {
    const std::string unknown = unknown_option(app, argc, argv);
    return usage_error(app, unknown.empty() ? error.what() : unknown);
  }
}

}  // namespace alacarte::cli
