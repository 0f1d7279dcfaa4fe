#pragma once
// The report of stored results as files: page, tables, charts.
#include <alacarte/experiment/results.hpp>
#include <string>
#include <vector>

namespace alacarte {

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
