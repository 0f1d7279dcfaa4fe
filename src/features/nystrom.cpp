// Nystrom: psi(x) = L^-1 k(Z, x) with K_ZZ = L L^T, so psi(x).psi(x') = k(x, Z) K_ZZ^-1 k(Z, x'), the best
// approximation of k in the span of k(z, .) (Williams and Seeger 2001). The landmarks Z are fixed training rows.
#include <fmt/format.h>
#include <cmath>
#include <numeric>

#include "core/config_at.hpp"
#include "features/nystrom.hpp"
#include "features/slots.hpp"

namespace alacarte {
namespace {

constexpr Index kPilotRows = 500;
constexpr double kLeverageRidge = 1e-2;

std::vector<Index> kmeans_seeds(const Matrix& rows, const Vector& range, Index count, RandomStream& stream) {
  const Matrix scaled = rows * range.cwiseInverse().asDiagonal();
  std::vector<Index> chosen{static_cast<Index>(stream.below(rows.rows()))};
  Vector nearest = (scaled.rowwise() - scaled.row(chosen[0])).rowwise().squaredNorm();
  while (static_cast<Index>(chosen.size()) < count) {
    const double total = nearest.sum();
    // Only copies of the chosen rows are left.
    if (!(total > 0)) break;
    double level = stream.uniform() * total;
    Index next = 0;
    while (next + 1 < nearest.size() && (level -= nearest[next]) >= 0) ++next;
    while (nearest[next] == 0) --next;
    chosen.push_back(next);
    nearest = nearest.cwiseMin((scaled.rowwise() - scaled.row(next)).rowwise().squaredNorm());
  }
  return chosen;
}

Vector leverage_scores(const Matrix& rows, const Kernel& kernel, const TrainingStatistics& statistics,
                       RandomStream& stream) {
  const Vector theta = kernel.start(statistics, 0, stream);
  const Matrix pilot = rows(draw_rows(stream, rows.rows(), kPilotRows), Eigen::all);
  Matrix factor(pilot.rows(), pilot.rows()), cross(rows.rows(), pilot.rows());
  kernel.gram(theta, pilot, pilot, factor);
  kernel.gram(theta, rows, pilot, cross);
  Vector scores(rows.rows());
  kernel.diagonal(theta, rows, scores);
  const double variance = scores.mean();
  factor.diagonal().array() += kLeverageRidge * variance;
  safe_cholesky(factor, "Cholesky factor of the pilot rows");
  solve_lower_right(factor, Op::transpose, cross);
  scores -= cross.rowwise().squaredNorm();
  return scores.cwiseMax(1e-12 * variance);
}

/// Draws `count` different indices, one after the other with probability proportional to the weights: those with the
/// largest log u_i / weight_i (Efraimidis and Spirakis 2006).
std::vector<Index> weighted_sample(const Vector& weights, Index count, RandomStream& stream) {
  Vector keys(weights.size());
  for (Index i = 0; i < keys.size(); ++i) keys[i] = std::log(1 - stream.uniform()) / weights[i];
  std::vector<Index> order(static_cast<std::size_t>(keys.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return keys[a] > keys[b]; });
  order.resize(static_cast<std::size_t>(count));
  return order;
}

/// Draws (min(count, n), d) distinct rows of `statistics.sample` (n, d), by `method`:
///   uniform   without replacement, all equally likely;
///   kmeans    the seeding of k-means++: each next row with probability proportional to its squared distance from the
///             nearest chosen so far, inputs in units of their range;
///   leverage  with probability proportional to the ridge leverage score k_ii - k_iS (K_SS + r I)^-1 k_Si at the
///             kernel's first initial theta, S a uniform pilot of up to 500 rows, r a hundredth of the variance.
/// Cost O(n count d) for kmeans, O(n 500^2) for leverage.
Matrix choose_landmarks(LandmarkChoice method, const Kernel& kernel, const TrainingStatistics& statistics, Index count,
                        const RandomStreams& streams) {
  const Matrix& rows = statistics.sample;
  require(rows.rows() > 0 && rows.cols() == kernel.input_count(), "landmarks need training rows");
  const Index available = std::min(count, rows.rows());
  RandomStream stream = streams.stream("nystrom.landmarks");
  std::vector<Index> chosen;
  if (method == LandmarkChoice::uniform)
    chosen = draw_rows(stream, rows.rows(), available);
  else if (method == LandmarkChoice::kmeans)
    chosen = kmeans_seeds(rows, statistics.range, available, stream);
  else
    chosen = weighted_sample(leverage_scores(rows, kernel, statistics, stream), available, stream);
  return rows(chosen, Eigen::all);
}

class NystromMap final : public LayoutMap {
 public:
  NystromMap(std::shared_ptr<const Kernel> kernel, Matrix landmarks)
      : LayoutMap(landmarks.cols(), landmarks.rows()),
        kernel_(std::move(kernel)),
        landmarks_(std::make_shared<Matrix>(std::move(landmarks))) {
    layout_.append(kernel_->parameters(), "nystrom.");
  }

