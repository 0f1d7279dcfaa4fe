// fit() and fit_targets(): draw rows where there is no time for all; fit() keeps rows for calibration where the recipe
// asks for it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/model/likelihood.hpp"
#include "core/ranks.hpp"
#include "data/changed_rows.hpp"
#include "data/rows_without.hpp"
#include "fit_stages.hpp"
#include "train/plan/rows_in_time.hpp"

namespace alacarte {
namespace {

// With more, coverage by one drawing of the rows varies by less than half a percent; the scores are in the model file.
constexpr double kMaxCalibrationRows = 10000;

FittedModel fit_uncalibrated(const Recipe& recipe, const Schema& schema, std::shared_ptr<RowSource> training,
                             const FitOptions& options) {
  return recipe.noise.varies && recipe.noise.rounds > 0 ? fit_uneven_noise(recipe, schema, std::move(training), options)
                                                        : fit_rows(recipe, schema, std::move(training), options);
}

/// Increasing, drawn without regard to inputs and targets; but the last row of a class stays in training.
std::vector<Index> calibration_rows(const RowSource& training, const Recipe& recipe, Index classes,
                                    std::uint64_t seed) {
  const auto n = static_cast<double>(training.rows());
  const auto wanted = static_cast<Index>(std::min(std::round(recipe.calibration.share * n), kMaxCalibrationRows));
  if (wanted < 1 || wanted >= training.rows())
    throw ConfigError("/calibration/share",
                      fmt::format("{:g} of {} rows leaves none {}", recipe.calibration.share, training.rows(),
                                  wanted < 1 ? "for calibration" : "to train on"));
  RandomStream stream = RandomStreams(seed).stream("calibration.rows");
  std::vector<Index> rows = draw_rows(stream, training.rows(), wanted);
  std::sort(rows.begin(), rows.end());
  if (classes == 0) return rows;
  std::vector<Index> left(static_cast<std::size_t>(classes), 0);
  for_each_block(training, [&](const RowBlock& block) {
    for (const double place : block.y)
      if (place >= 0 && place < static_cast<double>(classes)) ++left[static_cast<std::size_t>(place)];
  });
  if (training.is_distributed()) {
    ranks::Sums sums;
    for (Index& count : left) sums.add(count);
    sums.run();
  }
  const auto drawn = gather_rows(training, rows);
  Index next = 0;
  std::erase_if(rows, [&](Index) {
    const double place = drawn->y()[next++];
    return !(place >= 0 && place < static_cast<double>(classes)) || --left[static_cast<std::size_t>(place)] == 0;
  });
  return rows;
}

Calibration calibrate(const FittedModel& model, const MemoryRows& held, CalibrationKind kind, int threads) {
  PredictOptions options;
  options.threads = threads;
  if (model.schema.knows_noise()) options.weights = held.weights();
  const Prediction prediction = model.predict(held.x(), options);
  if (kind == CalibrationKind::temperature) return temperature_calibration(prediction.classes().values, held.y());
  const auto scores = [&](const auto& own) -> Vector {
    return (held.y() - own.mean()).cwiseAbs().cwiseQuotient(own.variance().cwiseSqrt());
  };
  Vector all =
      prediction.kind() == TargetKind::counts ? scores(prediction.counts()) : scores(prediction.distribution());
  if (!all.allFinite()) throw NumericalError("calibration", "the residual of a held-out row is not finite");
  return conformal_calibration(std::move(all));
}

/// Of rows whose places among all are `places`: names those left out by these.
void name_by_places(FitOptions& options, std::vector<Index> places) {
  if (options.on_left_out)
    options.on_left_out = [places = std::move(places), outer = options.on_left_out](const Prediction& prediction,
                                                                                    const std::vector<Index>& scored) {
      std::vector<Index> named;
      for (const Index row : scored) named.push_back(places[static_cast<std::size_t>(row)]);
      outer(prediction, scored.empty() ? places : named);
    };
}

FittedModel fit_calibrated(const Recipe& given, const Schema& schema, std::shared_ptr<RowSource> training,
                           const FitOptions& options) {
  if (given.calibration.kind == CalibrationKind::none)
    return fit_uncalibrated(given, schema, std::move(training), options);
  Recipe recipe = apply_likelihood_defaults(given);
  const std::vector<Index> held = calibration_rows(*training, recipe, schema.class_count(), options.seed);
  const auto held_rows = gather_rows(*training, held);
  recipe.calibration = {};
  FitOptions inner = options;
  name_by_places(inner, rows_but(training->rows(), held));
  FittedModel model = fit_uncalibrated(recipe, schema, without_rows(std::move(training), held), inner);
  model.recipe.calibration = given.calibration;
  model.calibration = calibrate(model, *held_rows, given.calibration.kind, options.threads);
  model.training["calibrated"] = {{"kind", word(given.calibration.kind)}, {"rows", held_rows->rows()}};
  if (given.calibration.kind == CalibrationKind::temperature)
    model.training["calibrated"]["temperature"] = model.calibration.temperature;
  return model;
}

using FitSome = std::function<std::vector<FittedModel>(const Recipe&, std::shared_ptr<RowSource>, const FitOptions&)>;

/// fit_some() of the rows that there is time for.
std::vector<FittedModel> fit_in_time(const Recipe& given, Index classes, std::shared_ptr<RowSource> training,
                                     const FitOptions& options, const FitSome& fit_some) {
  const auto began = std::chrono::steady_clock::now();
  const Index all = training->rows();
  RowsInTime planned;
  if (options.repeat != nullptr)
    planned = {options.repeat->value("rows_drawn", all), options.repeat->value("short_of_time", false),
               options.repeat->value("bound_for_time", false)};
  else
    planned = rows_in_time(apply_likelihood_defaults(given), *training, classes, options);
  Recipe recipe = given;
  std::string note;
  // Hyperparameters of another model are further than a subsample leads.
  if (options.start_from == nullptr && !training->is_distributed())
    begin_on_few_rows(recipe, planned, given.training.seconds);
  if (planned.takes_bound) take_bound(recipe);
  FitOptions inner = options;
  if (planned.rows < all) {
    std::vector<Index> drawn = draw_training_rows(all, planned.rows, options.seed);
    note = fmt::format("{} of {} rows are drawn: as many as can be trained on in the time", planned.rows, all);
    if (options.observer != nullptr) options.observer->on_message(note);
    training = some_rows(*training, drawn);
    name_by_places(inner, std::move(drawn));
  }
  inner.seconds_before += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  std::vector<FittedModel> models = fit_some(recipe, std::move(training), inner);
  for (FittedModel& model : models) {
    if (planned.is_short) model.training["short_of_time"] = true;
    if (planned.takes_bound) model.training["bound_for_time"] = true;
    if (planned.rows == all) continue;
    model.training["rows_drawn"] = planned.rows;
    model.training["rows_given"] = all;
    model.training["notes"].push_back(note);
  }
  return models;
}

}  // namespace

FittedModel fit(const Recipe& given, const Schema& schema, std::shared_ptr<RowSource> training,
                const FitOptions& options) {
  const auto fit_some = [&](const Recipe& recipe, std::shared_ptr<RowSource> rows, const FitOptions& inner) {
    std::vector<FittedModel> models;
    models.push_back(fit_calibrated(recipe, schema, std::move(rows), inner));
    return models;
  };
  return std::move(fit_in_time(given, schema.class_count(), std::move(training), options, fit_some).front());
}

std::vector<FittedModel> fit_targets(const Recipe& given, const std::vector<Schema>& schemas,
                                     std::shared_ptr<RowSource> training, const FitOptions& options) {
  require(!schemas.empty(), "fit: a schema is needed");
  const auto fit_some = [&](const Recipe& recipe, std::shared_ptr<RowSource> rows, const FitOptions& inner) {
    return fit_shared(recipe, schemas, std::move(rows), inner);
  };
  return fit_in_time(given, schemas.front().class_count(), std::move(training), options, fit_some);
}

}  // namespace alacarte
