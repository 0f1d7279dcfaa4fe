#pragma once
// Tables of a report, independent of the output format.
#include <alacarte/report/outside_results.hpp>
#include <alacarte/report/summary.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace alacarte {

struct ReportCell {
  std::string text;
  bool strong = false;
  std::optional<double> value = {};  ///< what `text` rounds
};

struct ReportTable {
  std::string id, title, caption;
  std::vector<std::string> columns;
  std::size_t text_columns = 1;  ///< that many on the left hold words, the others numbers
  std::vector<std::vector<ReportCell>> rows = {};
  std::vector<std::string> notes = {};  ///< one line each, below
};

struct Report {
  std::string title, description;
  std::vector<ReportTable> tables;
  std::string specifications = {};  ///< folder beside the page that has the specifications of the charts; "" = none
};

/// `paper` may be null. Tables without any row are left out.
Report make_report(const ResultSet& results, const Summary& summary, const PaperNumbers* paper);

void write_markdown(const Report& report, std::ostream& out);
/// Tables in the form of the package booktabs, to be put into a document with \input.
void write_latex(const Report& report, std::ostream& out);
/// One line for each data set, method and measure, in full precision: dataset, rows, inputs, method, metric, folds,
/// folds_expected, failed_units, mean, sd, p_value, marked, paper_mean, paper_sd, ratio. A pair without any result has
/// a line with an empty metric. Average ranks are lines with the data set "(ranks)" and the metric rank_rmse or
/// rank_nlpd.
void write_summary_csv(const Summary& summary, const PaperNumbers* paper, std::ostream& out);

}  // namespace alacarte
