// alacarte transform: rows in, the features of a map out, for other programs.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "alacarte/core/error.hpp"
#include "alacarte/core/threads.hpp"
#include "alacarte/data/convert.hpp"
#include "alacarte/data/feature_writer.hpp"
#include "alacarte/data/sparse_dataset.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/model/fitted_model.hpp"
#include "alacarte/train/start.hpp"
#include "command.hpp"
#include "core/workers.hpp"
#include "guard.hpp"
#include "log.hpp"
#include "output.hpp"
#include "paths.hpp"
#include "progress.hpp"
#include "recipe_source.hpp"
#include "signals.hpp"
#include "training_rows.hpp"

namespace alacarte::cli {
namespace {

constexpr Index kBlockRows = 256;
constexpr Index kMostCells = Index{1} << 22;  // of the dense features at hand: 32 MiB

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

/// The features of chunks of standardised rows, and where they go.
class Transformer {
 public:
  Transformer(std::shared_ptr<const FeatureMap> map, ConstVec theta, const TransformArguments& a, FeatureTarget target,
              int threads)
      : map_(std::move(map)),
        prepared_(map_->prepare(theta)),
        out_(a.out),
        threads_(threads),
        with_target_(target.there) {
    writer_ = make_feature_writer(a.out, map_->feature_count(), std::move(target));
    sparse_.resize(static_cast<std::size_t>(threads));
  }

  Index chunk_rows() const {
    const Index fit = map_->sparse_support().features ? kBlockRows * threads_ : kMostCells / map_->feature_count();
    return std::clamp<Index>(fit, 1, kBlockRows * threads_);
  }

  /// x (rows, d): standardised; target (rows), or empty where there is none.
  void add(const InputView& x, ConstVec target) {
    stop_if_interrupted();
    const Index rows = x.rows();
    const Vector own = with_target_ ? Vector(target) : Vector();
    if (map_->sparse_support().features) {
      share_out(rows, [&](int worker, Index first, Index count) {
        SparseRows& psi = sparse_[static_cast<std::size_t>(worker)];
        psi.clear(map_->feature_count());
        if (count > 0) prepared_->forward(x.middle_rows(first, count), psi);
      });
      Index first = 0;
      for (const SparseRows& psi : sparse_) {
        for (const double value : psi.values) finite(value, "features");
        writer_->add(psi.view(), with_target_ ? Vector(own.segment(first, psi.rows())) : own);
        first += psi.rows();
      }
    } else {
      dense_.resize(rows, map_->feature_count());
      share_out(rows, [&](int, Index first, Index count) {
        if (count > 0) prepared_->forward(x.middle_rows(first, count), dense_.middleRows(first, count));
      });
      if (!dense_.allFinite()) throw NumericalError("features", "a result is not a finite number");
      writer_->add(dense_, own);
    }
    rows_ += rows;
    if (live_line_possible()) show_live_line(fmt::format("transforming  {} rows", rows_));
  }

  /// The file is there; `origin`: words on where the map is from.
  void finish(const std::string& origin) {
    stop_if_interrupted();
    writer_->commit();
    clear_live_line();
    const Index features = map_->feature_count();
    log_event("transformed", {{"rows", rows_}, {"features", features}, {"out", out_}},
              fmt::format("{} features of {} rows, {}", features, rows_, origin));
  }

 private:
  /// body(worker, first, count) by all threads.
  template <class Body>
  void share_out(Index rows, const Body& body) {
    const BlasThreads single(1);
    run_workers(threads_, [&](int worker) {
      const Index first = rows * worker / threads_;
      body(worker, first, rows * (worker + 1) / threads_ - first);
    });
  }

