// Positive features: Gaussian bumps at random anchors without the factors in |x| and |z| (Le, Sarlos, Smola 2013, eqs.
// 26-27). With x~ = x ./ lengthscale and z ~ N(0, I),
//   psi_i(x) = v / sqrt(m) exp(x~.z_i - |x~|^2),
// and since E exp(w.z) = exp(|w|^2 / 2) the kernel is v^2 exp(|x~ + x~'|^2 / 2 - |x~|^2 - |x~'|^2), the Gaussian one.
#include <cmath>

#include "alacarte/features/fastfood.hpp"
#include "features/maps.hpp"
#include "features/slots.hpp"
#include "features/thread_work.hpp"
#include "spectrum/radial.hpp"

namespace alacarte {
namespace {

class PreparedPositive final : public PreparedDense {
 public:
  PreparedPositive(Fastfood fastfood, FastfoodSums at, Index features, Vector inverse, double amplitude)
      : PreparedDense(inverse.size(), features, at.end + inverse.size()),
        fastfood_(std::move(fastfood)),
        at_(at),
        inverse_square_(inverse.cwiseAbs2()),
        amplitude_(amplitude) {}

 private:
  void compute(ConstMat x, MatRef psi) const override {
    const Index n = x.rows();
    fastfood_.project(x, psi);
    Eigen::Map<Vector> square(thread_work<PreparedPositive>(n), n);
    square.setZero();
    for (Index j = 0; j < x.cols(); ++j) square += inverse_square_[j] * x.col(j).cwiseAbs2();
    for (Index i = 0; i < features_; ++i)
      for (Index r = 0; r < n; ++r) psi(r, i) = amplitude_ * std::exp(psi(r, i) - square[r]);
  }

  void tangent(ConstMat x, ConstMat psi, ConstMat x_dot, MatRef psi_dot) const override {
    fastfood_.project(x_dot, psi_dot);
    Eigen::Map<Vector> square_dot(thread_work<PreparedPositive>(x.rows()), x.rows());
    square_dot.setZero();
    for (Index j = 0; j < inputs_; ++j) square_dot += 2 * inverse_square_[j] * x.col(j).cwiseProduct(x_dot.col(j));
    for (Index i = 0; i < features_; ++i) psi_dot.col(i) = psi.col(i).cwiseProduct(psi_dot.col(i) - square_dot);
  }

  // Adds Fastfood's sums, and one of each input. With w = psi psi_bar, w is the cotangent of x~.z and of log v, and -w
  // that of |x~|^2, whose derivative by log lengthscale_j is -2 x~_j^2.
  void pull_back(ConstMat x, ConstMat psi, ConstMat psi_bar, VecRef sums) const override {
    const Index n = x.rows();
    Eigen::Map<Matrix> weight(thread_work<PreparedPositive>(n * (features_ + 1)), n, features_);
    Eigen::Map<Vector> by_row(weight.data() + weight.size(), n);
    weight = psi.cwiseProduct(psi_bar);
    by_row = weight.rowwise().sum();
    sums[at_.log_amplitude] += by_row.sum();
    for (Index j = 0; j < inputs_; ++j) sums[at_.end + j] += x.col(j).cwiseAbs2().dot(by_row);
    fastfood_.backward_project(x, weight, at_, sums);
  }

  void add_gradient(ConstVec sums, VecRef theta_bar) const override {
    const Fastfood::Pullback bar = fastfood_.finish(at_, sums);
    theta_bar.head(inputs_) += bar.log_lengthscale + 2 * sums.tail(inputs_).cwiseProduct(inverse_square_);
    theta_bar[inputs_] += bar.log_amplitude;
  }

  Fastfood fastfood_;
  FastfoodSums at_;
  Vector inverse_square_;
  double amplitude_;
};

class PositiveMap final : public LayoutMap {
 public:
  PositiveMap(std::shared_ptr<const FastfoodDraws> draws, Vector lengths)
      : LayoutMap(draws->inputs, draws->frequencies), draws_(std::move(draws)), lengths_(std::move(lengths)) {
    const Index d = draws_->inputs;
    layout_.add(log_lengthscale_slot("positive.log_lengthscale", d, d));
    layout_.add(log_amplitude_slot("positive.log_amplitude", 1));
  }

  bool has_tangent() const override { return true; }
  Vector start(const TrainingStatistics& statistics, Index, RandomStream& stream) const override {
    Vector theta(layout_.size());
    theta.head(input_count()) = ard_start(statistics, stream);
    theta[input_count()] = std::log(statistics.target_sd);
    return inside_bounds(layout_, theta);
  }
  KernelDescription describe(ConstVec theta) const override {
    check(theta);
    const Vector scales = theta.head(input_count()).array().exp();
    return {.amplitude = std::exp(theta[input_count()]), .relevance = scales.cwiseInverse(), .lengthscale = scales};
  }
  void save(TensorBundle& bundle, const std::string& prefix) const override {
    draws_->save(bundle, prefix);
    bundle.put_vector(prefix + "lengths", lengths_);
  }
  double flops_per_row() const override {
    return 2 * Fastfood::flops(*draws_, {}) + 40.0 * static_cast<double>(feature_count());
  }

 private:
  std::unique_ptr<PreparedMap> prepare_at(ConstVec theta) const override {
    const Index d = input_count(), m = feature_count();
    const Vector scales = theta.head(d).array().exp();
    return std::make_unique<PreparedPositive>(
        Fastfood(draws_, draws_->signs, draws_->gaussian, lengths_, scales, FastfoodLearned{}),
        FastfoodSums(0, *draws_, {}), m, scales.cwiseInverse(), std::exp(theta[d]) / std::sqrt(static_cast<double>(m)));
  }

  std::shared_ptr<const FastfoodDraws> draws_;
  Vector lengths_;  // (m) row lengths
};

MapPointer make_positive(const Recipe& recipe, Index inputs, const RandomStreams& streams, const TrainingStatistics&) {
  auto draws = std::make_shared<FastfoodDraws>(inputs, recipe.features.frequencies, streams);
  RandomStream stream = streams.stream("positive.lengths");
  Vector lengths = chi_lengths(draws->frequencies, static_cast<double>(draws->length), stream);
  return std::make_unique<PositiveMap>(std::move(draws), std::move(lengths));
}

MapPointer load_positive(const Recipe& recipe, Index inputs, const TensorBundle& bundle, const std::string& prefix) {
  const Index m = recipe.features.frequencies;
  auto draws = std::make_shared<FastfoodDraws>(inputs, m, bundle, prefix);
  return std::make_unique<PositiveMap>(std::move(draws), positive_vector(bundle, prefix + "lengths", m));
}

}  // namespace

FeatureMapEntry positive_entry() {
  return {{.name = "positive",
           .description = "Gaussian kernel by positive features: exponentials of random projections.",
           .formula = "k(x, x') = v^2 exp(-|x~ - x~'|^2 / 2),  x~ = x ./ lengthscale;  psi_i(x) = v / sqrt(m) "
                      "exp(x~.z_i - |x~|^2), z_i ~ N(0, I)",
           .cost = "features n m log d; D = m; memory 11 m",
           .reference = "Le, Sarlos, Smola 2013, eqs. 26-27",
           .accuracy = "unbiased; its variance grows as exp(4 |x~|^2): for points within about a length-scale of the "
                       "middle",
           .keys = {"features.frequencies"},
           .recipe = R"({"model": "positive", "features": {"frequencies": 512}})"},
          make_positive,
          load_positive};
}

}  // namespace alacarte
