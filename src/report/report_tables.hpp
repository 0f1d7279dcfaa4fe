#pragma once
// What the tables of a report share, and those that stand beside a paper's numbers.
#include "report.hpp"

namespace alacarte::report_detail {

inline constexpr const char* kNoValue = "–";

/// " (3/10)" where folds are missing.
std::string folds_note(Index folds, Index expected);

/// "RMSE" or "NLPD".
const char* short_name(Measure measure);

/// The paper's columns, each with ours / paper beside it.
ReportTable paper_table(const Summary& summary, const PaperNumbers& paper);
/// Methods that the paper does not have, divided by the best of the paper.
ReportTable best_of_paper_table(const Summary& summary, const PaperNumbers& paper);

}  // namespace alacarte::report_detail
