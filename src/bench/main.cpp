// alacarte-bench: times contestants side by side on this machine.
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "bench/suite.hpp"
#include "cli/process.hpp"
#include "cli/program.hpp"

namespace alacarte::bench {
namespace {

struct BenchArguments {
  std::string suite = "all", json;
  SuiteSettings settings;
};

constexpr std::pair<const char*, void (*)(Suite&)> kSuites[] = {
    {"kernels", run_kernels}, {"maps", run_maps}, {"evaluation", run_evaluation}, {"end-to-end", run_end_to_end}};

int measure(const BenchArguments& a, const cli::CommonOptions& common) {
  cli::require_writable({a.json});
  SuiteSettings settings = a.settings;
  settings.threads = common.threads;
  settings.race.between = cli::stop_if_interrupted;
  settings.interrupt = &cli::interrupt_flag();
  settings.on_line = [](const std::string& line) { std::cout << line << std::endl; };
  Suite suite(std::move(settings));
  for (const auto& [name, run] : kSuites)
    if (a.suite == "all" || a.suite == name) run(suite);
  const nlohmann::json document = suite.document();
  if (suite.results() == 0 && document.at("skipped").empty())
    throw cli::UsageError("--only '" + a.settings.only + "' is part of no measurement's name");
  if (!a.json.empty()) cli::write_file(a.json, [&](std::ostream& out) { out << document.dump(1) << '\n'; });
  return cli::kSuccess;
}

cli::Command program(cli::CommonOptions& common) {
  const auto a = std::make_shared<BenchArguments>();
  cli::Option suite{"--suite", &a->suite, "What to measure", "", cli::kShowDefault};
  suite.choices = {"all"};
  for (const auto& [name, run] : kSuites) suite.choices.push_back(name);
  return {
      .name = "alacarte-bench",
      .summary = "Measures speed and memory on this machine.",
      .footer =
          R"(Contestants of a race take turns, in alternating order. Times are the fastest round's, ratios the median of the
rounds' own ratios with their quartiles: SLOWER / FASTER = MEDIAN [LOWER, UPPER].
  kernels     Hadamard tiles, sine and cosine, features: against rows, libmvec, dense products; on one core
  maps        every feature map: time of a transform and memory held, growing in n, d and m; on one core
  evaluation  one evidence and gradient against the time of its BLAS calls alone; threads; growth in n, d, D;
              memory
  end-to-end  an exact process's evidence and gradient; fits of up to two million rows

Example:
  alacarte-bench --suite kernels --json kernels.json)",
      .options = {suite,
                  {"--only", &a->settings.only, "Only measurements whose name contains this text", "TEXT"},
                  {"--quick", &a->settings.quick,
                   "Small shapes and three short rounds: seconds instead of minutes, and no figures"},
                  {"--json", &a->json, "Write every time and ratio, with machine, compiler and commit", "FILE",
                   cli::kNoStream},
                  threads_option(common)},
      .run = [a, &common] { return measure(*a, common); }};
}

}  // namespace
}  // namespace alacarte::bench

int main(int argc, char** argv) {
  return alacarte::cli::run_main("alacarte-bench", alacarte::bench::program, argc, argv);
}
