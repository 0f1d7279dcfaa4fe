#include "features/heavy_tails.hpp"

#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"

namespace alacarte {
namespace {

constexpr double kHeavyKurtosis = 5;

/// Uses packets: Eigen has a vector logarithm but no vector asinh. The rounding error is about eps, not eps u.
auto asinh_of(auto u) { return u.sign() * (u.abs() + (u.square() + 1).sqrt()).log(); }

double kurtosis(const Vector& x) {
  const Vector centred = x.array() - x.mean();
  const double largest = centred.cwiseAbs().maxCoeff();
  if (!(largest > 0)) return 0;
  const auto squares = (centred.array() / largest).square();
  return squares.square().mean() / (squares.mean() * squares.mean());
}

double quantile(std::vector<double>& values, double level) {
  const auto at = static_cast<std::ptrdiff_t>(level * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

bool has_three_values(const Vector& x) {
  const double low = x.minCoeff(), high = x.maxCoeff();
  return (x.array() != low && x.array() != high).any();
}

}  // namespace

HeavyTails::HeavyTails(Index inputs)
    : median_(Vector::Zero(inputs)),
      width_(Vector::Zero(inputs)),
      mean_(Vector::Zero(inputs)),
      sd_(Vector::Ones(inputs)) {}

HeavyTails HeavyTails::learn(const Matrix& sample) {
  HeavyTails result(sample.cols());
  for (Index j = 0; j < sample.cols(); ++j) {
    const Vector x = sample.col(j);
    if (x.size() < 3 || !has_three_values(x) || !(kurtosis(x) > kHeavyKurtosis)) continue;
    std::vector<double> values(x.data(), x.data() + x.size());
    const double low = quantile(values, 0.25), median = quantile(values, 0.5), high = quantile(values, 0.75);
    double width = (high - low) / 2;
    if (!(width > 0)) width = (x.array() - median).abs().mean();
    if (!(std::isfinite(width) && width > 0)) continue;
    const auto u = (x.array() - median) / width;
    const Vector v = asinh_of(u);
    const double mean = v.mean(), sd = std::sqrt((v.array() - mean).square().mean());
    if (!(std::isfinite(sd) && sd > 0)) continue;
    result.median_[j] = median;
    result.width_[j] = width;
    result.mean_[j] = mean;
    result.sd_[j] = sd;
  }
  return result;
}

HeavyTails HeavyTails::load(const TensorBundle& bundle, const std::string& name, Index inputs) {
  HeavyTails result(inputs);
  const Matrix stored = bundle.matrix(name, inputs, 4);
  result.median_ = stored.col(0);
  result.width_ = stored.col(1);
  result.mean_ = stored.col(2);
  result.sd_ = stored.col(3);
  if ((result.width_.array() < 0).any() || (result.sd_.array() <= 0).any())
    throw IoError("model file", "tensor '" + name + "' has a width below 0 or a deviation that is not positive");
  return result;
}

void HeavyTails::save(TensorBundle& bundle, const std::string& name) const {
  Matrix stored(inputs(), 4);
  stored << median_, width_, mean_, sd_;
  bundle.put(name, stored);
}

void HeavyTails::apply(MatRef x) const {
  for (Index j = 0; j < x.cols(); ++j) {
    if (width_[j] == 0) continue;
    x.col(j) = (x.col(j).array() - median_[j]) / width_[j];
    x.col(j) = (asinh_of(x.col(j).array()) - mean_[j]) / sd_[j];
  }
}

void HeavyTails::apply_slopes(ConstMat x, MatRef x_dot) const {
  for (Index j = 0; j < x.cols(); ++j) {
    if (width_[j] == 0) continue;
    const auto u = (x.col(j).array() - median_[j]) / width_[j];
    x_dot.col(j).array() *= (u.square() + 1).rsqrt() / (width_[j] * sd_[j]);
  }
}

}  // namespace alacarte
