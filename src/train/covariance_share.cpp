#include "train/covariance_share.hpp"

#include <algorithm>
#include <cmath>

#include "alacarte/eval/class_metrics.hpp"
#include "alacarte/model/likelihood.hpp"

namespace alacarte {

double best_covariance_share(const Recipe& recipe, const LeaveOneOut& left_out, ConstVec y, Index classes) {
  constexpr Index kMostRows = 2000;
  const Index rows = std::min(kMostRows, y.size());
  std::vector<Index> chosen(static_cast<std::size_t>(rows));
  for (Index i = 0; i < rows; ++i) chosen[static_cast<std::size_t>(i)] = i * y.size() / rows;
  const Matrix means = left_out.mean(chosen, Eigen::all), covariances = left_out.variance(chosen, Eigen::all);
  const Vector target = y(chosen);
  double best_share = 1, best = 0;
  for (int k = 0; k <= 11; ++k) {
    const double share = k <= 10 ? std::ldexp(1.0, -k) : 0;
    const double loss = score_classes(class_values(recipe, means, share * covariances, classes), target).log_loss;
    if (k == 0 || loss < best) {
      best = loss;
      best_share = share;
    }
  }
  return best_share;
}

}  // namespace alacarte
