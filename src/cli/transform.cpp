// alacarte transform: rows in, the features of a map out.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "alacarte/app/transform_file.hpp"
#include "alacarte/data/feature_writer.hpp"
#include "alacarte/io/model_file.hpp"
#include "command.hpp"

namespace alacarte::cli {
namespace {

struct TransformArguments {
  RecipeSource recipe;
  std::string data, out;
  bool features_only = false;
};

/// A recipe is JSON or a name; everything else that is a file is taken for a model.
bool is_model_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream file(path, std::ios::binary);
  char first = 0;
  file >> first;
  return first != '{';
}

int transform_rows(const TransformArguments& a, const CommonOptions& common) {
  const std::string data_path = find_data(a.data);
  check_feature_path(a.out);
  require_writable({a.out}, {data_path, a.recipe.path});
  ProgressReporter reporter(common.threads);
  const TransformFileOptions options{a.out, !a.features_only, common.seed(), a.recipe.path};
  const bool by_model = is_model_file(a.recipe.path);
  TransformedFile done;
  if (by_model) {
    if (common.given_seed) throw UsageError("--seed draws the map of a recipe; a model keeps its own");
    if (!a.recipe.overrides.empty() || !a.recipe.target.empty())
      throw UsageError("--set and --target change a recipe; a model keeps its own");
    const FittedModel model = FittedModel::load(read_bundle(a.recipe.path));
    done = transform_file(model, data_path, options, reporter.job());
  } else {
    done = transform_file(read_recipe_source(a.recipe), data_path, options, reporter.job());
  }
  log_event("transformed", {{"rows", done.rows}, {"features", done.features}, {"out", a.out}},
            fmt::format("{} features of {} rows, {}", done.features, done.rows,
                        by_model ? "as the model has them" : fmt::format("seed {}", common.seed())));
  return kSuccess;
}

}  // namespace

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
      .options = {{"RECIPE", &a->recipe.path, "Recipe (a file, or a name of alacarte kernels), or a model file", "",
                   kRequired},
                  {"--data", &a->data, "Rows to transform; with a recipe its map and scales are made for these rows",
                   "FILE", kRequired},
                  {"--out", &a->out, "Features to write: .csv, .npy or .libsvm (.csv and .libsvm also with .gz)",
                   "FILE", kRequired | kNoStream},
                  {"--features-only", &a->features_only,
                   "Leave the target out; rows that have none need it, by a model file or sparse"},
                  {"--target", &a->recipe.target, "Target column, as of alacarte train", "COL"},
                  override_option(a->recipe),
                  seed_option(common, "Seed of the map's draws"),
                  threads_option(common)},
      .run = [a, &common] { return transform_rows(*a, common); }};
}

}  // namespace alacarte::cli
