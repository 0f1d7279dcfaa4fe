#include "response_lengthscales.hpp"

#include <algorithm>
#include <numeric>

#include "data/distributed_rows.hpp"
#include "data/row_structure.hpp"
#include "linalg/dense.hpp"
#include "optimise/fit_context.hpp"
#include "row_starts.hpp"
#include "train/plan/minibatch_plan.hpp"

namespace alacarte {
namespace {

constexpr Index kMaxResponseRows = 250, kMinResponseRows = 10;
constexpr Index kMaxClassPeaks = 4;     // classes whose indicators are searched for sinusoids, the largest first
constexpr double kResponseGain = 2;     // log evidence by which short length-scales must be ahead
constexpr double kShortResponse = 0.3;  // share of the length-scales at which fits begin that is short
constexpr double kLongest = 0.6;        // of sqrt(d) ranges: the length-scales at which fits begin
constexpr double kOutlierReach = 3;     // units beyond which a number is moved in
constexpr double kNoiseShares[] = {0.05, 0.3, 0.7, 0.98};  // of the response's variance

/// Returns the minus log evidence, up to a constant, of the response under a Gaussian kernel and the best of some
/// levels of noise. K columns that sum to zero count as K - 1.
double minus_log_evidence(const Matrix& x, const Matrix& response, const Vector& lengthscale) {
  const Matrix scaled = x * lengthscale.cwiseInverse().asDiagonal();
  const Vector squares = scaled.rowwise().squaredNorm();
  Matrix gram = -2 * scaled * scaled.transpose();
  gram.colwise() += squares;
  gram.rowwise() += squares.transpose();
  gram = (-0.5 * gram.array().max(0)).exp();
  const double columns = static_cast<double>(response.cols());
  const double contrasts = columns > 1 ? (columns - 1) / columns : 1;
  double least = std::numeric_limits<double>::infinity();
  for (const double share : kNoiseShares) {
    Matrix factor = (1 - share) * gram;
    factor.diagonal().array() += share;
    safe_cholesky(factor, "Cholesky factor of a working response");
    Matrix whitened = response;
    solve_lower(factor, Op::none, whitened);
    least = std::min(least, 0.5 * contrasts * (columns * log_determinant(factor) + whitened.squaredNorm()));
  }
  return least;
}

/// Adds the sinusoids of indicators of several classes, whose places as numbers may hide them.
void find_class_peaks(const Matrix& x, const Matrix& response, std::vector<SpectralPeak>& peaks) {
  std::vector<Index> order(static_cast<std::size_t>(response.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  const Vector spread = response.colwise().squaredNorm().transpose();
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return spread[a] > spread[b]; });
  order.resize(std::min(order.size(), static_cast<std::size_t>(kMaxClassPeaks)));
  for (const Index k : order)
    for (const SpectralPeak& peak : spectral_peaks(x, response.col(k), 1)) peaks.push_back(peak);
  std::stable_sort(peaks.begin(), peaks.end(), [](const auto& a, const auto& b) { return a.share > b.share; });
}

}  // namespace

bool needs_response(const std::vector<FitJob>& jobs) {
  return std::any_of(jobs.begin(), jobs.end(), [](const FitJob& job) {
    const auto& slots = job.prior.parameters().slots();
    return !job.is_classifier() && !uses_minibatches(job.recipe) && !likelihood_of(job.recipe).is_conjugate() &&
           job.recipe.kernel.lengthscale.empty() && job.recipe.kernel.trained && job.recipe.training.iterations > 0 &&
           std::any_of(slots.begin(), slots.end(), [](const ParameterSlot& slot) { return slot.is_lengthscale(); });
  });
}

Matrix working_response(const Likelihood& likelihood, ConstVec y, Index classes, ConstVec offsets) {
  const bool has_counts = likelihood.target() == TargetKind::counts;
  Matrix response;
  if (classes > 2) {
    response.setZero(y.size(), classes);
    for (Index i = 0; i < y.size(); ++i) response(i, static_cast<Index>(y[i])) = 1;
  } else if (classes == 2) {
    response = y;
  } else {
    response = has_counts ? Vector((y.array() + 0.5).log()) : y.cwiseMax(-kOutlierReach).cwiseMin(kOutlierReach);
  }
  if (offsets.size() > 0) response.colwise() -= offsets;
  response.rowwise() -= response.colwise().mean().eval();
  const double variance = response.array().square().mean();
  if (variance > 0) response /= std::sqrt(variance);
  return response;
}

std::optional<Vector> response_lengthscales(const Recipe& recipe, const TrainingRows& rows, RandomStream stream) {
  const Index all = rows.source->rows();
  if (all < kMinResponseRows || rows.source->is_sparse()) return std::nullopt;
  const std::shared_ptr<const MemoryRows> drawn =
      all > kMaxResponseRows ? gather_rows(*rows.source, draw_rows(stream, all, kMaxResponseRows))
                             : gather_all_rows(*rows.source);
  const Index smooth = rows.statistics.smooth_count();
  const Matrix x = drawn->x().dense().leftCols(smooth);
  const auto classes = static_cast<Index>(rows.classes.size());
  const Matrix response = working_response(likelihood_of(recipe), drawn->y(), classes, drawn->offsets());
  if (!(response.squaredNorm() > 0)) return std::nullopt;
  TrainingStatistics statistics;
  statistics.rows = x.rows();
  statistics.range = rows.statistics.range.head(smooth);
  if (classes > 2)
    find_class_peaks(x, response, statistics.structure.peaks);
  else
    statistics.structure.peaks = rows.statistics.structure.peaks;
  const Vector longest = kLongest * std::sqrt(static_cast<double>(x.cols())) * statistics.range;
  double least_long = minus_log_evidence(x, response, longest), least_short = std::numeric_limits<double>::infinity();
  Vector best;
  for (Vector& lengthscale : candidate_lengthscales(statistics)) {
    const double value = minus_log_evidence(x, response, lengthscale);
    if ((lengthscale.array() >= kShortResponse * longest.array()).all())
      least_long = std::min(least_long, value);
    else if (value < least_short)
      least_short = value, best = std::move(lengthscale);
  }
  // All ranks decide by the same numbers.
  if (!(FitContext::of_first(least_short) < FitContext::of_first(least_long) - kResponseGain)) return std::nullopt;
  FitContext::take_from_first(best);
  Vector of_all = rows.statistics.range;
  of_all.head(smooth) = best;
  return of_all;
}

}  // namespace alacarte
