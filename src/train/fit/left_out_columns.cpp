// Left-out predictions where rows have groups or times.
#include "data/row_pass.hpp"
#include "inference/left_out_groups.hpp"
#include "one_fit.hpp"

namespace alacarte {
namespace {

constexpr Index kPredictedAtOnce = 64;  // rows that a thread takes at once

/// Returns the moments that LeaveOneOut has, by a posterior that did not see the rows.
LeaveOneOut moments_at(const Posterior& posterior, const MemoryRows& rows, int threads) {
  LeaveOneOut left{Matrix(rows.rows(), posterior.outputs()), Matrix(rows.rows(), pair_count(posterior.outputs()))};
  for_each_chunk(rows.rows(), kPredictedAtOnce, threads, [&](int, Index first, Index count) {
    posterior.predict_outputs(rows.x().middle_rows(first, count), left.mean.middleRows(first, count),
                              left.variance.middleRows(first, count));
  });
  if (const double noise = posterior.noise_variance(); noise > 0 && rows.has_weights())
    left.variance.col(0).array() += noise / rows.weights().array();
  else if (noise > 0)
    left.variance.array() += noise;
  return left;
}

/// Returns the inference on the rows without those that are left out together.
Inference& inference_on_rest(OneFit& fit) {
  if (!fit.rest && fit.seen().held_out != nullptr) return *fit.inference;
  if (!fit.rest) fit.rest = fit.make_inference_on(rows_seen(fit.rows(), fit.training.scored), fit.threads);
  return *fit.rest;
}

}  // namespace

void leave_out_by_columns(OneFit& fit, const Vector& theta, Solution& solution) {
  const Training& training = fit.training;
  const auto left_out_of = [&](Index target) -> LeaveOneOut& {
    return target == 0 ? solution.leave_one_out : solution.more[static_cast<std::size_t>(target) - 1].leave_one_out;
  };
  const auto targets = static_cast<Index>(1 + solution.more.size());
  if (training.left_out_by == LeftOutBy::groups) {
    for (Index t = 0; t < targets; ++t)
      left_out_of(t) = leave_groups_out(fit.last_inference(), theta, training.left_out_groups, t);
    return;
  }
  const auto rows = gather_rows(*fit.rows().source, training.scored);
  const Solution of_rest = inference_on_rest(fit).solve(theta, LeftOutRows::none());
  for (Index t = 0; t < targets; ++t)
    left_out_of(t) = moments_at(t == 0 ? *of_rest.posterior : *of_rest.more[static_cast<std::size_t>(t) - 1].posterior,
                                *rows, fit.threads);
}

}  // namespace alacarte
