#pragma once
// Rows files that are parts of one table, by a pattern such as 'part-*.rows'; with several ranks, this one's range.
#include <memory>
#include <string>
#include <vector>

#include "alacarte/data/rows_file.hpp"

namespace alacarte {

/// Returns true if a path is a pattern of the shell (* ? [) and not the name of a file.
bool is_pattern(const std::string& path);
/// Returns the files that match, sorted by name, as the first rank finds them. Collective. Throws IoError without any.
std::vector<std::string> matching_files(const std::string& pattern);

/// Returns true if the file at this place of several belongs to this rank: files are dealt out one by one.
bool has_file(std::size_t place);

/// The parts in order as one table. With K ranks, rank r reads only the rows n r / K .. n (r + 1) / K - 1 of all n,
/// numbered from its first. One rank has all.
class RowParts final : public RowSource {
 public:
  /// Reads the end of every file, on one rank each. Throws IoError or DataError naming the part that cannot be read, is
  /// damaged, has another schema than the first, or is missing from a table cut into parts (RowsPart). Collective.
  explicit RowParts(const std::vector<std::string>& paths);

  const Schema& schema() const { return schema_; }
  const std::string& path() const { return parts_.front().path; }  ///< path of the first part
  Index all_rows() const { return all_rows_; }                     ///< rows of all ranks
  Index table_rows() const { return table_rows_; }                 ///< data rows of the tables, dropped ones included
  /// Returns the data rows of rows first .. first + count - 1, counted through all tables.
  std::vector<Index> source_rows(Index first, Index count) const;

  Index rows() const override { return count_; }
  Index inputs() const override { return schema_.input_count(); }
  bool has_weights() const override { return schema_.has_weights(); }
  bool has_offsets() const override { return schema_.has_exposure(); }
  const std::vector<Index>& level_counts() const override { return level_counts_; }
  RowBlock read(Index first, Index count, RowScratch& scratch) const override;
  double scratch_bytes(Index count) const override;

 private:
  struct Part {
    std::string path;
    Index rows = 0, table_rows = 0;
    Index first = 0, first_source = 0;     // among all parts' rows, and their tables'
    std::shared_ptr<const RowsFile> file;  // open if this rank has rows of it
  };

  void read_ends();
  static void require_all(const std::vector<std::string>& paths, const Matrix& ends);
  const RowsFile& open(Part& part);
  /// Calls body(part, first row in it, count) for the parts of a range of own rows.
  template <class Body>
  void for_parts(Index first, Index count, const Body& body) const;

  std::vector<Part> parts_;
  Schema schema_;
  std::vector<Index> level_counts_;
  Index all_rows_ = 0, table_rows_ = 0, first_ = 0, count_ = 0;
};

}  // namespace alacarte
