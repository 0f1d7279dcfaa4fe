#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "alacarte/core/error.hpp"
#include "core/spelling.hpp"
#include "data/cells.hpp"
#include "data/column_census.hpp"
#include "data/number_style.hpp"
#include "sparse_dataset.hpp"

namespace alacarte {
namespace {

using data_detail::in_quotes;
using data_detail::is_missing_word;

/// Computes the number of a cell of text; a gap gives NaN. Returns false for text that is no such number.
bool read_number(const InputColumn& input, const std::string& cell, double& value) {
  switch (input.form) {
    case InputForm::date: return parse_date(cell, value);
    case InputForm::styled: return data_detail::parse_styled(cell, input.style, value);
    case InputForm::presence: value = is_missing_word(cell) ? std::numeric_limits<double>::quiet_NaN() : 1; return true;
    case InputForm::flag: {
      value = std::numeric_limits<double>::quiet_NaN();
      if (is_missing_word(cell)) return true;
      std::string word(data_detail::trimmed(cell));
      std::transform(word.begin(), word.end(), word.begin(),
                     [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
      const auto found = std::find(input.categories.begin(), input.categories.end(), word);
      if (found != input.categories.end()) value = static_cast<double>(found - input.categories.begin());
      return found != input.categories.end();
    }
    default: return data_detail::parse_number(cell, value);
  }
}

/// Throws unless the reader kept the text of this column, after prepare().
void check_prepared(const TableChunk& chunk, Index place) {
  require(static_cast<Index>(chunk.text[static_cast<std::size_t>(place)].size()) == chunk.rows(),
          "Schema: the reader was not prepared before it was read");
}

}  // namespace

std::string Schema::remedy(const char* advice) const {
  return is_learning_ ? advice : "; correct the cell or leave the row out";
}

bool Schema::fills_gaps() const {
  return config_.missing == MissingCells::mean || (config_.missing == MissingCells::automatic && !config_.strict);
}

bool Schema::drops_gaps() const { return config_.missing == MissingCells::drop; }

bool Schema::takes_unseen() const {
  return config_.unseen == UnseenCategory::zero || (config_.unseen == UnseenCategory::automatic && !config_.strict);
}

bool Schema::is_gap(const TableChunk& chunk, const InputColumn& input, Index place, Index row) const {
  const auto& cells = chunk.text[static_cast<std::size_t>(place)];
  double value = 0;
  if (cells.empty()) {
    if (std::isfinite(chunk.numbers(row, place))) return false;
    const std::string* odd = chunk.odd_cell(place, row);
    if (odd == nullptr) return true;
    if (is_learning_) return data_detail::is_gap_word_of_numbers(*odd);
    return !input.is_category() && input.form != InputForm::presence && !read_number(input, *odd, value);
  }
  const std::string& cell = cells[static_cast<std::size_t>(row)];
  return is_missing_word(cell) || (!is_learning_ && !input.is_category() && !read_number(input, cell, value));
}

bool Schema::is_target_gap(const TableChunk& chunk, Index place, Index row) const {
  const auto& cells = chunk.text[static_cast<std::size_t>(place)];
  if (cells.empty()) return !std::isfinite(chunk.numbers(row, place));
  const std::string& cell = cells[static_cast<std::size_t>(row)];
  return is_missing_word(cell) || (!config_.strict && !config_.labels && data_detail::is_gap_word_of_numbers(cell));
}

std::vector<Index> Schema::rows_to_keep(const TableReader& reader, const TableChunk& chunk, const Places& places,
                                        const std::vector<bool>& considered, bool need_target) const {
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    if (config_.strict && reads_text(inputs_[i])) check_prepared(chunk, places.inputs[i]);
  if (config_.labels && places.target >= 0) check_prepared(chunk, places.target);
  const bool drop = drops_gaps(), fill = fills_gaps();
  const auto refuse = [&](Index row, Index place, const std::string& name, const std::string& advice) {
    throw DataError(reader.path(), chunk.line_numbers[static_cast<std::size_t>(row)], place + 1,
                    in_quotes(name) + " is " + advice);
  };
  // Under a strict config a mean may replace a missing value, not a number that is too large.
  const auto is_infinite = [&](Index row, std::size_t i) {
    return chunk.text[static_cast<std::size_t>(places.inputs[i])].empty() &&
           std::isinf(chunk.numbers(row, places.inputs[i]));
  };
  const bool looks_at_inputs = config_.strict || !fill;
  std::vector<Index> rows;
  rows.reserve(static_cast<std::size_t>(chunk.rows()));
  for (Index row = 0; row < chunk.rows(); ++row) {
    if (!considered.empty() && !considered[static_cast<std::size_t>(row)]) continue;
    bool complete = true;
    for (std::size_t i = 0; looks_at_inputs && i < inputs_.size(); ++i) {
      if (!is_gap(chunk, inputs_[i], places.inputs[i], row)) continue;
      if (!drop && is_infinite(row, i))
        refuse(row, places.inputs[i], inputs_[i].name,
               "infinite or beyond the range of a double" + remedy(" (data.missing can be \"drop\")"));
      if (!drop && !fill)
        refuse(row, places.inputs[i], inputs_[i].name,
               "missing" + remedy(" (data.missing can be \"drop\" or \"mean\")"));
      complete = complete && !drop;
    }
    if (need_target && is_target_gap(chunk, places.target, row)) {
      if (!drop && config_.strict)
        refuse(row, places.target, target_name_,
               "missing or not finite and is the target" + remedy(" (data.missing can be \"drop\")"));
      complete = false;
    }
    if (places.weights >= 0) complete = check_weight(reader, chunk, places.weights, row) && complete;
    if (places.exposure >= 0) complete = check_exposure(reader, chunk, places.exposure, row, need_target) && complete;
    if (complete) rows.push_back(row);
  }
  return rows;
}

/// Encodes the inputs of the rows of a chunk, one column of the table at a time.
class Schema::InputEncoder {
 public:
  /// codes: first encoded column of the codes of levels.
  InputEncoder(const Schema& schema, const TableReader& reader, const TableChunk& chunk, const std::vector<Index>& rows,
               Dataset& data)
      : schema_(schema), reader_(reader), chunk_(chunk), rows_(rows), data_(data) {
    data.inputs.setZero(static_cast<Index>(rows.size()), schema.input_count());
    if (schema.counts_unseen()) data.unseen.assign(rows.size(), 0);
    codes_ = schema.input_count() - static_cast<Index>(schema.level_counts().size());
  }

  void add(const InputColumn& input, Index place) {
    place_ = place;
    if (input.form == InputForm::onehot)
      add_indicators(input);
    else if (input.form == InputForm::levels)
      add_levels(input);
    else
      add_numbers(input);
    column_ += input.width();
  }

 private:
  const std::vector<std::string>& cells() const { return chunk_.text[static_cast<std::size_t>(place_)]; }
  /// Returns the text of a cell. The first rows of a training table may be numbers, which tell nothing of the others,
  /// so that the text of a column is known only where it is no number.
  const std::string& cell(Index row) {
    if (!cells().empty()) return cells()[static_cast<std::size_t>(row)];
    if (const std::string* odd = chunk_.odd_cell(place_, row)) return *odd;
    const double value = chunk_.numbers(row, place_);
    text_ = std::isnan(value) ? std::string() : data_detail::label_of(value);
    return text_;
  }
  void count_unseen(std::size_t i) {
    if (!data_.unseen.empty()) ++data_.unseen[i];
  }

  /// Returns the place of a cell among the categories, or -1.
  Index category_of(const InputColumn& input, std::size_t i) {
    const std::string& own = cell(rows_[i]);
    const std::string level = schema_.config_.strict ? own : data_detail::level_of(own);
    if (const Index place = input.place_of(level); place >= 0) return place;
    const bool is_missing = is_missing_word(own);
    if (!is_missing && !schema_.takes_unseen())
      throw DataError(reader_.path(), chunk_.line_numbers[static_cast<std::size_t>(rows_[i])], place_ + 1,
                      in_quotes(own) + " is no category of " + in_quotes(input.name) + " in the training rows" +
                          did_you_mean(own, input.categories) + schema_.remedy("") + " (or train with --unseen zero)");
    if (!is_missing || input.gaps == 0) count_unseen(i);
    return -1;
  }

  void add_indicators(const InputColumn& input) {
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (const Index category = category_of(input, i); category >= 0)
        data_.inputs(static_cast<Index>(i), column_ + category) = 1;
  }

  void add_levels(const InputColumn& input) {
    auto codes = data_.inputs.col(codes_++);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Index level = category_of(input, i);
      codes[static_cast<Index>(i)] = static_cast<double>(level);
      if (!input.counts.empty())
        data_.inputs(static_cast<Index>(i), column_) =
            std::log1p(level < 0 ? 0.0 : static_cast<double>(input.counts[static_cast<std::size_t>(level)]));
    }
  }

  /// Returns the number of a cell, or NaN for a gap or text that is no number.
  double number_of(const InputColumn& input, Index row) {
    double value = std::numeric_limits<double>::quiet_NaN();
    const bool is_days = input.is_date() && schema_.dates_are_numbers_;
    if (cells().empty() && (input.form == InputForm::number || is_days || schema_.config_.strict))
      value = chunk_.numbers(row, place_);
    else if (!read_number(input, cell(row), value))
      return std::numeric_limits<double>::quiet_NaN();
    return std::isfinite(value) ? value : std::numeric_limits<double>::quiet_NaN();
  }

  void add_numbers(const InputColumn& input) {
    const bool fills = schema_.fills_gaps();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto at = static_cast<Index>(i);
      double value = number_of(input, rows_[i]);
      const bool is_gap = std::isnan(value);
      if (input.form == InputForm::presence) {
        data_.inputs(at, column_) = is_gap ? 0 : 1;
        continue;
      }
      if (is_gap && input.gaps == 0) count_unseen(i);
      if (is_gap && fills) value = input.fill;
      data_.inputs(at, column_) = value;
      if (input.has_gap) data_.inputs(at, column_ + 1) = is_gap ? 1 : 0;
      for (std::size_t k = 0; k < input.cycles.size() && !is_gap; ++k) {
        const double turns = value / input.cycles[k];
        const double angle = 2 * std::numbers::pi * (turns - std::floor(turns));
        const Index cosine = column_ + 1 + (input.has_gap ? 1 : 0) + 2 * static_cast<Index>(k);
        data_.inputs(at, cosine) = std::cos(angle);
        data_.inputs(at, cosine + 1) = std::sin(angle);
      }
    }
  }

