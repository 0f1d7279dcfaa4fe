#pragma once
// The kind of a column and its encoding, by the census of all its cells. Private to the data room.
#include <optional>
#include <string>

#include "alacarte/data/dataset.hpp"
#include "data/column_census.hpp"

namespace alacarte::data_detail {

/// Smallest number of training rows with a gap for which the gap has an indicator or is a category of its own.
inline constexpr Index kMinGaps = 3;

/// Reasons to leave out a column that some tables overrule.
inline constexpr const char* kConstant = "constant";
inline constexpr const char* kNumbersRows = "numbers the rows";

/// Request of the config for a column.
enum class AskedForm { nothing, category, date };

/// Settings of decide_form().
struct KindOptions {
  AskedForm asked = AskedForm::nothing;
  bool marks_gaps = true;      ///< gaps may have an indicator; otherwise they are only filled
  bool decimal_comma = false;  ///< numbers of the table have a decimal comma
};

/// Sets form, categories, style, fill and remark of an input by the census of its column in the training rows. Returns
/// the reason why it should be left out, or "".
std::string decide_form(const ColumnCensus& census, const KindOptions& how, InputColumn& input);

/// Returns true if a name is one that programs give to the numbers of rows: "", "Unnamed: 0", "index", "X", ..
bool names_rows(const std::string& name);

}  // namespace alacarte::data_detail
