#include "encoding.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "alacarte/core/error.hpp"
#include "alacarte/train/fit.hpp"
#include "data/cells.hpp"
#include "data/column_splits.hpp"
#include "data/number_style.hpp"

namespace alacarte::python {
namespace {

TableChunk read_rows(TableOfPython& reader, const Table& table) {
  TableChunk chunk;
  chunk.numbers.resize(0, static_cast<Index>(table.columns.size()));
  chunk.text.resize(table.columns.size());
  reader.read(chunk, std::max<Index>(1, view(table.numbers).rows()));
  return chunk;
}

}  // namespace

Encoded learn_encoding(const Table& table, const Recipe& recipe) {
  const DataConfig& config = recipe.data;
  if (table.sparse && !takes_sparse_rows(recipe))
    throw ConfigError("recipe", "'" + recipe.model +
                                    "' with these settings takes no sparse X; give it X.toarray(), or take a recipe "
                                    "without scaled inputs of a map that reads sparse rows");
  TableOfPython reader(table, config);
  Schema::prepare(reader, config);
  const TableChunk chunk = read_rows(reader, table);
  Encoded data{Schema::learn(reader, chunk, config, {}), {}};
  data.rows = data.schema.encode(reader, chunk, true);
  const SplitColumns& columns = table.columns_of_splits;
  require(columns.empty() || columns.rows() == chunk.rows(), "one group or time for each row");
  require_splittable(columns);
  if (!columns.empty()) data.columns = columns.of_rows(data.rows.source_rows);
  if (!table.sparse) return data;
  data.schema = Schema::sparse(table.sparse->width, config, data.schema.classes());
  data.rows.inputs.resize(0, 0);
  data.rows.sparse.clear(table.sparse->width);
  if (data.rows.target.size() < view(table.numbers).rows())
    data.rows.sparse = select_rows(view(*table.sparse), data.rows.source_rows);
  else
    data.rows.sparse.append(view(*table.sparse));
  return data;
}

Vector read_numbers(const std::string& name, const std::vector<std::string>& cells) {
  const data_detail::CellFormat format{DataConfig()};
  const auto refuse = [&](std::size_t row) {
    throw DataError(name, static_cast<std::int64_t>(row) + 1, 0,
                    data_detail::in_quotes(cells[row]) + " is not a number");
  };
  Vector numbers(static_cast<Index>(cells.size()));
  std::map<std::string, Index> filled;
  bool is_plain = true;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    double& value = numbers[static_cast<Index>(i)];
    const bool is_number = format.parse(cells[i], value);
    is_plain = is_plain && is_number;
    if (is_number && std::isnan(value)) continue;
    // Text without digits is a better example of what is wrong than the first number with a sign of currency.
    if (!is_number && !data_detail::affixes_of(cells[i])) refuse(i);
    ++filled[cells[i]];
  }
  if (is_plain) return numbers;
  const auto style = data_detail::style_of(filled);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    double& value = numbers[static_cast<Index>(i)];
    if (format.is_gap_among_numbers(cells[i])) continue;
    if (!(style ? data_detail::parse_styled(cells[i], *style, value) : format.parse(cells[i], value))) refuse(i);
  }
  return numbers;
}

Dataset encode_inputs(const Schema& schema, const Table& table) {
  TableOfPython reader(table, schema.config());
  schema.prepare(reader);
  const auto& inputs = schema.input_columns();
  for (std::size_t i = 0; i < inputs.size() && inputs.size() == table.columns.size(); ++i)
    if (const NumberStyle& style = inputs[i].style; inputs[i].form == InputForm::styled)
      reader.set_decimal(static_cast<Index>(i), style.decimal != 0       ? style.decimal
                                                : style.thousands == '.' ? ','
                                                                         : '.');
  const TableChunk chunk = read_rows(reader, table);
  return schema.encode(reader, chunk, false);
}

}  // namespace alacarte::python
