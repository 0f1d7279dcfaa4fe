#include <algorithm>
#include <numeric>

#include "alacarte/core/threads.hpp"
#include "core/large_matrix.hpp"
#include "data/row_pass.hpp"
#include "inference/evaluation.hpp"
#include "inference/gaussian_gram.hpp"
#include "linalg/dense.hpp"
#include "model/posteriors.hpp"

namespace alacarte {
namespace {

constexpr Index kDualChunkRows = 256;

// Features with n < D: Psi fits in memory, and the Gram matrix is the smaller of the two.
class GaussianDual final : public GaussianGram {
 public:
  GaussianDual(std::shared_ptr<const FeatureMap> map, std::shared_ptr<const RowSource> rows,
               const InferenceOptions& options)
      : GaussianGram(map->parameters(), std::move(rows), options),
        map_(std::move(map)),
        chunk_rows_(std::min(source().rows(), options.chunk_rows > 0 ? options.chunk_rows : kDualChunkRows)) {}

  EvaluationPlan plan() const override {
    const double n = as_double(source().rows()), count = as_double(map_->feature_count());
    EvaluationPlan plan =
        plan_of(source(), map_->feature_count(), parameters().trainable_count(), EvaluationForm::dual);
    const auto probe = map_->prepare(Vector::Zero(map_->parameters().size()));
    const double parts = as_double(probe->modulated_terms());
    const double width = parts > 0 ? parts * as_double(probe->modulated_width()) : count;
    plan.flops = 3 * n * n * width + n * n * n + n * map_->flops_per_row();
    plan.memory_bytes = 8 * (3 * n * n + 2 * n * count);
    if (parts > 0) plan.memory_bytes = 8 * ((4 + parts) * n * n + n * (width + width / parts + count));
    plan.memory_bytes += map_->work_bytes(threads());
    plan.model_bytes =
        8 * (n * (n + 1) / 2 + n * as_double(source().inputs()) + 2 * count + as_double(parameters().size()));
    return with_targets(plan);
  }

 private:
  std::unique_ptr<Posterior> make_posterior_at(ConstVec theta, const DualGaussian& gaussian) override {
    if (parts() > 0) fill_psi();
    FeatureState state;
    // alpha sums to zero with a constant mean, so Psi^T alpha is the same for centred features.
    state.weights.noalias() = psi_.transpose() * gaussian.alpha();
    state.centre = Vector::Zero(psi_.cols());
    state.roots = gaussian.roots();
    if (gaussian.constant_variance() > 0 && state.roots.size() == 0)
      state.centre = psi_.colwise().mean().transpose();
    else if (gaussian.constant_variance() > 0)
      state.centre = psi_.transpose() * state.roots.cwiseAbs2() / state.roots.squaredNorm();
    state.scalars = {gaussian.target_mean() - state.centre.dot(state.weights), gaussian.noise_variance(),
                     gaussian.constant_variance()};
    if (x().is_sparse()) {
      std::vector<Index> all(static_cast<std::size_t>(x().rows()));
      std::iota(all.begin(), all.end(), Index{0});
      state.sparse = select_rows(x().sparse(), all);
    } else {
      state.inputs = x().dense();
    }
    state.factor = gaussian.factor_matrix();
    return make_posterior(map_, theta, std::move(state));
  }

  template <class Body>
  void for_chunks(const Body& body) {
    for_each_chunk(x().rows(), chunk_rows_, threads(), body);
  }

  Index parts() const { return prepared_->modulated_terms(); }

  void fill_psi() {
    if (psi_.size() == 0) psi_ = large_matrix(x().rows(), map_->feature_count());
    for_chunks([&](int, Index first, Index rows) {
      prepared_->forward(x().middle_rows(first, rows), psi_.middleRows(first, rows));
    });
  }

  void form(ConstVec theta, MatRef gram) override {
    prepared_ = map_->prepare(theta);
    if (parts() > 0) return form_parts(gram);
    fill_psi();
    const BlasThreads many(threads());
    syrk_lower(1.0, psi_, Op::none, 0.0, gram);
  }

  bool needs_whole_adjoint() const override { return parts() == 0; }

  void pull_back(ConstVec, ConstMat, ConstMat gram_bar, VecRef theta_bar) override {
    cotangents_.setZero(prepared_->accumulator_size(), threads());
    if (parts() > 0)
      pull_back_parts(gram_bar);
    else
      pull_back_whole(gram_bar);
    const Vector sums = cotangents_.rowwise().sum();
    prepared_->finish(sums, theta_bar);
  }

  void pull_back_whole(ConstMat gram_bar) {
    {
      const BlasThreads many(threads());
      if (psi_bar_.size() == 0) psi_bar_ = large_matrix(psi_.rows(), psi_.cols());
      gemm(2.0, gram_bar, Op::none, psi_, Op::none, 0.0, psi_bar_);
    }
    for_chunks([&](int worker, Index first, Index rows) {
      prepared_->backward(x().middle_rows(first, rows), psi_.middleRows(first, rows), psi_bar_.middleRows(first, rows),
                          cotangents_.col(worker));
    });
  }