  const Schema& schema_;
  const TableReader& reader_;
  const TableChunk& chunk_;
  const std::vector<Index>& rows_;
  Dataset& data_;
  Index column_ = 0, codes_ = 0, place_ = 0;  // next encoded column, next code, column of the chunk
  std::string text_;                          // of the last cell that had to be written
};

double Schema::class_place(const std::string& label) const {
  const auto found = std::find(classes_.begin(), classes_.end(), label);
  return found == classes_.end() ? std::numeric_limits<double>::quiet_NaN()
                                 : static_cast<double>(found - classes_.begin());
}

Vector Schema::encode_target(const TableReader& reader, const TableChunk& chunk, Index place,
                             const std::vector<Index>& rows, bool need_target) const {
  const auto& cells = chunk.text[static_cast<std::size_t>(place)];
  Vector target(static_cast<Index>(rows.size()));
  if (!config_.labels) {
    target = chunk.numbers.col(place)(rows);
    for (std::size_t i = 0; target_style_ && i < rows.size(); ++i) {
      const std::string& cell = cells[static_cast<std::size_t>(rows[i])];
      double& value = target[static_cast<Index>(i)];
      if (data_detail::parse_styled(cell, *target_style_, value)) continue;
      value = std::numeric_limits<double>::quiet_NaN();
      if (need_target)
        throw DataError(reader.path(), chunk.line_numbers[static_cast<std::size_t>(rows[i])], place + 1,
                        in_quotes(cell) + " is not a number (column " + in_quotes(target_name_) + ")");
    }
    return target.array().isFinite().select(target, std::numeric_limits<double>::quiet_NaN());
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(rows[i]);
    const std::string label = data_detail::label_of(cells[row]);
    const double class_of_row = target[static_cast<Index>(i)] = class_place(label);
    if (std::isnan(class_of_row) && need_target)
      throw DataError(reader.path(), chunk.line_numbers[row], place + 1,
                      "the label " + in_quotes(label) + " is no class of " + in_quotes(target_name_) +
                          " in the training rows" + did_you_mean(label, classes_));
  }
  return target;
}

Dataset Schema::encode(const std::string& path, SparseChunk& chunk, bool need_target) const {
  require(is_sparse() && chunk.inputs.width == sparse_inputs_, "Schema::encode: sparse rows of another width");
  Dataset data;
  data.target = chunk.labels;
  for (Index i = 0; i < chunk.rows(); ++i) {
    data.source_rows.push_back(chunk.first_row + i);
    double& target = data.target[i];
    const auto line = chunk.line_numbers[static_cast<std::size_t>(i)];
    if (need_target && std::isnan(target)) throw DataError(path, line, 0, "the label is missing");
    if (!config_.labels || std::isnan(target)) continue;
    const std::string label = data_detail::label_of(target);
    target = class_place(label);
    if (std::isnan(target) && need_target)
      throw DataError(path, line, 0, "the label " + in_quotes(label) + " is no class in the training rows");
  }
  data.sparse = std::move(chunk.inputs);
  return data;
}

Dataset Schema::encode(const TableReader& reader, const TableChunk& chunk, bool need_target,
                       const std::vector<bool>& considered, RowWeights weights) const {
  require(chunk.numbers.cols() == static_cast<Index>(reader.columns().size()),
          "Schema::encode: chunk of another reader");
  Places places = locate(reader);
  if (need_target && places.target < 0)
    throw DataError(reader.path(), "the target column " + in_quotes(target_name_) + " is missing" +
                                       (reader.has_names() ? did_you_mean(target_name_, reader.columns()) : ""));
  if (need_target && knows_noise() && places.weights < 0)
    throw DataError(reader.path(), "the column " + in_quotes(weights_name_) +
                                       " with the known noise of rows is missing" +
                                       (reader.has_names() ? did_you_mean(weights_name_, reader.columns()) : ""));
  if (need_target && has_exposure() && places.exposure < 0)
    throw DataError(reader.path(), "the column " + in_quotes(exposure_name_) + " with the exposures is missing" +
                                       (reader.has_names() ? did_you_mean(exposure_name_, reader.columns()) : ""));
  if (!reads_weights(need_target, weights)) places.weights = -1;
  const std::vector<Index> rows = rows_to_keep(reader, chunk, places, considered, need_target);
  Dataset data;
  data.level_counts = level_counts();
  InputEncoder encoder(*this, reader, chunk, rows, data);
  for (std::size_t k = 0; k < inputs_.size(); ++k) encoder.add(inputs_[k], places.inputs[k]);
  if (places.target >= 0) data.target = encode_target(reader, chunk, places.target, rows, need_target);
  if (places.weights >= 0) data.weights = chunk.numbers.col(places.weights)(rows);
  if (knows_noise()) data.weights = data.weights.cwiseAbs2().cwiseInverse();
  if (places.exposure >= 0) encode_exposures(chunk, places.exposure, rows, data);
  data.source_rows.reserve(rows.size());
  if (places.key >= 0) data.keys.reserve(rows.size());
  for (const Index row : rows) {
    data.source_rows.push_back(chunk.first_row + row);
    if (places.key < 0) continue;
    check_prepared(chunk, places.key);
    data.keys.push_back(chunk.text[static_cast<std::size_t>(places.key)][static_cast<std::size_t>(row)]);
  }
  return data;
}

}  // namespace alacarte
