#include <algorithm>
#include <cmath>
#include <limits>

#include "alacarte/core/error.hpp"
#include "data/merged_rows.hpp"
#include "inference/evaluation.hpp"
#include "inference/gaussian_noise.hpp"

namespace alacarte {
namespace {

// Turns inference on merged rows into that on the rows that they stand for.
class MergedInference final : public Inference {
 public:
  MergedInference(std::unique_ptr<Inference> merged, std::shared_ptr<const MergedRows> rows,
                  const InferenceOptions& options)
      : merged_(std::move(merged)), rows_(std::move(rows)), noise_(*rows_, options) {}

  const ParameterLayout& parameters() const override { return merged_->parameters(); }
  double jitter() const override { return merged_->jitter(); }
  double noise_sd(ConstVec theta) const override { return merged_->noise_sd(theta); }
  Vector warm_start() const override { return merged_->warm_start(); }
  void set_warm_start(ConstVec state) override { merged_->set_warm_start(state); }

  double evaluate_below(double ceiling, ConstVec theta, VecRef gradient) override {
    check_theta(parameters(), theta);
    const double more = constant(theta), merged_ceiling = ceiling - more;
    const double of_merged = merged_->evaluate_below(merged_ceiling, theta, gradient);
    const ParameterSlot& slot = parameters().slots().back();
    for (Index t = 0; t < noise_.count() && slot.trainable; ++t) {
      const double log_sd = theta[noise_at() + t];
      gradient[noise_at() + t] += rows_->constant_slope(t, noise_.variance(t, log_sd)) * noise_.slope(log_sd);
    }
    if (of_merged > merged_ceiling)  // rejected, whatever rounding does to the sum
      return std::max(of_merged + more, std::nextafter(ceiling, std::numeric_limits<double>::infinity()));
    finish_gradient(parameters(), of_merged + more, gradient);
    return of_merged + more;
  }

  double value(ConstVec theta) override { return merged_->value(theta) + constant(theta); }

  Solution solve(ConstVec theta, const LeftOutRows& left_out) override {
    if (!left_out.any) return merged_->solve(theta, left_out);
    // `sets` are the merged rows that the rows belong to, `places` the place of each row's set among them.
    std::vector<Index> sets, places = places_of(left_out.rows);
    if (!left_out.rows.empty()) {
      sets = places;
      std::sort(sets.begin(), sets.end());
      sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
      for (Index& place : places) place = std::lower_bound(sets.begin(), sets.end(), place) - sets.begin();
    }
    Solution solution = merged_->solve(theta, {true, sets});
    for (Index t = 0; t < noise_.count(); ++t) {
      LeaveOneOut& own = t == 0 ? solution.leave_one_out : solution.more[static_cast<std::size_t>(t - 1)].leave_one_out;
      own = leave_one_out_of_rows(own, t, noise_.variance(t, theta[noise_at() + t]), sets, places, left_out.rows);
    }
    return solution;
  }

  /// Returns the block of rows from that of their sets, whose posterior covariance of f they share:
  ///
  ///   P_ij = d_ij w_i/s2 + (w_i/W_s) (w_j/W_t) (P_st - d_st W_s/s2)
  ///
  /// for the rows i, j of the sets s, t, with d_ij = 1 for i = j and 0 otherwise; P y as in leave_one_out_of_rows().
  PrecisionBlock precision_block(ConstVec theta, const std::vector<Index>& rows, Index target) override {
    std::vector<Index> places = places_of(rows), sets = places;
    std::sort(sets.begin(), sets.end());
    sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
    for (Index& place : places) place = std::lower_bound(sets.begin(), sets.end(), place) - sets.begin();
    PrecisionBlock of_sets = merged_->precision_block(theta, sets, target);
    const double noise = noise_.variance(target, theta[noise_at() + target]);
    of_sets.precision.diagonal() -= rows_->weights()(sets) / noise;
    const auto& source = static_cast<const MemoryRows&>(rows_->source());
    const Vector y = target == 0 ? source.y() : Vector(source.more_targets().col(target - 1));
    const auto count = static_cast<Index>(rows.size());
    PrecisionBlock block{Matrix(count, count), Vector(count), y(rows)};
    const Vector weights = source.has_weights() ? Vector(source.weights()(rows)) : Vector::Ones(count);
    const Vector shares = weights.cwiseQuotient(rows_->weights()(sets)(places));
    block.precision = (shares * shares.transpose()).cwiseProduct(of_sets.precision(places, places));
    block.precision.diagonal() += weights / noise;
    block.projected =
        weights.cwiseProduct(block.y - of_sets.y(places)) / noise + shares.cwiseProduct(of_sets.projected(places));
    return block;
  }

