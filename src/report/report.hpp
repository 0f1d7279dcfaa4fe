#pragma once
// Reports: published numbers beside ours, tables independent of the output format, the formats, and the files.
#include <alacarte/app/explain_file.hpp>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>
#include "chart.hpp"
#include "io/documents.hpp"
#include "summary.hpp"

namespace alacarte {

/// Published number. The texts keep the digits as printed.
struct PaperNumber {
  std::string mean_text, sd_text, remark;  ///< printed texts; sd_text "": no standard deviation
  double mean = 0;
};

struct PaperNumbers {
  std::string table;                                                ///< "1"
  std::vector<std::string> methods;                                 ///< in printed order
  std::map<std::pair<std::string, std::string>, PaperNumber> rmse;  ///< key: data set and method

  /// Returns null if the paper does not have it.
  const PaperNumber* find(const std::string& dataset, const std::string& method) const;
};

/// Adds the runs of a CSV with the columns dataset, method, fold, metric, value; metric is a name_of(Measure). Throws
/// IoError, DataError with the row, and ConfigError for a method already in `results`.
void add_outside_results(const std::string& path, ResultSet& results);

/// Reads a CSV with the columns dataset, table, method, metric, mean, sd, remark; metric is "rmse". Throws IoError or
/// DataError with the row.
PaperNumbers read_paper(const std::string& path);

struct ReportCell {
  std::string text;
  bool strong = false;
  std::optional<double> value = {};  ///< value before rounding to `text`
};

struct ReportTable {
  std::string id, title, caption;
  std::vector<std::string> columns;
  std::size_t text_columns = 1;  ///< number of leading columns with words; the others hold numbers
  std::vector<std::vector<ReportCell>> rows = {};
  std::vector<std::string> notes = {};  ///< lines below the table
};

struct Report {
  std::string title, description;
  std::vector<ReportTable> tables = {};
  std::vector<Chart> charts = {};   ///< on the page only
  std::string specifications = {};  ///< folder of the chart specifications beside the page; "" = none
};

/// Makes the tables, without charts; those without rows are omitted. `paper` may be null.
Report make_report(const ResultSet& results, const Summary& summary, const PaperNumbers* paper);

void write_markdown(const Report& report, std::ostream& out);
/// Writes tables in the form of the package booktabs, for \input into a document.
void write_latex(const Report& report, std::ostream& out);
/// Writes one line per data set, method and measure, in full precision: dataset, rows, inputs, method, metric, folds,
/// folds_expected, failed_units, mean, sd, p_value, marked, paper_mean, paper_sd, ratio. A pair without results has a
/// line with an empty metric. Average ranks are lines with the data set "(ranks)" and the metric rank_rmse or
/// rank_nlpd.
void write_summary_csv(const Summary& summary, const PaperNumbers* paper, std::ostream& out);

/// Reads vega, vega-lite and vega-embed, in the order they must run, from a node_modules folder: `folder` if it is not
/// "", else $ALACARTE_VEGA_DIR if set, else find_vega(); returns none if that is "". Throws IoError naming the missing
/// file.
std::vector<std::string> find_vega_scripts(const std::string& folder);

/// Writes one self-contained page. `scripts`: from find_vega_scripts(); if empty, the page has static SVGs and a note.
void write_html(const Report& report, const std::vector<std::string>& scripts, std::ostream& out);

struct ReportFilesOptions {
  std::vector<std::string> places;  ///< folders of results or stored results; at least one
  std::vector<std::string> formats = {"html", "md", "csv", "tex"};
  /// results of other programs, besides outside/*.csv in the folder of the first place
  std::vector<std::string> outside;
  std::string out;    ///< output folder; "" = that of the first place
  std::string paper;  ///< published numbers; "" = paper.csv in the first place, if it exists
  std::string vega;   ///< see find_vega_scripts()
};

struct WrittenReport {
  std::vector<std::string> files;
  std::vector<BrokenFile> broken;  ///< unreadable results, which the report names and does not count
};

/// Writes the results of all places as report.FORMAT and, for html, each chart as charts/NAME.svg and
/// charts/NAME.vl.json. Throws IoError, and what reading the results throws.
WrittenReport write_report(const ReportFilesOptions& options);

/// Formats for a terminal: importances, partial dependences in a line each, interactions, and the row's Shapley values.
std::string explanation_text(const Explanation& explanation);

/// Returns a page of tables and charts. `name`: the model's name on the page.
Report explanation_page(const Explanation& explanation, const std::string& name);

namespace report_detail {

inline constexpr const char* kNoValue = "–";

/// Returns " (3/10)" if folds are missing.
std::string folds_note(Index folds, Index expected);

/// Returns "RMSE" or "NLPD".
const char* short_name(Measure measure);

/// Returns the paper's columns, each with ours / paper beside it.
ReportTable paper_table(const Summary& summary, const PaperNumbers& paper);
/// Returns the methods that the paper does not have, divided by the paper's best.
ReportTable best_of_paper_table(const Summary& summary, const PaperNumbers& paper);

}  // namespace report_detail

}  // namespace alacarte
