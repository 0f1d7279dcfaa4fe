// Writes the report of stored results: page, tables, charts.
#include <algorithm>
#include <filesystem>

#include "alacarte/core/error.hpp"
#include "core/atomic_file.hpp"
#include "core/text_file.hpp"
#include "report.hpp"
#include "report/charts.hpp"

namespace alacarte {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

/// Returns the folder of a results folder or file, which holds its other files.
fs::path folder_of(const std::string& place) {
  std::error_code error;
  return fs::is_regular_file(place, error) ? fs::path(place).parent_path() : fs::path(place);
}

/// Returns the files named, and those in the folder outside/ of the first experiment.
Names outside_files(const ReportFilesOptions& a) {
  Names files;
  std::error_code error;
  for (fs::directory_iterator entry(folder_of(a.places.front()) / "outside", error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == ".csv") files.push_back(entry->path().string());
  std::sort(files.begin(), files.end());
  files.insert(files.end(), a.outside.begin(), a.outside.end());
  return files;
}

std::optional<PaperNumbers> paper_numbers(const ReportFilesOptions& a) {
  const fs::path beside = folder_of(a.places.front()) / "paper.csv";
  std::error_code error;
  if (a.paper.empty() && !fs::exists(beside, error)) return std::nullopt;
  return read_paper(a.paper.empty() ? beside.string() : a.paper);
}

}  // namespace

WrittenReport write_report(const ReportFilesOptions& options) {
  ResultSet results = read_results(options.places.front());
  for (std::size_t i = 1; i < options.places.size(); ++i) add_results(read_results(options.places[i]), results);
  for (const std::string& file : outside_files(options)) add_outside_results(file, results);
  const std::optional<PaperNumbers> paper = paper_numbers(options);
  const PaperNumbers* const numbers = paper ? &*paper : nullptr;
  const Catalogue catalogue = shipped_catalogue();
  const Summary summary = summarise(results, &catalogue);
  Report report = make_report(results, summary, numbers);
  report.specifications = "charts";
  const auto wants = [&](const char* format) {
    return std::count(options.formats.begin(), options.formats.end(), format) > 0;
  };
  const Names scripts = wants("html") ? find_vega_scripts(options.vega) : Names();
  const fs::path folder = options.out.empty() ? folder_of(options.places.front()) : fs::path(options.out);
  make_folders(folder.string());
  WrittenReport written{{}, results.broken};
  const auto write = [&](const std::string& name, const auto& body) {
    AtomicFile file((folder / name).string());
    body(file.stream());
    file.commit();
    written.files.push_back(file.path());
  };
  if (wants("html")) {
    make_folders((folder / "charts").string());
    report.charts = make_charts(results, summary);
    for (const Chart& chart : report.charts) {
      write("charts/" + chart.name + ".vl.json", [&](std::ostream& file) { file << vega_lite(chart) << '\n'; });
      write("charts/" + chart.name + ".svg", [&](std::ostream& file) { file << static_svg(chart); });
    }
    write("report.html", [&](std::ostream& file) { write_html(report, scripts, file); });
  }
  if (wants("md")) write("report.md", [&](std::ostream& file) { write_markdown(report, file); });
  if (wants("tex")) write("report.tex", [&](std::ostream& file) { write_latex(report, file); });
  if (wants("csv")) write("report.csv", [&](std::ostream& file) { write_summary_csv(summary, numbers, file); });
  return written;
}

}  // namespace alacarte
