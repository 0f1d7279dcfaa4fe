#include "description.hpp"

namespace alacarte {

KernelDescription describe(const FittedModel& model, const Member& member) {
  const Vector theta = member.theta.head(member.prior.parameters().size());
  KernelDescription description = member.prior.describe(theta);
  for (Index j = 0; j < description.relevance.size(); ++j)
    if (model.standardizer.is_constant(j)) description.relevance[j] = 0;
  return description;
}

}  // namespace alacarte
