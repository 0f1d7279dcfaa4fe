#pragma once
// Conversion of a table to a rows file, in constant memory.
#include <alacarte/data/rows_file.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace alacarte {

/// Options of convert_table().
struct Conversion {
  std::string path;    ///< output file; "" = one without a name
  std::string folder;  ///< folder of the file without a name, which is gone with its RowsFile
  /// Schema to encode the rows with; null = learn it from the table.
  const Schema* schema = nullptr;
  /// Rows of the table that are neither learned from nor written; empty = none.
  std::vector<bool> left_out;
  /// Called between chunks with the share of the work done (negative if unknown) and the rows read in this pass; may
  /// throw to stop, which leaves nothing behind.
  std::function<void(double share, Index rows)> progress;
};

/// Learns the schema of a table and encodes its rows: one pass over the table, two if categories or means of columns
/// with gaps must be known first (then not from standard input or a pipe: DataError). Keys are not kept. Throws like
/// Schema::learn and Schema::encode, IoError for the file, DataError if no row is left. Memory: one chunk.
std::unique_ptr<RowsFile> convert_table(const std::string& table, const DataConfig& config,
                                        const Conversion& conversion);

/// Learns the common schema of several files of one table: categories, labels and means over all of them; nullopt if
/// there are none to learn, so that each can be converted by itself. One pass over each, by one rank; all ranks call it
/// together. Throws like convert_table(), and DataError naming a file whose columns differ from the first.
std::optional<Schema> common_schema(const std::vector<std::string>& tables, const DataConfig& config,
                                    const std::function<void(double share, Index rows)>& progress);

/// Cuts a rows file into one part of neighbouring rows for each path, as even as can be (a part may be empty). All
/// appear at the end, or none. Throws IoError. Memory: one chunk.
void split_rows_file(const RowsFile& file, const std::vector<std::string>& paths);

}  // namespace alacarte
