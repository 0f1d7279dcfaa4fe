#include "alacarte/eval/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "alacarte/core/error.hpp"

namespace alacarte {
namespace {

double median(const Vector& values) {
  std::vector<double> sorted(values.data(), values.data() + values.size());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  if (sorted.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(sorted.begin(), middle));
}

// y lies in the central interval of mass p exactly when its CDF value lies in [(1-p)/2, (1+p)/2]: one evaluation of the
// CDF serves every level, where quantiles would need a root finder for each.
double coverage(const Vector& cdf, double mass) {
  return ((cdf.array() - 0.5).abs() <= 0.5 * mass).cast<double>().mean();
}

}  // namespace

Metrics score(const PredictiveDistribution& prediction, ConstVec target) {
  require(target.size() > 0, "scores need at least one row");
  require(prediction.rows() == target.size(), "one prediction for each target");
  require(prediction.with_noise(), "scores need predictions that include the noise");
  const Vector error = prediction.mean() - target;
  const double squared = error.squaredNorm();
  const double spread = (target.array() - target.mean()).square().sum();
  const Vector negative_log = -prediction.log_density(target);
  const Vector cdf = prediction.cdf(target);

  Metrics metrics;
  metrics.n = target.size();
  metrics.rmse = std::sqrt(squared / static_cast<double>(metrics.n));
  metrics.mae = error.cwiseAbs().mean();
  metrics.smse = squared / spread;
  metrics.r2 = 1.0 - metrics.smse;
  metrics.nlpd = negative_log.mean();
  metrics.nlpd_median = median(negative_log);
  metrics.crps = prediction.crps(target).mean();
  metrics.coverage50 = coverage(cdf, 0.50);
  metrics.coverage90 = coverage(cdf, 0.90);
  metrics.coverage95 = coverage(cdf, 0.95);
  return metrics;
}

nlohmann::json to_json(const Metrics& metrics) {
  return {{"n", metrics.n},
          {"rmse", metrics.rmse},
          {"mae", metrics.mae},
          {"r2", metrics.r2},
          {"smse", metrics.smse},
          {"nlpd", metrics.nlpd},
          {"nlpd_median", metrics.nlpd_median},
          {"crps", metrics.crps},
          {"coverage", {{"50", metrics.coverage50}, {"90", metrics.coverage90}, {"95", metrics.coverage95}}}};
}

nlohmann::json to_json(const Metrics& metrics, double scale) {
  nlohmann::json json = to_json(metrics);
  json["standardised"] = {{"rmse", metrics.rmse / scale},
                          {"mae", metrics.mae / scale},
                          {"nlpd", metrics.nlpd - std::log(scale)},
                          {"crps", metrics.crps / scale}};
  return json;
}

}  // namespace alacarte
