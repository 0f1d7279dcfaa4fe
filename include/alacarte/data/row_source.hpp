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

/// Some neighbouring rows, as views that live as long as their source and the scratch they were read with.
struct RowBlock {
  InputView x;                                   ///< (count, d) inputs, dense or sparse
  Eigen::Map<const Vector> y;                    ///< (count) targets
  Eigen::Map<const Vector> weights{nullptr, 0};  ///< (count) above 0, or empty: all 1
};

/// Work space of one reader at a time; sources size it as they need, and it keeps its size between reads.
struct RowScratch {
  Matrix x;                 ///< inputs of a chunk
  Vector y;                 ///< targets of a chunk
  Vector weights;           ///< weights of a chunk; empty: the rows have none
  std::vector<double> raw;  ///< numbers as they lie in the file
  /// x with room for `count` rows of `inputs`, y for their targets.
  void reserve(Index count, Index inputs);
  /// The first rows of x, y and weights.
  RowBlock block(Index count) const {
    return {x.topRows(count), {y.data(), count}, {weights.data(), weights.size() > 0 ? count : 0}};
  }
};

/// Rows, encoded or standardised. Reading is const and shared by threads, each with a scratch of its own.
///
/// Where several processes share the rows of a training, each holds a range of them and reads no others; numbers of
/// rows and places of rows are those of all.
class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual Index rows() const = 0;    ///< n
  virtual Index inputs() const = 0;  ///< d
  /// Whether the inputs of the blocks come by their nonzeros.
  virtual bool is_sparse() const { return false; }
  /// Whether the blocks come with weights: noise variances, or log likelihoods, of the rows are not alike.
  virtual bool has_weights() const { return false; }
  /// Targets beside the first, of rows in memory that have several: (n, T - 1); otherwise no columns.
  virtual const Matrix& more_targets() const;
  /// Rows first .. first + count - 1, 0 <= first, first + count <= rows(). The same rows are the same bits on every
  /// call. Cost: nothing in memory, O(count d) otherwise. Throws IoError or DataError if a file cannot be read or has
  /// changed.
  virtual RowBlock read(Index first, Index count, RowScratch& scratch) const = 0;
  virtual bool is_distributed() const { return false; }   ///< other processes hold some of the rows
  virtual Index own_first() const { return 0; }           ///< the first row that may be read here
  virtual Index own_rows() const { return rows(); }       ///< how many may be
  virtual Index largest_share() const { return rows(); }  ///< the most that any process has
  /// Bytes that one reader's scratch comes to for chunks of `count` rows; 0: reading copies nothing.
  virtual double scratch_bytes(Index count) const = 0;
  /// Bytes of the rows that are in memory.
  virtual double memory_bytes() const { return 0; }
};

/// Encoded rows in raw units. inputs (n, d), or by their nonzeros in `sparse` under a sparse schema; target (n), empty
/// when absent, of classes their places 0 .. K - 1 among Schema::classes(); keys (n) or empty.
struct Dataset {
  Matrix inputs;                   ///< (n, d)
  Vector target;                   ///< (n) or empty
  std::vector<std::string> keys;   ///< (n) or empty: identifiers of rows, for people
  std::vector<Index> source_rows;  ///< data row of the file each row came from (rows may be dropped as missing)
  SparseRows sparse;               ///< in place of inputs, which is empty then
  Vector weights = {};             ///< (n) above 0, or empty: all 1
  Matrix more_targets = {};        ///< (n, T - 1) of several targets those beside the first, or empty
  bool is_sparse() const { return sparse.width > 0; }                         ///< rows come by their nonzeros
  Index rows() const { return is_sparse() ? sparse.rows() : inputs.rows(); }  ///< n
  /// Of the inputs; valid while this lives and stays as it is.
  InputView view() const { return is_sparse() ? InputView(sparse.view()) : InputView(inputs); }
  /// The given rows, in the given order.
  Dataset select_rows(const std::vector<Index>& rows) const;
  /// A source of these rows, where functions take a source: a copy, or the rows themselves when moved. Throws as
  /// MemoryRows.
  operator std::shared_ptr<RowSource>() const&;
  operator std::shared_ptr<RowSource>() &&;  ///< the rows themselves
};

