#pragma once
// Arrays for NumPy.
#include <alacarte/core/types.hpp>
#include <string>
#include "core/atomic_file.hpp"

namespace alacarte {

/// Writes an NPY file row by row; it appears at commit(), or not at all.
class NpyWriter {
 public:
  /// Opens the file. columns >= 1. expected_rows: total number, if known; must be right on a pipe. Throws IoError.
  NpyWriter(const std::string& path, Index columns, Index expected_rows = 0);
  void add(ConstMat rows);  ///< (rows, columns)
  void commit();            ///< once; throws IoError

 private:
  void write_header(Index rows);

  AtomicFile file_;
  Index columns_, expected_rows_, rows_ = 0;
};

/// Writes values (n, d) as an NPY file (numpy.lib.format 1.0, '<f8', C order, shape (n, d)) that appears whole or not
/// at all. Throws IoError. Memory: one block of rows.
void write_npy(const std::string& path, ConstMat values);

}  // namespace alacarte
