#pragma once
// The table that says what became of each column of a training table, as text and as numbers.
#include <alacarte/data/dataset.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace alacarte {

/// Returns a line for each column and a last one on rows without target; plain numbers share a line where there are
/// many. "" if all columns are plain numbers.
std::string columns_text(const Schema& schema);

/// Returns [{"column", "kind", "encoding", "missing", "levels", "remark"}]; "levels" and "remark" only where there are.
nlohmann::json columns_json(const Schema& schema);

}  // namespace alacarte
