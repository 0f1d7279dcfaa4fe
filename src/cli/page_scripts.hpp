#pragma once
// Where a page's scripts come from, for every command that writes one.
#include <string>
#include <vector>

#include "options.hpp"

namespace alacarte::cli {

void add_vega_option(Command& command, std::string& folder);

/// The scripts that make charts answer: of --vega if it was given, else of $ALACARTE_VEGA_DIR (set but empty: none),
/// else of find_vega(). Empty when there are none, and charts stand still. Throws IoError for a file missing in a
/// folder that was named.
std::vector<std::string> page_scripts(const std::string& option);

}  // namespace alacarte::cli
