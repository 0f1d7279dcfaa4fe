// alacarte generate: problems whose noise is known.
#include "alacarte/app/generate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "alacarte/core/spelling.hpp"
#include "command.hpp"
#include "guard.hpp"
#include "log.hpp"
#include "progress.hpp"

namespace alacarte::cli {
namespace {

constexpr const char* kKernelDraw = "kernel-draw";

struct GenerateArguments {
  std::string name, out;
  RecipeSource recipe;
  Index rows = 0, inputs = 2;
  double noise = 0;
  bool inputs_given = false, noise_given = false;
};

double generate_problem_or_draw(const GenerateArguments& a, std::uint64_t seed, const Job& job) {
  if (a.name == kKernelDraw) {
    if (a.recipe.path.empty()) throw UsageError("kernel-draw needs --recipe");
    KernelDrawOptions options{a.rows, a.inputs, {}, seed};
    if (a.noise_given) options.noise_sd = a.noise;
    return generate_kernel_draw(read_recipe_source(a.recipe), options, a.out, job);
  }
  if (!a.recipe.path.empty() || !a.recipe.overrides.empty() || a.inputs_given || a.noise_given)
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
  std::string text = "Problems:\n";
  for (const Problem& problem : problems()) text += fmt::format("  {:<12} {}\n", problem.name, problem.description);
  text += fmt::format("  {:<12} {}\n", kKernelDraw,
                      "one function drawn from the prior of --recipe at its first starting point, inputs uniform in "
                      "[0, 1]");
  return text +
         "\nThe CSV has the inputs and the noisy target y; the noise is told on standard error.\n\nExamples:\n"
         "  alacarte generate friedman1 --rows 1000 --seed 1 --out friedman.csv\n"
         "  alacarte generate kernel-draw --recipe gm --inputs 4 --rows 500 --out draw.csv";
}

}  // namespace

Command generate_command(CommonOptions& common) {
  const auto a = std::make_shared<GenerateArguments>();
  Command command{"generate", "Write a built-in problem with known noise as CSV"};
  command.add({"NAME", &a->name, "One of the problems below", "", true});
  command.add({"--rows", &a->rows, "Rows to generate", "N", true}).limit = Limit::positive;
  command.add({"--out", &a->out, "CSV to write; - is standard output", "FILE.csv", true});
  command.add({"--recipe", &a->recipe.path, "kernel-draw: recipe whose prior is drawn from", "RECIPE"});
  add_override_option(command, a->recipe);
  Option& inputs = command.add({"--inputs", &a->inputs, "kernel-draw: number of inputs", "D"});
  inputs.range = {1, 100000};
  inputs.show_default = true;
  inputs.given = &a->inputs_given;
  Option& noise = command.add(
      {"--noise", &a->noise, "kernel-draw: standard deviation of the noise (default: the recipe's noise start)", "SD"});
  noise.limit = Limit::not_negative;
  noise.given = &a->noise_given;
  add_seed_option(command, common, "Seed of the inputs, the function and the noise");
  add_log_options(command, common);
  command.footer = generate_footer();
  command.run = [a, &common] { return generate_rows(*a, common.seed); };
  return command;
}

}  // namespace alacarte::cli
