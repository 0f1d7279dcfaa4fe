#include "model.hpp"

#include <omp.h>

#include <chrono>
#include <cmath>
#include <utility>

#include "alacarte/app/export_c.hpp"
#include "alacarte/app/job.hpp"
#include "alacarte/app/train_file.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/core/threads.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/io/target_models.hpp"
#include "alacarte/model/registered.hpp"
#include "alacarte/model/update.hpp"
#include "alacarte/train/fit.hpp"
#include "app/coefficients.hpp"
#include "app/quantities.hpp"
#include "io/documents.hpp"
#include "jobs.hpp"
#include "model/posteriors.hpp"
#include "report/columns.hpp"
#include "report/inspection.hpp"

namespace py = pybind11;

namespace alacarte::python {
namespace {

constexpr bool kAlone = true;
/// Rows between two checks of the interrupt flag: whole chunks of the posteriors, to keep the bits of a single pass.
constexpr Index kInterruptRows = 64 * kPosteriorRows;
/// Rows that an update adds at a time, as in alacarte update.
constexpr Index kUpdateRows = 4096;

using nlohmann::json;

json describe_member(const FittedModel& model, const Member& member) {
  return {{"model", member.recipe.model},
          {"summary", to_json(member.summary)},
          {"weight", member.weight},
          {"description", to_json(describe(model, member))},
          {"noise_sd", std::sqrt(member.posterior->noise_variance()) * model.standardizer.target_scale()}};
}

/// Calls store(first, prediction) for blocks of rows, with weights and offsets or none. Throws Interrupted if the flag
/// is set.
template <class Store>
void predict_blocks(const FittedModel& model, const RowBlocks& rows, PredictOptions options,
                    const std::atomic<bool>& interrupt, const RowValues& values, const Store& store) {
  Matrix buffer;
  for (Index first = 0; first < rows.rows(); first += kInterruptRows) {
    if (interrupt) throw Interrupted();
    const Index count = std::min(kInterruptRows, rows.rows() - first);
    const auto block = rows.block(first, count, buffer);
    if (values.weights.size() > 0) options.weights = values.weights.segment(first, count);
    if (values.offsets.size() > 0) options.offsets = values.offsets.segment(first, count);
    store(first, model.predict(block, options));
  }
}

/// Writes the rows of a block, from `first` on, into the parts that `numbers` has.
template <class Distribution>
void put(const Distribution& block, Index first, Model::Numbers& numbers) {
  const Index count = block.rows();
  numbers.mean.segment(first, count) = block.mean();
  if (numbers.sd) numbers.sd->segment(first, count) = block.variance().cwiseSqrt();
}

LeftOut left_out_of(const Prediction& prediction, const std::vector<Index>& rows) {
  if (prediction.kind() == TargetKind::classes) return {rows, prediction.classes().values};
  LeftOut result{rows, Matrix(prediction.rows(), 2)};
  const auto fill = [&](const auto& distribution) {
    result.values.col(0) = distribution.mean();
    result.values.col(1) = distribution.variance().cwiseSqrt();
  };
  prediction.kind() == TargetKind::counts ? fill(prediction.counts()) : fill(prediction.distribution());
  return result;
}

/// Throws if a matrix whose size the user chose exceeds the memory.
void require_room(const char* argument, Index rows, Index columns) {
  if (8.0 * static_cast<double>(rows) * static_cast<double>(columns) <= available_memory()) return;
  throw ConfigError(argument, std::to_string(rows) + " rows by " + std::to_string(columns) +
                                  " numbers are more than the memory holds; give it fewer");
}

void require_finite_numbers(const Matrix& values) {
  if (!values.allFinite()) throw NumericalError("prediction", "is not finite");
}

}  // namespace

const char* target_name(TargetKind kind) {
  static constexpr const char* kNames[] = {"numbers", "classes", "counts"};
  return kNames[static_cast<std::size_t>(kind)];
}

Recipe parse_recipe_text(const std::string& text) { return parse_registered_recipe(parse_json(text, "recipe")); }

int thread_count(int threads) { return threads > 0 ? threads : std::min(hardware_threads(), omp_get_max_threads()); }

std::shared_ptr<Model> Model::fit(const std::string& recipe_text, const Table& table, std::uint64_t seed, int threads,
                                  py::object progress, double seconds_before, const std::shared_ptr<Model>& start) {
  const Recipe recipe = parse_recipe_text(recipe_text);
  Relay relay(std::move(progress));
  std::shared_ptr<Model> model;
  std::optional<LeftOut> left_out;
  std::vector<Index> learned_rows;
  run_job(
      [&](const std::atomic<bool>& interrupt) {
        const auto began = std::chrono::steady_clock::now();
        Encoded data = learn_encoding(table, recipe);
        if (data.rows.target.size() < view(table.numbers).rows()) learned_rows = data.rows.source_rows;
        FitOptions options;
        options.columns = std::move(data.columns);
        options.seed = seed;
        options.threads = thread_count(threads);
        options.observer = &relay;
        options.interrupt = &interrupt;
        options.memory_bytes = available_memory();
        if (start) options.start_from = &start->model_;
        options.on_left_out = [&](const Prediction& prediction, const std::vector<Index>& rows) {
          left_out = left_out_of(prediction, rows);
        };
        const std::chrono::duration<double> encoding = std::chrono::steady_clock::now() - began;
        options.seconds_before = seconds_before + encoding.count();
        model = std::make_shared<Model>(alacarte::fit(recipe, data.schema, std::move(data.rows), options));
      },
      kAlone, &relay);
  model->messages_ = relay.messages();
  model->left_out_ = std::move(left_out);
  model->learned_rows_ = std::move(learned_rows);
  return model;
}

std::vector<std::shared_ptr<Model>> Model::fit_targets(const std::string& recipe_text, const std::vector<Table>& tables,
                                                       const std::vector<std::string>& targets, std::uint64_t seed,
                                                       int threads, py::object progress, double seconds_before) {
  const Recipe recipe = parse_recipe_text(recipe_text);
  require(!tables.empty(), "fit_targets: there is no target");
  require(targets.empty() || targets.size() == tables.size(), "fit_targets: one name for each target");
  Relay relay(std::move(progress));
  std::vector<std::shared_ptr<Model>> models;
  run_job(
      [&](const std::atomic<bool>& interrupt) {
        FitOptions options;
        options.seed = seed;
        options.threads = thread_count(threads);
        options.observer = &relay;
        options.interrupt = &interrupt;
        options.memory_bytes = available_memory();
        options.seconds_before = seconds_before;
        const bool shared = recipe.targets == TargetSharing::shared;
        Recipe one = recipe;
        one.targets = TargetSharing::shared;
        if (!shared) {
          one.training.seconds =
              seconds_of_each(recipe.training.seconds, seconds_before, static_cast<double>(tables.size()));
          options.seconds_before = 0;
        }
        std::vector<Schema> schemas;
        Dataset rows;
        for (std::size_t t = 0; t < tables.size(); ++t) {
          Recipe of_target = recipe;
          if (!targets.empty()) of_target.data = config_of_target(recipe.data, targets, t);
          Encoded own = learn_encoding(tables[t], of_target);
          options.columns = std::move(own.columns);
          if (!shared) {
            models.push_back(std::make_shared<Model>(alacarte::fit(one, own.schema, std::move(own.rows), options)));
            continue;
          }
          schemas.push_back(own.schema);
          if (t == 0)
            rows = std::move(own.rows);
          else
            rows.more_targets.conservativeResize(rows.rows(), static_cast<Index>(t));
          if (t > 0) rows.more_targets.col(static_cast<Index>(t) - 1) = own.rows.target;
        }
        if (!shared) return;
        for (FittedModel& model : alacarte::fit_targets(one, schemas, std::move(rows), options))
          models.push_back(std::make_shared<Model>(std::move(model)));
      },
      kAlone, &relay);
  for (const auto& model : models) model->messages_ = relay.messages();
  return models;
}

std::vector<std::shared_ptr<Model>> Model::read_targets(const std::string& path) {
  std::vector<std::shared_ptr<Model>> models;
  for (FittedModel& model : load_models(read_bundle(path))) models.push_back(std::make_shared<Model>(std::move(model)));
  return models;
}

void Model::write_targets(const std::vector<std::shared_ptr<Model>>& models, const std::string& path) {
  const py::gil_scoped_release released;
  std::vector<const FittedModel*> all;
  for (const auto& model : models) all.push_back(&model->model_);
  write_bundle(path, save_models(all));
}

std::shared_ptr<Model> Model::parse(const py::bytes& bytes) {
  return std::make_shared<Model>(FittedModel::load(parse_bundle(bytes, "model")));
}

void Model::export_c(const std::string& path, const std::string& name) const {
  const py::gil_scoped_release released;
  alacarte::export_c(model_, path, name);
}

py::bytes Model::bytes() const { return serialize_bundle(model_.save()); }

std::string Model::describe() const {
  json fits = json::array();
  for (const Member& member : model_.members) fits.push_back(describe_member(model_, member));
  const auto coefficients = linear_coefficients(model_);
  return json{{"recipe", to_json(model_.recipe, model_infos())},
              {"coefficients", coefficients ? alacarte::to_json(*coefficients) : json()},
              {"seed", model_.seed},
              {"target", target_name(model_.target())},
              {"probabilities", model_.target() == TargetKind::classes && gives_probabilities(model_.recipe)},
              {"variances", model_.has_variance()},
              {"schema", to_json(model_.schema)},
              {"columns", columns_json(model_.schema)},
              {"input_names", model_.schema.input_names()},
              {"training", to_json(model_.training)},
              {"fits", std::move(fits)}}
      .dump();
}

std::string Model::summary() const {
  constexpr Index kInputs = 20;
  return inspection_text(inspect(model_), kInputs);
}

Matrix Model::encode(const Table& table) const { return encode_inputs(model_.schema, table).inputs; }

std::vector<Index> Model::count_unseen(const Table& table) const { return encode_inputs(model_.schema, table).unseen; }

RowBlocks Model::inputs(const Rows& rows) const {
  const RowBlocks x(rows);
  require(x.cols() == model_.schema.input_count(), "rows of another width than the model's inputs");
  if (x.is_sparse() && !model_.standardizer.is_sparse())
    throw DataError("X", "is sparse, and the model was trained on dense rows; give it X.toarray()");
  return x;
}

Model::Numbers Model::predict(const Rows& given, bool with_sd, bool latent, double interval, int threads,
                              const RowValues& values) const {
  const RowBlocks rows = inputs(given);
  values.check(rows.rows());
  PredictOptions options;
  options.latent = latent;
  options.threads = thread_count(threads);
  // The mean of counts depends on the variance of their log rate.
  options.variance = with_sd || interval > 0 || (model_.target() == TargetKind::counts && model_.has_variance());
  Numbers numbers{Vector(rows.rows()), {}, {}, {}};
  if (with_sd) numbers.sd.emplace(rows.rows());
  for (auto* bound : {&numbers.lower, &numbers.upper})
    if (interval > 0) bound->emplace(rows.rows());
  run_job(
      [&](const std::atomic<bool>& interrupt) {
        predict_blocks(model_, rows, options, interrupt, values, [&](Index first, const Prediction& block) {
          if (block.kind() == TargetKind::counts)
            put(block.counts(), first, numbers);
          else
            put(block.distribution(), first, numbers);
          if (interval <= 0) return;
          const Interval bounds = model_.interval(block, interval);
          numbers.lower->segment(first, block.rows()) = bounds.lower;
          numbers.upper->segment(first, block.rows()) = bounds.upper;
        });
        require_finite_numbers(numbers.mean);
        for (const auto* own : {&numbers.sd, &numbers.lower, &numbers.upper})
          if (*own) require_finite_numbers(**own);
      },
      !kAlone);
  return numbers;
}

Matrix Model::distribution(const Rows& given, const std::vector<double>& probabilities,
                           const std::vector<double>& thresholds, int threads, const RowValues& of_rows) const {
  const RowBlocks rows = inputs(given);
  of_rows.check(rows.rows());
  PredictOptions options;
  options.threads = thread_count(threads);
  Matrix values(rows.rows(), static_cast<Index>(probabilities.size() + thresholds.size()));
  const auto fill = [&](const auto& own) {
    Index c = 0;
    for (const double probability : probabilities) values.col(c++) = own.quantile(probability);
    for (const double threshold : thresholds) values.col(c++) = own.survival(Vector::Constant(rows.rows(), threshold));
  };
  run_job(
      [&](const std::atomic<bool>&) {
        Matrix buffer;
        const auto all = rows.all(buffer);
        options.weights = of_rows.weights;
        options.offsets = of_rows.offsets;
        const Prediction prediction = model_.predict(all, options);
        model_.target() == TargetKind::counts ? fill(prediction.counts()) : fill(prediction.distribution());
        require_finite_numbers(values);
      },
      !kAlone);
  return values;
}

Matrix Model::class_values(const Rows& given, int threads) const {
  const RowBlocks rows = inputs(given);
  PredictOptions options;
  options.threads = thread_count(threads);
  options.variance = model_.has_variance();
  Matrix values(rows.rows(), model_.schema.class_count());
  run_job(
      [&](const std::atomic<bool>& interrupt) {
        predict_blocks(model_, rows, options, interrupt, {}, [&](Index first, const Prediction& block) {
          values.middleRows(first, block.rows()) = block.classes().values;
        });
        require_finite_numbers(values);
      },
      !kAlone);
  return values;
}

const OneRowPrediction& Model::predict_one(const List<double>& row, bool with_sd, bool latent, double exposure) const {
  const Eigen::Map<const Vector> x(row.data(), row.size());
  if (row.ndim() != 1 || x.size() != model_.schema.input_count())
    throw DataError("x", "is not one row of " + std::to_string(model_.schema.input_count()) + " numbers");
  for (Index j = 0; j < x.size(); ++j)
    if (!std::isfinite(x[j])) throw DataError("x", 0, j + 1, "is not finite");
  // The mean of counts depends on the variance of their log rate, and the probabilities of classes on that of f.
  const bool variance = with_sd || (model_.target() != TargetKind::numbers && model_.has_variance());
  const Moment wanted = !variance ? Moment::mean : latent ? Moment::latent_variance : Moment::variance;
  const OneRowPrediction* one = nullptr;
  run_briefly([&] {
    if (!workspace_) workspace_ = model_.one_row_workspace();
    one = &model_.predict_one(x, *workspace_, wanted, exposure);
  });
  if (!std::isfinite(one->mean) || !std::isfinite(one->variance) || !one->class_values.allFinite())
    throw NumericalError("prediction", "is not finite");
  return *one;
}

Matrix Model::covariance(const Rows& given, bool latent) const {
  const RowBlocks rows = inputs(given);
  require_room("return_cov", rows.rows(), rows.rows());
  Matrix result, buffer;
  run_job([&](const std::atomic<bool>&) { result = model_.covariance(rows.all(buffer), latent); }, !kAlone);
  require_finite_numbers(result);
  return result;
}

std::shared_ptr<Model> Model::update(const Rows& given, const List<double>& target, const List<double>& weights,
                                     double forget, int threads) const {
  Matrix buffer;
  const InputView x = inputs(given).all(buffer);
  require(target.size() == x.rows() && (weights.size() == 0 || weights.size() == x.rows()),
          "update: one target for each row, and one weight or none");
  std::shared_ptr<Model> updated;
  run_job(
      [&](const std::atomic<bool>& interrupt) {
        UpdateOptions options;
        options.forget = forget;
        options.threads = thread_count(threads);
        ModelUpdate update(model_, options);
        for (Index first = 0; first < x.rows(); first += kUpdateRows) {
          if (interrupt) throw Interrupted();
          const Index count = std::min(kUpdateRows, x.rows() - first);
          std::vector<Index> kept;
          for (Index i = first; i < first + count; ++i)
            if (weights.size() == 0 || weights.data()[i] > 0) kept.push_back(i);
          Dataset rows;
          rows.target = Eigen::Map<const Vector>(target.data(), target.size())(kept);
          if (weights.size() > 0) rows.weights = Eigen::Map<const Vector>(weights.data(), weights.size())(kept);
          if (x.is_sparse())
            rows.sparse = select_rows(x.sparse(), kept);
          else
            rows.inputs = x.dense()(kept, Eigen::all);
          update.add(rows);
        }
        updated = std::make_shared<Model>(update.finish());
      },
      kAlone);
  return updated;
}

Matrix Model::draws(const Rows& given, Index count, std::uint64_t seed) const {
  const RowBlocks rows = inputs(given);
  require_room("n_samples", rows.rows(), count);
  Matrix result, buffer;
  run_job([&](const std::atomic<bool>&) { result = model_.draws(rows.all(buffer), count, seed); }, !kAlone);
  require_finite_numbers(result);
  return result;
}

}  // namespace alacarte::python
