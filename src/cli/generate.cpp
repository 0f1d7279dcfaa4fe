// alacarte generate: problems whose noise is known.
#include "alacarte/app/generate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "alacarte/core/spelling.hpp"
#include "command.hpp"

namespace alacarte::cli {
namespace {

constexpr const char* kKernelDraw = "kernel-draw";

struct GenerateArguments {
  std::string name, out;
  RecipeSource recipe;
  Index rows = 0;
  std::optional<Index> inputs;
  std::optional<double> noise;
};

double generate_problem_or_draw(const GenerateArguments& a, std::uint64_t seed, const Job& job) {
  if (a.name == kKernelDraw) {
    if (a.recipe.path.empty()) throw UsageError("kernel-draw needs --recipe");
    const KernelDrawOptions options{a.rows, a.inputs.value_or(2), a.noise, seed};
    return generate_kernel_draw(read_recipe_source(a.recipe), options, a.out, job);
  }
  if (!a.recipe.path.empty() || !a.recipe.overrides.empty() || a.inputs || a.noise)
    throw UsageError("--recipe, --set, --inputs and --noise belong to kernel-draw");
  if (const Problem* problem = find_problem(a.name)) {
    generate_problem(*problem, a.rows, seed, a.out, job);
    return problem->noise_sd;
  }
  std::vector<std::string> names;
  for (const Problem& problem : problems()) names.push_back(problem.name);
  names.emplace_back(kKernelDraw);
  throw UsageError(fmt::format("there is no problem '{}'{}; the problems are {}", a.name, did_you_mean(a.name, names),
                               fmt::join(names, ", ")));
}

int generate_rows(const GenerateArguments& a, std::uint64_t seed) {
  ProgressReporter reporter(1);
  const double noise_sd = generate_problem_or_draw(a, seed, reporter.job());
  log_event("generated", {{"problem", a.name}, {"rows", a.rows}, {"noise_sd", noise_sd}},
            fmt::format("{}: {} rows, standard deviation of the noise {:.6g}", a.name, a.rows, noise_sd));
  return kSuccess;
}

std::string generate_footer() {
  std::vector<std::vector<std::string>> rows;
  for (const Problem& problem : problems()) rows.push_back({problem.name, problem.description});
  rows.push_back({kKernelDraw,
                  "one function drawn from the prior of --recipe at its first starting point, inputs uniform "
                  "in [0, 1]"});
  return "Problems:\n" + text_table(rows, "ll", 2) + R"(
The CSV has the inputs and the noisy target y; the noise is told on standard error.

Examples:
  alacarte generate friedman1 --rows 1000 --seed 1 --out friedman.csv
  alacarte generate kernel-draw --recipe gm --inputs 4 --rows 500 --out draw.csv)";
}

}  // namespace

Command generate_command(CommonOptions& common) {
  const auto a = std::make_shared<GenerateArguments>();
  return {.name = "generate",
          .summary = "Write a built-in problem with known noise as CSV",
          .footer = generate_footer(),
          .options = {{"NAME", &a->name, "One of the problems below", "", kRequired},
                      {"--rows", &a->rows, "Rows to generate", "N", kRequired | kPositive},
                      {"--out", &a->out, "CSV to write; - is standard output", "FILE.csv", kRequired},
                      {"--recipe", &a->recipe.path, "kernel-draw: recipe whose prior is drawn from", "RECIPE"},
                      override_option(a->recipe),
                      {"--inputs", &a->inputs, "kernel-draw: number of inputs (default: 2)", "D", 0, {{1, 100000}}},
                      {"--noise", &a->noise,
                       "kernel-draw: standard deviation of the noise (default: the recipe's noise start)", "SD",
                       kNotNegative},
                      seed_option(common, "Seed of the inputs, the function and the noise")},
          .run = [a, &common] { return generate_rows(*a, common.seed()); }};
}

}  // namespace alacarte::cli
