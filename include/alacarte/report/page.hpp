#pragma once
// Tables and charts as one HTML page.
#include <alacarte/report/chart.hpp>
#include <alacarte/report/report.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace alacarte {

/// The texts of vega, vega-lite and vega-embed below a node_modules folder, in the order they must run. Throws IoError
/// naming the file that is missing.
std::vector<std::string> read_vega(const std::string& node_modules);

/// read_vega() of `folder` if it is not "", else of $ALACARTE_VEGA_DIR if it is set, else of find_vega(); none where
/// that is "".
std::vector<std::string> find_vega_scripts(const std::string& folder);

/// One self-contained page. `scripts`: of read_vega; empty: static SVGs only, and the page says what is missing.
void write_html(const Report& report, const std::vector<Chart>& charts, const std::vector<std::string>& scripts,
                std::ostream& out);

}  // namespace alacarte
