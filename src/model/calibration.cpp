#include "alacarte/model/calibration.hpp"

#include <fmt/format.h>
#include <cmath>

#include "alacarte/core/error.hpp"

namespace alacarte {
namespace {

constexpr double kMaxTemperature = 20;
constexpr double kMinProbability = 1e-300;  // floor for a class that was thought impossible

/// Returns the mean of -log p of the own class, with p^b over its sum in place of p; logs (rows, K) of p.
double log_loss(ConstMat logs, ConstVec labels, double power) {
  double sum = 0;
  for (Index i = 0; i < logs.rows(); ++i) {
    const auto powers = (power * logs.row(i).array()).eval();
    const double top = powers.maxCoeff();
    sum += top + std::log((powers - top).exp().sum()) - powers[static_cast<Index>(labels[i])];
  }
  return sum / static_cast<double>(logs.rows());
}

}  // namespace

double Calibration::factor(double probability) const {
  require(is_conformal(), "Calibration::factor: of conformal calibration");
  // The tolerance keeps a rank that rounding lifts above a whole number, as in 0.95 * 20, at that number.
  const double rank = std::ceil(static_cast<double>(rows + 1) * probability * (1 - 1e-12));
  if (rank > static_cast<double>(rows))
    throw ConfigError("interval",
                      fmt::format("{:g} takes at least {:.0f} calibration rows, and the model has {}", probability,
                                  std::ceil(probability / (1 - probability) * (1 - 1e-12)), rows));
  return scores[std::max<Index>(0, static_cast<Index>(rank) - 1)];
}

void Calibration::apply(MatRef probabilities) const {
  if (temperature == 1) return;
  for (Index i = 0; i < probabilities.rows(); ++i) {
    const double top = probabilities.row(i).maxCoeff();
    if (!(top > 0)) continue;
    probabilities.row(i) = (probabilities.row(i).array() / top).pow(1 / temperature).matrix();
    probabilities.row(i) /= probabilities.row(i).sum();
  }
}

Calibration conformal_calibration(Vector scores) {
  std::sort(scores.begin(), scores.end());
  Calibration calibration;
  calibration.kind = CalibrationKind::conformal;
  calibration.rows = scores.size();
  calibration.scores = std::move(scores);
  return calibration;
}

// Finds the temperature. The log loss is convex in 1/T, so thirds of the interval close in on the minimum. If all of a
// few rows are right there would be no minimum, so 1/T has a gamma prior with its mode at 1, giving log T a deviation
// of about 0.5.
Calibration temperature_calibration(ConstMat probabilities, ConstVec labels) {
  require(probabilities.rows() == labels.size() && labels.size() > 0, "temperature: a label for each row");
  const Matrix logs = probabilities.array().max(kMinProbability).log();
  constexpr double kPriorRows = 4;
  const auto loss = [&](double power) {
    return log_loss(logs, labels, power) + kPriorRows * (power - std::log(power)) / static_cast<double>(labels.size());
  };
  double low = 1 / kMaxTemperature, high = kMaxTemperature;
  while (high - low > 1e-6) {
    const double third = (high - low) / 3;
    if (loss(low + third) <= loss(high - third))
      high -= third;
    else
      low += third;
  }
  Calibration calibration;
  calibration.kind = CalibrationKind::temperature;
  calibration.rows = labels.size();
  calibration.temperature = 2 / (low + high);
  return calibration;
}

}  // namespace alacarte
