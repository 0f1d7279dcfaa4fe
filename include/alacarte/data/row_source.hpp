#pragma once
// Rows of inputs with their targets, read by ranges: from memory, or from a file larger than memory.
#include <alacarte/core/input_view.hpp>
#include <alacarte/core/training_statistics.hpp>
#include <alacarte/core/types.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace alacarte {

/// Neighbouring rows, as views that live as long as their source and the scratch they were read with.
struct RowBlock {
  InputView x;                                   ///< (count, d) inputs, dense or sparse
  Eigen::Map<const Vector> y;                    ///< (count) targets
  Eigen::Map<const Vector> weights{nullptr, 0};  ///< (count) above 0, or empty: all 1
  Eigen::Map<const Vector> offsets{nullptr, 0};  ///< (count) logarithms of exposures of counts, or empty: all 0
};

/// Work space of one reader at a time, which sources resize as needed; it keeps its size between reads.
struct RowScratch {
  Matrix x;                 ///< inputs of a chunk
  Vector y;                 ///< targets of a chunk
  Vector weights;           ///< weights of a chunk; empty: all 1
  Vector offsets;           ///< offsets of a chunk; empty: all 0
  std::vector<double> raw;  ///< numbers as stored in the file
  /// Makes room for `count` rows of `inputs` in x, and for their targets in y.
  void reserve(Index count, Index inputs);
  /// Returns the first rows of x, y, weights and offsets.
  RowBlock block(Index count) const {
    return {x.topRows(count),
            {y.data(), count},
            {weights.data(), weights.size() > 0 ? count : 0},
            {offsets.data(), offsets.size() > 0 ? count : 0}};
  }
};

/// Encoded or standardised rows. Reading is const and shared by threads, each with its own scratch.
///
/// If several processes share the rows of a training, each holds and reads a range of them; row counts and indices
/// refer to all rows.
class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual Index rows() const = 0;    ///< n
  virtual Index inputs() const = 0;  ///< d
  /// Returns true if the inputs of the blocks are CSR rows.
  virtual bool is_sparse() const { return false; }
  /// Returns true if the blocks have weights, of noise variances or log likelihoods.
  virtual bool has_weights() const { return false; }
  /// Returns true if the blocks have offsets, which are added to the latent function of counts.
  virtual bool has_offsets() const { return false; }
  /// Returns the targets after the first (n, T - 1) of rows in memory; otherwise no columns.
  virtual const Matrix& more_targets() const;
  /// Returns rows first .. first + count - 1, 0 <= first, first + count <= rows(). Repeated reads give equal bits.
  /// Cost: nothing in memory, O(count d) otherwise. Throws IoError or DataError if a file cannot be read or has
  /// changed.
  virtual RowBlock read(Index first, Index count, RowScratch& scratch) const = 0;
  /// Returns the numbers of levels of the random effects, whose codes are the last inputs (Schema::level_counts()).
  virtual const std::vector<Index>& level_counts() const;
  virtual bool is_distributed() const { return false; }   ///< true if other processes hold some of the rows
  virtual Index own_first() const { return 0; }           ///< first row of this process
  virtual Index own_rows() const { return rows(); }       ///< rows of this process
  virtual Index largest_share() const { return rows(); }  ///< largest number of rows of any process
  /// Returns the bytes of a reader's scratch for chunks of `count` rows; 0: reading copies nothing.
  virtual double scratch_bytes(Index count) const = 0;
  /// Returns the bytes of the rows in memory.
  virtual double memory_bytes() const { return 0; }
};

/// Encoded rows in raw units. inputs (n, d), or CSR rows in `sparse` under a sparse schema; target (n) or empty, for
/// classification the indices 0 .. K - 1 into Schema::classes(); keys (n) or empty.
struct Dataset {
  Matrix inputs;                   ///< (n, d)
  Vector target;                   ///< (n) or empty
  std::vector<std::string> keys;   ///< (n) or empty: identifiers of rows, for people
  std::vector<Index> source_rows;  ///< data row of the file for each row (rows may be dropped as missing)
  SparseRows sparse;               ///< replaces inputs, which is then empty
  Vector weights = {};             ///< (n) above 0, or empty: all 1
  Matrix more_targets = {};        ///< (n, T - 1) targets after the first, or empty
  /// (n) number of inputs whose value no training row had: a new category, text for a number, a gap. Empty unless the
  /// schema counts them (Schema::counts_unseen()).
  std::vector<Index> unseen = {};
  std::vector<Index> level_counts = {};                ///< see RowSource::level_counts()
  Vector offsets = {};                                 ///< (n) logarithms of the exposures of counts, or empty: all 0
  bool is_sparse() const { return sparse.width > 0; }  ///< true if rows are CSR
  Index rows() const { return is_sparse() ? sparse.rows() : inputs.rows(); }  ///< n
  /// Returns a view of the inputs, valid while this object is unchanged.
  InputView view() const { return is_sparse() ? InputView(sparse.view()) : InputView(inputs); }
  /// Returns the given rows, in the given order.
  Dataset select_rows(const std::vector<Index>& rows) const;
  /// Converts to a source of these rows: a copy, or the rows themselves when moved. Throws like MemoryRows.
  operator std::shared_ptr<RowSource>() const&;
  operator std::shared_ptr<RowSource>() &&;  ///< moves the rows
};

