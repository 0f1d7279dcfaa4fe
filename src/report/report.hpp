#pragma once
// Reports: the numbers of others beside ours, tables independent of the output format, the formats, and the files.
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>
#include "chart.hpp"
#include "summary.hpp"

namespace alacarte {

/// A printed number. The texts keep the digits as printed.
struct PaperNumber {
  std::string mean_text, sd_text, remark;  ///< as printed; sd_text "": no standard deviation is
  double mean = 0;
};

struct PaperNumbers {
  std::string table;                                                ///< "1"
  std::vector<std::string> methods;                                 ///< in the order printed
  std::map<std::pair<std::string, std::string>, PaperNumber> rmse;  ///< by data set and method

  /// Null when the paper does not have it.
  const PaperNumber* find(const std::string& dataset, const std::string& method) const;
};

/// Adds the runs of a CSV with the columns dataset, method, fold, metric, value; metric is a name_of(Measure). Throws
/// IoError, DataError with the row, and ConfigError for a method that `results` already has.
void add_outside_results(const std::string& path, ResultSet& results);

/// Reads a CSV with the columns dataset, table, method, metric, mean, sd, remark; metric is "rmse". Throws IoError or
/// DataError with the row.
PaperNumbers read_paper(const std::string& path);

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
  std::vector<ReportTable> tables = {};
  std::vector<Chart> charts = {};   ///< of the page alone
  std::string specifications = {};  ///< folder beside the page that has the specifications of the charts; "" = none
};

/// `paper` may be null. Tables without any row are left out. No charts.
Report make_report(const ResultSet& results, const Summary& summary, const PaperNumbers* paper);

void write_markdown(const Report& report, std::ostream& out);
/// Tables in the form of the package booktabs, to be put into a document with \input.
void write_latex(const Report& report, std::ostream& out);
/// One line for each data set, method and measure, in full precision: dataset, rows, inputs, method, metric, folds,
/// folds_expected, failed_units, mean, sd, p_value, marked, paper_mean, paper_sd, ratio. A pair without any result has
/// a line with an empty metric. Average ranks are lines with the data set "(ranks)" and the metric rank_rmse or
/// rank_nlpd.
void write_summary_csv(const Summary& summary, const PaperNumbers* paper, std::ostream& out);

/// The texts of vega, vega-lite and vega-embed, in the order they must run, from a node_modules folder: `folder` if it
/// is not "", else $ALACARTE_VEGA_DIR if it is set, else find_vega(); none where that is "". Throws IoError naming the
/// file that is missing.
std::vector<std::string> find_vega_scripts(const std::string& folder);

/// One self-contained page. `scripts`: of find_vega_scripts(); empty: static SVGs only, and the page says what is
/// missing.
void write_html(const Report& report, const std::vector<std::string>& scripts, std::ostream& out);

struct ReportFilesOptions {
  std::vector<std::string> places;  ///< folders of results, or stored results; at least one
  std::vector<std::string> formats = {"html", "md", "csv", "tex"};
  std::vector<std::string> outside;  ///< of other programs, besides outside/*.csv in the folder of the first place
  std::string out;                   ///< folder to write to; "" = that of the first place
  std::string paper;                 ///< published numbers; "" = paper.csv in the first place, if it is there
  std::string vega;                  ///< as find_vega_scripts() takes it
};

struct WrittenReport {
  std::vector<std::string> files;
  std::vector<BrokenFile> broken;  ///< results that cannot be read: the report names them and counts them nowhere
};

/// Puts the results of all places into one report and writes report.FORMAT and, for html, each chart as charts/NAME.svg
/// and charts/NAME.vl.json. Throws IoError, and what reading the results throws.
WrittenReport write_report(const ReportFilesOptions& options);

}  // namespace alacarte
