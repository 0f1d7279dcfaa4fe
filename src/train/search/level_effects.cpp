#include "level_effects.hpp"

#include <cmath>

#include "optimise/fit_context.hpp"
#include "optimise/trainer.hpp"

namespace alacarte {

void fit_level_effects(const FitJob& job, const TrainingRows& rows, int threads, Vector& theta) {
  constexpr Index kMaxEffectRows = 2000, kEffectIterations = 12;
  const std::size_t effects = rows.statistics.level_counts.size();
  if (effects == 0 || !likelihood_of(job.recipe).is_conjugate() || rows.source->is_distributed()) return;
  RandomStream stream = job.streams.stream("level_effects.rows");
  TrainingRows few{
      gather_rows(*rows.source, draw_level_rows(*rows.source, kMaxEffectRows, stream)), rows.statistics, {}};
  if (few.source->rows() == 0) return;
  std::vector<std::string> held;
  for (const ParameterSlot& slot : job.prior.parameters().slots()) {
    if (slot.scale_power == 0) held.push_back(slot.name);
    if (slot.name.starts_with("effect["))
      theta[slot.offset] = std::log(rows.statistics.target_sd / std::sqrt(1 + static_cast<double>(effects)));
  }
  const auto make = [&](int count) {
    return make_job_inference(job, few, job.recipe.noise.prior_value, count, 0, held);
  };
  TrainingConfig config = job.recipe.training;
  config.iterations = kEffectIterations;
  try {
    const auto inference = make(threads);
    theta = minimise(*inference, make, {theta}, config, job.recipe.priors, threads, FitContext{}).theta;
  } catch (const NumericalError&) {  // leaves the effects at their starts
  }
}

}  // namespace alacarte
