// The report as one HTML file that needs nothing else.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "alacarte/app/find_files.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/core/text_file.hpp"
#include "alacarte/report/page.hpp"
#include "report/page_parts.hpp"

namespace alacarte {
namespace {

using report_detail::kPageScript;
using report_detail::kPageStyle;

/// What ends or re-opens a script element must not stand in one. Inside strings and regular expressions of JavaScript
/// the backslash changes nothing.
std::string inside_script(std::string text) {
  for (const char* opening : {"</", "<!"})
    for (std::size_t at = 0; (at = text.find(opening, at)) != std::string::npos; at += 3) {
      // "a</b/" and "a<!b" are comparisons unless the word of an element or a comment follows.
      const bool comment = text.compare(at + 2, 2, "--") == 0;
      const bool element = text.size() > at + 3 && (text[at + 2] | 0x20) == 's' && (text[at + 3] | 0x20) == 'c';
      if (comment || element) text.insert(at + 1, 1, '\\');
    }
  return text;
}

std::string json_in_script(const std::string& json) {
  std::string text;
  for (const char c : json) text += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return text;
}

void write_row(const ReportTable& table, const std::vector<ReportCell>& row, std::ostream& out) {
  out << "<tr>";
  for (std::size_t i = 0; i < row.size(); ++i) {
    const ReportCell& cell = row[i];
    const std::string text = xml_escape(cell.text);
    out << (i == 0 ? "<th scope=\"row\"" : "<td");
    if (i >= table.text_columns) out << " class=\"number\"";
    if (cell.value) out << fmt::format(" data-value=\"{}\"", *cell.value);
    out << '>' << (cell.strong ? "<strong>" + text + "</strong>" : text) << (i == 0 ? "</th>" : "</td>");
  }
  out << "</tr>\n";
}

void write_table(const ReportTable& table, std::ostream& out) {
  const std::string id = xml_escape(table.id), title = xml_escape(table.title);
  // The caption element would be as narrow as its table: the long text stands above.
  out << "<section id=\"" << id << "\">\n<h2 id=\"h-" << id << "\">" << title << "</h2>\n<p class=\"soft\" id=\"c-"
      << id << "\">" << xml_escape(table.caption)
      << "</p>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-labelledby=\"h-" << id
      << "\">\n<table aria-describedby=\"c-" << id << "\">\n<caption>" << title << "</caption>\n<thead><tr>";
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    out << "<th scope=\"col\"" << (i >= table.text_columns ? " class=\"number\">" : ">") << xml_escape(table.columns[i])
        << "</th>";
  out << "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) write_row(table, row, out);
  out << "</tbody>\n</table>\n</div>\n";
  if (!table.notes.empty()) {
    out << "<ul class=\"notes\">\n";
    for (const std::string& note : table.notes) out << "<li>" << xml_escape(note) << "</li>\n";
    out << "</ul>\n";
  }
  out << "</section>\n";
}

/// Panels that the static SVG omits.
std::string static_note(const Chart& chart) {
  const std::size_t shown = static_panel_count(chart);
  if (shown == chart.panels.size()) return {};
  const std::string which = chart.static_note.empty() ? "" : ": of each data set " + chart.static_note;
  return fmt::format(" Without Vega, {} of {} panels are shown{}.", shown, chart.panels.size(), which);
}

void write_chart(const Chart& chart, const std::string& specifications, bool interactive, std::ostream& out) {
  const std::string name = xml_escape(chart.name);
  out << "<section id=\"chart-" << name << "\">\n<h2>" << xml_escape(chart.title) << "</h2>\n<figure>\n<div"
      << (interactive ? " data-spec=\"spec-" + name + "\"" : " class=\"wide\"") << ">" << static_svg(chart)
      << "</div>\n<figcaption>" << xml_escape(chart.description + (interactive ? "" : static_note(chart)));
  if (!specifications.empty()) out << " Specification: " << xml_escape(specifications) << "/" << name << ".vl.json.";
  out << "</figcaption>\n</figure>\n";
  if (interactive)
    out << "<script type=\"application/json\" id=\"spec-" << name << "\">" << json_in_script(vega_lite(chart))
        << "</script>\n";
  out << "</section>\n";
}

void write_contents(const Report& report, const std::vector<Chart>& charts, std::ostream& out) {
  out << "<nav aria-label=\"Contents\"><ul>\n";
  for (const ReportTable& table : report.tables)
    out << "<li><a href=\"#" << xml_escape(table.id) << "\">" << xml_escape(table.title) << "</a></li>\n";
  for (const Chart& chart : charts)
    out << "<li><a href=\"#chart-" << xml_escape(chart.name) << "\">" << xml_escape(chart.title)
        << " (chart)</a></li>\n";
  out << "</ul></nav>\n";
}

void write_head(const Report& report, std::ostream& out) {
  out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
         "script-src 'unsafe-inline' 'unsafe-eval'; img-src data: blob:\">\n<link rel=\"icon\" "
         "href=\"data:,\">\n<title>"
      << xml_escape(report.title) << "</title>\n<style>" << kPageStyle << "</style>\n</head>\n<body>\n"
      << "<a class=\"skip\" href=\"#content\">Skip to the content</a>\n<header>\n<h1>" << xml_escape(report.title)
      << "</h1>\n";
  if (!report.description.empty()) out << "<p>" << xml_escape(report.description) << "</p>\n";
  out << "<button id=\"theme\" type=\"button\" aria-pressed=\"false\" hidden>Dark</button>\n";
}

const char* const kMissing =
    "<p class=\"missing\">Vega, Vega-Lite and Vega-Embed were not there when this page was made, so the charts are "
    "static and may show fewer data sets and methods. Everything else is here. For interactive charts run "
    "experiments/vega.sh in the source folder, configure and build again, and make the page anew; or name a "
    "node_modules folder that has the three with --vega.</p>\n";

}  // namespace

std::vector<std::string> find_vega_scripts(const std::string& folder) {
  const char* const setting = std::getenv("ALACARTE_VEGA_DIR");
  const std::string found = !folder.empty() ? folder : setting != nullptr ? std::string(setting) : find_vega();
  std::vector<std::string> scripts;
  if (found.empty()) return scripts;
  for (const std::string name : {"vega", "vega-lite", "vega-embed"}) {
    const std::filesystem::path path = std::filesystem::path(found) / name / "build" / (name + ".min.js");
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error))
      throw IoError(path.string(), "cannot be read; experiments/vega.sh installs it");
    scripts.push_back(read_text_file(path.string()));
  }
  return scripts;
}

void write_html(const Report& report, const std::vector<Chart>& charts, const std::vector<std::string>& scripts,
                std::ostream& out) {
  write_head(report, out);
  write_contents(report, charts, out);
  out << "</header>\n<main id=\"content\" tabindex=\"-1\">\n";
  if (scripts.empty() && !charts.empty()) out << kMissing;
  for (const ReportTable& table : report.tables) write_table(table, out);
  for (const Chart& chart : charts) write_chart(chart, report.specifications, !scripts.empty(), out);
  out << "</main>\n";
  for (const std::string& script : scripts) out << "<script>" << inside_script(script) << "</script>\n";
  out << "<script>" << kPageScript << "</script>\n</body>\n</html>\n";
}

}  // namespace alacarte
