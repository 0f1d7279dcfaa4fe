#include "inference/evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace alacarte {

ParameterLayout with_held(ParameterLayout layout, const InferenceOptions& options) {
  for (ParameterSlot& slot : layout.slots())
    if (std::find(options.held.begin(), options.held.end(), slot.name) != options.held.end()) slot.trainable = false;
  return layout;
}

void check_theta(const ParameterLayout& layout, ConstVec theta) {
  require(theta.size() == layout.size(), "theta does not fit the objective");
  for (Index i = 0; i < theta.size(); ++i)
    if (!std::isfinite(theta[i])) throw NumericalError("objective", layout.entry_name(i) + " is not finite", theta[i]);
}

void finish_gradient(const ParameterLayout& layout, double value, VecRef gradient) {
  if (!std::isfinite(value)) throw NumericalError("objective", "the evidence is not finite", value);
  for (const auto& slot : layout.slots())
    if (!slot.trainable) gradient.segment(slot.offset, slot.size).setZero();
  for (Index i = 0; i < gradient.size(); ++i)
    if (!std::isfinite(gradient[i]))
      throw NumericalError("objective", "the gradient of " + layout.entry_name(i) + " is not finite", gradient[i]);
}

std::vector<Index> places_in_block(const std::vector<Index>& which, Index first, Index rows) {
  std::vector<Index> places;
  if (which.empty()) {
    places.resize(static_cast<std::size_t>(rows));
    std::iota(places.begin(), places.end(), Index{0});
    return places;
  }
  for (auto row = std::lower_bound(which.begin(), which.end(), first); row != which.end() && *row < first + rows; ++row)
    places.push_back(*row - first);
  return places;
}

void forward_places(const PreparedMap& map, const RowBlock& block, const std::vector<Index>& places, MatRef psi) {
  if (static_cast<Index>(places.size()) == block.y.size())
    map.forward(block.x, psi);
  else if (block.x.is_sparse())
    map.forward(select_rows(block.x.sparse(), places).view(), psi);
  else
    map.forward(Matrix(block.x.dense()(places, Eigen::all)), psi);
}

LeaveOneOut leave_one_out_from(ConstVec y, ConstVec projected, ConstVec precision) {
  LeaveOneOut result;
  result.variance = precision.cwiseMax(std::numeric_limits<double>::min()).cwiseInverse();
  result.mean = y - projected.cwiseProduct(result.variance);
  return result;
}

PrecisionBlock Inference::precision_block(ConstVec, const std::vector<Index>&, Index) {
  throw std::invalid_argument("blocks of the precision are of the gaussian likelihood");
}

Solution with_further_targets(std::vector<Solution> all) {
  Solution solution = std::move(all.front());
  for (std::size_t t = 1; t < all.size(); ++t) solution.more.push_back(std::move(all[t]));
  return solution;
}

}  // namespace alacarte
