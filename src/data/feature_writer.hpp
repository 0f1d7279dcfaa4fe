#pragma once
// Features of rows, written for other programs.
#include <alacarte/core/sparse_rows.hpp>
#include <alacarte/core/types.hpp>
#include <memory>
#include <string>
#include <vector>

namespace alacarte {

/// The column written beside the features of a row: none, a number, or the name of a class.
struct FeatureTarget {
  bool present = false;                   ///< false: features alone
  std::string name = {};                  ///< of the column, in CSV
  std::vector<std::string> classes = {};  ///< empty: a number; else targets are places in here, NaN for none of them
};

/// Rows of features by the extension of the name, whole or not at all:
///   .csv, .csv.gz   columns psi0, psi1, .., then the target under its name ("-" is standard output)
///   .npy            '<f8', the target (of classes its place among their names) in the last column
///   .libsvm, .svm (and .gz)  "target place:value ..", places from 1, zeros left out; of classes the name where all
///                   names are numbers, else the place; 0 without a target
/// Numbers are in the shortest form that reads back to the same double.
class FeatureWriter {
 public:
  virtual ~FeatureWriter() = default;
  /// psi (rows, features); target (rows) if there is one, else empty.
  virtual void add(ConstMat psi, ConstVec target) = 0;
  /// Sparse features psi (rows, features). LIBSVM files are written from the nonzeros; other formats densify a few rows
  /// at a time.
  virtual void add(const SparseView& psi, ConstVec target) = 0;
  virtual void commit() = 0;  ///< once; throws IoError
};

/// Throws ConfigError("--out") for a name that says no format.
void check_feature_path(const std::string& path);

/// Throws IoError, and ConfigError("--out") for a name that says no format.
std::unique_ptr<FeatureWriter> make_feature_writer(const std::string& path, Index features, FeatureTarget target);

}  // namespace alacarte
