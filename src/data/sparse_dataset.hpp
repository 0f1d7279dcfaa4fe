#pragma once
// Sparse rows of LIBSVM files, for wide data.
#include <alacarte/core/input_view.hpp>
#include <alacarte/data/dataset.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace alacarte {

namespace data_detail {
class LibsvmLines;
}

/// Returns true if open_table() would read the file as LIBSVM; false for standard input and unreadable files.
bool is_libsvm_file(const std::string& path);

/// Rows of a LIBSVM file without explicit zeros.
struct SparseChunk {
  Index first_row = 0;                          ///< from 0
  SparseRows inputs;                            ///< (rows, d)
  Vector labels;                                ///< NaN for rows without one
  std::vector<std::int64_t> line_numbers;       ///< 1-based, for messages
  Index rows() const { return inputs.rows(); }  ///< rows in this chunk
};

/// Reads a LIBSVM file front to back. Memory: one chunk, and a line of text.
class SparseReader {
 public:
  /// Opens the file; `inputs` as in open_table(). Throws IoError, and DataError like the reader of tables; a value that
  /// is missing or not finite is always a DataError.
  explicit SparseReader(const std::string& path, Index inputs = 0);
  ~SparseReader();
  Index inputs() const;                              ///< d, given or found
  const std::string& path() const { return path_; }  ///< path of the file
  bool read(SparseChunk& chunk, Index max_rows);     ///< returns false if none were left
  double share_read() const;                         ///< share of the file, 0 to 1; negative if unknown

 private:
  std::string path_;
  std::unique_ptr<data_detail::LibsvmLines> lines_;
  Index rows_ = 0;
};

/// Loads all rows of a LIBSVM file except held-out ones, encoded under a schema learned from them. `config`: labels;
/// all else at its default. held_out(classes) marks the rows to leave out (none: empty) from their classes (as
/// read_classes(); all 0 without labels). `watch`, if given, is called for each chunk with the rows so far and the
/// bytes of their entries. Throws like SparseReader and Schema::learn. Memory: 16 bytes for each nonzero.
EncodedFile load_sparse(const std::string& path, const DataConfig& config,
                        const std::function<std::vector<bool>(const std::vector<Index>& classes)>& held_out,
                        const std::function<void(Index rows, double bytes)>& watch = {});

/// Result of survey_sparse().
struct SparseSurvey {
  Schema schema;                  ///< d, and the classes of the labels
  TrainingStatistics statistics;  ///< training_statistics() of the scaled rows
};

/// Computes schema and statistics of the rows of a LIBSVM file in one pass that does not keep them; labels are read for
/// classification. `scaling` is applied to the rows first. Throws like load_sparse(). Memory: one chunk.
SparseSurvey survey_sparse(const std::string& path, const DataConfig& config, RowScaling scaling,
                           const std::function<void(Index rows)>& watch = {});

}  // namespace alacarte
