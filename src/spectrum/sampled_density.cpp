#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "density.hpp"
#include "spectrum/laws.hpp"

namespace alacarte {
namespace {

using spectrum_detail::add_logarithmic;
using spectrum_detail::gaussian;

/// Density of a positive number whose logarithm is smoothed by a Gaussian.
class LogKernelEstimate {
 public:
  LogKernelEstimate(const Vector& values, const Vector& shares) {
    for (Index i = 0; i < values.size(); ++i)
      if (values[i] > 0) points_.push_back({std::log(values[i]), shares[i]});
    std::sort(points_.begin(), points_.end());
    double sum = 0, mean = 0, square = 0;
    for (const auto& [x, share] : points_) sum += share;
    for (auto& [x, share] : points_) mean += (share /= sum) * x;
    for (const auto& [x, share] : points_) {
      square += share * (x - mean) * (x - mean);
      shares_squared_ += share * share;
    }
    // Silverman's rule with the effective number of points of the shares.
    const double spread = std::min(std::sqrt(square), (quantile(0.75) - quantile(0.25)) / 1.349);
    width_ = std::max(0.9 * spread * std::pow(shares_squared_, 0.2), 0.02);
  }
  double density(double value) const {
    const double at = std::log(value);
    double sum = 0;
    for (const auto& [x, share] : points_) sum += share * gaussian((at - x) / width_);
    return sum / (width_ * value);
  }
  std::vector<double> grid() const {
    std::vector<double> grid;
    if (!points_.empty())
      add_logarithmic(grid, std::exp(quantile(0.002) - 3 * width_), std::exp(quantile(0.998) + 3 * width_), 80);
    return grid;
  }

 private:
  double quantile(double level) const {
    double sum = 0;
    for (const auto& [x, share] : points_)
      if ((sum += share) >= level) return x;
    return points_.empty() ? 0 : points_.back().first;
  }

  std::vector<std::pair<double, double>> points_;  // logarithm and share, increasing
  double shares_squared_ = 0, width_ = 1;
};

class SampledSpectrum final : public Spectrum {
 public:
  SampledSpectrum(const Matrix& rows, const Vector& shares, const Vector& lengthscale)
      : radial_((rows * lengthscale.asDiagonal()).rowwise().norm(), shares) {
    for (Index j = 0; j < rows.cols(); ++j) inputs_.emplace_back(rows.col(j).cwiseAbs(), shares);
  }
  Index input_count() const override { return static_cast<Index>(inputs_.size()); }
  double radial(double length) const override { return length > 0 ? radial_.density(length) : 0; }
  double marginal(Index input, double frequency) const override { return of(input).density(frequency); }
  std::vector<double> radial_grid() const override { return radial_.grid(); }
  std::vector<double> marginal_grid(Index input) const override { return of(input).grid(); }

 private:
  const LogKernelEstimate& of(Index input) const { return inputs_[static_cast<std::size_t>(input)]; }
  LogKernelEstimate radial_;
  std::vector<LogKernelEstimate> inputs_;
};

}  // namespace

std::shared_ptr<const Spectrum> sampled_spectrum(const Matrix& rows, const Vector& shares, const Vector& lengthscale) {
  require(rows.rows() >= 1 && rows.cols() == lengthscale.size() && shares.size() == rows.rows(),
          "sampled spectrum: shapes do not fit");
  return std::make_shared<SampledSpectrum>(rows, shares, lengthscale);
}

}  // namespace alacarte
