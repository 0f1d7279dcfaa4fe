#pragma once
// Rows files that are one table in parts, by a pattern such as 'part-*.rows'; where ranks share the rows, the range of
// this rank.
#include <memory>
#include <string>
#include <vector>

#include "alacarte/data/rows_file.hpp"

namespace alacarte {

/// Whether a path is a pattern of the shell (* ? [) and not the name of a file.
bool is_pattern(const std::string& path);
/// The files that match, in the order of their names, as the first rank finds them; all ranks call it together. Throws
/// IoError when there is none.
std::vector<std::string> matching_files(const std::string& pattern);

/// The parts are one table in their order. Of K ranks, rank r has the rows n r / K .. n (r + 1) / K - 1 of all n, with
/// their numbers counted from its first; it reads no others. One rank has all.
class RowParts final : public RowSource {
 public:
  /// The end of every file is read, by one rank each. Throws IoError or DataError that names the part that cannot be
  /// read, is damaged or was made with another schema than the first, or that is missing from a table cut into parts
  /// (RowsPart). All ranks call it together.
  explicit RowParts(const std::vector<std::string>& paths);

  const Schema& schema() const { return schema_; }
  const std::string& path() const { return parts_.front().path; }  ///< of the first part
  Index all_rows() const { return all_rows_; }                     ///< of all ranks
  Index table_rows() const { return table_rows_; }                 ///< data rows of the tables, dropped ones included
  /// The data rows that rows first .. first + count - 1 came from, counted through all tables.
  std::vector<Index> source_rows(Index first, Index count) const;

  Index rows() const override { return count_; }
  Index inputs() const override { return schema_.input_count(); }
  bool has_weights() const override { return schema_.has_weights(); }
  RowBlock read(Index first, Index count, RowScratch& scratch) const override;
  double scratch_bytes(Index count) const override;

 private:
  struct Part {
    std::string path;
    Index rows = 0, table_rows = 0;
    Index first = 0, first_source = 0;     // of all parts' rows, and of their tables'
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
  Index all_rows_ = 0, table_rows_ = 0, first_ = 0, count_ = 0;
};

}  // namespace alacarte
