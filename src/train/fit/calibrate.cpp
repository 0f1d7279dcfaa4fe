// The stages hold_out and calibration: rows that no fit sees calibrate intervals or probabilities.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "data/changed_rows.hpp"
#include "data/column_splits.hpp"
#include "training.hpp"

namespace alacarte {
namespace {

// Largest number of rows for calibration: with more, coverage varies between draws by less than half a percent, and the
// model file stores all scores.
constexpr double kMaxCalibrationRows = 10000;

/// Draws rows for calibration, increasing, independent of their values, except that the last row of a class stays in
/// training: whole groups or the last rows in time, if rows have them.
std::vector<Index> draw_calibration_rows(const RowSource& training, double share, Index classes, std::uint64_t seed,
                                         const SplitColumns& columns) {
  const auto n = static_cast<double>(training.rows());
  const auto wanted = static_cast<Index>(std::min(std::round(share * n), kMaxCalibrationRows));
  if (wanted < 1 || wanted >= training.rows())
    throw ConfigError("/calibration/share", fmt::format("{:g} of {} rows leaves none {}", share, training.rows(),
                                                        wanted < 1 ? "for calibration" : "to train on"));
  RandomStream stream = RandomStreams(seed).stream("calibration.rows");
  std::vector<Index> rows = draw_held_rows(stream, columns, training.rows(), wanted);
  // A group stays whole, and the past the past, whatever the classes.
  if (classes == 0 || !columns.empty()) return rows;
  std::vector<Index> left(static_cast<std::size_t>(classes), 0);
  for_each_block(training, [&](const RowBlock& block) {
    for (const double place : block.y)
      if (place >= 0 && place < static_cast<double>(classes)) ++left[static_cast<std::size_t>(place)];
  });
  if (training.is_distributed()) {
    FitContext::Sums sums;
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

/// Learns the calibration of a model from rows that it did not see.
Calibration calibration_by(const FittedModel& model, const MemoryRows& held, CalibrationKind kind, int threads) {
  PredictOptions options;
  options.threads = threads;
  if (model.schema.knows_noise()) options.weights = held.weights();
  options.offsets = held.offsets();
  const Prediction prediction = model.predict(held.x(), options);
  if (kind == CalibrationKind::temperature) return temperature_calibration(prediction.classes().values, held.y());
  // Intervals are made in the transformed unit, which keeps the order of targets, and undone.
  const Vector held_y = model.standardizer.transform().forward(held.y());
  const auto scores = [&](const auto& own) -> Vector {
    return (held_y - own.mean()).cwiseAbs().cwiseQuotient(own.variance().cwiseSqrt());
  };
  Vector all = prediction.kind() == TargetKind::counts ? scores(prediction.counts())
                                                       : scores(prediction.distribution().of_transformed());
  if (!all.allFinite()) throw NumericalError("calibration", "the residual of a held-out row is not finite");
  return conformal_calibration(std::move(all));
}

}  // namespace

LeftOutReceiver with_places(LeftOutReceiver receiver, std::vector<Index> places) {
  if (!receiver) return receiver;
  return [places = std::move(places), receiver = std::move(receiver)](const Prediction& prediction,
                                                                      const std::vector<Index>& scored) {
    std::vector<Index> named;
    for (const Index row : scored) named.push_back(places[static_cast<std::size_t>(row)]);
    receiver(prediction, scored.empty() ? places : named);
  };
}

void hold_out_for_calibration(Training& training) {
  Recipe& recipe = training.recipe;
  recipe = apply_likelihood_defaults(std::move(recipe));
  training.calibration = std::exchange(recipe.calibration, {});
  const std::vector<Index> held =
      draw_calibration_rows(*training.source, training.calibration.share, training.schema.class_count(),
                            training.options.seed, training.options.columns);
  training.calibration_rows = gather_rows(*training.source, held);
  FitOptions& options = training.options;
  const std::vector<Index> others = rows_but(training.source->rows(), held);
  options.on_left_out = with_places(std::move(options.on_left_out), others);
  options.columns = options.columns.of_rows(others);
  training.source = without_rows(std::move(training.source), held);
}

void calibrate(Training& training) {
  FittedModel& model = training.models.front();
  const CalibrationConfig& asked = training.calibration;
  model.recipe.calibration = asked;
  model.calibration = calibration_by(model, *training.calibration_rows, asked.kind, training.options.threads);
  model.training.calibrated = {word(asked.kind), training.calibration_rows->rows()};
  if (asked.kind == CalibrationKind::temperature)
    model.training.calibrated->temperature = model.calibration.temperature;
}

}  // namespace alacarte
