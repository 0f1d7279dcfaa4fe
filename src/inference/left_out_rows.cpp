#include "inference/left_out_rows.hpp"

#include <numeric>

namespace alacarte {

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

Solution with_further_targets(std::vector<Solution> all) {
  Solution solution = std::move(all.front());
  for (std::size_t t = 1; t < all.size(); ++t) solution.more.push_back(std::move(all[t]));
  return solution;
}

}  // namespace alacarte
