#include "data/merged_rows.hpp"

#include <boost/container_hash/hash.hpp>
#include <cmath>

#include "core/special_functions.hpp"

namespace alacarte {
namespace {

// Largest share of distinct rows; above it the copies cost more than merging saves.
constexpr double kMaxDistinctShare = 0.8;

/// Calls visit(hash) for each row. Zeros of both signs are equal.
template <class Visit>
void for_each_hash(const Eigen::Ref<const Matrix>& x, const Visit& visit) {
  constexpr Index kBlockRows = 1024;
  std::vector<std::size_t> hashes;
  for (Index first = 0; first < x.rows(); first += kBlockRows) {
    hashes.assign(static_cast<std::size_t>(std::min(kBlockRows, x.rows() - first)), 0);
    for (Index j = 0; j < x.cols(); ++j)
      for (std::size_t i = 0; i < hashes.size(); ++i)
        boost::hash_combine(hashes[i], x(first + static_cast<Index>(i), j) + 0.0);
    for (const std::size_t hash : hashes) visit(hash);
  }
}

/// Returns true if surely too many rows are distinct, by linear counting (Whang, Vander-Zanden & Taylor 1990); most
/// tables end here, with four bits of memory a row. If each hash sets one of m bits and a share z of them stays empty,
/// there were about -m log z distinct ones.
bool are_too_many_distinct(const Eigen::Ref<const Matrix>& x) {
  // Five standard errors of the count, sqrt(m (e^t - t - 1)) with t = n/m = 1/4.
  constexpr double kFiveErrors = 5 * 0.37;
  const auto n = static_cast<double>(x.rows());
  std::vector<bool> seen(4 * static_cast<std::size_t>(x.rows()), false);
  std::size_t set = 0;
  for_each_hash(x, [&](std::size_t hash) {
    auto bit = seen[hash % seen.size()];
    if (!bit) ++set;
    bit = true;
  });
  const auto m = static_cast<double>(seen.size());
  return -m * std::log1p(-static_cast<double>(set) / m) > kMaxDistinctShare * n + kFiveErrors * std::sqrt(n);
}

/// Returns for each row the first one that equals it.
std::vector<Index> first_equals(const Eigen::Ref<const Matrix>& x) {
  std::vector<std::pair<std::size_t, Index>> order;
  order.reserve(static_cast<std::size_t>(x.rows()));
  for_each_hash(x, [&](std::size_t hash) { order.emplace_back(hash, static_cast<Index>(order.size())); });
  std::sort(order.begin(), order.end());
  std::vector<Index> firsts(order.size()), of_hash;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k == 0 || order[k].first != order[k - 1].first) of_hash.clear();
    const Index row = order[k].second;
    const auto equal =
        std::find_if(of_hash.begin(), of_hash.end(), [&](Index other) { return x.row(other) == x.row(row); });
    firsts[static_cast<std::size_t>(row)] = equal == of_hash.end() ? row : *equal;
    if (equal == of_hash.end()) of_hash.push_back(row);
  }
  return firsts;
}

}  // namespace

std::shared_ptr<const MergedRows> MergedRows::make(std::shared_ptr<const RowSource> source, double max_bytes) {
  if (max_bytes > 0 && making_bytes(*source) > max_bytes) return nullptr;
  auto memory = std::dynamic_pointer_cast<const MemoryRows>(std::move(source));
  if (!memory || memory->is_sparse() || are_too_many_distinct(memory->x().dense())) return nullptr;
  std::vector<Index> places = first_equals(memory->x().dense()), firsts;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool is_first = places[i] == static_cast<Index>(i);
    places[i] = is_first ? static_cast<Index>(firsts.size()) : places[static_cast<std::size_t>(places[i])];
    if (is_first) firsts.push_back(static_cast<Index>(i));
  }
  if (static_cast<double>(firsts.size()) >= kMaxDistinctShare * static_cast<double>(places.size())) return nullptr;
  return std::shared_ptr<const MergedRows>(new MergedRows(std::move(memory), std::move(places), std::move(firsts)));
}

MergedRows::MergedRows(std::shared_ptr<const MemoryRows> source, std::vector<Index> places, std::vector<Index> firsts)
    : source_(std::move(source)), places_(std::move(places)), firsts_(std::move(firsts)) {
  const auto sets = static_cast<Index>(firsts_.size()), more = source_->more_targets().cols();
  target_.setZero(sets);
  weights_.setZero(sets);
  more_targets_.setZero(more > 0 ? sets : 0, more);
  squares_.setZero(1 + more);
  for (Index i = 0; i < source_->rows(); ++i) {
    const Index set = places_[static_cast<std::size_t>(i)];
    const double weight = source_->has_weights() ? source_->weights()[i] : 1.0;
    weights_[set] += weight;
    log_weight_ -= std::log(weight);
    // Running means with squared deviations: sums of squares would lose digits to a large mean.
    const auto add = [&](double y, double& mean, double& squares) {
      const double step = y - mean;
      mean += weight / weights_[set] * step;
      squares += weight * step * (y - mean);
    };
    add(source_->y()[i], target_[set], squares_[0]);
    for (Index t = 0; t < more; ++t) add(source_->more_targets()(i, t), more_targets_(set, t), squares_[1 + t]);
  }
  log_weight_ += weights_.array().log().sum();
}

double MergedRows::constant(Index t, double noise_variance) const {
  const auto fewer = static_cast<double>(source_->rows() - rows());
  return 0.5 * (fewer * (kLogTwoPi + std::log(noise_variance)) + log_weight_ + squares_[t] / noise_variance);
}

double MergedRows::constant_slope(Index t, double noise_variance) const {
  const auto fewer = static_cast<double>(source_->rows() - rows());
  return 0.5 * (fewer - squares_[t] / noise_variance) / noise_variance;
}

RowBlock MergedRows::read(Index first, Index count, RowScratch& scratch) const {
  require(first >= 0 && count >= 0 && first + count <= rows(), "rows: read outside of them");
  if (scratch.x.rows() < count || scratch.x.cols() != inputs()) scratch.x.resize(count, inputs());
  const auto x = source_->x().dense();
  const Index* const from = firsts_.data() + first;
  for (Index j = 0; j < inputs(); ++j)
    for (Index i = 0; i < count; ++i) scratch.x(i, j) = x(from[i], j);
  return {scratch.x.topRows(count), {target_.data() + first, count}, {weights_.data() + first, count}};
}

double MergedRows::scratch_bytes(Index count) const {
  return 8 * static_cast<double>(count) * static_cast<double>(inputs());
}

// Counts hashes with their rows and places, then places and four or more numbers for each distinct row.
double MergedRows::making_bytes(const RowSource& source) {
  const auto rows = static_cast<double>(source.rows()), columns = static_cast<double>(3 + source.more_targets().cols());
  return 8 * std::max(3.0, 1 + kMaxDistinctShare * columns) * rows;
}

}  // namespace alacarte
