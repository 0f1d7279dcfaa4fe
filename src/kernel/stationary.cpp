#include "kernel/stationary.hpp"

#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"

namespace alacarte {
namespace {

using Array = Eigen::Ref<Eigen::ArrayXd>;

// Rows handled together: a tile of squared distances stays in the first-level cache over all inputs.
constexpr Index kTileRows = 512;
constexpr Index kMirrorBlock = 64;

// r^2 -> phi(r^2), in place.
void apply_profile(Profile profile, Array r2) {
  switch (profile) {
    case Profile::squared_exponential:
      r2 = (-0.5 * r2).exp();
      return;
    case Profile::matern12:
      r2 = (-r2.sqrt()).exp();
      return;
    case Profile::matern32:
      r2 = (3.0 * r2).sqrt();
      r2 = (1.0 + r2) * (-r2).exp();
      return;
    case Profile::matern52:
      r2 = (5.0 * r2).sqrt();
      r2 = (1.0 + r2 + r2.square() / 3.0) * (-r2).exp();
      return;
  }
}

// r^2 -> -2 phi'(r^2), in place: what multiplies ((x_j - x'_j)/lengthscale_j)^2 in d phi / d log lengthscale_j.
void apply_slope(Profile profile, Array r2) {
  switch (profile) {
    case Profile::squared_exponential:
      r2 = (-0.5 * r2).exp();
      return;
    case Profile::matern12:
      // exp(-r)/r has a pole at 0, but what it multiplies is at most r^2, so the product there is 0.
      r2 = (r2 > 0).select((-r2.sqrt()).exp() * r2.rsqrt(), 0.0);
      return;
    case Profile::matern32:
      r2 = 3.0 * (-(3.0 * r2).sqrt()).exp();
      return;
    case Profile::matern52:
      r2 = (5.0 * r2).sqrt();
      r2 = (5.0 / 3.0) * (1.0 + r2) * (-r2).exp();
      return;
  }
}

// Squared scaled distances from the rows [first, first + r2.size()) of x1 to one row of x2. The difference comes before
// the scaling: for neighbours it is exact (Sterbenz), while x/lengthscale would already be rounded.
void squared_distances(ConstMat x1, Index first, ConstMat x2, Index row, const Vector& inverse, Array r2) {
  r2.setZero();
  for (Index j = 0; j < x1.cols(); ++j)
    r2 += ((x1.col(j).segment(first, r2.size()).array() - x2(row, j)) * inverse[j]).square();
}

void mirror_lower(MatRef matrix, int threads) {
  const Index n = matrix.rows(), blocks = (n + kMirrorBlock - 1) / kMirrorBlock;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
  for (Index b = 0; b < blocks; ++b) {
    const Index j0 = b * kMirrorBlock, j1 = std::min(n, j0 + kMirrorBlock);
    for (Index i0 = j0; i0 < n; i0 += kMirrorBlock)
      for (Index j = j0; j < j1; ++j)
        for (Index i = std::max(i0, j + 1); i < std::min(n, i0 + kMirrorBlock); ++i) matrix(j, i) = matrix(i, j);
  }
}

ParameterSlot lengthscale_slot(const std::string& prefix, Index size, Index inputs) {
  ParameterSlot slot;
  slot.name = prefix + ".log_lengthscale";
  slot.size = size;
  const double mean = std::log(2.0 * std::sqrt(static_cast<double>(inputs)));
  slot.prior = {Prior::Kind::lower_normal, Vector::Constant(1, mean), 1.0};
  slot.lower = -10;
  slot.upper = 12;
  return slot;
}

}  // namespace

StationaryKernel::StationaryKernel(Profile profile, std::string prefix, bool shared, Index input_count)
    : profile_(profile), prefix_(std::move(prefix)), shared_(shared), inputs_(input_count) {
  require(input_count >= 1, "a kernel needs at least one input");
  layout_.add(lengthscale_slot(prefix_, scale_count(), inputs_));
  ParameterSlot amplitude;
  amplitude.name = prefix_ + ".log_amplitude";
  amplitude.prior = {Prior::Kind::normal, Vector::Zero(1), 1.5};
  layout_.add(std::move(amplitude));
}

Vector StationaryKernel::inverse_lengthscales(ConstVec theta) const {
  require(theta.size() == layout_.size(), "theta does not fit the kernel");
  const Vector scales = (-theta.head(scale_count()).array()).exp();
  return shared_ ? Vector::Constant(inputs_, scales[0]) : scales;
}

double StationaryKernel::variance(ConstVec theta) const { return std::exp(2.0 * theta[scale_count()]); }

void StationaryKernel::gram(ConstVec theta, ConstMat x1, ConstMat x2, MatRef gram, int threads) const {
  require(x1.cols() == inputs_ && x2.cols() == inputs_, "kernel: inputs do not fit");
  require(gram.rows() == x1.rows() && gram.cols() == x2.rows(), "kernel: Gram matrix has the wrong shape");
  const Vector inverse = inverse_lengthscales(theta);
  const double scale = variance(theta);
  const bool symmetric = x1.data() == x2.data() && x1.rows() == x2.rows() && x1.outerStride() == x2.outerStride();
  const Index n1 = x1.rows();
  threads = std::max(1, threads);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 8)
  for (Index c = 0; c < x2.rows(); ++c) {
    for (Index first = symmetric ? c : 0; first < n1; first += kTileRows) {
      auto tile = gram.col(c).segment(first, std::min(kTileRows, n1 - first)).array();
      squared_distances(x1, first, x2, c, inverse, tile);
      apply_profile(profile_, tile);
      tile *= scale;
    }
  }
  if (symmetric) mirror_lower(gram, threads);
}

