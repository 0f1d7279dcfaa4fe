// Local bases: bumps at anchors that Fastfood rows spread over the data (Le, Sarlos, Smola 2013, eqs. 19-27, with the
// Gaussian as the function of |x|, |z| and x.z):
//   psi_i(x) = a / sqrt(m) exp(-|(x - z_i) ./ lengthscale|^2 / 2),   z_i = spread * g_i, g_i ~ N(0, I).
#include <cmath>

#include "alacarte/features/fastfood.hpp"
#include "features/maps.hpp"
#include "features/slots.hpp"
#include "features/thread_work.hpp"
#include "spectrum/radial.hpp"

namespace alacarte {
namespace {

class PreparedLocal final : public PreparedDense {
 public:
  PreparedLocal(std::shared_ptr<const Fastfood> anchors, FastfoodSums at, std::shared_ptr<const Matrix> points,
                const Vector& spread, Vector inverse, double amplitude)
      : PreparedDense(points->cols(), points->rows(), at.end + points->cols() + points->rows()),
        anchors_(std::move(anchors)),
        at_(at),
        points_(std::move(points)),
        inverse_(std::move(inverse)),
        inverse_square_(inverse_.cwiseAbs2()),
        to_anchors_(inverse_square_.cwiseProduct(spread)),
        anchor_squares_((*points_ * inverse_.asDiagonal()).rowwise().squaredNorm()),
        amplitude_(amplitude) {}

 private:
  // Uses |x - z|^2 = |x|^2 - 2 x.z + |z|^2 in the scaled metric, at least 0 despite rounding.
  void compute(ConstMat x, MatRef psi) const override {
    const Index n = x.rows(), d = inputs_, m = features_;
    Eigen::Map<Matrix> scaled(thread_work<PreparedLocal>(n * (d + 1)), n, d);
    Eigen::Map<Vector> squares(scaled.data() + scaled.size(), n);
    squares.setZero();
    for (Index j = 0; j < d; ++j) squares += (x.col(j) * inverse_[j]).cwiseAbs2();
    scaled.noalias() = x * to_anchors_.asDiagonal();
    anchors_->project(scaled, psi);
    for (Index i = 0; i < m; ++i)
      for (Index r = 0; r < n; ++r)
        psi(r, i) = amplitude_ * std::exp(-0.5 * std::max(0.0, squares[r] - 2 * psi(r, i) + anchor_squares_[i]));
  }

  void tangent(ConstMat x, ConstMat psi, ConstMat x_dot, MatRef psi_dot) const override {
    const Index n = x.rows(), d = inputs_;
    Eigen::Map<Matrix> scaled(thread_work<PreparedLocal>(n * (d + 1)), n, d);
    Eigen::Map<Vector> square_dot(scaled.data() + scaled.size(), n);  // half of |x|^2
    square_dot.setZero();
    for (Index j = 0; j < d; ++j) square_dot += inverse_square_[j] * x.col(j).cwiseProduct(x_dot.col(j));
    scaled.noalias() = x_dot * to_anchors_.asDiagonal();
    anchors_->project(scaled, psi_dot);
    for (Index i = 0; i < features_; ++i) psi_dot.col(i) = psi.col(i).cwiseProduct(psi_dot.col(i) - square_dot);
  }

  // Adds Fastfood's sums, one of each input, one of each anchor. With w = psi psi_bar:
  // d / d log lengthscale_j = sum over rows and anchors of w (x_j - z_j)^2 / lengthscale_j^2.
  void pull_back(ConstMat x, ConstMat psi, ConstMat psi_bar, VecRef sums) const override {
    const Index n = x.rows(), d = inputs_, m = features_;
    Eigen::Map<Matrix> scaled(thread_work<PreparedLocal>(n * (d + m + 1)), n, d), weight(scaled.data() + n * d, n, m);
    Eigen::Map<Vector> by_row(weight.data() + n * m, n);
    weight = psi.cwiseProduct(psi_bar);
    by_row.setZero();
    for (Index i = 0; i < m; ++i) {
      by_row += weight.col(i);
      sums[anchor_sum(i)] += weight.col(i).sum();
    }
    for (Index j = 0; j < d; ++j) sums[input_sum(j)] += x.col(j).cwiseAbs2().dot(by_row);
    scaled.noalias() = x * to_anchors_.asDiagonal();
    anchors_->backward_project(scaled, weight, at_, sums);
  }

  void add_gradient(ConstVec sums, VecRef theta_bar) const override {
    const Index d = inputs_;
    const auto by_anchor = sums.tail(features_);
    const Vector squares = sums.segment(input_sum(0), d) + points_->cwiseAbs2().transpose() * by_anchor;
    // Fastfood's sums are those of (x ./ lengthscale^2).z.
    theta_bar.head(d) += squares.cwiseProduct(inverse_square_) - 2 * sums.segment(at_.inputs, d);
    theta_bar[d] += by_anchor.sum();
  }

  Index input_sum(Index j) const { return at_.end + j; }
  Index anchor_sum(Index i) const { return at_.end + inputs_ + i; }

