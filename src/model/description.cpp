#include "description.hpp"

#include <fmt/format.h>
#include <numbers>

#include "core/spelling.hpp"

namespace alacarte {

KernelDescription describe(const FittedModel& model, const Member& member) {
  const Vector theta = member.theta.head(member.prior.parameters().size());
  KernelDescription description = member.prior.describe(theta);
  for (Index j = 0; j < description.relevance.size(); ++j)
    if (model.standardizer.is_constant(j)) description.relevance[j] = 0;
  return description;
}

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
