#include "command.hpp"

#include "alacarte/core/threads.hpp"

namespace alacarte::cli {

std::vector<Command> commands() {
  return {kTrainCommand,   kPredictCommand,   kEvaluateCommand, kInspectCommand, kCheckCommand,
          kConvertCommand, kTransformCommand, kGenerateCommand, kKernelsCommand, kDatasetsCommand,
          kRunCommand,     kUnitCommand,      kReportCommand,   kBenchCommand};
}

void add_log_options(CLI::App& app, CommonOptions& common) {
  app.add_flag("--quiet", common.quiet, "Nothing on standard error but warnings and errors")->group("Messages");
  app.add_option("--log", common.log, "Form of the messages on standard error: text, or json (one object a line)")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str()
      ->group("Messages");
}

void add_seed_option(CLI::App& app, CommonOptions& common, const std::string& meaning) {
  app.add_option("--seed", common.seed, meaning + "; the same seed gives the same result")->capture_default_str();
}

void add_threads_option(CLI::App& app, CommonOptions& common) {
  common.threads = hardware_threads();
  app.add_option("--threads", common.threads, "Processor threads to use")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
}

}  // namespace alacarte::cli
