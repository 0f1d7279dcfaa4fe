#include "minibatch_rows.hpp"

#include <numeric>

#include "core/ranks.hpp"

namespace alacarte {
namespace {

// Number of blocks in a fill of the memory, so that a batch has rows from everywhere, and largest number of rows in a
// block: larger ones read no faster.
constexpr Index kBlocksOfFill = 256, kMaxBlockRows = 2048;
constexpr Index kMinFillRows = 64;

constexpr double real_of(Index value) { return static_cast<double>(value); }

}  // namespace

MinibatchRows::MinibatchRows(const RowSource& rows, const MemoryRows& held_out, Index batch, double max_bytes,
                             bool is_number, RandomStream stream)
    : source_(rows), held_(held_out), batch_(batch), stream_(std::move(stream)) {
  require(batch >= 1 && batch <= source_.rows(), "minibatches need a batch of rows");
  plan(max_bytes);
  standardise(is_number);
  held_places_.resize(static_cast<std::size_t>(held_.rows()));
  std::iota(held_places_.begin(), held_places_.end(), Index{0});
  fill_ = fills_;
}

/// Plans the blocks and fills that fit into memory, alike on all ranks. A row in memory takes its numbers; a row of a
/// fill, whichever rank has it, takes two places in an order.
void MinibatchRows::plan(double max_bytes) {
  shares_.resize(source_.is_distributed() ? static_cast<std::size_t>(ranks::count()) : 1);
  const Vector counts = source_.is_distributed() ? ranks::of_each(real_of(source_.own_rows()))
                                                 : Vector::Constant(1, real_of(source_.rows()));
  Index first = 0;
  for (std::size_t r = 0; r < shares_.size(); ++r) {
    shares_[r].first = first;
    first += shares_[r].rows = static_cast<Index>(counts[static_cast<Index>(r)]);
  }
  const Index largest = source_.largest_share();
  const Index numbers = source_.inputs() + (source_.has_offsets() ? 2 : 1);
  const double row_bytes = 8.0 * real_of(numbers) + 8.0 * real_of(source_.rows()) / real_of(largest);
  const double most = std::max(real_of(kMinFillRows), std::floor(std::max(0.0, max_bytes) / row_bytes));
  constexpr auto kMaxPlaces = real_of(std::numeric_limits<std::int32_t>::max());
  in_memory_ = real_of(largest) <= most && real_of(source_.rows()) <= kMaxPlaces;
  if (in_memory_) {
    block_rows_ = largest;
    allocate(source_.own_rows());
    return;
  }
  const double most_places = std::floor(kMaxPlaces / real_of(static_cast<Index>(shares_.size())));
  const Index room = std::max(static_cast<Index>(std::min(most, most_places)), 2 * batch_) - batch_;
  block_rows_ = std::clamp<Index>(room / kBlocksOfFill, 1, kMaxBlockRows);
  const Index blocks = room / block_rows_;
  fills_ = ((largest + block_rows_ - 1) / block_rows_ + blocks - 1) / blocks;
  allocate(blocks * block_rows_ + batch_);
}

void MinibatchRows::allocate(Index rows) {
  x_.resize(rows, source_.inputs());
  y_.resize(rows);
  if (source_.has_offsets()) offsets_.setZero(rows);
}

void MinibatchRows::standardise(bool is_number) {
  const double kept_rows = real_of(kept()), held_rows = real_of(held_.rows());
  if (in_memory_) read_own(source_.own_first(), source_.own_rows(), 0);
  if (in_memory_ && !source_.is_distributed()) {
    Vector all(y_.size() + held_.rows());
    all << y_, held_.y();
    whole_mean_ = all.mean();
    if (is_number) {
      mean_ = y_.mean();
      sd_ = std::sqrt((y_.array() - mean_).square().sum() / kept_rows);
    }
  } else {
    const TargetMoments moments = target_moments(source_);
    whole_mean_ = (moments.mean * kept_rows + held_.y().sum()) / (kept_rows + held_rows);
    if (is_number) {
      mean_ = moments.mean;
      sd_ = moments.sd * std::sqrt((kept_rows - 1) / kept_rows);
    }
  }
  if (source_.has_offsets()) {
    const double exposure = kept_rows * std::exp(target_moments(source_).log_exposure);
    log_exposure_ = std::log((exposure + held_.offsets().array().exp().sum()) / (kept_rows + held_rows));
  }
  if (!(sd_ > 0)) sd_ = 1;
  held_y_ = held_.y();
  if (!is_number) return;
  held_y_ = ((held_y_.array() - mean_) / sd_).matrix().eval();
  if (in_memory_) y_ = ((y_.array() - mean_) / sd_).matrix().eval();
}

/// Reads rows of this rank to places in memory; targets stay in the unit of the source.
void MinibatchRows::read_own(Index first, Index count, Index place) {
  const Index end = first + count;
  for (Index step = 0; first < end; first += step, place += step) {
    step = std::min(kMaxBlockRows, end - first);
    const RowBlock block = source_.read(first, step, scratch_);
    x_.middleRows(place, step) = block.x.dense();
    y_.segment(place, step) = block.y;
    if (block.offsets.size() > 0) offsets_.segment(place, step) = block.offsets;
  }
}

void MinibatchRows::start_pass() {
  order_.clear();
  next_ = 0;
  fill_ = 0;
  if (in_memory_) return;
  for (Share& share : shares_) share.blocks = stream_.permutation(block_count(share));
}

/// Returns the range of this fill's blocks in the pass.
std::pair<Index, Index> MinibatchRows::blocks_of_fill(const Share& share) const {
  const Index blocks = block_count(share);
  return {blocks * fill_ / fills_, blocks * (fill_ + 1) / fills_};
}

Index MinibatchRows::rows_of_fill(const Share& share) const {
  const auto [begin, end] = blocks_of_fill(share);
  if (in_memory_) return share.rows;
  const Index last = block_count(share) - 1, rows = (end - begin) * block_rows_;
  const auto blocks = share.blocks.begin();
  const bool has_last = std::find(blocks + begin, blocks + end, last) != blocks + end;
  return has_last ? rows - ((last + 1) * block_rows_ - share.rows) : rows;
}

/// Brings the next rows into memory, behind the remaining ones, and shuffles them.
void MinibatchRows::fill() {
  const Index own_place = in_memory_ ? 0 : keep_rest();
  const Share& own = shares_[source_.is_distributed() ? static_cast<std::size_t>(ranks::own()) : 0];
  Index rows = 0, own_first = 0;
  for (const Share& share : shares_) {
    if (&share == &own) own_first = rows;
    rows += rows_of_fill(share);
  }
  const Index own_rows = rows_of_fill(own);
  if (!in_memory_) read_blocks(own, own_place);
  ++fill_;
  order_.reserve(order_.size() + static_cast<std::size_t>(rows));
  for (const Index place : stream_.permutation(rows)) {
    const Index here = place - own_first;
    order_.push_back(static_cast<std::int32_t>(here >= 0 && here < own_rows ? own_place + here : -1));
  }
}

/// Moves the remaining rows, fewer than a batch, to the front; returns how many this rank has.
Index MinibatchRows::keep_rest() {
  order_.erase(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(next_));
  next_ = 0;
  std::vector<Index> rest;
  for (std::int32_t& place : order_) {
    if (place < 0) continue;
    rest.push_back(place);
    place = static_cast<std::int32_t>(rest.size() - 1);
  }
  const auto count = static_cast<Index>(rest.size());
  if (count == 0) return 0;
  x_.topRows(count) = x_(rest, Eigen::all).eval();
  y_.head(count) = y_(rest).eval();
  if (offsets_.size() > 0) offsets_.head(count) = offsets_(rest).eval();
  return count;
}

/// Reads blocks in the order of the file, which is faster and as good, since the rows are shuffled.
void MinibatchRows::read_blocks(const Share& share, Index place) {
  const auto [begin, end] = blocks_of_fill(share);
  std::vector<std::int32_t> blocks(share.blocks.begin() + begin, share.blocks.begin() + end);
  std::sort(blocks.begin(), blocks.end());
  const Index start = place;
  for (const std::int32_t block : blocks) {
    const Index first = block * block_rows_, count = std::min(block_rows_, share.rows - first);
    read_own(share.first + first, count, place);
    place += count;
  }
  auto read = y_.segment(start, place - start).array();
  read = (read - mean_) / sd_;
}

BatchRows MinibatchRows::next() {
  while (next_ + static_cast<std::size_t>(batch_) > order_.size()) {
    if (fill_ == fills_) start_pass();
    fill();
  }
  places_.clear();
  for (Index i = 0; i < batch_; ++i)
    if (const Index place = order_[next_++]; place >= 0) places_.push_back(place);
  return {x_, y_, places_.data(), static_cast<Index>(places_.size()), {offsets_.data(), offsets_.size()}};
}

BatchRows MinibatchRows::held() const {
  const Vector& offsets = held_.offsets();
  return {held_.x().dense(),
          held_y_,
          held_places_.data(),
          static_cast<Index>(held_places_.size()),
          {offsets.data(), offsets.size()}};
}

}  // namespace alacarte
