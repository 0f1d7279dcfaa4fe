#pragma once
// What a subcommand is to main(): a name, a line of help, and a function that declares its options and returns what to
// run once they are parsed. One file each; commands.cpp lists them.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace alacarte::cli {

/// Options that mean the same everywhere. A command declares only those it obeys.
struct CommonOptions {
  std::uint64_t seed = 0;
  int threads = 1;
  bool quiet = false;
  std::string log = "text";
};

void add_log_options(CLI::App& app, CommonOptions& common);  ///< --quiet and --log
void add_seed_option(CLI::App& app, CommonOptions& common, const std::string& meaning);
void add_threads_option(CLI::App& app, CommonOptions& common);

struct Command {
  std::string name, summary;
  std::function<int()> (*configure)(CLI::App& app, CommonOptions& common) = nullptr;
};

extern const Command kTrainCommand, kPredictCommand, kEvaluateCommand, kInspectCommand, kCheckCommand, kConvertCommand,
    kTransformCommand, kGenerateCommand, kKernelsCommand, kDatasetsCommand, kRunCommand, kUnitCommand, kReportCommand,
    kBenchCommand;

std::vector<Command> commands();

}  // namespace alacarte::cli
