#pragma once
// Location of the scripts of HTML pages, for all commands that write one.
#include <string>
#include <vector>

#include "options.hpp"

namespace alacarte::cli {

void add_vega_option(Command& command, std::string& folder);

/// find_vega_scripts() of --vega, with find_vega() as the installed ones.
std::vector<std::string> page_scripts(const std::string& option);

}  // namespace alacarte::cli
