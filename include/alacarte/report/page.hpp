#pragma once
// Tables and charts as one HTML page.
#include <alacarte/report/chart.hpp>
#include <alacarte/report/report.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace alacarte {

/// The texts of vega, vega-lite and vega-embed, in the order they must run, from a node_modules folder: `folder` if it
/// is not "", else $ALACARTE_VEGA_DIR if it is set, else find_vega(); none where that is "". Throws IoError naming the
/// file that is missing.
std::vector<std::string> find_vega_scripts(const std::string& folder);

/// One self-contained page. `scripts`: of find_vega_scripts(); empty: static SVGs only, and the page says what is
/// missing.
void write_html(const Report& report, const std::vector<Chart>& charts, const std::vector<std::string>& scripts,
                std::ostream& out);

}  // namespace alacarte
