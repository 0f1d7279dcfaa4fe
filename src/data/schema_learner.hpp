#pragma once
// Learning of a schema chunk by chunk, and from several files of one table. Private to the data room.
#include <set>
#include <string>
#include <vector>

#include "alacarte/data/dataset.hpp"
#include "data/column_census.hpp"
#include "data/column_kinds.hpp"

namespace alacarte {

/// Contributions of one file to a schema.
struct SeenTable {
  std::vector<std::string> columns;  ///< names and kinds that files of one table share
  Index table_rows = 0, rows = 0;    ///< rows of the file; learned rows among them
  Index rows_without_target = 0;     ///< rows that are left out for their target
  std::set<std::string> labels;
  std::vector<data_detail::ColumnCensus> inputs;  ///< a census of each input, then of a target of text
};

/// Learns a schema chunk by chunk. Schema::learn is a single chunk, with equal result and errors.
class SchemaLearner {
 public:
  /// Throws ConfigError like Schema::learn. The reader must outlive the learner.
  SchemaLearner(const TableReader& reader, const DataConfig& config);
  /// Adds the rows of a chunk marked in `considered` (all if empty). Throws DataError like Schema::learn.
  void add(const TableChunk& chunk, const std::vector<bool>& considered = {});
  /// Returns true if no later row is expected to change the encoding: no categories, no classes and no gaps to fill.
  bool encodes_at_once() const;
  /// Returns the schema of columns of plain numbers without gaps, which finish() confirms if encodes_at_once().
  const Schema& schema() const { return schema_; }
  Schema finish();  ///< schema of all rows seen; call once
  /// Returns what was seen, for add_seen() of a learner of another file of the table.
  SeenTable seen() const;
  /// Throws DataError, naming the other file by `path`, if its columns differ.
  void add_seen(const SeenTable& seen, const std::string& path);

 private:
  using Census = data_detail::ColumnCensus;
  using Rows = std::vector<Index>;
  void count_left_out(const TableChunk& chunk, const std::vector<bool>& considered, const Rows& rows);
  void add_category(const TableChunk& chunk, const InputColumn& input, const Rows& rows, Census& seen);
  void add_cells(const TableChunk& chunk, Index place, bool is_category, const Rows& rows, Census& seen);
  void add_labels(const TableChunk& chunk, const Rows& rows);
  void finish_strictly();
  void finish_kinds();
  void finish_target();
  void finish_classes();
  std::vector<std::string> columns() const;  // for SeenTable
  void check_categories(const InputColumn& input, const Census& seen) const;
  void check_classes() const;
  [[noreturn]] void refuse_text(const InputColumn& input, const std::string& what, const Census& seen) const;

  const TableReader& reader_;
  Schema schema_;
  Schema::Places places_;
  std::vector<Census> seen_;                   // of each input, then of a target that is read as text
  std::vector<data_detail::AskedForm> asked_;  // for each input
  std::set<std::string> labels_;
  Index table_rows_ = 0, rows_ = 0;
};

}  // namespace alacarte
