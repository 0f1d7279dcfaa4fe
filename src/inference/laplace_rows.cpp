#include "inference/laplace.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "alacarte/core/error.hpp"
#include "linalg/decompositions.hpp"
#include "linalg/dense.hpp"
#include "model/likelihoods/gaussian_points.hpp"
#include "model/posteriors.hpp"

namespace alacarte {
namespace {

/// Adds the slot of the constant, whose prior is wide compared with any f that is not certain of its row; learned,
/// since counts may need more.
ParameterLayout with_constant(ParameterLayout layout, bool constant, const ParameterLayout& of_likelihood) {
  if (constant)
    layout.add({.name = "constant.log_sd",
                .prior = {ParameterPrior::Kind::normal, Vector::Constant(1, std::log(3.0)), 1},
                .lower = -6,
                .upper = 6});
  layout.append(of_likelihood);
  return layout;
}

void check_targets(const RowSource& rows, const Likelihood& likelihood) {
  Index first = 0;
  for_each_block(rows, [&](const RowBlock& block) {
    if (const auto refused = refused_target(likelihood, block.y))
      throw DataError("training data", "row " + std::to_string(first + refused->row + 1) +
                                           " of those that are trained on: the likelihood " + refused->why);
    first += block.y.size();
  });
}

// Limits for keeping features through all passes of an evaluation: the least width, and the largest number of entries
// (400 MB). Features are kept that cost as much as the product of each with all others.
constexpr Index kMinKeptWidth = 64;
constexpr double kMaxKept = 5e7;

bool worth_keeping(const FeatureMap& map, Index rows, Index width) {
  const double square = as_double(width) * as_double(width);
  return width >= kMinKeptWidth && as_double(rows) * as_double(width) <= kMaxKept && map.flops_per_row() > 2 * square;
}

/// Adds the offsets (rows) of counts, if there are any, to latent values f (rows, K).
void add_offsets(ConstVec offsets, MatRef f) {
  if (offsets.size() > 0) f.colwise() += offsets;
}

constexpr double kMinOneMinusLeverage = 1e-8;  // lower bound of 1 - leverage, which rounding may make negative

/// Takes a row's own quadratic form, of curvature W at the mode, out of the covariance C:
/// (C^-1 - W)^-1 = C + C R (I - R^T C R)^-1 R^T C with W = R R^T.
void leave_out(const Matrix& curvature, Matrix& covariance) {
  const SymmetricEigen own = symmetric_eigen(curvature);
  const Matrix root = own.vectors * own.values.cwiseMax(0).cwiseSqrt().asDiagonal();
  const Matrix across = covariance * root;
  const Matrix open = Matrix::Identity(root.cols(), root.cols()) - root.transpose() * across;
  const SymmetricEigen left = symmetric_eigen(open);
  const Matrix turned = across * left.vectors;
  covariance += turned * left.values.cwiseMax(kMinOneMinusLeverage).cwiseInverse().asDiagonal() * turned.transpose();
}

/// Takes the row's own curvature out of each B_k of the block form, where C = sum_k v_k (e_k - 1/K) (e_k - 1/K)^T with
/// v_k = psi B_k^-1 psi^T.
void leave_out_of_blocks(const Matrix& curvature, Matrix& covariance) {
  const Index outputs = covariance.rows();
  const double count = as_double(outputs), mean = covariance.trace() / (count - 1);
  Vector v = Vector::Constant(outputs, mean);
  if (outputs > 2) v = (covariance.diagonal().array() - mean / count) / (1 - 2 / count);
  const Vector leverage = count / (count - 1) * curvature.diagonal().cwiseProduct(v);
  v.array() /= (1 - leverage.array()).max(kMinOneMinusLeverage);
  const Matrix contrasts = Matrix::Identity(outputs, outputs).array() - 1 / count;
  covariance = contrasts * v.cwiseMax(0).asDiagonal() * contrasts;
}

}  // namespace

LaplaceRows::LaplaceRows(std::shared_ptr<const FeatureMap> map, std::shared_ptr<const RowSource> rows,
                         const InferenceOptions& options, CurvatureShape curvature)
    : map_(std::move(map)),
      likelihood_(options.likelihood),
      noise_(options.noise),
      class_weights_(options.class_weights),
      outputs_(likelihood_.outputs(options.classes)),
      curvature_(curvature),
      constant_(options.mean == MeanKind::constant),
      uses_variational_step_(options.variational_step && options.classes > 0),
      keeps_features_(worth_keeping(*map_, rows->largest_share(), width())),
      threads_(std::max(1, options.threads)),
      layout_(with_constant(with_held(map_->parameters(), options), constant_, likelihood_.parameters(noise_))),
      constant_at_(map_->parameters().size()),
      likelihood_at_(constant_at_ + (constant_ ? 1 : 0)),
      pass_(std::move(rows), width(), threads_, options.chunk_rows),
      target_(target_moments(source())) {
  check_targets(source(), likelihood_);
  if (options.memory_bytes > 0 && memory_bytes() > options.memory_bytes) keeps_features_ = false;
  while (options.memory_bytes > 0 && memory_bytes() > options.memory_bytes && pass_.shrink()) continue;
}

double LaplaceRows::memory_bytes() const {
  const double team = as_double(pass_.workers()), gram = as_double(gram_rows() * outputs_ * width());
  const Index covariances = uses_variational_step_ ? pair_count(outputs_) : 0;
  const double chunk =
      as_double(pass_.chunk_rows() * (3 * width() + 3 * outputs_ + 2 * curvature_columns() + covariances));
  // Leave-one-out has three posteriors at a time, the model's, Laplace's and the one a step further, each with a factor
  // and its inverse; an evaluation has two matrices.
  const double matrices = uses_variational_step_ ? 6 : 2;
  const double boehning = curvature_ == CurvatureShape::blocks ? as_double(width() * width()) : 0;
  return 8 * (boehning + (team + matrices) * gram + team * (chunk + as_double(width() * outputs_)) +
              4 * as_double(width() * outputs_)) +
         kept_bytes() + pass_.scratch_bytes() + map_->work_bytes(static_cast<int>(pass_.workers()));
}

EvaluationPlan LaplaceRows::plan(EvaluationForm form) const {
  EvaluationPlan plan =
      plan_of(source(), map_->has_residual() ? 0 : map_->feature_count(), layout_.trainable_count(), form);
  plan.memory_bytes = memory_bytes();
  const Index factors = outputs_ * width() / gram_rows();
  plan.model_bytes = 8 * as_double(factors * pair_count(gram_rows()) + (width() + 1) * outputs_ + layout_.size());
  if (map_->has_residual()) plan.model_bytes += 8 * as_double(plan.rows * plan.inputs);
  return plan;
}

double LaplaceRows::constant_sd(ConstVec theta) const { return constant_ ? std::exp(theta[constant_at_]) : 0; }

std::unique_ptr<Likelihood> LaplaceRows::likelihood_at(ConstVec theta) const {
  return likelihood_.at(noise_, theta.tail(layout_.size() - likelihood_at_));
}

Matrix LaplaceRows::start(double constant_sd) const {
  Matrix weights = Matrix::Zero(width(), outputs_);
  if (constant_) weights.row(0).setConstant((likelihood_.start(target_.mean) - target_.log_exposure) / constant_sd);
  return weights;
}

void LaplaceRows::prepare(ConstVec theta) {
  check_theta(layout_, theta);
  prepared_ = map_->prepare(theta.head(map_->parameters().size()));
  constant_sd_ = constant_sd(theta);
  own_likelihood_ = likelihood_at(theta);
  has_kept_ = false;
  kept_.resize(static_cast<std::size_t>(keeps_features_ ? pass_.chunks() : 0));
  for (AlignedMatrix& chunk : kept_) chunk.resize(pass_.chunk_rows(), width());
  pass_.reset([&](LaplaceState& state) {
    const Index chunk = pass_.chunk_rows();
    if (!keeps_features_) state.psi.resize(chunk, width());
    state.scratch.resize(chunk, width());
    state.f.resize(chunk, outputs_);
    state.gradient.resize(chunk, outputs_);
    state.row_weights.resize(chunk);
    state.cotangents.setZero(prepared_->accumulator_size());
    state.constant_bar = 0;
    state.likelihood_bar.setZero(layout_.size() - likelihood_at_);
  });
}

MatRef LaplaceRows::features(LaplaceState& state, const RowBlock& block, Index first) {
  AlignedMatrix& memory = keeps_features_
                              ? kept_[static_cast<std::size_t>((first - source().own_first()) / pass_.chunk_rows())]
                              : state.psi;
  MatRef psi = memory.topRows(block.y.size());
  if (has_kept_) return psi;
  if (constant_) psi.col(0).setConstant(constant_sd_);
  prepared_->forward(block.x, psi.rightCols(map_->feature_count()));
  return psi;
}

VecRef LaplaceRows::row_weights(LaplaceState& state, const RowBlock& block) const {
  const Index rows = block.y.size();
  for (Index i = 0; i < rows; ++i) state.row_weights[i] = class_weight(block.y[i]);
  if (block.weights.size() > 0) state.row_weights.head(rows).array() *= block.weights.array();
  return state.row_weights.head(rows);
}

void LaplaceRows::expect(LaplaceState& state, const RowBlock& block, ConstMat psi, const Posterior& laplace,
                         ConstMat weights) const {
  const Index rows = block.y.size();
  derivatives(state, block, psi, weights, true);
  Matrix means(rows, outputs_), covariances(rows, pair_count(outputs_)), curvature(rows, curvature_columns());
  laplace.predict_outputs(block.x, means, covariances);
  add_offsets(block.offsets, means);
  expected_derivatives(likelihood(), means, covariances, block.y, state.row_weights.head(rows),
                       state.gradient.topRows(rows), curvature);
  state.curvature.topRows(rows) = 0.5 * (state.curvature.topRows(rows) + curvature);
}

LeaveOneOut LaplaceRows::leave_one_out(const Posterior& laplace, const Posterior& stepped,
                                       const std::vector<Index>& which) const {
  const Index all = which.empty() ? source().rows() : static_cast<Index>(which.size());
  LeaveOneOut left{Matrix(all, outputs_), Matrix(all, pair_count(outputs_))};
  // Ranks exchange nothing from within threads, so shared rows are gathered before.
  std::shared_ptr<const MemoryRows> gathered;
  if (source().is_distributed()) gathered = which.empty() ? gather_all_rows(source()) : gather_rows(source(), which);
  for_each_chunk(all, kPosteriorRows, threads_, [&](int, Index first, Index rows) {
    std::vector<Index> order(static_cast<std::size_t>(rows));
    std::iota(order.begin(), order.end(), first);
    if (!which.empty() && !gathered) std::copy_n(which.begin() + first, rows, order.begin());
    const auto drawn = gather_rows(gathered ? *gathered : source(), order);
    MatRef means = left.mean.middleRows(first, rows), covariances = left.variance.middleRows(first, rows);
    laplace.predict_outputs(drawn->x(), means, covariances);
    add_offsets(drawn->offsets(), means);
    Vector weights(rows);
    for (Index i = 0; i < rows; ++i) weights[i] = class_weight(drawn->y()[i]);
    if (drawn->has_weights()) weights.array() *= drawn->weights().array();
    Matrix gradient(rows, outputs_), curvature(rows, pair_count(outputs_));
    likelihood().derivatives(means, drawn->y(), weights, gradient, curvature);
    if (uses_variational_step_) {
      // The row's quadratic form has gradient (g + E g)/2 and curvature (W + E W)/2 about the mode; then it is moved to
      // the mean of `stepped`.
      Matrix expected(rows, outputs_), curved(rows, pair_count(outputs_));
      expected_derivatives(likelihood(), means, covariances, drawn->y(), weights, expected, curved);
      gradient = 0.5 * (gradient + expected);
      curvature = 0.5 * (curvature + curved);
      const Matrix modes = means;
      stepped.predict_outputs(drawn->x(), means, covariances);
      add_offsets(drawn->offsets(), means);
      for (Index i = 0; i < rows; ++i)
        gradient.row(i) += (modes.row(i) - means.row(i)) * unpacked(curvature, i, outputs_);
    }
    for (Index i = 0; i < rows; ++i) {
      Matrix covariance = unpacked(covariances, i, outputs_);
      if (curvature_ == CurvatureShape::joint)
        leave_out(unpacked(curvature, i, outputs_), covariance);
      else
        leave_out_of_blocks(unpacked(curvature, i, outputs_), covariance);
      means.row(i) -= gradient.row(i) * covariance;
      if (drawn->has_offsets()) means.row(i).array() -= drawn->offsets()[i];
      for (Index q = 0; q < outputs_; ++q)
        for (Index p = q; p < outputs_; ++p) covariances(i, packed_index(p, q, outputs_)) = covariance(p, q);
    }
  });
  return left;
}

void LaplaceRows::latent(LaplaceState& state, const RowBlock& block, ConstMat psi, ConstMat weights) const {
  MatRef f = state.f.topRows(block.y.size());
  gemm(1.0, psi, Op::none, weights, Op::none, 0.0, f);
  add_offsets(block.offsets, f);
}

double LaplaceRows::derivatives(LaplaceState& state, const RowBlock& block, ConstMat psi, ConstMat weights,
                                bool curvature) const {
  const Index rows = block.y.size();
  latent(state, block, psi, weights);
  if (curvature) state.curvature.resize(pass_.chunk_rows(), curvature_columns());
  return likelihood().derivatives(state.f.topRows(rows), block.y, row_weights(state, block),
                                  state.gradient.topRows(rows), state.curvature.topRows(curvature ? rows : 0));
}

double LaplaceRows::value(LaplaceState& state, const RowBlock& block, ConstMat psi, ConstMat weights) const {
  const Index rows = block.y.size();
  latent(state, block, psi, weights);
  return likelihood().value(state.f.topRows(rows), block.y, row_weights(state, block));
}

void LaplaceRows::backward_parameters(LaplaceState& state, const RowBlock& block, ConstMat leverages,
                                      ConstMat moved) const {
  if (state.likelihood_bar.size() == 0) return;
  const Index rows = block.y.size();
  likelihood().parameter_slopes(state.f.topRows(rows), block.y, state.row_weights.head(rows), leverages, moved,
                                state.likelihood_bar);
}

void LaplaceRows::backward(LaplaceState& state, const RowBlock& block, MatRef psi, MatRef psi_bar) const {
  const Index features = map_->feature_count();
  if (constant_) state.constant_bar += psi_bar.col(0).sum();
  prepared_->backward(block.x, psi.rightCols(features), psi_bar.rightCols(features), state.cotangents);
}

void LaplaceRows::finish(VecRef gradient) {
  pass_.share(&LaplaceState::cotangents, &LaplaceState::constant_bar, &LaplaceState::likelihood_bar);
  gradient.setZero();
  prepared_->finish(pass_.sum(&LaplaceState::cotangents), gradient.head(map_->parameters().size()));
  if (constant_) gradient[constant_at_] = constant_sd_ * pass_.sum(&LaplaceState::constant_bar);
  if (likelihood_at_ < layout_.size())
    gradient.tail(layout_.size() - likelihood_at_) = pass_.sum(&LaplaceState::likelihood_bar);
}

}  // namespace alacarte
