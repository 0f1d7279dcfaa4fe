#include "alacarte/report/report_files.hpp"

#include <algorithm>
#include <filesystem>

#include "alacarte/core/atomic_file.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/report/charts.hpp"
#include "alacarte/report/page.hpp"

namespace alacarte {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

/// The folder of a results folder or file, which holds its other files.
fs::path folder_of(const std::string& place) {
  std::error_code error;
  return fs::is_regular_file(place, error) ? fs::path(place).parent_path() : fs::path(place);
}

/// The files named, and those in the folder outside/ of the first experiment.
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

/// Writes the files and keeps their names.
class ReportWriter {
 public:
  explicit ReportWriter(const ReportFilesOptions& options)
      : options_(options), out_(options.out.empty() ? folder_of(options.places.front()) : fs::path(options.out)) {}

  WrittenReport write() {
    ResultSet results = read_results(options_.places.front());
    for (std::size_t i = 1; i < options_.places.size(); ++i) add_results(read_results(options_.places[i]), results);
    for (const std::string& file : outside_files(options_)) add_outside_results(file, results);
    const std::optional<PaperNumbers> paper = paper_numbers(options_);
    const PaperNumbers* const numbers = paper ? &*paper : nullptr;
    const Catalogue catalogue = shipped_catalogue();
    const Summary summary = summarise(results, &catalogue);
    Report document = make_report(results, summary, numbers);
    document.specifications = "charts";
    const Names scripts = wants("html") ? find_vega_scripts(options_.vega) : Names();
    make_folder(out_);
    if (wants("html")) write_page(document, make_charts(results, summary), scripts);
    if (wants("md")) write("report.md", [&](std::ostream& file) { write_markdown(document, file); });
    if (wants("tex")) write("report.tex", [&](std::ostream& file) { write_latex(document, file); });
    if (wants("csv")) write("report.csv", [&](std::ostream& file) { write_summary_csv(summary, numbers, file); });
    written_.broken = results.broken;
    return std::move(written_);
  }

 private:
  bool wants(const char* format) const {
    return std::count(options_.formats.begin(), options_.formats.end(), format) > 0;
  }

  template <class Body>
  void write(const fs::path& name, const Body& body) {
    AtomicFile file((out_ / name).string());
    body(file.stream());
    file.commit();
    written_.files.push_back(file.path());
  }

  void write_page(const Report& report, const std::vector<Chart>& charts, const Names& scripts) {
    make_folder(out_ / "charts");
    for (const Chart& chart : charts) {
      const fs::path path = fs::path("charts") / chart.name;
      write(path.string() + ".vl.json", [&](std::ostream& file) { file << vega_lite(chart) << '\n'; });
      write(path.string() + ".svg", [&](std::ostream& file) { file << static_svg(chart); });
    }
    write("report.html", [&](std::ostream& file) { write_html(report, charts, scripts, file); });
  }

  const ReportFilesOptions& options_;
  fs::path out_;
  WrittenReport written_;
};

}  // namespace

WrittenReport write_report(const ReportFilesOptions& options) { return ReportWriter(options).write(); }

}  // namespace alacarte