/// Rows in memory, dense or sparse: reading costs nothing.
class MemoryRows final : public RowSource {
 public:
  /// Owns the rows, without keys and source rows. Throws std::invalid_argument unless there is one target for each, and
  /// one weight above 0 or none at all.
  explicit MemoryRows(Dataset data);
  MemoryRows(Matrix x, Vector y) : MemoryRows(Dataset{std::move(x), std::move(y), {}, {}, {}}) {}  ///< x (n, d), y (n)
  /// X (n, d), y (n).
  MemoryRows(SparseRows x, Vector y) : MemoryRows(Dataset{{}, std::move(y), {}, {}, std::move(x)}) {}
  /// Keeps views: x (n, d) and y (n) must outlive the source.
  static std::shared_ptr<const MemoryRows> view(const InputView& x, const Vector& y);
  MemoryRows(const MemoryRows&) = delete;
  MemoryRows& operator=(const MemoryRows&) = delete;

  const InputView& x() const { return x_; }                ///< (n, d)
  const Vector& y() const { return y_; }                   ///< (n)
  const Vector& weights() const { return data_.weights; }  ///< (n) or empty
  /// The rows it owns, whose values (not their number) may be changed before others read them.
  Dataset& data() { return data_; }

  Index rows() const override { return y_.size(); }
  Index inputs() const override { return x_.cols(); }
  bool is_sparse() const override { return x_.is_sparse(); }
  bool has_weights() const override { return data_.weights.size() > 0; }
  const Matrix& more_targets() const override { return data_.more_targets; }
  RowBlock read(Index first, Index count, RowScratch& scratch) const override;
  double scratch_bytes(Index) const override { return 0; }
  double memory_bytes() const override;

 private:
  MemoryRows(const InputView& x, const Vector& y);

  Dataset data_;
  InputView x_;
  const Vector& y_;
};

/// Calls body(block) for neighbouring rows, front to back: all at once in memory, else in blocks of a few thousand. Of
/// rows that processes share, for those of this one.
template <class Body>
void for_each_block(const RowSource& rows, const Body& body) {
  constexpr Index kBlockRows = 2048;
  const Index step = rows.scratch_bytes(kBlockRows) > 0 ? kBlockRows : std::max<Index>(1, rows.own_rows());
  const Index end = rows.own_first() + rows.own_rows();
  RowScratch scratch;
  for (Index first = rows.own_first(); first < end; first += step)
    body(rows.read(first, std::min(step, end - first), scratch));
}

/// The rows of `order` in that order, in memory, dense or sparse as they come; of rows that processes share, on all of
/// them. Cost: one read for each row.
std::shared_ptr<const MemoryRows> gather_rows(const RowSource& source, const std::vector<Index>& order);
/// All rows, in their order, as gather_rows().
std::shared_ptr<const MemoryRows> gather_all_rows(const RowSource& source);

/// All dense rows that may be read here, in memory (keys and source rows are left empty). Memory: n (d + 1) doubles.
Dataset load(const RowSource& rows);

/// Mean and spread of a target.
struct TargetMoments {
  double mean = 0;         ///< of all rows
  double sd = 1;           ///< sample standard deviation; 1 where the target is constant, never 0
  double mean_weight = 1;  ///< of the rows
};
/// Rows count alike, whatever their weights. Cost: one pass.
TargetMoments target_moments(const RowSource& rows);

/// Statistics of standardised rows; pairs are drawn from `stream`. With n = 1 or all rows equal, one pair of unit
/// differences stands in, so that starts stay finite. Cost: two passes; two single rows read for each pair, and one for
/// each row of the sample.
TrainingStatistics training_statistics(const RowSource& rows, RandomStream& stream);
/// Statistics of rows in memory: x (n, d), y (n).
TrainingStatistics training_statistics(const Matrix& x, const Vector& y, RandomStream& stream);

}  // namespace alacarte
