#include "alacarte/core/training_statistics.hpp"

#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"

namespace alacarte {

double TrainingStatistics::distance_quantile(double level, ConstVec lengthscale) const {
  require(lengthscale.size() == pair_differences.cols(), "one length-scale for each input");
  const Vector squared = (pair_differences * lengthscale.cwiseInverse().asDiagonal()).rowwise().squaredNorm();
  std::vector<double> sorted(squared.data(), squared.data() + squared.size());
  const auto at = static_cast<std::size_t>(std::clamp(level, 0.0, 1.0) * static_cast<double>(sorted.size() - 1) + 0.5);
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(at), sorted.end());
  return std::sqrt(sorted[at]);
}

TrainingStatistics TrainingStatistics::of_inputs(Index first, Index count) const {
  require(first >= 0 && count > 0 && first + count <= input_count(), "statistics of some inputs");
  TrainingStatistics own;
  own.rows = rows;
  own.range = range.segment(first, count);
  own.pair_differences = pair_differences.middleCols(first, count);
  own.target_sd = target_sd;
  own.mean_weight = mean_weight;
  if (lengthscale.size() > 0) own.lengthscale = lengthscale.segment(first, count);
  own.from_rows = from_rows;
  own.sample = sample.middleCols(first, count);
  own.structure = structure;
  std::erase_if(own.structure.peaks,
                [&](const SpectralPeak& peak) { return peak.input < first || peak.input >= first + count; });
  for (SpectralPeak& peak : own.structure.peaks) peak.input -= first;
  return own;
}

std::vector<SpectralPeak> RowStructure::seasons() const {
  constexpr double kMinPeriods = 3, kMaxRows = 0.4, kMinShare = 0.05, kMaxBeside = 0.15;
  double taken = 0;
  for (const SpectralPeak& peak : peaks) taken += peak.share;
  std::vector<SpectralPeak> strong;
  for (const SpectralPeak& peak : peaks)
    if (peak.periods >= kMinPeriods && peak.rows <= kMaxRows && peak.share >= kMinShare * (1 - taken + peak.share) &&
        peak.beside <= kMaxBeside * peak.share)
      strong.push_back(peak);
  return strong;
}

namespace {

/// Tells whether a peak is a multiple of another along the same input, or the other itself.
bool is_multiple(const SpectralPeak& peak, const SpectralPeak& other) {
  constexpr double kTolerance = 0.02;
  const double ratio = peak.frequency / other.frequency;
  return other.input == peak.input && ratio > 0.5 && std::abs(ratio - std::round(ratio)) < kTolerance;
}

}  // namespace

std::vector<SpectralPeak> RowStructure::fundamentals() const {
  const std::vector<SpectralPeak> all = seasons();
  std::vector<SpectralPeak> kept;
  for (const SpectralPeak& peak : all) {
    const auto is_harmonic_of = [&](const SpectralPeak& other) {
      return other.frequency < peak.frequency && is_multiple(peak, other);
    };
    if (std::none_of(all.begin(), all.end(), is_harmonic_of)) kept.push_back(peak);
  }
  return kept;
}

void RowStructure::drop_season() {
  const std::vector<SpectralPeak> all = fundamentals();
  if (all.empty()) return;
  const auto is_gone = [&](const SpectralPeak& peak) { return is_multiple(peak, all.front()); };
  peaks.erase(std::remove_if(peaks.begin(), peaks.end(), is_gone), peaks.end());
}

RowStructure RowStructure::scaled(ConstVec input_scale, double target_scale) const {
  RowStructure structure = *this;
  for (SpectralPeak& peak : structure.peaks) peak.frequency *= input_scale[peak.input];
  structure.neighbour_sd /= target_scale;
  return structure;
}

TrainingStatistics sparse_training_statistics(Index rows, Index inputs, double mean_square) {
  TrainingStatistics statistics;
  statistics.rows = rows;
  statistics.range = Vector::Ones(inputs);
  statistics.pair_differences = Matrix::Ones(1, inputs);
  statistics.sample = Matrix::Zero(1, inputs);
  statistics.sample(0, 0) = std::sqrt(mean_square);
  return statistics;
}

Vector ard_start(const TrainingStatistics& statistics, RandomStream& stream) {
  constexpr double kMeanShare = 0.6;
  const bool is_warm = statistics.lengthscale.size() > 0;
  const Vector& scale = is_warm ? statistics.lengthscale : statistics.range;
  const double factor = is_warm ? 1 / kMeanShare : std::sqrt(static_cast<double>(statistics.input_count()));
  Vector start(statistics.input_count());
  for (Index j = 0; j < start.size(); ++j) start[j] = std::log(factor * (0.4 + 0.4 * stream.uniform()) * scale[j]);
  return start;
}

}  // namespace alacarte
