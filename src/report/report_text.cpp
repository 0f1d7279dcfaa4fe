// Formats a report as Markdown, LaTeX and CSV.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>

#include "report.hpp"

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

}  // namespace alacarte
