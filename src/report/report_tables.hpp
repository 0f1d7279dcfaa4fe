#pragma once
// Common parts of a report's tables, and the tables of published numbers.
#include "report.hpp"

namespace alacarte::report_detail {

inline constexpr const char* kNoValue = "–";

/// Returns " (3/10)" if folds are missing.
std::string folds_note(Index folds, Index expected);

/// Returns "RMSE" or "NLPD".
const char* short_name(Measure measure);

/// Returns the paper's columns, each with ours / paper beside it.
ReportTable paper_table(const Summary& summary, const PaperNumbers& paper);
/// Returns the methods that the paper does not have, divided by the paper's best.
ReportTable best_of_paper_table(const Summary& summary, const PaperNumbers& paper);

}  // namespace alacarte::report_detail
