// alacarte report: the results of an experiment as tables and a page.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "alacarte/core/error.hpp"
#include "alacarte/experiment/stored.hpp"
#include "alacarte/report/charts.hpp"
#include "alacarte/report/page.hpp"
#include "command.hpp"
#include "guard.hpp"
#include "log.hpp"
#include "output.hpp"
#include "page_scripts.hpp"
#include "paths.hpp"

namespace alacarte::cli {
namespace {

namespace fs = std::filesystem;

struct ReportArguments {
  std::vector<std::string> places;  ///< folders of results, or stored results
  std::string out, paper, vega, store;
  std::vector<std::string> formats = {"html", "md", "csv", "tex"}, outside;
};

/// The folder of a results folder or file, which holds its other files.
fs::path folder_of(const std::string& place) {
  std::error_code error;
  return fs::is_regular_file(place, error) ? fs::path(place).parent_path() : fs::path(place);
}

/// The files named, and those in the folder outside/ of the first experiment.
std::vector<std::string> outside_files(const ReportArguments& a) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder_of(a.places.front()) / "outside", error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == ".csv") files.push_back(entry->path().string());
  std::sort(files.begin(), files.end());
  files.insert(files.end(), a.outside.begin(), a.outside.end());
  return files;
}

std::optional<PaperNumbers> paper_numbers(const ReportArguments& a) {
  if (!a.paper.empty()) return read_paper(a.paper);
  const fs::path beside = folder_of(a.places.front()) / "paper.csv";
  std::error_code error;
  if (!fs::exists(beside, error)) return std::nullopt;
  return read_paper(beside.string());
}

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw IoError(path.string(), "cannot be made: " + error.message());
}

void write_page(const fs::path& out, const Report& report, const std::vector<Chart>& charts,
                const std::vector<std::string>& scripts) {
  make_folder(out / "charts");
  for (const Chart& chart : charts) {
    write_file((out / "charts" / (chart.name + ".vl.json")).string(),
               [&](std::ostream& file) { file << vega_lite(chart) << '\n'; });
    write_file((out / "charts" / (chart.name + ".svg")).string(),
               [&](std::ostream& file) { file << static_svg(chart); });
  }
  write_file((out / "report.html").string(), [&](std::ostream& file) { write_html(report, charts, scripts, file); });
}

int store(const ReportArguments& a) {
  if (a.places.size() > 1) throw UsageError("--store takes the results of one folder");
  write_file(a.store, [&](std::ostream& file) { store_results(a.places.front(), file); });
  return kSuccess;
}

int report(const ReportArguments& a) {
  if (!a.store.empty()) return store(a);
  ResultSet results = read_results(a.places.front());
  for (std::size_t i = 1; i < a.places.size(); ++i) add_results(read_results(a.places[i]), results);
  for (const std::string& file : outside_files(a)) add_outside_results(file, results);
  const std::optional<PaperNumbers> paper = paper_numbers(a);
  const PaperNumbers* const numbers = paper ? &*paper : nullptr;
  const Catalogue catalogue = shipped_catalogue();
  const Summary summary = summarise(results, &catalogue);
  Report document = make_report(results, summary, numbers);
  document.specifications = "charts";
  const fs::path out = a.out.empty() ? folder_of(a.places.front()) : fs::path(a.out);
  const auto wanted = [&](const char* format) { return std::count(a.formats.begin(), a.formats.end(), format) > 0; };
  const std::vector<std::string> scripts = wanted("html") ? page_scripts(a.vega) : std::vector<std::string>();
  for (const BrokenFile& broken : results.broken) log_warning(broken.file + ": " + broken.reason);
  make_folder(out);
  if (wanted("html")) write_page(out, document, make_charts(results, summary), scripts);
  if (wanted("md"))
    write_file((out / "report.md").string(), [&](std::ostream& file) { write_markdown(document, file); });
  if (wanted("tex"))
    write_file((out / "report.tex").string(), [&](std::ostream& file) { write_latex(document, file); });
  if (wanted("csv"))
    write_file((out / "report.csv").string(), [&](std::ostream& file) { write_summary_csv(summary, numbers, file); });
  return kSuccess;
}

}  // namespace

Command report_command(CommonOptions& common) {
  const auto a = std::make_shared<ReportArguments>();
  Command command{"report", "Make tables and a page of the results of an experiment"};
  command.add({"DIR", &a->places,
               "Folder that alacarte run filled (results/*.json, experiment.json), or a file made by --store;\n"
               "several are put into one report",
               "FOLDER|FILE", true});
  command
      .add({"--store", &a->store,
            "Write no report but all results, small, into one file: this command and alacarte run --stored read it",
            "FILE"})
      .no_stream = true;
  Option& format = command.add({"--format", &a->formats, "html, md, csv, tex; several with commas"});
  format.delimiter = ',';
  format.choices = {"html", "md", "csv", "tex"};
  format.show_default = true;
  command.add({"--out", &a->out, "Where report.FORMAT is written (default: the first DIR)", "FOLDER"});
  command.add(
      {"--paper", &a->paper, "Published numbers to stand beside ours (default: DIR/paper.csv if it is there)", "FILE"});
  command.add({"--outside", &a->outside, "Results of other programs (besides those in DIR/outside/*.csv)", "FILE"});
  add_vega_option(command, a->vega);
  add_log_options(command, common);
  command.footer =
      "Tables: RMSE, NLPD, coverage, times and memory as mean and standard deviation over folds, with the best by a\n"
      "paired test in bold; the paper's numbers and ratios; average ranks; failures. A result file that cannot be "
      "read\n"
      "is named in the report and counts nowhere. The page (html) is one file that opens offline; the specification "
      "of\n"
      "each chart also lies in charts/NAME.vl.json.\n"
      "Results of others: CSV with the columns dataset,method,fold,metric,value; metric is rmse, nlpd, coverage95,\n"
      "train_seconds, predict_seconds or peak_mb.\n"
      "Published numbers: CSV with the columns dataset,table,method,metric,mean,sd,remark; metric is rmse.\n\n"
      "Example:\n"
      "  alacarte report out/table1-small --format md,csv";
  command.run = [a] { return report(*a); };
  return command;
}

}  // namespace alacarte::cli