  std::shared_ptr<const FeatureMap> map_;
  std::unique_ptr<PreparedMap> prepared_;
  std::unique_ptr<FeatureWriter> writer_;
  std::string out_;
  int threads_;
  bool with_target_;
  Matrix dense_;
  std::vector<SparseRows> sparse_;  // of each thread
  Index rows_ = 0;
};

FeatureTarget target_of(const Schema& schema, bool there) { return {there, schema.target_name(), schema.classes()}; }

/// A rows file as it is; a table by way of one that has no name, beside the output.
StoredTrainingRows stored_rows(const TransformArguments& a, const std::string& data_path, const DataConfig& config) {
  if (is_rows_file(data_path)) return store_training_rows(data_path, config, {}, "");
  Conversion conversion;
  conversion.folder = std::filesystem::path(a.out).parent_path().string();
  if (conversion.folder.empty()) conversion.folder = ".";
  conversion.progress = report_conversion;
  auto file = convert_table(data_path, config, conversion);
  clear_live_line();
  StoredTrainingRows result{file->schema(), nullptr, file->table_rows()};
  result.rows = std::move(file);
  return result;
}

std::string origin_of(std::uint64_t seed) { return fmt::format("seed {}", seed); }

void transform_stream(DatasetStream& rows, const Standardizer& standardizer, Transformer& transformer) {
  Dataset chunk;
  while (rows.next(chunk, transformer.chunk_rows())) {
    if (chunk.is_sparse()) {
      standardizer.standardise(chunk.sparse);
      transformer.add(chunk.sparse.view(), chunk.target);
    } else {
      transformer.add(standardizer.inputs(chunk.inputs), chunk.target);
    }
  }
}

/// Rows that stay sparse are read twice.
void transform_sparse(const TransformArguments& a, const std::string& data_path, Recipe recipe,
                      const CommonOptions& common) {
  if (a.features_only) recipe.data.labels = false;
  const SparseSurvey survey = survey_sparse(data_path, recipe.data, [](Index rows) {
    stop_if_interrupted();
    if (live_line_possible()) show_live_line(fmt::format("reading  {} rows", rows));
  });
  StartedMap start = start_map(recipe, survey, common.seed);
  Transformer transformer(start.map, start.theta, a, target_of(survey.schema, !a.features_only), common.threads);
  DatasetStream rows(data_path, survey.schema, !a.features_only);
  transform_stream(rows, start.standardizer, transformer);
  transformer.finish(origin_of(common.seed));
}

void transform_stored(const TransformArguments& a, const std::string& data_path, const Recipe& recipe,
                      const CommonOptions& common) {
  const StoredTrainingRows data = stored_rows(a, data_path, recipe.data);
  StartedMap start = start_map(recipe, *data.rows, common.seed);
  Transformer transformer(start.map, start.theta, a, target_of(data.schema, !a.features_only), common.threads);
  const Index step = transformer.chunk_rows(), all = data.rows->rows();
  Matrix x;
  Vector y;
  std::vector<double> scratch;
  for (Index first = 0; first < all; first += step) {
    const Index rows = std::min(step, all - first);
    x.resize(rows, data.rows->inputs());
    y.resize(rows);
    data.rows->read(first, rows, x, y, scratch);
    start.standardizer.standardise(x);
    transformer.add(x, y);
  }
  transformer.finish(origin_of(common.seed));
}

void transform_by_recipe(const TransformArguments& a, const std::string& data_path, const CommonOptions& common) {
  const Recipe recipe = read_recipe_source(a.recipe);
  require_features(recipe);
  if (is_libsvm_file(data_path) && starts_on_sparse_rows(recipe))
    transform_sparse(a, data_path, recipe, common);
  else
    transform_stored(a, data_path, recipe, common);
}

void transform_by_model(const TransformArguments& a, const std::string& data_path, const CommonOptions& common) {
  if (!a.recipe.overrides.empty() || !a.recipe.target.empty())
    throw UsageError("--set and --target change a recipe; a model keeps its own");
  const FittedModel model = FittedModel::load(read_bundle(a.recipe.path));
  const Member& member = model.members.front();
  if (model.members.size() > 1) throw ConfigError(a.recipe.path, "has several fits, each with features of its own");
  if (!member.map) throw ConfigError(a.recipe.path, "'" + member.recipe.model + "' is an exact kernel: no features");
  DatasetStream rows(data_path, model.schema, !a.features_only);
  Transformer transformer(member.map, member.theta, a, target_of(model.schema, !a.features_only), common.threads);
  transform_stream(rows, model.standardizer, transformer);
  transformer.finish("as the model has them");
}

int transform_rows(const TransformArguments& a, const CommonOptions& common, bool seed_given) {
  const std::string data_path = find_data(a.data);
  check_feature_path(a.out);
  require_writable(a.out, {data_path, a.recipe.path});
  if (is_model_file(a.recipe.path)) {
    if (seed_given) throw UsageError("--seed draws the map of a recipe; a model keeps its own");
    transform_by_model(a, data_path, common);
  } else {
    transform_by_recipe(a, data_path, common);
  }
  return kSuccess;
}

std::function<int()> configure_transform(CLI::App& app, CommonOptions& common) {
  auto a = std::make_shared<TransformArguments>();
  app.add_option("RECIPE", a->recipe.path, "Recipe (a file, or a name of alacarte kernels), or a model file")
      ->required();
  app.add_option("--data", a->data, "Rows to transform; with a recipe its map and scales are made for these rows")
      ->required()
      ->type_name("FILE");
  app.add_option("--out", a->out, "Features to write: .csv, .npy or .libsvm (.csv and .libsvm also with .gz)")
      ->required()
      ->type_name("FILE");
  app.add_flag("--features-only", a->features_only,
               "Leave the target out; rows that have none need it, by a model file or sparse");
  app.add_option("--target", a->recipe.target, "Target column, as of alacarte train")->type_name("COL");
  add_override_option(app, a->recipe);
  add_seed_option(app, common, "Seed of the map's draws");
  add_threads_option(app, common);
  add_log_options(app, common);
  app.footer(
      "Each row becomes the features psi(x) of its scaled inputs, of which psi(x).psi(x') is the model's kernel; the\n"
      "target comes last (CSV, NPY) or first (LIBSVM). A recipe's map stands where learning would start; a model's,\n"
      "where it ended, with the scales of its training rows: so training and test rows of one experiment go through\n"
      "one model. LIBSVM files leave out zeros. Memory stays flat; a recipe reads a table through a temporary file\n"
      "beside --out, and a LIBSVM file twice where its rows stay sparse (linear, gcws, tensor-sketch without learned\n"
      "length-scales, sums of these; of inputs that are not scaled).\n\n"
      "Example:\n"
      "  alacarte transform ard --data houses.csv --out features.npy");
  const CLI::Option* const seed = app.get_option("--seed");
  return [a, seed, &common] { return transform_rows(*a, common, seed->count() > 0); };
}

}  // namespace

const Command kTransformCommand{"transform", "Write the features of a recipe's or model's map for other programs",
                                configure_transform};

}  // namespace alacarte::cli
