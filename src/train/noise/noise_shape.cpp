#include "noise_shape.hpp"

#include "model/noise_mixture.hpp"
#include "train/plan/noise_plan.hpp"

namespace alacarte {
namespace {

// Scales in quarters of a power of two, from 2^-10 to 2^20; a further scale is first searched for among halves.
constexpr Index kMinScaleStep = -40, kScales = kNoiseShapeScales, kSearchStep = 2;
constexpr std::size_t kMaxParts = 3;
constexpr int kRounds = 60, kSweeps = 20;
// Minimum gain in log density over all rows for the share and the scale of each further part, in nats.
constexpr double kMinShapeGain = 4;
constexpr double kPriorRows = 0.5;       // prior rows for each part
constexpr double kMaxShapeError = 1.05;  // largest ratio of squared errors by the shape, of a transformed target

double scale_at(Index step) { return std::pow(2.0, 0.25 * static_cast<double>(kMinScaleStep + step)); }

using Scales = std::vector<Index>;  // steps of scale_at()

struct Mixture {
  Scales scales;  // increasing
  Vector shares;
  double log_density = -std::numeric_limits<double>::infinity();  // over all rows
};

class ShapeSearch {
 public:
  ShapeSearch(const PredictiveDistribution& given, const Matrix& noise, const Vector& targets)
      : densities_(targets.size(), kScales) {
    const Matrix function = (given.component_variances() - noise).cwiseMax(0.0);
    for (Index scale = 0; scale < kScales; ++scale)
      densities_.col(scale) = PredictiveDistribution(given.component_means(), function + scale_at(scale) * noise, true,
                                                     given.weights(), given.transform())
                                  .log_density(targets);
    highest_ = densities_.rowwise().maxCoeff();
    densities_ = (densities_.colwise() - highest_).array().exp();
    gaussian_ = given.log_density(targets).sum();
  }

  double gaussian() const { return gaussian_; }

  /// Returns the best mixture that adds one part to `fewer`.
  Mixture with_one_more(const Mixture& fewer) const {
    Mixture best;
    for (Index scale = 0; scale < kScales; scale += kSearchStep) {
      Scales scales = fewer.scales;
      if (std::find(scales.begin(), scales.end(), scale) != scales.end()) continue;
      scales.push_back(scale);
      keep_better(with_best_shares(std::move(scales)), best);
    }
    return refined(std::move(best));
  }

 private:
  static void keep_better(Mixture other, Mixture& best) {
    if (other.log_density > best.log_density) best = std::move(other);
  }

  /// Finds the shares by expectation-maximisation.
  Mixture with_best_shares(Scales scales) const {
    std::sort(scales.begin(), scales.end());
    Mixture mixture{std::move(scales), {}};
    const auto parts = static_cast<Index>(mixture.scales.size());
    const Matrix own = densities_(Eigen::all, mixture.scales);
    const double n = static_cast<double>(own.rows());
    mixture.shares = Vector::Constant(parts, 1 / static_cast<double>(parts));
    Vector mixed = own * mixture.shares;
    for (int round = 0; parts > 1 && round < kRounds; ++round) {
      const Vector counts = mixture.shares.cwiseProduct(own.transpose() * mixed.cwiseInverse());
      mixture.shares = (counts.array() + kPriorRows) / (n + kPriorRows * static_cast<double>(parts));
      mixed.noalias() = own * mixture.shares;
    }
    mixture.log_density = mixed.array().log().sum() + highest_.sum();
    if (!std::isfinite(mixture.log_density)) mixture.log_density = -std::numeric_limits<double>::infinity();
    return mixture;
  }

  /// Moves each scale to its neighbours while that gains.
  Mixture refined(Mixture best) const {
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      const double before = best.log_density;
      for (std::size_t k = 0; k < best.scales.size(); ++k)
        for (const Index step : {Index{-1}, Index{1}}) {
          Scales scales = best.scales;
          const Index moved = scales[k] + step;
          if (moved < 0 || moved >= kScales || std::find(scales.begin(), scales.end(), moved) != scales.end()) continue;
          scales[k] = moved;
          keep_better(with_best_shares(std::move(scales)), best);
        }
      if (!(best.log_density > before)) break;
    }
    return best;
  }

  Matrix densities_;  // (rows, scales), relative to the highest of the row
  Vector highest_;    // (rows) logarithms of the highest densities
  double gaussian_ = 0;
};

}  // namespace

NoiseShape learn_noise_shape(const PredictiveDistribution& given, const Matrix& noise, const Vector& targets) {
  require(noise.rows() == given.rows() && noise.cols() == given.component_count() && targets.size() == given.rows(),
          "noise shape: one noise for each component, one target for each row");
  const Index rows = targets.size();
  if (rows > kNoiseShapeRows) {
    std::vector<Index> some(static_cast<std::size_t>(kNoiseShapeRows));
    for (Index k = 0; k < kNoiseShapeRows; ++k) some[static_cast<std::size_t>(k)] = k * rows / kNoiseShapeRows;
    const PredictiveDistribution fewer(given.component_means()(some, Eigen::all),
                                       given.component_variances()(some, Eigen::all), true, given.weights(),
                                       given.transform());
    return learn_noise_shape(fewer, noise(some, Eigen::all), targets(some));
  }
  const ShapeSearch search(given, noise, targets);
  Mixture best;
  double log_density = search.gaussian();
  for (std::size_t parts = 1; parts <= kMaxParts; ++parts) {
    Mixture next = search.with_one_more(best);
    if (parts > 1 && !(next.log_density > log_density + kMinShapeGain)) break;
    best = std::move(next);
    log_density = best.log_density;
  }
  NoiseShape shape;
  if (!(log_density > search.gaussian() + kMinShapeGain)) return shape;
  shape.shares = best.shares;
  shape.factors.resize(best.shares.size());
  for (std::size_t k = 0; k < best.scales.size(); ++k) shape.factors[static_cast<Index>(k)] = scale_at(best.scales[k]);
  return shape;
}

Prediction learn_noise_shape(const Prediction& left_out, const Vector& targets, const Vector& factors,
                             FittedModel& model) {
  const PredictiveDistribution& given = left_out.distribution();
  const Matrix noise = factors * member_noise_variances(model).transpose();
  model.noise_shape = learn_noise_shape(given, noise, targets);
  if (model.noise_shape.is_gaussian()) return left_out;
  const Matrix function = (given.component_variances() - noise).cwiseMax(0.0);
  PredictiveDistribution shaped =
      with_noise_shape(given.component_means(), function, noise, model.noise_shape, given.weights(), given.transform());
  // A wide part of the noise moves the mean of a transformed target, which may cost more than its tails are worth.
  const auto squared_error = [&](const PredictiveDistribution& law) { return (law.mean() - targets).squaredNorm(); };
  if (!given.transform().is_identity() && !(squared_error(shaped) <= kMaxShapeError * squared_error(given))) {
    model.noise_shape = {};
    return left_out;
  }
  return {std::move(shaped)};
}

}  // namespace alacarte
