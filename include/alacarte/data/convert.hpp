#pragma once
// From a table to a rows file, in flat memory.
#include <alacarte/data/rows_file.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace alacarte {

/// What convert_table() makes.
struct Conversion {
  std::string path;    ///< file to make; "" = one without a name
  std::string folder;  ///< of the file without a name: gone with the RowsFile that reads it
  /// What the rows are encoded with; null = what is learned from the table.
  const Schema* schema = nullptr;
  /// Rows of the table that are neither learned from nor written; empty = none.
  std::vector<bool> left_out;
  /// Called between chunks with the share of the work done (negative if unknown) and the rows read in this pass; may
  /// throw to stop, and then nothing is left behind.
  std::function<void(double share, Index rows)> progress;
};

/// Learns the schema of a table and encodes its rows: one pass over the table, two where categories or means of columns
/// with gaps must be known first (then not from standard input or a pipe: DataError). Keys are not kept. Throws as
/// Schema::learn and Schema::encode, IoError for the file, DataError when no row is left. Memory: one chunk.
std::unique_ptr<RowsFile> convert_table(const std::string& table, const DataConfig& config,
                                        const Conversion& conversion);

/// The schema of several tables that are one, whose categories, labels and means are those of all; nullopt where there
/// are none to learn, so that each table can be converted by itself. One pass over each, by one rank; all ranks call it
/// together. Throws as convert_table(), and DataError that names a table with other columns than the first.
std::optional<Schema> common_schema(const std::vector<std::string>& tables, const DataConfig& config,
                                    const std::function<void(double share, Index rows)>& progress);

/// Cuts a rows file into as many parts of neighbouring rows as there are paths, as even as can be (a part may be
/// empty). All appear at the end, or none. Throws IoError. Memory: one chunk.
void split_rows_file(const RowsFile& file, const std::vector<std::string>& paths);

}  // namespace alacarte