  EvaluationPlan plan() const override {
    EvaluationPlan plan = merged_->plan();
    plan.distinct_rows = plan.rows;
    plan.rows = rows_->source().rows();
    plan.memory_bytes += MergedRows::making_bytes(rows_->source());
    return plan;
  }

 private:
  Index noise_at() const { return parameters().size() - noise_.count(); }

  double constant(ConstVec theta) const {
    double sum = 0;
    for (Index t = 0; t < noise_.count(); ++t) sum += rows_->constant(t, noise_.variance(t, theta[noise_at() + t]));
    return sum;
  }

  std::vector<Index> places_of(const std::vector<Index>& rows) const {
    if (rows.empty()) return rows_->places();
    std::vector<Index> places;
    for (const Index row : rows) places.push_back(rows_->places()[static_cast<std::size_t>(row)]);
    return places;
  }

  /// Returns leave-one-out predictions of rows from those of their sets. With P and a = P y of a set of weight W and
  /// mean target y, and with v the posterior variance of f there, row i of the set has
  ///
  ///   P_ii = w_i/s2 - (w_i/s2)^2 v = w_i/s2 (1 - w_i/W) + (w_i/W)^2 P,  a_i = w_i (y_i - y)/s2 + w_i/W a,
  ///
  /// since P = W/s2 - (W/s2)^2 v. This takes no difference of large numbers.
  LeaveOneOut leave_one_out_of_rows(const LeaveOneOut& of_sets, Index t, double noise_variance,
                                    const std::vector<Index>& sets, const std::vector<Index>& places,
                                    const std::vector<Index>& rows) const {
    const auto& source = static_cast<const MemoryRows&>(rows_->source());
    const auto count = static_cast<Index>(places.size());
    Vector y(count), projected(count), precision(count);
    for (Index k = 0; k < count; ++k) {
      const Index place = places[static_cast<std::size_t>(k)];
      const Index set = sets.empty() ? place : sets[static_cast<std::size_t>(place)];
      const Index row = rows.empty() ? k : rows[static_cast<std::size_t>(k)];
      const double mean = t == 0 ? rows_->target()[set] : rows_->more_targets()(set, t - 1);
      const double weight = source.has_weights() ? source.weights()[row] : 1.0;
      const double share = weight / rows_->weights()[set];
      const double of_set = 1 / of_sets.variance(place, 0);
      y[k] = t == 0 ? source.y()[row] : source.more_targets()(row, t - 1);
      precision[k] = weight / noise_variance * (1 - share) + share * share * of_set;
      projected[k] = weight * (y[k] - mean) / noise_variance + share * of_set * (mean - of_sets.mean(place, 0));
    }
    return leave_one_out_from(y, projected, precision);
  }

  std::unique_ptr<Inference> merged_;
  std::shared_ptr<const MergedRows> rows_;
  NoiseTerms noise_;
};

}  // namespace

std::unique_ptr<Inference> make_merged(std::unique_ptr<Inference> merged, std::shared_ptr<const MergedRows> rows,
                                       const InferenceOptions& options) {
  return std::make_unique<MergedInference>(std::move(merged), std::move(rows), options);
}

}  // namespace alacarte
