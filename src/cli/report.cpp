// alacarte report: the results of an experiment as tables and a page.
#include "alacarte/report/report.hpp"
#include "alacarte/experiment/stored.hpp"
#include "command.hpp"

namespace alacarte::cli {
namespace {

struct ReportArguments {
  ReportFilesOptions options;
  std::string store;
};

int report(const ReportArguments& a) {
  if (!a.store.empty()) {
    if (a.options.places.size() > 1) throw UsageError("--store takes the results of one folder");
    write_file(a.store, [&](std::ostream& file) { store_results(a.options.places.front(), file); });
    return kSuccess;
  }
  const WrittenReport written = write_report(a.options);
  for (const BrokenFile& broken : written.broken) log_warning(broken.file + ": " + broken.reason);
  for (const std::string& file : written.files) log_info("wrote " + file);
  return kSuccess;
}

}  // namespace

Command report_command() {
  const auto a = std::make_shared<ReportArguments>();
  ReportFilesOptions& o = a->options;
  Option format{"--format", &o.formats, "html, md, csv, tex; several with commas", "", kCommas | kShowDefault};
  format.choices = {"html", "md", "csv", "tex"};
  return {
      .name = "report",
      .summary = "Make tables and a page of the results of an experiment",
      .footer =
          R"(Tables: RMSE, NLPD, coverage, times and memory as mean and standard deviation over folds, with the best by a
paired test in bold; the paper's numbers and ratios; average ranks; failures. A result file that cannot be read
is named in the report and counts nowhere. The page (html) is one file that opens offline; the specification of
each chart also lies in charts/NAME.vl.json.
Results of others: CSV with the columns dataset,method,fold,metric,value; metric is rmse, nlpd, coverage95,
train_seconds, predict_seconds or peak_mb.
Published numbers: CSV with the columns dataset,table,method,metric,mean,sd,remark; metric is rmse.

Example:
  alacarte report out/table1-small --format md,csv)",
      .options = {{"DIR", &o.places,
                   "Folder that alacarte run filled (results/*.json, experiment.json), or a file made by --store;\n"
                   "several are put into one report",
                   "FOLDER|FILE", kRequired},
                  {"--store", &a->store,
                   "Write no report but all results, small, into one file: this command and alacarte run --stored "
                   "read it",
                   "FILE", kNoStream},
                  format,
                  {"--out", &o.out, "Where report.FORMAT is written (default: the first DIR)", "FOLDER"},
                  {"--paper", &o.paper,
                   "Published numbers to stand beside ours (default: DIR/paper.csv if it is there)", "FILE"},
                  {"--outside", &o.outside, "Results of other programs (besides those in DIR/outside/*.csv)", "FILE"},
                  vega_option(o.vega)},
      .run = [a] { return report(*a); }};
}

}  // namespace alacarte::cli
