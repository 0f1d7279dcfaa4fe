// alacarte convert, transform and generate: rows in binary form, their features, and problems with known noise.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <filesystem>
#include <fstream>

#include "alacarte/data/rows_file.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/io/target_models.hpp"
#include "app/generate.hpp"
#include "app/part_files.hpp"
#include "app/transform_file.hpp"
#include "command.hpp"
#include "core/atomic_file.hpp"
#include "core/spelling.hpp"
#include "data/feature_writer.hpp"
#include "data/row_parts.hpp"
#include "optimise/fit_context.hpp"

namespace alacarte::cli {
namespace {

// Maximum number of parts; each is a temporary file until all appear together.
constexpr int kMaxParts = 1000;
static_assert(kMaxParts < kMaxTemporaryFiles);

struct ConvertArguments {
  std::string data, out;
  Index parts = 0;
  RecipeSource recipe;
};

std::vector<std::string> part_paths(const ConvertArguments& a, std::size_t parts) {
  const auto star = a.out.find('*');
  if (star == std::string::npos || a.out.find('*', star + 1) != std::string::npos)
    throw UsageError("several files need one star in --out, where their numbers go: --out 'part-*.rows'");
  std::vector<std::string> paths;
  for (std::size_t part = 1; part <= parts; ++part) paths.push_back(numbered_path(a.out, part, parts));
  return paths;
}

struct Converted {
  Index rows = 0, left_out = 0, inputs = 0;
  std::string target;

  void add(const RowsFile& file) {
    rows += file.rows();
    left_out += file.table_rows() - file.rows();
    inputs = file.inputs();
    target = file.schema().target_name();
  }
};

Converted convert_one(const ConvertArguments& a, const std::string& table, const DataConfig& config,
                      const std::vector<std::string>& paths, Conversion& conversion) {
  if (!FitContext::is_alone()) throw UsageError("mpirun and srun convert several files, named by a pattern");
  const std::string folder = std::filesystem::path(a.out).parent_path().string();
  conversion.folder = folder.empty() ? "." : folder;
  if (a.parts == 0) conversion.path = a.out;
  const auto file = convert_table(table, config, conversion);
  if (a.parts > 0) split_rows_file(*file, paths);
  Converted done;
  done.add(*file);
  return done;
}

/// Converts each file on one rank.
Converted convert_several(const std::vector<std::string>& tables, const DataConfig& config,
                          const std::vector<std::string>& paths, Conversion& conversion) {
  const std::optional<Schema> schema = common_schema(tables, config, conversion.progress);
  if (schema) conversion.schema = &*schema;
  Converted done;
  for (std::size_t k = 0; k < tables.size(); ++k) {
    if (!has_file(k)) continue;
    conversion.path = paths[k];
    done.add(*convert_table(tables[k], config, conversion));
  }
  FitContext::Sums sums;
  sums.add(done.rows);
  sums.add(done.left_out);
  sums.run();
  return done;
}

int convert_rows(const ConvertArguments& a) {
  Recipe recipe;
  if (!a.recipe.path.empty()) {
    recipe = read_recipe_source(a.recipe);
  } else {
    if (!a.recipe.overrides.empty()) throw UsageError("--set needs --recipe");
    apply_data_options(a.recipe, recipe.data);
  }
  const std::string table = find_data(a.data);
  const bool several = is_pattern(table);
  if (several && a.parts > 0) throw UsageError("--parts cuts one table; " + table + " names several files already");
  const std::vector<std::string> tables = files_of(table);
  for (const std::string& one : tables)
    if (is_rows_file(one)) throw DataError(one, "is a rows file already");
  const std::vector<std::string> paths =
      several || a.parts > 0 ? part_paths(a, several ? tables.size() : static_cast<std::size_t>(a.parts))
                             : std::vector<std::string>{a.out};
  std::vector<std::string> others = tables;
  others.push_back(a.recipe.path);
  require_writable(paths, others);
  ProgressReporter reporter(1);
  const Job job = reporter.job();
  Conversion conversion;
  conversion.progress = [&](double share, Index rows) { job.report_rows("converting", share, rows); };
  const Converted done = several ? convert_several(tables, recipe.data, paths, conversion)
                                 : convert_one(a, table, recipe.data, paths, conversion);
  std::error_code error;
  std::uintmax_t bytes = 0;
  for (const std::string& path : paths) bytes += std::filesystem::file_size(path, error);
  log_event("converted", {{"rows", done.rows}, {"dropped", done.left_out}, {"out", a.out}},
            fmt::format("{}: {} rows{}, {} inputs, target '{}', {}", one_line(a.out), done.rows,
                        done.left_out > 0 ? fmt::format(" ({} dropped)", done.left_out) : "", done.inputs,
                        one_line(done.target), format_bytes(error ? 0 : static_cast<double>(bytes))));
  return kSuccess;
}

struct TransformArguments {
  RecipeSource recipe;
  std::string data, out;
  bool features_only = false;
};

/// Returns true for files other than JSON recipes; shipped names are recipes.
bool is_model_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream file(path, std::ios::binary);
  char first = 0;
  file >> first;
  return first != '{';
}

int transform_rows(const TransformArguments& a, const CommonOptions& common) {
  const std::string data_path = find_one_table(a.data);
  check_feature_path(a.out);
  require_writable({a.out}, {data_path, a.recipe.path});
  ProgressReporter reporter(common.threads);
  const TransformFileOptions options{a.out, !a.features_only, common.seed(), a.recipe.path};
  const bool by_model = is_model_file(a.recipe.path);
  TransformedFile done;
  if (by_model) {
    if (common.given_seed) throw UsageError("--seed draws the map of a recipe; a model keeps its own");
    if (!a.recipe.overrides.empty() || has_data_options(a.recipe))
      throw UsageError("--set, --target and its like change a recipe; a model keeps its own");
    const FittedModel model = load_one_model(a.recipe.path);
    done = transform_file(model, data_path, options, reporter.job());
  } else {
    done = transform_file(read_recipe_source(a.recipe), data_path, options, reporter.job());
  }
  log_event("transformed", {{"rows", done.rows}, {"features", done.features}, {"out", a.out}},
            fmt::format("{} features of {} rows, {}", done.features, done.rows,
                        by_model ? "as the model has them" : fmt::format("seed {}", common.seed())));
  return kSuccess;
}

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
    require_writable({a.out}, {a.recipe.path});
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

Command convert_command() {
  const auto a = std::make_shared<ConvertArguments>();
  return {
      .name = "convert",
      .summary = "Turn a table into a rows file, which is read faster",
      .footer =
          R"(A rows file holds the encoded inputs and the target as numbers, every chunk with its checksum. train, predict
and evaluate take it wherever they take a table, and read it much faster. Categories and fill values are learned
from all rows. Memory stays flat, whatever the size of the table. Parts are one table together, for train on several
machines. Files that match a pattern are one table, too, and each becomes a part, by mpirun side by side.

Examples:
  alacarte convert houses.csv --target price --out houses.rows
  alacarte convert houses.csv --target price --parts 8 --out 'part-*.rows'
  mpirun -np 4 alacarte convert 'houses-*.csv' --target price --out 'part-*.rows')",
      .options = with_data_options(
          {{"DATA", &a->data,
            "Table: CSV or CSV.gz, LIBSVM or NPY; - is standard input; a pattern in quotes ('part-*.csv') for several "
            "files that are one table",
            "", kRequired},
           {"--out", &a->out, "Rows file to write; it appears whole or not at all", "FILE.rows", kRequired | kNoStream},
           in_range(
               {"--parts", &a->parts, "Cut the rows into so many files; their numbers replace a star in --out", "K"}, 1,
               kMaxParts),
           {"--recipe", &a->recipe.path, "Recipe whose data section says how the table is read", "RECIPE"},
           override_option(a->recipe),
           target_option(a->recipe)},
          a->recipe),
      .run = [a] { return convert_rows(*a); }};
}

