#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "alacarte/core/error.hpp"
#include "data/distributed_rows.hpp"
#include "features/kernel_features.hpp"
#include "inference/gaussian_gram.hpp"
#include "model/posteriors.hpp"

namespace alacarte {
namespace {

class GaussianExact final : public GaussianGram {
 public:
  GaussianExact(std::shared_ptr<const Kernel> kernel, std::shared_ptr<const RowSource> rows,
                const InferenceOptions& options)
      : GaussianGram(kernel->parameters(), std::move(rows), options), kernel_(std::move(kernel)) {}

  EvaluationPlan plan() const override {
    const double n = as_double(source().rows()), d = as_double(source().inputs());
    EvaluationPlan plan =
        with_exact_flops(plan_of(source(), 0, parameters().trainable_count(), "exact"), kernel_->kernels_per_pair());
    plan.memory_bytes = 8 * 3 * n * n;
    plan.model_bytes = 8 * (n * (n + 1) / 2 + n * d + 2 * n + as_double(parameters().size()));
    return with_targets(plan);
  }

 private:
  std::unique_ptr<Posterior> make_posterior_at(ConstVec theta, const DualGaussian& gaussian) override {
    ExactState state;
    state.scalars = {gaussian.offset(), gaussian.noise_variance(), gaussian.constant_variance()};
    state.inputs = x().dense();
    state.alpha = gaussian.alpha();
    state.row_means = gaussian.row_means();
    state.roots = gaussian.roots();
    state.factor = gaussian.factor_matrix();
    return make_posterior(kernel_, theta, std::move(state));
  }

  void form(ConstVec theta, MatRef gram) override { kernel_->gram_lower(theta, x().dense(), gram, threads()); }
  void pull_back(ConstVec theta, ConstMat gram, ConstMat gram_bar, VecRef theta_bar) override {
    kernel_->backward(theta, x().dense(), gram, gram_bar, theta_bar, threads());
  }

