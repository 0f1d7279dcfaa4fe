#include "page_scripts.hpp"

#include <cstdlib>

#include "alacarte/experiment/charts.hpp"
#include "paths.hpp"

namespace alacarte::cli {

void add_vega_option(Command& command, std::string& folder) {
  command.add({"--vega", &folder,
               "node_modules folder with vega, vega-lite and vega-embed, for charts that answer\n"
               "(default: $ALACARTE_VEGA_DIR, else what experiments/vega.sh installed; without, charts stand still)",
               "FOLDER"});
}

std::vector<std::string> page_scripts(const std::string& option) {
  const char* const setting = std::getenv("ALACARTE_VEGA_DIR");
  const std::string folder = !option.empty() ? option : setting != nullptr ? std::string(setting) : find_vega();
  return folder.empty() ? std::vector<std::string>() : read_vega(folder);
}

}  // namespace alacarte::cli