  bool has_tangent() const override { return kernel_->has_tangent(); }
  Vector start(const TrainingStatistics& statistics, Index k, RandomStream& stream) const override {
    return inside_bounds(layout_, kernel_->start(statistics, k, stream));
  }
  KernelDescription describe(ConstVec theta) const override {
    KernelDescription report = kernel_->describe(theta);
    report.landmarks = landmarks_->rows();
    return report;
  }
  void save(TensorBundle& bundle, const std::string& prefix) const override {
    bundle.put(prefix + "landmarks", *landmarks_);
  }
  double work_bytes(int threads) const override { return landmark_bytes(feature_count(), threads); }
  double flops_per_row() const override { return landmark_flops(feature_count(), input_count()); }

 private:
  std::unique_ptr<PreparedMap> prepare_at(ConstVec theta) const override {
    return std::make_unique<PreparedNystrom>(kernel_, landmarks_, theta);
  }

  std::shared_ptr<const Kernel> kernel_;
  std::shared_ptr<const Matrix> landmarks_;
};

std::shared_ptr<const Kernel> kernel_of(const Recipe& recipe, Index inputs) {
  if (recipe.terms.size() != 1)
    throw ConfigError("/terms", "nystrom takes one kernel; 'exact-sum' and 'exact-product' make one of several");
  const Recipe& term = recipe.terms.front();
  const KernelEntry* entry = find_kernel(term.model);
  if (entry == nullptr) throw ConfigError("/terms/0/model", fmt::format("there is no exact kernel '{}'", term.model));
  return config_at("/terms/0", [&] { return entry->make(term, inputs); });
}

MapPointer make_nystrom(const Recipe& recipe, Index inputs, const RandomStreams& streams,
                        const TrainingStatistics& statistics) {
  require(inputs > 0 && recipe.features.frequencies > 0, "a feature map needs inputs and frequencies");
  auto kernel = kernel_of(recipe, inputs);
  Matrix landmarks =
      choose_landmarks(recipe.features.landmarks, *kernel, statistics, recipe.features.frequencies, streams);
  return std::make_unique<NystromMap>(std::move(kernel), std::move(landmarks));
}

MapPointer load_nystrom(const Recipe& recipe, Index inputs, const TensorBundle& bundle, const std::string& prefix) {
  Matrix landmarks = bundle.matrix(prefix + "landmarks", -1, inputs);
  if (landmarks.rows() < 1) throw IoError("model file", "tensor '" + prefix + "landmarks' has no rows");
  return std::make_unique<NystromMap>(kernel_of(recipe, inputs), std::move(landmarks));
}

}  // namespace

FeatureMapEntry nystrom_entry() {
  return {
      {.name = "nystrom",
       .description = "Nystrom approximation of an exact kernel, the one of terms, on landmark rows.",
       .formula = "k(x, x') ~ k(x, Z) K_ZZ^-1 k(Z, x');  psi(x) = L^-1 k(Z, x),  L L^T = K_ZZ, Z up to "
                  "features.frequencies training rows",
       .cost = "features n m (10 d + m), since differences are no matrix product; D = m; memory 2 m^2 + m d, and m^2 "
               "for the gradient of each thread",
       .reference = "Williams and Seeger 2001; landmarks: Arthur and Vassilvitskii 2007 (kmeans: D^2 sampling), "
                    "Alaoui and Mahoney 2015 (leverage)",
       .accuracy = "never above k(x, x), exact at the landmarks (to a ridge of 1e-6 of the variance)",
       .fixed = "the landmarks stay the rows they were chosen as",
       .keys = {"features.frequencies", "features.landmarks", "terms"},
       .recipe =
           R"({"model": "nystrom", "features": {"frequencies": 512, "landmarks": "kmeans"}, "terms": [{"model": "exact-ard"}]})"},
      make_nystrom,
      load_nystrom};
}

}  // namespace alacarte
