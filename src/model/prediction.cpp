#include "alacarte/model/prediction.hpp"

#include "alacarte/core/error.hpp"

namespace alacarte {

std::vector<Index> ClassPrediction::labels() const {
  std::vector<Index> places(static_cast<std::size_t>(values.rows()));
  for (Index i = 0; i < values.rows(); ++i) values.row(i).maxCoeff(&places[static_cast<std::size_t>(i)]);
  return places;
}

void Prediction::require_kind(TargetKind asked) const {
  constexpr const char* kNames[] = {"numbers", "classes", "counts"};
  const auto name = [&](TargetKind kind) { return std::string(kNames[static_cast<std::size_t>(kind)]); };
  require(kind() == asked, ("the prediction is of " + name(kind()) + ", not of " + name(asked)).c_str());
}

}  // namespace alacarte
