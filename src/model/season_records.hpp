#pragma once
// The seasons of the rows of a training, for its record and for people.
#include <alacarte/core/training_statistics.hpp>
#include <alacarte/model/training_record.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// Returns the seasons of raw rows, as a record keeps them. input_names: one for each input.
std::vector<SeasonRecord> season_records(const RowStructure& structure, const std::vector<std::string>& input_names);

/// Describes a season in one line: "t, period 40.02, 97 % of the variance".
std::string season_text(const SeasonRecord& season);

}  // namespace alacarte
