#pragma once
// Sparse rows of LIBSVM files, for wide data where no later stage needs the zeros.
#include <alacarte/core/sparse_rows.hpp>
#include <alacarte/data/dataset.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace alacarte {

namespace data_detail {
class LibsvmLines;
}

/// Whether open_table() would read the file as LIBSVM; false for standard input and unreadable files.
bool is_libsvm_file(const std::string& path);

/// Some rows. Explicit zeros are left out.
struct SparseChunk {
  Index first_row = 0;                          ///< from 0
  SparseRows inputs;                            ///< (rows, d)
  Vector labels;                                ///< NaN where a row has none
  std::vector<std::int64_t> line_numbers;       ///< 1-based, for messages
  Index rows() const { return inputs.rows(); }  ///< in this chunk
};

/// Reads a LIBSVM file front to back. Memory: one chunk, and a line of text.
class SparseReader {
 public:
  /// inputs: as of open_table(). Throws IoError, and DataError as the reader of tables does; a value that is missing or
  /// not finite is a DataError, whatever data.missing says.
  explicit SparseReader(const std::string& path, Index inputs = 0);
  ~SparseReader();
  Index inputs() const;                              ///< d, as given or found
  const std::string& path() const { return path_; }  ///< of the file
  bool read(SparseChunk& chunk, Index max_rows);     ///< false when none were left
  double share_read() const;                         ///< of the file, 0 to 1; negative if unknown

 private:
  std::string path_;
  std::unique_ptr<data_detail::LibsvmLines> lines_;
  Index rows_ = 0;
};

/// All rows of a LIBSVM file but those held out, in memory, encoded under a schema learned from them. `config`: labels,
/// and nothing else that is not at its default. held_out(classes): marks the rows to leave out (none:
/// empty), of rows of these classes (as read_classes(); all 0 without labels). `watch`, if given, is called for each
/// chunk with the rows so far and the bytes of their entries. Throws as SparseReader and Schema::learn. Memory: 16
/// bytes for each nonzero.
EncodedFile load_sparse(const std::string& path, const DataConfig& config,
                        const std::function<std::vector<bool>(const std::vector<Index>& classes)>& held_out,
                        const std::function<void(Index rows, double bytes)>& watch = {});

/// What survey_sparse() finds in one pass over the rows.
struct SparseSurvey {
  Schema schema;                  ///< d, and the classes of the labels
  TrainingStatistics statistics;  ///< of the scaled rows, as training_statistics() of sparse rows
};

/// Schema and statistics of the rows of a LIBSVM file, from one pass that does not keep them; labels are read if
/// `config` asks for classes. `scaling` is applied to the rows before. Throws as load_sparse(). Memory: one chunk.
SparseSurvey survey_sparse(const std::string& path, const DataConfig& config, RowScaling scaling,
                           const std::function<void(Index rows)>& watch = {});

}  // namespace alacarte