Command transform_command(CommonOptions& common) {
  const auto a = std::make_shared<TransformArguments>();
  return {
      .name = "transform",
      .summary = "Write the features of a recipe's or model's map for other programs",
      .footer =
          R"(Each row becomes the features psi(x) of its scaled inputs, of which psi(x).psi(x') is the model's kernel; the
target comes last (CSV, NPY) or first (LIBSVM). A recipe's map stands where learning would start; a model's,
where it ended, with the scales of its training rows: so training and test rows of one experiment go through
one model. LIBSVM files leave out zeros. Memory stays flat; a recipe reads a table through a temporary file
beside --out, and a LIBSVM file twice where its rows stay sparse (linear, gcws, tensor-sketch without learned
length-scales, sums of these; of inputs that are not scaled).

Example:
  alacarte transform ard --data houses.csv --out features.npy)",
      .options = with_data_options(
          {{"RECIPE", &a->recipe.path, "Recipe (a file, or a name of alacarte kernels), or a model file", "",
            kRequired},
           {"--data", &a->data, "Rows to transform; with a recipe its map and scales are made for these rows", "FILE",
            kRequired},
           {"--out", &a->out, "Features to write: .csv, .npy or .libsvm (.csv and .libsvm also with .gz)", "FILE",
            kRequired | kNoStream},
           {"--features-only", &a->features_only,
            "Leave the target out; rows that have none need it, by a model file or sparse"},
           {"--target", &a->recipe.target, "Target column, as of alacarte train", "COL"},
           override_option(a->recipe),
           seed_option(common, "Seed of the map's draws"),
           threads_option(common)},
          a->recipe),
      .run = [a, &common] { return transform_rows(*a, common); }};
}

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