  // Deals the columns of a lower triangle out in turn, so that every worker gets long and short ones.
  template <class Body>
  void for_columns(const Body& body) {
    const Index n = x().rows(), step = std::min<Index>(threads(), n);
    run_workers(static_cast<int>(step), [&](int worker) {
      for (Index j = worker; j < n; j += step) body(worker, j);
    });
  }

  // Forms the Gram matrix as a sum of modulated ones: half the multiplications for gm.
  void form_parts(MatRef gram) {
    const Index n = x().rows(), width = prepared_->modulated_width();
    phi_.resize(static_cast<std::size_t>(parts()));
    part_grams_.resize(phi_.size());
    zeta_.resize(n, parts());
    for (Index q = 0; q < parts(); ++q) {
      Matrix &phi = phi_[static_cast<std::size_t>(q)], &part = part_grams_[static_cast<std::size_t>(q)];
      phi.resize(n, width);
      part.resize(n, n);
      for_chunks([&](int, Index first, Index rows) {
        prepared_->forward_modulated(q, x().middle_rows(first, rows), phi.middleRows(first, rows),
                                     zeta_.col(q).segment(first, rows));
      });
      const BlasThreads many(threads());
      syrk_lower(1.0, phi, Op::none, 0.0, part);
    }
    cos_zeta_ = zeta_.array().cos();
    sin_zeta_ = zeta_.array().sin();
    for_columns([&](int, Index j) {
      auto column = gram.col(j).tail(n - j);
      for (Index q = 0; q < parts(); ++q) {
        const auto part = part_grams_[static_cast<std::size_t>(q)].col(j).tail(n - j);
        const auto c = cos_zeta_.col(q).tail(n - j), s = sin_zeta_.col(q).tail(n - j);
        const double cj = cos_zeta_(j, q), sj = sin_zeta_(j, q);
        const auto entries = part.array() * (cj * c.array() + sj * s.array());
        if (q == 0)
          column.array() = entries;
        else
          column.array() += entries;
      }
    });
  }

  // Pulls back phi_bar = 2 (gram_bar * cos(zeta_i - zeta_j)) phi and
  // zeta_bar_i = -2 sum_j gram_bar_ij part_ij sin(zeta_i - zeta_j).
  void pull_back_parts(ConstMat gram_bar) {
    const Index n = x().rows();
    weighted_.resize(n, n);
    psi_bar_.resize(n, prepared_->modulated_width());
    for (Index q = 0; q < parts(); ++q) {
      const Matrix &phi = phi_[static_cast<std::size_t>(q)], &part = part_grams_[static_cast<std::size_t>(q)];
      zeta_bar_.setZero(n, threads());
      turn_.resize(n, threads());
      for_columns([&](int worker, Index j) {
        const auto c = cos_zeta_.col(q).tail(n - j).array(), s = sin_zeta_.col(q).tail(n - j).array();
        const double cj = cos_zeta_(j, q), sj = sin_zeta_(j, q);
        const auto bar = gram_bar.col(j).tail(n - j).array();
        weighted_.col(j).tail(n - j).array() = bar * (cj * c + sj * s);
        auto turn = turn_.col(worker).head(n - j);
        turn.array() = 2.0 * bar * part.col(j).tail(n - j).array() * (s * cj - c * sj);
        zeta_bar_.col(worker).tail(n - j) -= turn;
        zeta_bar_(j, worker) += turn.sum();
      });
      mirror_lower(weighted_);
      {
        const BlasThreads many(threads());
        gemm(2.0, weighted_, Op::none, phi, Op::none, 0.0, psi_bar_);
      }
      const Vector zeta_bar = zeta_bar_.rowwise().sum();
      for_chunks([&](int worker, Index first, Index rows) {
        prepared_->backward_modulated(q, x().middle_rows(first, rows), phi.middleRows(first, rows),
                                      psi_bar_.middleRows(first, rows), zeta_bar.segment(first, rows),
                                      cotangents_.col(worker));
      });
    }
  }

  std::shared_ptr<const FeatureMap> map_;
  std::unique_ptr<PreparedMap> prepared_;  // at the theta of the last form()
  Index chunk_rows_;
  Matrix psi_, psi_bar_, cotangents_;
  std::vector<Matrix> phi_, part_grams_;  // features and Gram matrix (lower triangle) of each modulated part
  Matrix zeta_, cos_zeta_, sin_zeta_;     // (n, parts)
  Matrix weighted_, turn_, zeta_bar_;     // (n, n); (n, threads)
};

}  // namespace

std::unique_ptr<Inference> make_gaussian_dual(std::shared_ptr<const FeatureMap> map,
                                              std::shared_ptr<const RowSource> rows, const InferenceOptions& options) {
  return std::make_unique<GaussianDual>(std::move(map), std::move(rows), options);
}

}  // namespace alacarte
