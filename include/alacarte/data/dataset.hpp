#pragma once
// From a table to numbers a model can use, and the schema a model keeps so that later rows are read the same way.
#include <alacarte/core/recipe.hpp>
#include <alacarte/data/table.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// Encoded rows in raw units. inputs (n, d); target (n), empty when absent; keys (n) or empty.
struct Dataset {
  Matrix inputs;
  Vector target;
  std::vector<std::string> keys;
  std::vector<Index> source_rows;  ///< data row of the file each row came from (rows may be dropped as missing)
  Index rows() const { return inputs.rows(); }
};

/// What a model must know to read rows like its training rows: columns and their order, categories, fill values.
class Schema {
 public:
  /// Learns categories and fill values from the rows marked in `training` (all rows when empty).
  /// Throws ConfigError for columns that are not there, DataError for missing cells under "missing": "error".
  static Schema learn(const TableReader& reader, const TableChunk& table, const DataConfig& config,
                      const std::vector<bool>& training);

  /// Encodes rows. `reader`: the file the chunk came from; with names, columns are matched by name (order free, extra
  /// ones ignored, missing ones a DataError); without, by position. The target is read if present or if `need_target`.
  Dataset encode(const TableReader& reader, const TableChunk& chunk, bool need_target) const;

  /// Marks the text columns (categorical and key) of a reader before its first read.
  void prepare(TableReader& reader) const;
  /// The same before any schema exists, from the config.
  static void prepare(TableReader& reader, const DataConfig& config);

  Index input_count() const;                            ///< d after one-hot coding
  const std::vector<std::string>& input_names() const;  ///< "colour=red" for an indicator
  const std::string& target_name() const;
  const DataConfig& config() const;

  nlohmann::json to_json() const;
  static Schema from_json(const nlohmann::json& json);  ///< throws IoError on a malformed document
};

/// Rows of a file as encoded chunks, for prediction in flat memory.
class DatasetStream {
 public:
  DatasetStream(const std::string& path, const Schema& schema, bool need_target);
  bool next(Dataset& chunk, Index max_rows);
};

/// Learned from training rows only; safe for constant columns (their scale is 1).
class Standardizer {
 public:
  /// inputs (n, d), target (n). none: identity; center: mean; zscore: mean and sample sd; range: minimum and max - min.
  static Standardizer learn(ConstMat inputs, ConstVec target, Scaling scale_inputs, Scaling scale_target);
  Matrix inputs(ConstMat raw) const;
  Vector target(ConstVec raw) const;
  double target_shift() const;
  double target_scale() const;
  /// (rows) share of inputs that lie outside the training rows' [min, max].
  Vector share_outside(ConstMat raw) const;
  nlohmann::json to_json() const;
  static Standardizer from_json(const nlohmann::json& json);
};

}  // namespace alacarte