  std::shared_ptr<const Fastfood> anchors_;
  FastfoodSums at_;
  std::shared_ptr<const Matrix> points_;
  Vector inverse_, inverse_square_, to_anchors_, anchor_squares_;
  double amplitude_;
};

class LocalMap final : public LayoutMap {
 public:
  LocalMap(std::shared_ptr<const FastfoodDraws> draws, Vector lengths, Vector spread)
      : LayoutMap(draws->inputs, draws->frequencies),
        draws_(std::move(draws)),
        lengths_(std::move(lengths)),
        spread_(std::move(spread)),
        sums_(0, *draws_, {}) {
    const Index d = draws_->inputs;
    anchors_ = std::make_shared<Fastfood>(draws_, draws_->signs, draws_->gaussian, lengths_, Vector::Ones(d),
                                          FastfoodLearned{});
    points_ = std::make_shared<Matrix>(anchors_->frequencies() * spread_.asDiagonal());
    layout_.add(log_lengthscale_slot("local.log_lengthscale", d, d));
    layout_.add(log_amplitude_slot("local.log_amplitude", 1));
  }

  bool has_tangent() const override { return true; }

  // Starts with an amplitude that makes up for bumps being small almost everywhere, so that f at the centre of the data
  // has the standard deviation of the target.
  Vector start(const TrainingStatistics& statistics, Index, RandomStream& stream) const override {
    Vector theta(layout_.size());
    theta.head(input_count()) = ard_start(statistics, stream);
    theta[input_count()] = 0;
    theta[input_count()] = std::log(statistics.target_sd) - std::log(std::max(central_sd(theta), 1e-6));
    return inside_bounds(layout_, theta);
  }
  KernelDescription describe(ConstVec theta) const override {
    check(theta);
    const Vector scales = theta.head(input_count()).array().exp();
    return {
        .amplitude = central_sd(theta), .relevance = scales.cwiseInverse(), .lengthscale = scales, .spread = spread_};
  }
  void save(TensorBundle& bundle, const std::string& prefix) const override {
    draws_->save(bundle, prefix);
    bundle.put_vector(prefix + "lengths", lengths_);
    bundle.put_vector(prefix + "spread", spread_);
  }
  double flops_per_row() const override {
    return 2 * Fastfood::flops(*draws_, {}) + 40.0 * static_cast<double>(feature_count());
  }

 private:
  std::unique_ptr<PreparedMap> prepare_at(ConstVec theta) const override {
    const Index d = input_count();
    const double amplitude = std::exp(theta[d]) / std::sqrt(static_cast<double>(feature_count()));
    return std::make_unique<PreparedLocal>(anchors_, sums_, points_, spread_, (-theta.head(d).array()).exp(),
                                           amplitude);
  }

  /// Returns the prior standard deviation of f at 0, averaged over anchors: the integral of a Gaussian.
  double central_sd(ConstVec theta) const {
    const Index d = input_count();
    const auto ratios = 2 * (2 * (spread_.array().log() - theta.head(d).array())).exp();
    return std::exp(theta[d] - 0.25 * ratios.log1p().sum());
  }

  std::shared_ptr<const FastfoodDraws> draws_;
  Vector lengths_, spread_;  // (m) row lengths, in standard deviations of the anchors; (d) those deviations
  FastfoodSums sums_;
  std::shared_ptr<const Fastfood> anchors_;
  std::shared_ptr<const Matrix> points_;  // (m, d) the anchors
};

/// Returns the standard deviation of each input over some rows; 1 for fewer than two rows.
Vector spread_of(const TrainingStatistics& statistics, Index inputs) {
  if (statistics.sample.rows() < 2) return Vector::Ones(inputs);
  const Matrix centred = statistics.sample.rowwise() - statistics.sample.colwise().mean();
  const Vector sd = (centred.cwiseAbs2().colwise().sum() / static_cast<double>(centred.rows() - 1)).cwiseSqrt();
  return (sd.array() > 0).select(sd, 1.0);
}

MapPointer make_local(const Recipe& recipe, Index inputs, const RandomStreams& streams,
                      const TrainingStatistics& statistics) {
  auto draws = std::make_shared<FastfoodDraws>(inputs, recipe.features.frequencies, streams);
  RandomStream stream = streams.stream("local.lengths");
  Vector lengths = chi_lengths(draws->frequencies, draws->length, stream);
  return std::make_unique<LocalMap>(std::move(draws), std::move(lengths), spread_of(statistics, inputs));
}

MapPointer load_local(const Recipe& recipe, Index inputs, const TensorBundle& bundle, const std::string& prefix) {
  const Index m = recipe.features.frequencies;
  auto draws = std::make_shared<FastfoodDraws>(inputs, m, bundle, prefix);
  return std::make_unique<LocalMap>(std::move(draws), positive_vector(bundle, prefix + "lengths", m),
                                    positive_vector(bundle, prefix + "spread", inputs));
}

}  // namespace

FeatureMapEntry local_entry() {
  return {{.name = "local",
           .description = "Bumps at random anchors spread like the data, one length-scale for each input.",
           .formula = "psi_i(x) = v / sqrt(m) exp(-|(x - z_i) ./ lengthscale|^2 / 2),  z_i ~ N(0, sd of each input);  "
                      "k(x, x') = v^2 E_z of the product",
           .cost = "features n m log d; D = m; memory 12 m + m d for the anchors",
           .reference = "Le, Sarlos, Smola 2013, eqs. 19-27",
           .accuracy = "unbiased; in many inputs few bumps reach a point, so m must grow fast with d",
           .fixed = "the anchors stay where they were drawn",
           .keys = {"features.frequencies"},
           .recipe = R"({"model": "local", "features": {"frequencies": 512}})"},
          make_local,
          load_local};
}

}  // namespace alacarte
