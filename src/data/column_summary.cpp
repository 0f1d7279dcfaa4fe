#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "alacarte/data/dataset.hpp"

namespace alacarte {
namespace {

std::string joined(const std::vector<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) all += (all.empty() ? "" : ", ") + part;
  return all;
}

std::string encoding_of_number(const InputColumn& input) {
  std::vector<std::string> parts = {input.is_date() ? "days" : "itself"};
  for (const double days : input.cycles)
    parts.emplace_back(days == 1 ? "cycle of the day" : days == 7 ? "cycle of the week" : "cycle of the year");
  if (input.has_gap) parts.emplace_back("indicator of gaps");
  return joined(parts);
}

std::string remark_on_style(const NumberStyle& style) {
  std::vector<std::string> signs;
  for (const std::string& affix : {style.prefix, style.suffix})
    if (!affix.empty()) signs.push_back(affix);
  if (style.thousands != 0) signs.push_back(std::string("thousands '") + style.thousands + "'");
  if (style.decimal == ',') signs.emplace_back("decimal comma");
  return joined(signs);
}

ColumnSummary summary_of(const InputColumn& input) {
  ColumnSummary line{input.name, "number", "", input.gaps, 0, input.remark};
  const auto count = static_cast<Index>(input.categories.size());
  switch (input.form) {
    case InputForm::number: line.encoding = encoding_of_number(input); break;
    case InputForm::styled: {
      line.encoding = encoding_of_number(input);
      const std::string signs = remark_on_style(input.style);
      line.remark = signs + (signs.empty() || line.remark.empty() ? "" : "; ") + line.remark;
      break;
    }
    case InputForm::date:
      line.kind = "date";
      line.encoding = encoding_of_number(input);
      break;
    case InputForm::flag:
      line.kind = "flag";
      line.encoding = "0 " + input.categories.front() + ", 1 " + input.categories.back() +
                      (input.has_gap ? ", indicator of gaps" : "");
      line.levels = count;
      break;
    case InputForm::presence:
      line.kind = "presence";
      line.encoding = "1 where it has its one value";
      break;
    case InputForm::onehot:
      line.kind = "category";
      line.encoding = std::to_string(count) + " indicators";
      line.levels = count;
      break;
    case InputForm::levels:
      line.kind = "levels";
      line.encoding = input.counts.empty() || input.counts[0] == 0 ? "random effect" : "random effect, frequency";
      line.levels = count;
      break;
  }
  return line;
}

}  // namespace

std::vector<ColumnSummary> column_summaries(const Schema& schema) {
  std::vector<std::pair<Index, ColumnSummary>> lines;
  for (const InputColumn& input : schema.input_columns()) lines.emplace_back(input.position, summary_of(input));
  for (const LeftOutColumn& column : schema.left_out())
    lines.emplace_back(column.position, ColumnSummary{column.name, column.reason, "left out", 0, 0, ""});
  std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<ColumnSummary> result;
  for (auto& [position, line] : lines) result.push_back(std::move(line));
  return result;
}

}  // namespace alacarte
