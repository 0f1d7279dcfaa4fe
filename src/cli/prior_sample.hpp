#pragma once
// A feature map or exact kernel made from a recipe alone, at one of its starting points: what `check` differentiates
// and what `generate kernel-draw` draws from.
#include <alacarte/core/random.hpp>
#include <alacarte/core/recipe.hpp>
#include <alacarte/core/training_view.hpp>
#include <alacarte/features/feature_map.hpp>
#include <alacarte/kernel/kernel.hpp>
#include <memory>

namespace alacarte::cli {

/// Exactly one of map and kernel is set.
struct PriorModel {
  std::shared_ptr<const FeatureMap> map;
  std::shared_ptr<const Kernel> kernel;
  const ParameterLayout& parameters() const { return map ? map->parameters() : kernel->parameters(); }
  Vector start(const TrainingView& view, RandomStream& stream) const;
};

/// Throws ConfigError for a mixture (its members are models, it is none).
PriorModel make_prior_model(const Recipe& recipe, Index input_count, const RandomStreams& streams);

/// One function drawn from the prior at `theta`, at the rows of x (n, d): (n). Feature maps: psi w, w ~ N(0, I). Exact
/// kernels: a Cholesky factor, cost n^3/3, memory n^2; throws NumericalError when no jitter helps.
Vector draw_function(const PriorModel& model, ConstVec theta, ConstMat x, RandomStream& stream);

}  // namespace alacarte::cli
