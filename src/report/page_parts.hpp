#pragma once
// Style and script of the page, as they go into it.

namespace alacarte::report_detail {

inline constexpr const char* kPageStyle = R"css(
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

/// Theme button, and the charts if Vega is there. A static SVG stays until the interactive chart is drawn.
inline constexpr const char* kPageScript = R"js(
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

}  // namespace alacarte::report_detail
