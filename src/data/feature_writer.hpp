#pragma once
// Output of features and arrays for other programs.
#include <alacarte/core/input_view.hpp>
#include <alacarte/core/types.hpp>
#include <memory>
#include <string>
#include <vector>

#include "core/atomic_file.hpp"

namespace alacarte {

/// The column written besides the features of a row: none, a number, or the name of a class.
struct FeatureTarget {
  bool present = false;                   ///< false: only features
  std::string name = {};                  ///< name of the column, in CSV
  std::vector<std::string> classes = {};  ///< empty: a number; else targets are indices into these, NaN for none
};

/// Writes rows of features, whole or not at all, by the extension of the name:
///   .csv, .csv.gz   columns psi0, psi1, .., then the target under its name ("-" is standard output)
///   .npy            '<f8', the target (for classification its class index) in the last column
///   .libsvm, .svm (and .gz)  "target place:value ..", places from 1, zeros left out; a class is its name if all names
///                   are numbers, else its index; 0 without a target
/// Numbers are in the shortest form that reads back to the same double.
class FeatureWriter {
 public:
  virtual ~FeatureWriter() = default;
  /// Writes psi (rows, features) with target (rows), or empty without a target.
  virtual void add(ConstMat psi, ConstVec target) = 0;
  /// Writes sparse features psi (rows, features). LIBSVM files use the nonzeros; other formats densify a few rows at a
  /// time.
  virtual void add(const SparseView& psi, ConstVec target) = 0;
  virtual void commit() = 0;  ///< once; throws IoError
};

/// Throws ConfigError("--out") for a name without a known extension.
void check_feature_path(const std::string& path);

/// Opens a writer. Throws IoError, and ConfigError("--out") for a name without a known extension.
std::unique_ptr<FeatureWriter> make_feature_writer(const std::string& path, Index features, FeatureTarget target);

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
