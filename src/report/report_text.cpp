// Formats a report as Markdown, LaTeX and CSV, and writes its page, tables and charts.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <filesystem>

#include "alacarte/core/error.hpp"
#include "core/atomic_file.hpp"
#include "core/text_file.hpp"
#include "report.hpp"
#include "report/charts.hpp"

namespace alacarte {
namespace {

/// Pairs of a text and its replacement; the first match applies.
using Replacements = std::vector<std::pair<std::string, std::string>>;

std::string replace(const std::string& text, const Replacements& replacements) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto found = std::find_if(replacements.begin(), replacements.end(),
                                    [&](const auto& one) { return text.compare(i, one.first.size(), one.first) == 0; });
    result += found == replacements.end() ? text.substr(i, 1) : found->second;
    i += found == replacements.end() ? 1 : found->first.size();
  }
  return result;
}

const Replacements kLineEnds = {{"\n", " "}, {"\r", " "}};

/// Returns the replacements, with line ends and a backslash before each character of `escaped`.
Replacements with_escapes(Replacements others, const std::string& escaped) {
  others.insert(others.end(), kLineEnds.begin(), kLineEnds.end());
  for (const char c : escaped) others.emplace_back(std::string{c}, std::string{'\\', c});
  return others;
}

std::string markdown(const std::string& text) {
  static const Replacements all = with_escapes({{"<", "&lt;"}}, "|*_`[\\");
  return replace(text, all);
}

std::string latex(const std::string& text) {
  static const Replacements all = with_escapes({{" ± ", " $\\pm$ "},
                                                {"–", "--"},
                                                {"\\", "\\textbackslash{}"},
                                                {"^", "\\textasciicircum{}"},
                                                {"~", "\\textasciitilde{}"},
                                                {"<", "\\textless{}"},
                                                {">", "\\textgreater{}"},
                                                {"|", "\\textbar{}"}},
                                               "{}$&#%_");
  return replace(text, all);
}

void write_markdown_table(const ReportTable& table, std::ostream& out) {
  out << "\n## " << markdown(table.title) << "\n\n" << markdown(table.caption) << "\n\n|";
  for (const std::string& column : table.columns) out << ' ' << markdown(column) << " |";
  out << "\n|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) out << (i < table.text_columns ? " --- |" : " ---: |");
  out << '\n';
  for (const auto& row : table.rows) {
    out << '|';
    for (const ReportCell& cell : row) {
      const std::string text = markdown(cell.text);
      out << ' ' << (cell.strong ? "**" + text + "**" : text) << " |";
    }
    out << '\n';
  }
  if (!table.notes.empty()) out << '\n';
  for (const std::string& note : table.notes) out << "- " << markdown(note) << '\n';
}

void write_latex_table(const ReportTable& table, std::ostream& out) {
  out << "\n\\begin{table}\n\\centering\n\\caption{\\textbf{" << latex(table.title) << ".} " << latex(table.caption);
  for (const std::string& note : table.notes) out << ' ' << latex(note);
  out << "}\n\\label{tab:" << table.id
      << "}\n\\resizebox{\\ifdim\\width>\\linewidth \\linewidth\\else\\width\\fi}{!}{%\n"
      << "\\begin{tabular}{" << std::string(table.text_columns, 'l')
      << std::string(table.columns.size() - table.text_columns, 'r') << "}\n\\toprule\n";
  std::vector<std::string> cells;
  for (const std::string& column : table.columns) cells.push_back(latex(column));
  out << fmt::format("{} \\\\\n\\midrule\n", fmt::join(cells, " & "));
  for (const auto& row : table.rows) {
    cells.clear();
    for (const ReportCell& cell : row)
      cells.push_back(cell.strong ? "\\textbf{" + latex(cell.text) + "}" : latex(cell.text));
    out << fmt::format("{} \\\\\n", fmt::join(cells, " & "));
  }
  out << "\\bottomrule\n\\end{tabular}}\n\\end{table}\n";
}

std::string csv(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  return '"' + replace(text, {{"\"", "\"\""}}) + '"';
}

std::string number(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : std::string(); }

/// Formats the columns after the data set and its size.
std::string csv_measure(const DatasetSummary& row, Measure measure, const FoldSummary& cell, Index failed,
                        const PaperNumber* paper) {
  std::string line = fmt::format("{},{},{},{},{},{},{},{}", name_of(measure), cell.folds.size(), row.folds, failed,
                                 cell.mean, number(cell.sd), number(cell.p_value), cell.marked ? 1 : 0);
  if (measure != Measure::rmse || paper == nullptr) return line + ",,,";
  const std::string ratio = paper->mean > 0 ? fmt::format("{}", cell.mean / paper->mean) : std::string();
  return line + fmt::format(",{},{},{}", paper->mean_text, paper->sd_text, ratio);
}

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

void write_markdown(const Report& report, std::ostream& out) {
  out << "# " << markdown(report.title) << '\n';
  if (!report.description.empty()) out << '\n' << markdown(report.description) << '\n';
  for (const ReportTable& table : report.tables) write_markdown_table(table, out);
}

void write_latex(const Report& report, std::ostream& out) {
  out << "% " << replace(report.title, kLineEnds) << "\n% Needs \\usepackage{booktabs,graphicx} and UTF-8 input.\n";
  for (const ReportTable& table : report.tables) write_latex_table(table, out);
}

void write_summary_csv(const Summary& summary, const PaperNumbers* paper, std::ostream& out) {
  out << "dataset,rows,inputs,method,metric,folds,folds_expected,failed_units,mean,sd,p_value,marked,paper_mean,"
         "paper_sd,ratio\n";
  for (const DatasetSummary& row : summary.datasets) {
    for (const std::string& method : summary.methods) {
      const auto found = row.methods.find(method);
      if (found == row.methods.end()) continue;
      const std::string head = fmt::format("{},{},{},{},", csv(row.name), row.rows, row.inputs, csv(method));
      const PaperNumber* const printed = paper == nullptr ? nullptr : paper->find(row.name, method);
      for (const auto& [measure, cell] : found->second.measures)
        out << head << csv_measure(row, measure, cell, found->second.failed, printed) << '\n';
      if (found->second.measures.empty())
        out << head << fmt::format(",0,{},{},,,,,,,\n", row.folds, found->second.failed);
    }
  }
  for (const Ranking& ranking : summary.rankings)
    for (std::size_t i = 0; i < ranking.methods.size(); ++i)
      out << fmt::format("(ranks),,,{},rank_{},,,,{},,,{},,,\n", csv(ranking.methods[i]), name_of(ranking.measure),
                         ranking.ranks[i],
                         ranking.ranks[i] - ranking.ranks.front() < ranking.critical_difference ? 1 : 0);
}

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
