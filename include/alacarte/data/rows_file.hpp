#pragma once
// A rows file: encoded rows as numbers on disk, made once from a table (`alacarte convert`) and read by ranges in
// constant memory. Every chunk has a checksum.
//
// Layout, little-endian (version 1):
//   "alacarte rows 1\n"                       16 bytes
//   rows, one after the other: d inputs, then the target, as doubles; then its weight, if the schema has weights; then
//     the logarithm of its exposure, if the schema has exposures; then the data row of the table it came from, as a
//     double, in files without some rows of the table
//   the description: JSON with the schema, the number of rows of the table, and the number of the part
//   CRC-32 of every chunk of `chunk_rows` rows, 4 bytes each
//   footer, 64 bytes: rows, values a row, rows a chunk, bytes of the description (64-bit integers), CRC-32 of the
//     description, of the chunk sums and of the footer's first 40 bytes, 4 zero bytes, "alacarte rows 1\n"
// The file is written front to back, so its end shows that it is whole.
#include <alacarte/data/dataset.hpp>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace alacarte {

class AtomicFile;

namespace data_detail {
class Origin;
}

/// Returns true if the file begins like a rows file of any version; false for standard input, pipes and missing files.
bool is_rows_file(const std::string& path);

/// Place of a rows file among the parts of a table.
struct RowsPart {
  Index number = 0, of = 0;  ///< from 1; 0: the file is a whole table
  Index all_rows = 0;        ///< rows of all parts
};

/// Reads a rows file by chunks, each checked against its checksum.
class RowsFile final : public RowSource {
 public:
  /// Reads end and description. Throws IoError if it cannot be read, DataError for a truncated or damaged file, or
  /// another version.
  explicit RowsFile(const std::string& path);

  Index rows() const override { return rows_; }
  Index inputs() const override { return schema_.input_count(); }
  bool has_weights() const override { return schema_.has_weights(); }
  bool has_offsets() const override { return schema_.has_exposure(); }
  const std::vector<Index>& level_counts() const override { return level_counts_; }
  const Schema& schema() const { return schema_; }   ///< schema that encoded the rows
  Index table_rows() const { return table_rows_; }   ///< data rows of the table, dropped ones included
  const std::string& path() const { return path_; }  ///< path of the file
  const RowsPart& part() const { return part_; }     ///< part of a table

  /// Reads the disk once. The first read of a chunk checks all of it: DataError names chunk and rows.
  RowBlock read(Index first, Index count, RowScratch& scratch) const override;
  /// Returns the data rows, from 0, of the table that rows first .. first + count - 1 came from.
  std::vector<Index> source_rows(Index first, Index count) const;
  double scratch_bytes(Index count) const override;

 private:
  friend class RowsFileWriter;
  class Selected;
  friend std::shared_ptr<RowSource> select_rows(std::shared_ptr<const RowsFile>, const std::vector<bool>&);
  explicit RowsFile(std::shared_ptr<const data_detail::Origin> origin);
  void read_values(Index first, Index count, std::vector<double>& values) const;
  void check_chunk(Index chunk, std::vector<double>& values) const;
  std::uint64_t row_offset(Index row) const;
  /// Returns the values of a row without its source row.
  Index own_values() const { return offset_place() + (has_offsets() ? 1 : 0); }
  Index offset_place() const { return inputs() + 1 + (has_weights() ? 1 : 0); }

  std::shared_ptr<const data_detail::Origin> origin_;
  std::string path_;
  Index rows_ = 0, values_ = 0, chunk_rows_ = 1, table_rows_ = 0;
  Schema schema_;
  std::vector<Index> level_counts_;
  RowsPart part_;
  std::vector<std::uint32_t> sums_;
  std::unique_ptr<std::atomic<bool>[]> checked_;
};

/// Values of a row of a rows file beside its inputs and its target.
struct RowExtras {
  bool source_rows = false;  ///< data row of the table
  bool weights = false;      ///< weight
  bool offsets = false;      ///< logarithm of the exposure
};

/// Writes a rows file front to back. Memory: one chunk.
class RowsFileWriter {
 public:
  /// Opens a file that appears at finish_and_open(), whole or not at all. Throws IoError. `inputs`: d.
  RowsFileWriter(const std::string& path, Index inputs, const RowExtras& extras);
  /// Opens a file without a name in `folder`: it is gone with its reader, however the process ends.
  static RowsFileWriter without_name(const std::string& folder, Index inputs, const RowExtras& extras);
  RowsFileWriter(RowsFileWriter&&) noexcept;  ///< the other may only be destroyed
  ~RowsFileWriter();

  /// Adds encoded rows, in order. Throws IoError (disk full).
  void add(const Dataset& rows);
  Index rows() const { return rows_; }  ///< rows written so far
  /// Writes the end of the file. schema: the schema of the rows. table_rows: data rows of the table, dropped ones
  /// included. A part may have no rows; a table without rows is a DataError.
  void finish(const Schema& schema, Index table_rows, const RowsPart& part = {});
  /// Names the file, after finish(). Until then it holds no descriptor and nearly no memory.
  void commit();
  /// Calls finish() and commit(), and returns a reader, which keeps a file without a name alive.
  std::unique_ptr<RowsFile> finish_and_open(const Schema& schema, Index table_rows);

 private:
  RowsFileWriter(std::unique_ptr<AtomicFile> file, bool has_name, Index inputs, const RowExtras& extras);
  void flush_chunk();
  std::unique_ptr<AtomicFile> file_;
  bool has_name_;
  Index inputs_;
  RowExtras extras_;
  Index values_, chunk_rows_, rows_ = 0;
  std::vector<double> chunk_;
  std::vector<std::uint32_t> sums_;
};

/// Returns the rows of a file that a mask keeps. left_out: one entry for each data row of the table; true = leave out.
/// Throws std::invalid_argument on length, DataError if no row is left. Memory: one bit for each row of the table.
std::shared_ptr<RowSource> select_rows(std::shared_ptr<const RowsFile> file, const std::vector<bool>& left_out);

// Conversion of a table to a rows file, in constant memory.

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

/// Learns the schema of a table in one pass. Throws like convert_table(). Memory: one chunk.
Schema schema_of_table(const std::string& table, const DataConfig& config,
                       const std::function<void(double share, Index rows)>& progress);

/// Learns the common schema of several files of one table: categories, labels and means over all of them; nullopt if
/// there are none to learn, so that each can be converted by itself. One pass over each, by one rank; all ranks call it
/// together. Throws like convert_table(), and DataError naming a file whose columns differ from the first.
std::optional<Schema> common_schema(const std::vector<std::string>& tables, const DataConfig& config,
                                    const std::function<void(double share, Index rows)>& progress);

/// Cuts a rows file into one part of neighbouring rows for each path, as even as can be (a part may be empty). All
/// appear at the end, or none. Throws IoError. Memory: one chunk.
void split_rows_file(const RowsFile& file, const std::vector<std::string>& paths);

}  // namespace alacarte
