#include "alacarte/app/job.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "data/row_pass.hpp"
#include "io/documents.hpp"
#include "jobs.hpp"
#include "model.hpp"
#include "report/columns.hpp"
#include "train/plan/fit_jobs.hpp"
#include "train/plan/start.hpp"

namespace py = pybind11;

namespace alacarte::python {
namespace {

constexpr Index kBlockRows = 256;
constexpr const char* kMap = "map.";

}  // namespace

std::shared_ptr<Features> Features::start(const std::string& recipe_text, const Table& table, std::uint64_t seed) {
  auto features = std::make_shared<Features>();
  features->recipe_ = parse_recipe_text(recipe_text);
  require_features(features->recipe_);
  run_job(
      [&](const std::atomic<bool>&) {
        Recipe recipe = features->recipe_;
        recipe.data.labels = false;
        Encoded data = learn_encoding(table, recipe);
        features->schema_ = data.schema;
        const PreparedRows prepared = prepare_rows(features->recipe_, std::move(data.rows), seed);
        features->standardizer_ = prepared.standardizer;
        StartedMap started = start_map(features->recipe_, prepared.rows.statistics, seed);
        features->map_ = std::move(started.map);
        features->theta_ = std::move(started.theta);
      },
      true);
  return features;
}

std::shared_ptr<Features> Features::of_model(const Model& model) {
  const FittedModel& fitted = model.fitted();
  const Member& member = fitted.members.front();
  if (fitted.members.size() > 1) throw ConfigError("recipe", "has several fits, each with features of its own");
  if (!member.prior.map()) throw ConfigError("recipe", "'" + member.recipe.model + "' is an exact kernel: no features");
  auto features = std::make_shared<Features>();
  features->recipe_ = member.recipe;
  features->schema_ = fitted.schema;
  features->standardizer_ = fitted.standardizer;
  features->map_ = member.prior.map();
  features->theta_ = member.theta;
  return features;
}

py::bytes Features::bytes() const {
  ModelFile file;
  file.document = {{"recipe", to_json(recipe_, model_infos())},
                   {"schema", to_json(schema_)},
                   {"standardizer", to_json(standardizer_)}};
  map_->save(file, kMap);
  file.put_vector("theta", theta_);
  return serialize_bundle(file);
}

std::shared_ptr<Features> Features::parse(const py::bytes& bytes) {
  const ModelFile file = parse_bundle(bytes, "feature map");
  auto features = std::make_shared<Features>();
  features->recipe_ = parse_registered_recipe(file.document.at("recipe"));
  features->schema_ = schema_from_json(file.document.at("schema"));
  features->standardizer_ = standardizer_from_json(file.document.at("standardizer"));
  features->map_ =
      load_prior(features->recipe_, features->schema_.input_count(), features->schema_.level_counts(), file, kMap)
          .map();
  features->theta_ = file.vector("theta");
  return features;
}

std::string Features::describe() const {
  return nlohmann::json{{"recipe", to_json(recipe_, model_infos())},
                        {"schema", to_json(schema_)},
                        {"columns", columns_json(schema_)},
                        {"input_names", schema_.input_names()}}
      .dump();
}

Matrix Features::encode(const Table& table) const { return encode_inputs(schema_, table).inputs; }

Matrix Features::transform(const Rows& given, int threads) const {
  const RowBlocks rows(given);
  require(rows.cols() == schema_.input_count(), "rows of another width than the map's inputs");
  if (rows.is_sparse() && !standardizer_.is_sparse())
    throw DataError("X", "is sparse, and the map was made from dense rows; give it X.toarray()");
  Matrix psi(rows.rows(), count());
  run_job(
      [&](const std::atomic<bool>& interrupt) {
        const auto prepared = map_->prepare(theta_);
        for_each_chunk(rows.rows(), kBlockRows, thread_count(threads), [&](Index, Index first, Index number) {
          if (interrupt) throw Interrupted();
          Matrix buffer;
          const InputView block = rows.block(first, number, buffer);
          if (!block.is_sparse()) {
            prepared->forward(standardizer_.inputs(block.dense()), psi.middleRows(first, number));
            return;
          }
          SparseRows x;
          x.clear(block.cols());
          x.append(block.sparse());
          standardizer_.standardise(x);
          prepared->forward(x.view(), psi.middleRows(first, number));
        });
      },
      false);
  if (!psi.allFinite()) throw NumericalError("features", "are not finite");
  return psi;
}

}  // namespace alacarte::python
