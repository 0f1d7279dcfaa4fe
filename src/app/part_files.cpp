#include "app/part_files.hpp"

#include "alacarte/data/rows_file.hpp"
#include "alacarte/data/table.hpp"
#include "core/ranks.hpp"
#include "data/row_parts.hpp"

namespace alacarte {

std::vector<std::string> files_of(const std::string& path) {
  return is_pattern(path) ? matching_files(path) : std::vector<std::string>{path};
}

bool is_own_file(std::size_t place) {
  return place % static_cast<std::size_t>(ranks::count()) == static_cast<std::size_t>(ranks::own());
}

std::vector<Index> rows_before(const std::vector<std::string>& files, const Schema& schema) {
  Vector rows = Vector::Zero(static_cast<Index>(files.size()));
  for (std::size_t k = 0; k < files.size(); ++k)
    if (is_own_file(k))
      rows[static_cast<Index>(k)] = static_cast<double>(is_rows_file(files[k]) ? RowsFile(files[k]).table_rows()
                                                                               : count_rows(files[k], schema.config()));
  ranks::sum(rows.data(), files.size());
  std::vector<Index> before = {0};
  for (const double own : rows) before.push_back(before.back() + static_cast<Index>(own));
  return before;
}

}  // namespace alacarte
