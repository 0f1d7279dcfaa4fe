#include "season_records.hpp"

#include <fmt/format.h>
#include <numbers>

#include "core/spelling.hpp"

namespace alacarte {

std::vector<SeasonRecord> season_records(const RowStructure& structure, const std::vector<std::string>& input_names) {
  std::vector<SeasonRecord> records;
  for (const SpectralPeak& season : structure.seasons())
    records.push_back({input_names.at(static_cast<std::size_t>(season.input)), 2 * std::numbers::pi / season.frequency,
                       season.share});
  return records;
}

std::string season_text(const SeasonRecord& season) {
  return fmt::format("{}, period {:.4g}, {:.0f} % of the variance", one_line(season.input), season.period,
                     100 * season.share);
}

}  // namespace alacarte
