#include "page_scripts.hpp"

#include "alacarte/report/page.hpp"
#include "paths.hpp"

namespace alacarte::cli {

void add_vega_option(Command& command, std::string& folder) {
  command.add(
      {"--vega", &folder,
       "node_modules folder with vega, vega-lite and vega-embed, for interactive charts\n"
       "(default: $ALACARTE_VEGA_DIR, else what experiments/vega.sh installed); charts are static SVG without it",
       "FOLDER"});
}

std::vector<std::string> page_scripts(const std::string& option) { return find_vega_scripts(option, find_vega()); }

}  // namespace alacarte::cli
