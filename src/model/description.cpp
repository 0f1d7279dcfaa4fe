#include "description.hpp"

#include <nlohmann/json.hpp>

namespace alacarte {

nlohmann::json describe(const FittedModel& model, const Member& member) {
  const Vector theta = member.theta.head(member.parameters().size());
  nlohmann::json description = member.map ? member.map->describe(theta) : member.kernel->describe(theta);
  const auto relevance = description.find("relevance");
  for (std::size_t j = 0; relevance != description.end() && j < relevance->size(); ++j)
    if (model.standardizer.is_constant(static_cast<Index>(j))) (*relevance)[j] = 0;
  return description;
}

}  // namespace alacarte