void StationaryKernel::row(ConstVec theta, ConstVec point, ConstMat rows, VecRef values) const {
  require(theta.size() == layout_.size(), "theta does not fit the kernel");
  require(point.size() == inputs_ && rows.cols() == inputs_ && values.size() == rows.rows(), "kernel: shapes of a row");
  const double scale = variance(theta);
  for (Index first = 0; first < rows.rows(); first += kTileRows) {
    auto tile = values.segment(first, std::min(kTileRows, rows.rows() - first)).array();
    tile.setZero();
    for (Index j = 0; j < inputs_; ++j) {
      const double inverse = std::exp(-theta[shared_ ? 0 : j]);
      tile += ((rows.col(j).segment(first, tile.size()).array() - point[j]) * inverse).square();
    }
    apply_profile(profile_, tile);
    tile *= scale;
  }
}

void StationaryKernel::diagonal(ConstVec theta, ConstMat x, VecRef diagonal) const {
  require(theta.size() == layout_.size() && x.cols() == inputs_ && diagonal.size() == x.rows(),
          "kernel: shapes of the diagonal");
  diagonal.setConstant(variance(theta));
}

void StationaryKernel::backward(ConstVec theta, ConstMat x, ConstMat gram, ConstMat gram_bar, VecRef theta_bar,
                                int threads) const {
  threads = std::max(1, threads);
  const Index n = x.rows(), workers = threads;
  require(x.cols() == inputs_ && theta_bar.size() == layout_.size(), "kernel: inputs or gradient do not fit");
  require(gram.rows() == n && gram.cols() == n && gram_bar.rows() == n && gram_bar.cols() == n,
          "kernel: Gram matrices have the wrong shape");
  const Vector inverse = inverse_lengthscales(theta);
  const double scale = variance(theta);
  // Entries 0..d-1: sums of weighted squared differences; entry d: sum of gram_bar times gram. One column a worker,
  // merged in order, so that a rerun gives the same bits.
  Matrix sums = Matrix::Zero(inputs_ + 1, workers);
  Matrix tiles(kTileRows, workers);
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (Index worker = 0; worker < workers; ++worker) {
    for (Index c = worker; c < n; c += workers) {
      sums(inputs_, worker) += gram_bar(c, c) * gram(c, c);
      for (Index first = c + 1; first < n; first += kTileRows) {
        const Index rows = std::min(kTileRows, n - first);
        const auto bar = gram_bar.col(c).segment(first, rows).array();
        auto weight = tiles.col(worker).head(rows).array();
        const auto value = gram.col(c).segment(first, rows).array();
        sums(inputs_, worker) += 2.0 * (bar * value).sum();
        if (profile_ == Profile::squared_exponential) {
          weight = bar * value;
        } else {
          squared_distances(x, first, x, c, inverse, weight);
          apply_slope(profile_, weight);
          weight *= scale * bar;
        }
        for (Index j = 0; j < inputs_; ++j)
          sums(j, worker) += 2.0 * (weight * (x.col(j).segment(first, rows).array() - x(c, j)).square()).sum();
      }
    }
  }
  const Vector total = sums.rowwise().sum();
  const Vector by_input = total.head(inputs_).cwiseProduct(inverse.cwiseAbs2());
  if (shared_) {
    theta_bar[0] += by_input.sum();
  } else {
    theta_bar.head(inputs_) += by_input;
  }
  theta_bar[scale_count()] += 2.0 * total[inputs_];
}

Vector StationaryKernel::start(const TrainingView& view, Index k, RandomStream& stream) const {
  require(view.input_count() == inputs_, "kernel: training view of another input count");
  Vector theta(layout_.size());
  if (shared_) {
    const double level = 0.1 + 0.2 * static_cast<double>(k % 5);
    theta[0] = std::log(std::max(view.distance_quantile(level, Vector::Ones(inputs_)), 1e-300));
  } else {
    theta.head(inputs_) = ard_start(view, stream);
  }
  const ParameterSlot& slot = layout_.slots().front();
  theta.head(scale_count()) = theta.head(scale_count()).cwiseMax(slot.lower).cwiseMin(slot.upper);
  theta[scale_count()] = std::log(view.target_sd);
  return theta;
}

nlohmann::json StationaryKernel::describe(ConstVec theta) const {
  const Vector inverse = inverse_lengthscales(theta);
  nlohmann::json lengthscale = nlohmann::json::array(), relevance = nlohmann::json::array();
  for (Index j = 0; j < inputs_; ++j) relevance.push_back(inverse[j]);
  for (Index j = 0; j < scale_count(); ++j) lengthscale.push_back(std::exp(theta[j]));
  return {{"amplitude", std::exp(theta[scale_count()])},
          {"lengthscale", std::move(lengthscale)},
          {"relevance", std::move(relevance)}};
}

}  // namespace alacarte
