#pragma once
// The tables of a report, one function each; a table without rows has nothing to show and is omitted.
#include "alacarte/report/report.hpp"

namespace alacarte::report_detail {

inline constexpr const char* kNoValue = "–";

ReportTable measure_table(const Summary& summary, Measure measure);
/// The paper's columns, each with ours / paper beside it.
ReportTable paper_table(const Summary& summary, const PaperNumbers& paper);
/// Methods that the paper does not have, divided by the best of the paper.
ReportTable best_of_paper_table(const Summary& summary, const PaperNumbers& paper);
/// Row against column: data sets on which it is better, and not worse by more than a standard error.
ReportTable head_to_head_table(const Summary& summary, Measure measure);
ReportTable rank_table(const Summary& summary, const Ranking& ranking);
ReportTable failure_table(const Summary& summary);
ReportTable broken_table(const ResultSet& results);
ReportTable provenance_table(const Summary& summary);

}  // namespace alacarte::report_detail
