#pragma once
// Where training takes its rows from, a chunk at a time: matrices in memory, or a file larger than memory.
#include <alacarte/core/input_view.hpp>
#include <alacarte/core/random.hpp>
#include <alacarte/core/types.hpp>
#include <memory>
#include <vector>

namespace alacarte {

/// Some neighbouring rows, as views that live as long as their source and the scratch they were read with.
struct RowBlock {
  InputView x;                 ///< (count, d) standardised inputs, dense or sparse
  Eigen::Map<const Vector> y;  ///< (count) standardised target
};

/// Work space of one reader at a time; sources size it as they need, and it keeps its size between reads.
struct RowScratch {
  Matrix x;
  Vector y;
  std::vector<double> raw;
};

/// Standardised rows. Const and shared by threads, each with a scratch of its own.
class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual Index rows() const = 0;    ///< n >= 1
  virtual Index inputs() const = 0;  ///< d
  /// Whether the inputs of the blocks come by their nonzeros.
  virtual bool is_sparse() const { return false; }
  /// Rows first .. first + count - 1, 0 <= first, first + count <= rows(). The same rows are the same bits on every
  /// call. Cost: nothing in memory, O(count d) otherwise. Throws IoError or DataError if a file cannot be read or has
  /// changed.
  virtual RowBlock read(Index first, Index count, RowScratch& scratch) const = 0;
  virtual double target_mean() const = 0;
  /// Sample standard deviation of the target; 1 where it is constant. Never 0.
  virtual double target_sd() const = 0;
  /// (d) largest less smallest value of each input.
  virtual Vector input_ranges() const = 0;
  /// Bytes that one reader's scratch comes to for chunks of `count` rows.
  virtual double scratch_bytes(Index count) const = 0;
};

/// Rows in memory, dense or sparse: reading costs nothing.
class MemoryRows final : public RowSource {
 public:
  /// Owns x (n, d) and y (n), n >= 1. Throws std::invalid_argument on shapes. Cost O(n).
  MemoryRows(Matrix x, Vector y);
  MemoryRows(SparseRows x, Vector y);
  /// Keeps references: both must outlive the source.
  static std::shared_ptr<const MemoryRows> view(const Matrix& x, const Vector& y);
  MemoryRows(const MemoryRows&) = delete;
  MemoryRows& operator=(const MemoryRows&) = delete;

  InputView x() const;
  const Vector& y() const { return y_; }

  Index rows() const override { return y_.size(); }
  Index inputs() const override { return x().cols(); }
  bool is_sparse() const override { return sparse_.width > 0; }
  RowBlock read(Index first, Index count, RowScratch& scratch) const override;
  double target_mean() const override { return target_mean_; }
  double target_sd() const override { return target_sd_; }
  Vector input_ranges() const override;  ///< of sparse inputs 1 each
  double scratch_bytes(Index) const override { return 0; }

 private:
  struct ByReference {};
  MemoryRows(const Matrix& x, const Vector& y, ByReference);
  void learn_target();

  Matrix owned_x_;
  Vector owned_y_;
  SparseRows sparse_;
  const Matrix& x_;
  const Vector& y_;
  double target_mean_ = 0, target_sd_ = 1;
};

/// `count` of the rows 0 .. rows - 1, drawn without replacement, in increasing order; all of them when count >= rows.
/// Memory: 4 bytes a row up to 2^22 rows, O(count) beyond.
std::vector<Index> draw_rows(RandomStream& stream, Index rows, Index count);

/// The rows of `order` in that order, in memory, dense or sparse as they come. Cost: one read for each row.
std::shared_ptr<const MemoryRows> gather_rows(const RowSource& source, const std::vector<Index>& order);

}  // namespace alacarte
