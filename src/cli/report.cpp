// alacarte report: the results of an experiment as tables.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "alacarte/core/atomic_file.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/experiment/report.hpp"
#include "command.hpp"
#include "dataset_check.hpp"
#include "guard.hpp"
#include "log.hpp"

namespace alacarte::cli {
namespace {

namespace fs = std::filesystem;

struct ReportArguments {
  std::string folder, out, paper;
  std::vector<std::string> formats = {"md", "csv", "tex"}, outside;
};

/// The files named, and those in the folder outside/ of the experiment.
std::vector<std::string> outside_files(const ReportArguments& a) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(fs::path(a.folder) / "outside", error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == ".csv") files.push_back(entry->path().string());
  std::sort(files.begin(), files.end());
  files.insert(files.end(), a.outside.begin(), a.outside.end());
  return files;
}

std::optional<PaperNumbers> paper_numbers(const ReportArguments& a) {
  if (!a.paper.empty()) return read_paper(a.paper);
  const fs::path beside = fs::path(a.folder) / "paper.csv";
  std::error_code error;
  if (!fs::exists(beside, error)) return std::nullopt;
  return read_paper(beside.string());
}

void write_one(const std::string& format, const std::string& path, const Report& report, const Summary& summary,
               const PaperNumbers* paper) {
  AtomicFile file(path);
  if (format == "md") write_markdown(report, file.stream());
  if (format == "tex") write_latex(report, file.stream());
  if (format == "csv") write_summary_csv(summary, paper, file.stream());
  file.commit();
  log_info("wrote " + path);
}

int report(const ReportArguments& a) {
  ResultSet results = read_results(a.folder);
  for (const std::string& file : outside_files(a)) add_outside_results(file, results);
  const std::optional<PaperNumbers> paper = paper_numbers(a);
  const PaperNumbers* const numbers = paper ? &*paper : nullptr;
  const Catalogue catalogue = shipped_catalogue();
  for (const BrokenFile& broken : results.broken) log_warning(broken.file + ": " + broken.reason);
  const Summary summary = summarise(results, &catalogue);
  const Report document = make_report(results, summary, numbers);
  const fs::path out = a.out.empty() ? a.folder : a.out;
  std::error_code error;
  fs::create_directories(out, error);
  if (error) throw IoError(out.string(), "cannot be made: " + error.message());
  for (const std::string& format : a.formats)
    write_one(format, (out / ("report." + format)).string(), document, summary, numbers);
  return kSuccess;
}

std::function<int()> configure(CLI::App& app, CommonOptions& common) {
  auto a = std::make_shared<ReportArguments>();
  app.add_option("DIR", a->folder, "Folder that alacarte run filled: results/*.json, experiment.json")
      ->required()
      ->type_name("FOLDER");
  app.add_option("--format", a->formats, "md, csv, tex; several with commas")
      ->delimiter(',')
      ->check(CLI::IsMember({"md", "csv", "tex"}))
      ->capture_default_str();
  app.add_option("--out", a->out, "Where report.FORMAT is written (default: DIR)")->type_name("FOLDER");
  app.add_option("--paper", a->paper, "Published numbers to stand beside ours (default: DIR/paper.csv if it is there)")
      ->type_name("FILE");
  app.add_option("--outside", a->outside, "Results of other programs (besides those in DIR/outside/*.csv)")
      ->type_name("FILE");
  add_log_options(app, common);
  app.footer(
      "Tables: RMSE, NLPD, coverage, times and memory as mean and standard deviation over folds, with the best by a\n"
      "paired test in bold; the paper's numbers and ratios; average ranks; failures. A result file that cannot be "
      "read\n"
      "is named in the report and counts nowhere.\n"
      "Results of others: CSV with the columns dataset,method,fold,metric,value; metric is rmse, nlpd, coverage95,\n"
      "train_seconds, predict_seconds or peak_mb.\n"
      "Published numbers: CSV with the columns dataset,table,method,metric,mean,sd,remark; metric is rmse.\n\n"
      "Example:\n"
      "  alacarte report out/table1-small --format md,csv");
  return [a] { return report(*a); };
}

}  // namespace

const Command kReportCommand{"report", "Make tables of the results of an experiment", configure};

}  // namespace alacarte::cli
