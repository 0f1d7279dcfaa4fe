// The report as one self-contained HTML file.
#include <fmt/format.h>
#include <cstdlib>
#include <filesystem>

#include "alacarte/core/error.hpp"
#include "app/find_files.hpp"
#include "core/text_file.hpp"
#include "report.hpp"

namespace alacarte {
namespace {

constexpr const char* kPageStyle = R"css(
:root { color-scheme: light; --ground: #ffffff; --text: #1b1f24; --soft: #57606a; --line: #d0d7de; --head: #f3f5f7;
  --link: #0b57b0; --mark: #e7f3e8; }
:root[data-theme="dark"] { color-scheme: dark; --ground: #14171b; --text: #e6e9ed; --soft: #a5afba; --line: #3a424b;
  --head: #1e2329; --link: #8ab8ff; --mark: #1d3524; }
@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { color-scheme: dark; --ground: #14171b;
  --text: #e6e9ed; --soft: #a5afba; --line: #3a424b; --head: #1e2329; --link: #8ab8ff; --mark: #1d3524; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
header, main { max-width: 72rem; margin: 0 auto; padding: 0 1rem; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--ground); padding: .5rem; z-index: 2; }
button, select { font: inherit; color: var(--text); background: var(--head); border: 1px solid var(--line);
  border-radius: .3rem; padding: .3rem .7rem; }
section { margin: 2.5rem 0; }
.scroll { position: relative; overflow-x: auto; width: fit-content; max-width: 100%; border: 1px solid var(--line); }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
th, td { padding: .35rem .6rem; border-top: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { background: var(--head); }
.number { text-align: right; white-space: nowrap; }
tbody th { font-weight: 600; background: var(--ground); position: sticky; left: 0; }
td strong { background: var(--mark); padding: 0 .2rem; }
.notes, .soft, figcaption { color: var(--soft); font-size: .9rem; }
.missing { border-left: 4px solid #c77700; padding: .5rem 1rem; background: var(--head); }
figure { margin: 0; }
.chart { width: 100%; min-height: 3rem; }
.chart.vega-embed { display: block; }
.vega-bindings { margin: .5rem 0; }
.vega-bind { display: inline-block; margin-right: 1rem; }
.static { width: 100%; max-width: 46rem; height: auto; fill: var(--text); }
.wide { overflow-x: auto; }
.wide .static { min-width: 36rem; }
.static .frame { stroke: var(--line); }
.static .grid { stroke: var(--line); }
.static .band { fill: var(--soft); }
.static .rule { stroke: var(--text); }
@media print { .skip, button, nav { display: none; } .scroll { overflow: visible; border: 0; } }
)css";

/// Script of the theme button, and of the charts with Vega. A static SVG stays until the interactive chart is drawn.
constexpr const char* kPageScript = R"js(
(function () {
  "use strict";
  var root = document.documentElement, button = document.getElementById("theme");
  var system = window.matchMedia("(prefers-color-scheme: dark)");
  try { var kept = localStorage.getItem("alacarte-theme"); if (kept === "dark" || kept === "light") root.dataset.theme = kept; }
  catch (refused) { /* pages opened from a file may have no storage */ }
  function dark() { return root.dataset.theme ? root.dataset.theme === "dark" : system.matches; }
  function config() {
    var style = getComputedStyle(root), text = style.getPropertyValue("--text").trim();
    var line = style.getPropertyValue("--line").trim(), accent = style.getPropertyValue("--link").trim();
    return { background: "transparent", view: { stroke: line },
      axis: { labelColor: text, titleColor: text, gridColor: line, domainColor: line, tickColor: line, labelFontSize: 12, titleFontSize: 12 },
      legend: { labelColor: text, titleColor: text, labelFontSize: 12 }, title: { color: text },
      mark: { color: accent }, rule: { color: accent }, rect: { color: accent }, area: { color: accent }, point: { color: accent },
      line: { color: accent }, text: { color: text, fontSize: 12 } };
  }
  var shown = [];
  function draw() {
    if (typeof vegaEmbed !== "function") return;
    shown.splice(0).forEach(function (view) { view.finalize(); });
    document.querySelectorAll("[data-spec]").forEach(function (place) {
      var spec = JSON.parse(document.getElementById(place.dataset.spec).textContent);
      delete spec.$schema; // its version would be compared with that of the library, and both 5 and 6 will do
      var stage = document.createElement("div");
      stage.className = "chart";
      place.replaceChildren(stage);
      vegaEmbed(stage, spec, { mode: "vega-lite", renderer: "svg", config: config(),
        actions: { export: true, source: false, compiled: false, editor: false } })
        .then(function (result) { shown.push(result); place.dataset.drawn = dark() ? "dark" : "light"; })
        .catch(function (error) { place.textContent = "This chart could not be drawn: " + error.message; });
    });
  }
  function label() { button.setAttribute("aria-pressed", String(dark())); }
  button.hidden = false;
  button.addEventListener("click", function () {
    root.dataset.theme = dark() ? "light" : "dark";
    try { localStorage.setItem("alacarte-theme", root.dataset.theme); } catch (refused) { /* as above */ }
    label(); draw();
  });
  system.addEventListener("change", function () { label(); draw(); });
  label(); draw();
}());
)js";

/// Escapes what would end or re-open the script element. A backslash changes nothing inside strings and regular
/// expressions of JavaScript.
std::string inside_script(std::string text) {
  for (const char* opening : {"</", "<!"})
    for (std::size_t at = 0; (at = text.find(opening, at)) != std::string::npos; at += 3) {
      // "a</b/" and "a<!b" are comparisons unless the name of an element or a comment follows.
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
  // A caption element would be as narrow as its table, so the long text is above.
  out << fmt::format(R"(<section id="{0}">
<h2 id="h-{0}">{1}</h2>
<p class="soft" id="c-{0}">{2}</p>
<div class="scroll" role="region" tabindex="0" aria-labelledby="h-{0}">
<table aria-describedby="c-{0}">
<caption>{1}</caption>
<thead><tr>)",
                     xml_escape(table.id), xml_escape(table.title), xml_escape(table.caption));
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    out << "<th scope=\"col\"" << (i >= table.text_columns ? " class=\"number\">" : ">") << xml_escape(table.columns[i])
        << "</th>";
  out << "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) write_row(table, row, out);
  out << "</tbody>\n</table>\n</div>\n";
  if (!table.notes.empty()) out << "<ul class=\"notes\">\n";
  for (const std::string& note : table.notes) out << "<li>" << xml_escape(note) << "</li>\n";
  out << (table.notes.empty() ? "</section>\n" : "</ul>\n</section>\n");
}

/// Names the panels that the static SVG omits.
std::string static_note(const Chart& chart) {
  const std::size_t shown = static_panels(chart).size();
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

void write_contents(const Report& report, std::ostream& out) {
  out << "<nav aria-label=\"Contents\"><ul>\n";
  for (const ReportTable& table : report.tables)
    out << "<li><a href=\"#" << xml_escape(table.id) << "\">" << xml_escape(table.title) << "</a></li>\n";
  for (const Chart& chart : report.charts)
    out << "<li><a href=\"#chart-" << xml_escape(chart.name) << "\">" << xml_escape(chart.title)
        << " (chart)</a></li>\n";
  out << "</ul></nav>\n";
}

void write_head(const Report& report, std::ostream& out) {
  const std::string title = xml_escape(report.title);
  out << R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; )"
         "script-src 'unsafe-inline' 'unsafe-eval'; img-src data: blob:\">\n<link rel=\"icon\" href=\"data:,\">\n"
      << "<title>" << title << "</title>\n<style>" << kPageStyle << "</style>\n</head>\n<body>\n"
      << "<a class=\"skip\" href=\"#content\">Skip to the content</a>\n<header>\n<h1>" << title << "</h1>\n";
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

void write_html(const Report& report, const std::vector<std::string>& scripts, std::ostream& out) {
  write_head(report, out);
  write_contents(report, out);
  out << "</header>\n<main id=\"content\" tabindex=\"-1\">\n";
  if (scripts.empty() && !report.charts.empty()) out << kMissing;
  for (const ReportTable& table : report.tables) write_table(table, out);
  for (const Chart& chart : report.charts) write_chart(chart, report.specifications, !scripts.empty(), out);
  out << "</main>\n";
  for (const std::string& script : scripts) out << "<script>" << inside_script(script) << "</script>\n";
  out << "<script>" << kPageScript << "</script>\n</body>\n</html>\n";
}

}  // namespace alacarte
