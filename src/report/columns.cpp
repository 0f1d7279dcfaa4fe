#include "report/columns.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <vector>

#include "core/spelling.hpp"

namespace alacarte {
namespace {

/// Largest number of columns whose plain numbers have a line each.
constexpr std::size_t kMaxLines = 20;
/// Largest width of a cell of the table.
constexpr std::size_t kMaxWidth = 40;

using Line = std::array<std::string, 6>;

std::string clipped(const std::string& text) {
  const std::string line = one_line(text);
  return line.size() > kMaxWidth ? line.substr(0, kMaxWidth - 2) + ".." : line;
}

Line line_of(const ColumnSummary& column) {
  const auto number = [](Index count) { return count > 0 ? std::to_string(count) : std::string(); };
  return {clipped(column.column), column.kind,           clipped(column.encoding),
          number(column.missing), number(column.levels), clipped(column.remark)};
}

}  // namespace

std::string columns_text(const Schema& schema) {
  const std::vector<ColumnSummary> columns = column_summaries(schema);
  const auto plain =
      std::count_if(columns.begin(), columns.end(), [](const ColumnSummary& column) { return column.is_plain(); });
  const bool shares_line = columns.size() > kMaxLines;
  std::vector<Line> lines = {{"column", "kind", "encoding", "missing", "levels", "remark"}};
  for (const ColumnSummary& column : columns)
    if (!shares_line || !column.is_plain()) lines.push_back(line_of(column));
  std::string text;
  if (plain < static_cast<Index>(columns.size())) {
    std::array<std::size_t, 6> widths{};
    for (const Line& line : lines)
      for (std::size_t k = 0; k < line.size(); ++k) widths[k] = std::max(widths[k], line[k].size());
    for (const Line& line : lines) {
      std::string row;
      for (std::size_t k = 0; k < line.size(); ++k)
        row += k == 3 || k == 4 ? fmt::format("{:>{}}  ", line[k], widths[k])
                                : fmt::format("{:<{}}  ", line[k], widths[k]);
      row.erase(row.find_last_not_of(' ') + 1);
      text += row + '\n';
    }
    if (shares_line && plain > 0) text += fmt::format("and {} columns of numbers without gaps\n", plain);
  }
  for (const std::string& remark : schema.remarks()) text += "the table: " + one_line(remark) + '\n';
  if (schema.rows_without_target() > 0)
    text += fmt::format("{} rows without a value of {}{} are left out\n", schema.rows_without_target(),
                        one_line(schema.target_name()),
                        schema.has_exposure() || schema.has_weights() ? " or of its exposure or weight" : "");
  if (!text.empty()) text.pop_back();
  return text;
}

nlohmann::json columns_json(const Schema& schema) {
  nlohmann::json list = nlohmann::json::array();
  for (const ColumnSummary& column : column_summaries(schema)) {
    list.push_back(
        {{"column", column.column}, {"kind", column.kind}, {"encoding", column.encoding}, {"missing", column.missing}});
    if (column.levels > 0) list.back()["levels"] = column.levels;
    if (!column.remark.empty()) list.back()["remark"] = column.remark;
  }
  return list;
}

}  // namespace alacarte
