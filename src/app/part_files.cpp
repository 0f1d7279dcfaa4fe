#include "app/part_files.hpp"

#include <fmt/format.h>

#include "alacarte/data/rows_file.hpp"
#include "core/ranks.hpp"
#include "data/row_parts.hpp"

namespace alacarte {

std::vector<std::string> files_of(const std::string& path) {
  return is_pattern(path) ? matching_files(path) : std::vector<std::string>{path};
}

std::string numbered_path(const std::string& path, std::size_t number, std::size_t count) {
  const auto star = path.find('*');
  require(star != std::string::npos, "numbered_path: no star");
  return path.substr(0, star) + fmt::format("{:0{}}", number, std::to_string(count).size()) + path.substr(star + 1);
}

std::vector<Index> rows_before(const std::vector<std::string>& files, const Schema& schema) {
  Vector rows = Vector::Zero(static_cast<Index>(files.size()));
  for (std::size_t k = 0; k < files.size(); ++k)
    if (ranks::has_file(k))
      rows[static_cast<Index>(k)] = static_cast<double>(is_rows_file(files[k]) ? RowsFile(files[k]).table_rows()
                                                                               : count_rows(files[k], schema.config()));
  ranks::sum(rows.data(), files.size());
  std::vector<Index> before = {0};
  for (const double own : rows) before.push_back(before.back() + static_cast<Index>(own));
  return before;
}

}  // namespace alacarte