/// Group or time of each row (DataConfig::group, DataConfig::time); at most one of them. Memory: 8 bytes a row.
struct SplitColumns {
  std::vector<Index> groups = {};  ///< (n) 0 .. G - 1, no level of which is on both sides of a split; empty: none
  Vector times = {};               ///< (n) finite; a split trains on the past and tests the future; empty: none
  /// Returns true if rows are split one by one, at random.
  bool empty() const { return groups.empty() && times.size() == 0; }
  /// Returns the number of rows; 0 without columns.
  Index rows() const { return groups.empty() ? times.size() : static_cast<Index>(groups.size()); }
  /// Returns those of the given rows, in the given order.
  SplitColumns of_rows(const std::vector<Index>& rows) const;
};

/// Rows in memory, dense or sparse: reading costs nothing.
class MemoryRows final : public RowSource {
 public:
  /// Owns the rows, without keys and source rows. Throws std::invalid_argument unless there is a target for each row,
  /// a weight above 0 for each or none, and a finite offset for each or none.
  explicit MemoryRows(Dataset data);
  MemoryRows(Matrix x, Vector y) : MemoryRows(Dataset{std::move(x), std::move(y), {}, {}, {}}) {}  ///< x (n, d), y (n)
  /// Takes X (n, d), y (n).
  MemoryRows(SparseRows x, Vector y) : MemoryRows(Dataset{{}, std::move(y), {}, {}, std::move(x)}) {}
  /// Keeps views: x (n, d) and y (n) must outlive the source.
  static std::shared_ptr<const MemoryRows> view(const InputView& x, const Vector& y);
  MemoryRows(const MemoryRows&) = delete;
  MemoryRows& operator=(const MemoryRows&) = delete;

  const InputView& x() const { return x_; }                ///< (n, d)
  const Vector& y() const { return y_; }                   ///< (n)
  const Vector& weights() const { return data_.weights; }  ///< (n) or empty
  const Vector& offsets() const { return data_.offsets; }  ///< (n) or empty
  /// Returns the rows it owns, whose values (not their number) may be changed before others read them.
  Dataset& data() { return data_; }

  Index rows() const override { return y_.size(); }
  Index inputs() const override { return x_.cols(); }
  bool is_sparse() const override { return x_.is_sparse(); }
  bool has_weights() const override { return data_.weights.size() > 0; }
  bool has_offsets() const override { return data_.offsets.size() > 0; }
  const Matrix& more_targets() const override { return data_.more_targets; }
  const std::vector<Index>& level_counts() const override { return data_.level_counts; }
  RowBlock read(Index first, Index count, RowScratch& scratch) const override;
  double scratch_bytes(Index) const override { return 0; }
  double memory_bytes() const override;

 private:
  MemoryRows(const InputView& x, const Vector& y);

  Dataset data_;
  InputView x_;
  const Vector& y_;
};

/// Returns the number of inputs that are no codes of levels.
inline Index smooth_inputs(const RowSource& rows) {
  return rows.inputs() - static_cast<Index>(rows.level_counts().size());
}

/// Calls body(block) for neighbouring rows of this process in order: all at once in memory, else in blocks of a few
/// thousand.
template <class Body>
void for_each_block(const RowSource& rows, const Body& body) {
  constexpr Index kBlockRows = 2048;
  const Index step = rows.scratch_bytes(kBlockRows) > 0 ? kBlockRows : std::max<Index>(1, rows.own_rows());
  const Index end = rows.own_first() + rows.own_rows();
  RowScratch scratch;
  for (Index first = rows.own_first(); first < end; first += step)
    body(rows.read(first, std::min(step, end - first), scratch));
}

/// Returns the rows of `order` in that order, in memory, dense or sparse as they come; with distributed rows, on all
/// processes. Cost: one read for each row.
std::shared_ptr<const MemoryRows> gather_rows(const RowSource& source, const std::vector<Index>& order);
/// Returns all rows in order, like gather_rows().
std::shared_ptr<const MemoryRows> gather_all_rows(const RowSource& source);

/// Returns all dense rows of this process in memory, without keys and source rows. Memory: n (d + 1) doubles.
Dataset load(const RowSource& rows);

/// Mean and spread of a target.
struct TargetMoments {
  double mean = 0;          ///< mean over all rows
  double sd = 1;            ///< sample standard deviation; 1 for a constant target, never 0
  double mean_weight = 1;   ///< geometric mean of the rows' weights, which one heavy or light row moves little
  double log_exposure = 0;  ///< logarithm of the mean exposure of the rows
};
/// Computes unweighted moments. Cost: one pass.
TargetMoments target_moments(const RowSource& rows);

/// Computes statistics of standardised rows; pairs are drawn from `stream`. With n = 1 or all rows equal, one pair of
/// unit differences stands in, so that starts stay finite. Cost: two passes; two single rows read for each pair, and
/// one for each row of the sample.
TrainingStatistics training_statistics(const RowSource& rows, RandomStream& stream);
/// Computes statistics of rows in memory: x (n, d), y (n).
TrainingStatistics training_statistics(const Matrix& x, const Vector& y, RandomStream& stream);

}  // namespace alacarte
