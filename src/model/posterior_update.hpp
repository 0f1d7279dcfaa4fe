#pragma once
// Takes further rows into the posterior of one fit, exactly, at fixed hyperparameters.
//
// With psi, s2 and the constant of linear_gaussian.hpp, the posterior mean w of some rows has the residuals e = y -
// offset - psi^T w, and of further rows r in the same place. The posterior of all of them is
//
//   w' = keep w + d,  d the posterior mean of the targets z = (1 - keep) psi^T w, to which new rows add r,
//
// at the rows' weights, those of the rows learned before times keep: their own targets are never needed again, and the
// change by the new rows is not a difference of large numbers. Alpha of an exact process behaves alike. Over features d
// comes from the factor alone, B' = I + keep (B - I) + Psi_new^T W Psi_new / s2 with the shift of the centre.
#include <memory>

#include "alacarte/model/fitted_model.hpp"

namespace alacarte {

/// Result of an update.
struct UpdatedPosterior {
  std::unique_ptr<Posterior> posterior;
  /// log p(new targets | those before), in standardised units and with the rows' weights; NaN where keep < 1, since
  /// there is no such probability.
  double log_density = 0;
  double jitter = 0;  ///< jitter of the new factor
};

/// Collects the rows that one posterior learns.
class PosteriorUpdate {
 public:
  virtual ~PosteriorUpdate() = default;
  /// Adds rows: x (rows, d) and y (rows) standardised, weights (rows) above 0 or empty: all 1. On one thread; sums are
  /// added in the order of the calls. Cost rows D^2 over features in the primal form; otherwise the rows are kept.
  virtual void add(const InputView& x, ConstVec y, const Vector& weights) = 0;
  virtual double model_bytes() const = 0;  ///< size of the posterior in the model file, with the rows so far
  /// Makes the posterior of all rows; called once, after at least one row. Throws NumericalError. Cost 2 D^3, or with n
  /// rows in all n^3 / 3 and their Gram matrix.
  virtual UpdatedPosterior finish() = 0;
};

/// Begins an update. keep, above 0 and at most 1, multiplies the weights of the rows learned so far. The member must
/// outlive the update. Returns null where its posterior has no exact update (another likelihood or learner, means
/// alone).
std::unique_ptr<PosteriorUpdate> make_posterior_update(const Member& member, double keep);
/// Updates of an exact process, and of features with fewer rows than features (rows_update.cpp).
std::unique_ptr<PosteriorUpdate> make_exact_update(const Member& member, const ExactState& state, double keep);
std::unique_ptr<PosteriorUpdate> make_dual_update(const Member& member, const FeatureState& state, double keep);

/// Returns the size of the factor of a posterior in the model file.
inline double bytes_of_factor(Index n) { return 4 * static_cast<double>(n) * static_cast<double>(n + 1); }

}  // namespace alacarte
