#include "model.hpp"

#include <omp.h>

#include <cmath>
#include <utility>

#include "alacarte/app/memory.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/core/threads.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "alacarte/train/fit.hpp"
#include "encoding.hpp"
#include "jobs.hpp"

namespace py = pybind11;

namespace alacarte::python {
namespace {

constexpr bool kAlone = true;

using nlohmann::json;

json describe_member(const FittedModel& model, const Member& member) {
  const Vector theta = member.theta.head(member.parameters().size());
  json description = member.map ? member.map->describe(theta) : member.kernel->describe(theta);
  // An input that had one value in all training rows has taught its spectrum nothing.
  if (description.contains("relevance"))
    for (std::size_t j = 0; j < description["relevance"].size(); ++j)
      if (model.standardizer.is_constant(static_cast<Index>(j))) description["relevance"][j] = 0;
  return {{"model", member.recipe.model},
          {"summary", member.summary},
          {"description", std::move(description)},
          {"noise_sd", std::sqrt(member.posterior->noise_variance()) * model.standardizer.target_scale()}};
}

template <class Distribution>
Model::Numbers numbers_of(const Distribution& prediction, bool with_sd, double interval) {
  Model::Numbers numbers{prediction.mean(), {}, {}, {}};
  if (with_sd) numbers.sd = prediction.variance().cwiseSqrt();
  if (interval > 0) {
    numbers.lower = prediction.quantile((1 - interval) / 2);
    numbers.upper = prediction.quantile((1 + interval) / 2);
  }
  return numbers;
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
                                  py::object progress) {
  const Recipe recipe = parse_recipe_text(recipe_text);
  Relay relay(std::move(progress));
  std::shared_ptr<Model> model;
  run_job(
      [&](const std::atomic<bool>& interrupt) {
        Encoded data = learn_encoding(table, recipe.data);
        FitOptions options;
        options.seed = seed;
        options.threads = thread_count(threads);
        options.observer = &relay;
        options.interrupt = &interrupt;
        options.memory_bytes = available_memory();
        model = std::make_shared<Model>(alacarte::fit(recipe, data.schema, std::move(data.rows), options));
      },
      kAlone, &relay);
  model->messages_ = relay.messages();
  return model;
}

std::shared_ptr<Model> Model::read(const std::string& path) {
  return std::make_shared<Model>(FittedModel::load(read_bundle(path)));
}

std::shared_ptr<Model> Model::parse(const py::bytes& bytes) {
  return std::make_shared<Model>(FittedModel::load(parse_bundle(bytes, "model")));
}

void Model::write(const std::string& path) const {
  const py::gil_scoped_release released;
  write_bundle(path, model_.save());
}

py::bytes Model::bytes() const { return serialize_bundle(model_.save()); }

std::string Model::describe() const {
  json fits = json::array();
  for (const Member& member : model_.members) fits.push_back(describe_member(model_, member));
  return json{{"recipe", to_json(model_.recipe, model_infos())},
              {"seed", model_.seed},
              {"target", target_name(model_.target())},
              {"probabilities", model_.target() == TargetKind::classes && gives_probabilities(model_.recipe)},
              {"variances", model_.has_variance()},
              {"schema", model_.schema.to_json()},
              {"input_names", model_.schema.input_names()},
              {"training", model_.training},
              {"fits", std::move(fits)}}
      .dump();
}

Matrix Model::encode(const Table& table) const { return encode_inputs(model_.schema, table); }

void Model::check_width(const MatrixView& rows) const {
  require(rows.cols() == model_.schema.input_count(), "rows of another width than the model's inputs");
}

Model::Numbers Model::predict(const Array& array, bool with_sd, bool latent, double interval, int threads) const {
  const MatrixView rows = view(array);
  check_width(rows);
  PredictOptions options;
  options.latent = latent;
  options.threads = thread_count(threads);
  // The mean of counts depends on the variance of their log rate.
  options.variance = with_sd || interval > 0 || (model_.target() == TargetKind::counts && model_.has_variance());
  Numbers numbers;
  run_job(
      [&](const std::atomic<bool>&) {
        const Prediction prediction = model_.predict(rows, options);
        numbers = model_.target() == TargetKind::counts ? numbers_of(prediction.counts(), with_sd, interval)
                                                        : numbers_of(prediction.distribution(), with_sd, interval);
        require_finite_numbers(numbers.mean);
        for (const auto* own : {&numbers.sd, &numbers.lower, &numbers.upper})
          if (*own) require_finite_numbers(**own);
      },
      !kAlone);
  return numbers;
}

Matrix Model::class_values(const Array& array, int threads) const {
  const MatrixView rows = view(array);
  check_width(rows);
  PredictOptions options;
  options.threads = thread_count(threads);
  options.variance = model_.has_variance();
  Matrix values;
  run_job(
      [&](const std::atomic<bool>&) {
        values = model_.predict(rows, options).classes().values;
        require_finite_numbers(values);
      },
      !kAlone);
  return values;
}

Matrix Model::covariance(const Array& array, bool latent) const {
  const MatrixView rows = view(array);
  check_width(rows);
  Matrix result;
  run_job([&](const std::atomic<bool>&) { result = model_.covariance(rows, latent); }, !kAlone);
  require_finite_numbers(result);
  return result;
}

Matrix Model::draws(const Array& array, Index count, std::uint64_t seed) const {
  const MatrixView rows = view(array);
  check_width(rows);
  Matrix result;
  run_job([&](const std::atomic<bool>&) { result = model_.draws(rows, count, seed); }, !kAlone);
  require_finite_numbers(result);
  return result;
}

}  // namespace alacarte::python