  std::shared_ptr<const Kernel> kernel_;
};

}  // namespace

// The noise of a row of mean weight is what the recipe speaks of.
NoiseTerm::NoiseTerm(const NoiseConfig& config, const TargetMoments& target)
    : floor_(config.trained ? config.floor : 0),
      prior_mean_(std::log(config.prior_value) + 0.5 * std::log(target.mean_weight)),
      prior_sd_(config.prior_sd),
      log_unit_(std::log(target.sd) + 0.5 * std::log(target.mean_weight)) {
  require(config.floor >= 0 && config.prior_value > 0 && config.prior_sd > 0, "objective: noise settings");
}

ParameterSlot NoiseTerm::slot() const {
  return {.name = "noise.log_sd",
          .prior = {Prior::Kind::log_inverse_gamma, Vector::Constant(1, prior_mean_), prior_sd_},
          .lower = log_unit_ - 12,
          .upper = log_unit_ + 5};
}

double NoiseTerm::variance(double log_sd) const { return floor_ * floor_ + std::exp(2.0 * log_sd); }

double NoiseTerm::slope(double log_sd) const { return 2.0 * std::exp(2.0 * log_sd); }

ParameterLayout with_held(ParameterLayout layout, const InferenceOptions& options) {
  for (ParameterSlot& slot : layout.slots())
    slot.trainable = slot.trainable && (options.trains_lengthscales || !slot.is_lengthscale());
  return layout;
}

TargetMoments moments_of_target(ConstVec y, double mean_weight) {
  const double mean = y.mean(), count = static_cast<double>(y.size());
  const double variance = (y.array() - mean).square().sum() / std::max(1.0, count - 1);
  return {mean, variance > 0 ? std::sqrt(variance) : 1.0, mean_weight};
}

std::vector<TargetMoments> moments_of_targets(const RowSource& rows) {
  if (const auto* merged = dynamic_cast<const MergedRows*>(&rows)) return moments_of_targets(merged->source());
  std::vector<TargetMoments> moments = {target_moments(rows)};
  const Matrix& more = rows.more_targets();
  for (Index t = 0; t < more.cols(); ++t)
    moments.push_back(moments_of_target(more.col(t), moments.front().mean_weight));
  return moments;
}

NoiseTerms::NoiseTerms(const RowSource& rows, const InferenceOptions& options) {
  for (const TargetMoments& moments : moments_of_targets(rows)) {
    const bool is_first = terms_.empty() || options.more_noise.empty();
    terms_.emplace_back(is_first ? options.noise : options.more_noise[terms_.size() - 1], moments);
    means_.push_back(moments.mean);
  }
}

ParameterSlot NoiseTerms::slot() const {
  ParameterSlot all = terms_.front().slot();
  if (count() == 1) return all;
  all.size = count();
  all.prior.mean.resize(count());
  for (Index t = 0; t < count(); ++t) {
    const ParameterSlot own = terms_[static_cast<std::size_t>(t)].slot();
    all.prior.mean[t] = own.prior.mean[0];
    all.lower = std::min(all.lower, own.lower);
    all.upper = std::max(all.upper, own.upper);
  }
  return all;
}

std::vector<Index> places_in_block(const std::vector<Index>& which, Index first, Index rows) {
  std::vector<Index> places;
  if (which.empty()) {
    places.resize(static_cast<std::size_t>(rows));
    std::iota(places.begin(), places.end(), Index{0});
    return places;
  }
  for (auto row = std::lower_bound(which.begin(), which.end(), first); row != which.end() && *row < first + rows; ++row)
    places.push_back(*row - first);
  return places;
}

void forward_places(const PreparedMap& map, const RowBlock& block, const std::vector<Index>& places, MatRef psi) {
  if (static_cast<Index>(places.size()) == block.y.size())
    map.forward(block.x, psi);
  else if (block.x.is_sparse())
    map.forward(select_rows(block.x.sparse(), places).view(), psi);
  else
    map.forward(Matrix(block.x.dense()(places, Eigen::all)), psi);
}

ParameterLayout with_noise(const ParameterLayout& layout, ParameterSlot slot, const InferenceOptions& options) {
  ParameterLayout all = with_held(layout, options);
  slot.trainable = options.noise.trained;
  all.add(std::move(slot));
  return all;
}

void check_theta(const ParameterLayout& layout, ConstVec theta) {
  require(theta.size() == layout.size(), "theta does not fit the objective");
  for (Index i = 0; i < theta.size(); ++i)
    if (!std::isfinite(theta[i])) throw NumericalError("objective", layout.entry_name(i) + " is not finite", theta[i]);
}

void finish_gradient(const ParameterLayout& layout, double value, VecRef gradient) {
  if (!std::isfinite(value)) throw NumericalError("objective", "the evidence is not finite", value);
  for (const auto& slot : layout.slots())
    if (!slot.trainable) gradient.segment(slot.offset, slot.size).setZero();
  for (Index i = 0; i < gradient.size(); ++i)
    if (!std::isfinite(gradient[i]))
      throw NumericalError("objective", "the gradient of " + layout.entry_name(i) + " is not finite", gradient[i]);
}

LeaveOneOut leave_one_out_from(ConstVec y, ConstVec projected, ConstVec precision) {
  LeaveOneOut result;
  result.variance = precision.cwiseMax(std::numeric_limits<double>::min()).cwiseInverse();
  result.mean = y - projected.cwiseProduct(result.variance);
  return result;
}

Solution with_further_targets(std::vector<Solution> all) {
  Solution solution = std::move(all.front());
  for (std::size_t t = 1; t < all.size(); ++t) solution.more.push_back(std::move(all[t]));
  return solution;
}

namespace {

// Of the memory that there is, which an evaluation needs as well.
constexpr double kMergedShare = 0.5;

/// Inference on the merged rows where it pays to merge them, or null.
template <class Function>
std::unique_ptr<Inference> on_merged_rows(const Function& function, const std::shared_ptr<const RowSource>& rows,
                                          const InferenceOptions& options) {
  if (!options.merges_equal_rows || !options.likelihood.get().is_conjugate()) return nullptr;
  const std::shared_ptr<const MergedRows> merged = MergedRows::make(rows, kMergedShare * options.memory_bytes);
  if (!merged) return nullptr;
  InferenceOptions own = options;
  if (own.memory_bytes > 0) own.memory_bytes -= MergedRows::making_bytes(*rows);
  return make_merged(make_inference(function, merged, own), merged, options);
}

}  // namespace

std::unique_ptr<Inference> make_inference(std::shared_ptr<const FeatureMap> map, std::shared_ptr<const RowSource> rows,
                                          const InferenceOptions& options) {
  require(map != nullptr && rows != nullptr && rows->inputs() == map->input_count(),
          "inference: rows and inputs do not fit");
  require(options.likelihood.get().is_conjugate() || rows->more_targets().size() == 0,
          "inference: several targets are of the gaussian likelihood");
  if (!options.likelihood.get().is_conjugate()) return make_laplace(std::move(map), std::move(rows), options);
  if (auto merged = on_merged_rows(map, rows, options)) return merged;
  // 3 n D^2 + D^3 flops against 3 n^2 D + n^3: the smaller of n and D decides.
  const bool primal = options.form == EvidenceForm::automatic ? map->feature_count() <= rows->rows()
                                                              : options.form == EvidenceForm::primal;
  if (!primal) rows = whole_rows(std::move(rows), "/evidence");
  return primal ? make_gaussian_primal(std::move(map), std::move(rows), options)
                : make_gaussian_dual(std::move(map), std::move(rows), options);
}

std::unique_ptr<Inference> make_inference(std::shared_ptr<const Kernel> kernel, std::shared_ptr<const RowSource> rows,
                                          const InferenceOptions& options) {
  require(kernel != nullptr && rows != nullptr && rows->inputs() == kernel->input_count(),
          "inference: rows and inputs do not fit");
  require(options.likelihood.get().is_conjugate() || rows->more_targets().size() == 0,
          "inference: several targets are of the gaussian likelihood");
  rows = whole_rows(std::move(rows), "/model");
  if (!options.likelihood.get().is_conjugate()) {
    auto features = make_kernel_features(std::move(kernel), rows->rows(), [rows] {
      RowScratch scratch;
      return Matrix(rows->read(0, rows->rows(), scratch).x.dense());
    });
    return make_laplace(std::move(features), std::move(rows), options);
  }
  if (auto merged = on_merged_rows(kernel, rows, options)) return merged;
  return std::make_unique<GaussianExact>(std::move(kernel), std::move(rows), options);
}

std::unique_ptr<Inference> make_inference(std::shared_ptr<const FeatureMap> map, const Matrix& x, const Vector& y,
                                          const InferenceOptions& options) {
  return make_inference(std::move(map), MemoryRows::view(x, y), options);
}

std::unique_ptr<Inference> make_inference(std::shared_ptr<const Kernel> kernel, const Matrix& x, const Vector& y,
                                          const InferenceOptions& options) {
  return make_inference(std::move(kernel), MemoryRows::view(x, y), options);
}

}  // namespace alacarte
