// alacarte generate: problems whose noise is known.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/core/spelling.hpp"
#include "alacarte/data/csv_writer.hpp"
#include "alacarte/data/generators.hpp"
#include "command.hpp"
#include "guard.hpp"
#include "log.hpp"
#include "output.hpp"
#include "prior_sample.hpp"
#include "recipe_source.hpp"
#include "signals.hpp"

namespace alacarte::cli {
namespace {

constexpr Index kChunkRows = 4096;
constexpr const char* kKernelDraw = "kernel-draw";

struct GenerateArguments {
  std::string name, out;
  RecipeSource recipe;
  Index rows = 0, inputs = 2;
  double noise = -1;
  bool inputs_given = false;
};

void write_header(CsvWriter& out, std::vector<std::string> names) {
  names.emplace_back("y");
  out.header(names);
}

void write_rows(CsvWriter& out, ConstMat inputs, ConstVec target) {
  for (Index i = 0; i < inputs.rows(); ++i) {
    for (Index j = 0; j < inputs.cols(); ++j) out.cell(finite(inputs(i, j), "generate"));
    out.cell(finite(target[i], "generate"));
    out.end_row();
  }
}

void report(const GenerateArguments& a, double noise_sd) {
  log_event("generated", {{"problem", a.name}, {"rows", a.rows}, {"noise_sd", noise_sd}},
            fmt::format("{}: {} rows, standard deviation of the noise {:.6g}", a.name, a.rows, noise_sd));
}

int generate_problem(const GenerateArguments& a, const Problem& problem, std::uint64_t seed) {
  RandomStream stream = RandomStreams(seed).stream("generate/" + problem.name);
  CsvWriter out(a.out);
  write_header(out, problem.input_names);
  Matrix inputs;
  Vector target;
  for (Index done = 0; done < a.rows; done += inputs.rows()) {
    stop_if_interrupted();
    problem.generate(std::min(kChunkRows, a.rows - done), stream, inputs, target);
    write_rows(out, inputs, target);
  }
  out.commit();
  report(a, problem.noise_sd);
  return kSuccess;
}

/// A function drawn from the prior of a recipe at its first starting point, on inputs uniform in the unit cube.
int generate_kernel_draw(const GenerateArguments& a, std::uint64_t seed) {
  if (a.recipe.path.empty()) throw UsageError("kernel-draw needs --recipe");
  const Recipe recipe = read_recipe_source(a.recipe);
  if (recipe.likelihood != "gaussian" || recipe.learner.kind != "gp")
    throw ConfigError("/likelihood", "kernel-draw makes numbers with noise: gaussian alone");
  const RandomStreams streams = RandomStreams(seed).scope("generate/kernel-draw");
  RandomStream input_stream = streams.stream("inputs"), pair_stream = streams.stream("pairs"),
               start_stream = streams.stream("start"), weight_stream = streams.stream("weights"),
               noise_stream = streams.stream("noise");
  CsvWriter out(a.out);
  Matrix x(a.rows, a.inputs);
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.cols(); ++j) x(i, j) = input_stream.uniform();
  }
  const TrainingView view = make_training_view(x, noise_stream.normals(a.rows), pair_stream);
  const ModelFunction model = make_function(recipe, a.inputs, streams.scope("map"), view);
  const Vector theta = model.start(view, 0, start_stream);
  stop_if_interrupted();
  const double noise_sd = a.noise >= 0 ? a.noise : recipe.noise.start;
  const Vector y = draw_function(model, theta, x, weight_stream) + noise_sd * noise_stream.normals(a.rows);

  std::vector<std::string> names;
  for (Index j = 0; j < a.inputs; ++j) names.push_back(fmt::format("x{}", j + 1));
  write_header(out, std::move(names));
  write_rows(out, x, y);
  out.commit();
  report(a, noise_sd);
  return kSuccess;
}

int generate_rows(const GenerateArguments& a, std::uint64_t seed) {
  if (a.name == kKernelDraw) return generate_kernel_draw(a, seed);
  if (!a.recipe.path.empty() || !a.recipe.overrides.empty() || a.inputs_given || a.noise >= 0) {
    throw UsageError("--recipe, --set, --inputs and --noise belong to kernel-draw");
  }
  if (const Problem* problem = find_problem(a.name)) return generate_problem(a, *problem, seed);
  std::vector<std::string> names;
  for (const Problem& problem : problems()) names.push_back(problem.name);
  names.emplace_back(kKernelDraw);
  throw UsageError(fmt::format("there is no problem '{}'{}; the problems are {}", a.name, did_you_mean(a.name, names),
                               fmt::join(names, ", ")));
}

std::string footer() {
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

std::function<int()> configure_generate(CLI::App& app, CommonOptions& common) {
  auto a = std::make_shared<GenerateArguments>();
  app.add_option("NAME", a->name, "One of the problems below")->required();
  app.add_option("--rows", a->rows, "Rows to generate")->required()->check(CLI::PositiveNumber)->type_name("N");
  app.add_option("--out", a->out, "CSV to write; - is standard output")->required()->type_name("FILE.csv");
  app.add_option("--recipe", a->recipe.path, "kernel-draw: recipe whose prior is drawn from")->type_name("RECIPE");
  add_override_option(app, a->recipe);
  auto* inputs = app.add_option("--inputs", a->inputs, "kernel-draw: number of inputs")
                     ->check(CLI::Range(1, 100000))
                     ->capture_default_str()
                     ->type_name("D");
  app.add_option("--noise", a->noise,
                 "kernel-draw: standard deviation of the noise (default: the recipe's noise start)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("SD");
  add_seed_option(app, common, "Seed of the inputs, the function and the noise");
  add_log_options(app, common);
  app.footer(footer());
  return [a, inputs, &common] {
    a->inputs_given = inputs->count() > 0;
    return generate_rows(*a, common.seed);
  };
}

}  // namespace

const Command kGenerateCommand{"generate", "Write a built-in problem with known noise as CSV", configure_generate};

}  // namespace alacarte::cli
