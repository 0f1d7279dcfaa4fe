#include <algorithm>
#include <limits>

#include "alacarte/core/error.hpp"
#include "alacarte/core/threads.hpp"
#include "core/large_matrix.hpp"
#include "linalg/dense.hpp"
#include "model/posteriors.hpp"

namespace alacarte {
namespace {

// f = offset + k(x, X) alpha. With a constant mean the latent covariance is that of the centred process,
//   k_c(x, x') - k_c(x, X) K_c^-1 k_c(X, x') + s2/n,   k_c(x, x') = k(x, x') - m(x) - m(x') + grand mean,
// m(x) the mean of k(x, X) over the training rows. Rows with weights: k(x, X) R for k(x, X), u = R 1 for 1
// (model/linear_gaussian.hpp).
class ExactPosterior final : public FunctionPosterior {
 public:
  ExactPosterior(std::shared_ptr<const Kernel> kernel, ConstVec theta, ExactState state)
      : kernel_(std::move(kernel)), theta_(theta.head(kernel_->parameters().size())), state_(std::move(state)) {
    if (state_.row_means.size() > 0) grand_mean_ = mean_of(state_.row_means);
  }

  // The variance is a difference here: a kernel has no finite features to write it as a sum of squares. Its error is a
  // few roundings of k(x, x), so smaller variances are lifted to that; the observation noise is larger by far.
  void predict(const InputView& x, VecRef mean, VecRef variance) const override {
    require(mean.size() == x.rows() && (variance.size() == 0 || variance.size() == x.rows()),
            "predict: one mean and variance for each row");
    if (variance.size() > 0) need_variance(*this);
    const Index maximum = std::min(kPosteriorRows, x.rows());
    Matrix buffer(maximum, state_.inputs.rows());
    Vector row_mean(maximum);
    for (Index first = 0; first < x.rows(); first += kPosteriorRows) {
      const Index rows = std::min(kPosteriorRows, x.rows() - first);
      MatRef cross = buffer.topRows(rows);
      const Eigen::Ref<const Matrix> chunk = x.dense().middleRows(first, rows);
      kernel_->gram(theta_, chunk, state_.inputs, cross);
      mean.segment(first, rows).noalias() = cross * state_.alpha;
      mean.segment(first, rows).array() += state_.scalars.offset;
      if (variance.size() == 0) continue;
      auto out = variance.segment(first, rows);
      kernel_->diagonal(theta_, chunk, out);
      const Vector minimum = 8 * std::numeric_limits<double>::epsilon() * out;
      centre(cross, row_mean.head(rows));
      if (centred()) out.array() += grand_mean_ - 2.0 * row_mean.head(rows).array();
      solve_lower_right(state_.factor, Op::transpose, cross);
      out -= cross.rowwise().squaredNorm();
      out = out.cwiseMax(minimum).array() + state_.scalars.constant_variance;
    }
  }

  Moments predict_one(ConstVec x, VecRef work, bool variance) const override {
    require(work.size() >= one_row_work(), "predict_one: work space");
    if (variance) need_variance(*this);
    VecRef cross = work.head(state_.inputs.rows());
    kernel_->row(theta_, x, state_.inputs, cross);
    Moments moments{cross.dot(state_.alpha) + state_.scalars.offset, 0};
    if (!variance) return moments;
    double prior = 0;
    kernel_->diagonal(theta_, Eigen::Map<const Matrix>(x.data(), 1, x.size()), Eigen::Map<Vector>(&prior, 1));
    const double minimum = 8 * std::numeric_limits<double>::epsilon() * prior;
    if (is_weighted()) cross.array() *= state_.roots.array();
    if (centred()) {
      const double mean = mean_of(cross);
      if (is_weighted())
        cross += (grand_mean_ - mean) * state_.roots - state_.row_means;
      else
        cross.array() += (grand_mean_ - mean) - state_.row_means.array();
      prior += grand_mean_ - 2.0 * mean;
    }
    solve_lower_vector(state_.factor, Op::none, cross);
    moments.variance = std::max(prior - cross.squaredNorm(), minimum) + state_.scalars.constant_variance;
    return moments;
  }
  Index one_row_work() const override { return state_.inputs.rows(); }

  Matrix covariance(const InputView& x) const override {
    need_variance(*this);
    Matrix cross(x.rows(), state_.inputs.rows()), result(x.rows(), x.rows());
    Vector row_mean(x.rows());
    kernel_->gram(theta_, x.dense(), x.dense(), result);
    kernel_->gram(theta_, x.dense(), state_.inputs, cross);
    centre(cross, row_mean);
    if (centred())
      for (Index j = 0; j < result.cols(); ++j) result.col(j).array() += grand_mean_ - row_mean[j] - row_mean.array();
    solve_lower_right(state_.factor, Op::transpose, cross);
    syrk_lower(-1.0, cross, Op::none, 1.0, result);
    mirror_lower(result);
    result.array() += state_.scalars.constant_variance;
    return result;
  }

  Matrix draws(const InputView& x, Index count, RandomStream& stream) const override {
    return draw_jointly(*this, x, count, stream);
  }

  bool has_tangent() const override { return kernel_->has_tangent(); }
  // In k_c(x, x') the mean m(x') and the grand mean have no derivative by x, and m(x) has none by x'.
  void predict_tangents(const InputView& x, Index directions, const Direction& direction, MatRef means,
                        MatRef variances) const override {
    check_tangents(*this, x, directions, means, variances);
    const Index maximum = std::min(kPosteriorRows, x.rows());
    Matrix buffer(maximum, state_.inputs.rows()), x_dot(maximum, state_.inputs.cols());
    const Vector zero = Vector::Zero(state_.row_means.size());
    Vector row_mean(maximum);
    for (Index first = 0; first < x.rows(); first += kPosteriorRows) {
      const Index rows = std::min(kPosteriorRows, x.rows() - first);
      const Eigen::Ref<const Matrix> chunk = x.dense().middleRows(first, rows);
      for (Index k = 0; k < directions; ++k) {
        MatRef cross = buffer.topRows(rows);
        direction(k, first, x_dot.topRows(rows));
        kernel_->tangent(theta_, chunk, x_dot.topRows(rows), state_.inputs, cross);
        means.col(k).segment(first, rows).noalias() = cross * state_.alpha;
        if (variances.size() == 0) continue;
        auto out = variances.col(k).segment(first, rows);
        kernel_->tangent_variance(theta_, chunk, x_dot.topRows(rows), out);
        const Vector minimum = 8 * std::numeric_limits<double>::epsilon() * out;
        for (Index j = 0; is_weighted() && j < cross.cols(); ++j) cross.col(j) *= state_.roots[j];
        if (centred()) centre(cross, row_mean.head(rows), zero, 0);
        solve_lower_right(state_.factor, Op::transpose, cross);
        out = (out - cross.rowwise().squaredNorm()).cwiseMax(minimum);
      }
    }
  }

  // The covariance of the sum with f(X) is one vector; its variance takes every pair of its rows.
  FunctionPosterior::Moments functional(const InputView& x, ConstVec weights, bool variance) const override {
    require(weights.size() == x.rows(), "functional: one weight for each row");
    if (variance) need_variance(*this);
    Matrix cross(x.rows(), state_.inputs.rows());
    kernel_->gram(theta_, x.dense(), state_.inputs, cross);
    const double total = weights.sum();
    Matrix sum = weights.transpose() * cross;
    Moments moments{total * state_.scalars.offset + sum.row(0).dot(state_.alpha), 0};
    if (!variance) return moments;
    Matrix gram(x.rows(), x.rows());
    kernel_->gram(theta_, x.dense(), x.dense(), gram);
    double prior = weights.dot(gram * weights);
    const double minimum =
        8 * std::numeric_limits<double>::epsilon() * weights.cwiseAbs().dot(gram.cwiseAbs() * weights.cwiseAbs());
    for (Index j = 0; is_weighted() && j < sum.cols(); ++j) sum(0, j) *= state_.roots[j];
    if (centred()) {
      Vector mean(1);
      centre(sum, mean, total * state_.row_means, total * grand_mean_);
      prior += total * total * grand_mean_ - 2 * total * mean[0];
    }
    solve_lower_right(state_.factor, Op::transpose, sum);
    moments.variance = std::max(prior - sum.squaredNorm(), minimum) + total * total * state_.scalars.constant_variance;
    return moments;
  }

  std::vector<TermMoments> term_moments(const InputView& x, int threads) const override {
    const BlasThreads blas(threads);
    const auto terms = kernel_->terms();
    const Index rows = centred() && !terms.empty() ? state_.inputs.rows() : 0;
    Matrix own = large_matrix(rows, rows);
    std::vector<TermMoments> all;
    for (const auto& term : terms) {
      need_variance(*this);
      all.push_back(moments_of(term, x.dense(), threads, own));
    }
    return all;
  }

  double noise_variance() const override { return state_.scalars.noise_variance; }
  bool has_variance() const override { return state_.factor.rows() == state_.inputs.rows(); }
  const ExactState* exact_state() const override { return &state_; }

  void save(TensorBundle& bundle, const std::string& prefix, bool mean_only) const override {
    put_scalars(bundle, prefix, state_.scalars);
    bundle.put(prefix + "training_inputs", state_.inputs);
    bundle.put_vector(prefix + "alpha", state_.alpha);
    if (mean_only || !has_variance()) return;
    bundle.put_vector(prefix + "row_means", state_.row_means);
    put_roots(bundle, prefix, state_.roots);
    put_factor(bundle, prefix, state_.factor);
  }

 private:
  bool centred() const { return state_.scalars.constant_variance > 0; }

  bool is_weighted() const { return state_.roots.size() > 0; }
  /// Returns the weighted mean of the entries of a row of k(x, X) R.
  double mean_of(ConstVec row) const {
    return is_weighted() ? state_.roots.dot(row) / state_.roots.squaredNorm() : row.mean();
  }

  /// Turns k(x, X) into the centred k(x, X) R.
  void centre(MatRef cross, VecRef row_mean) const {
    for (Index j = 0; is_weighted() && j < cross.cols(); ++j) cross.col(j) *= state_.roots[j];
    if (centred()) centre(cross, row_mean, state_.row_means, grand_mean_);
  }
  void centre(MatRef cross, VecRef row_mean, const Vector& training_means, double grand_mean) const {
    if (is_weighted()) {
      row_mean = cross * state_.roots / state_.roots.squaredNorm();
      for (Index j = 0; j < cross.cols(); ++j)
        cross.col(j).array() += (grand_mean * state_.roots[j] - training_means[j]) - state_.roots[j] * row_mean.array();
      return;
    }
    row_mean = cross.rowwise().mean();
    for (Index j = 0; j < cross.cols(); ++j)
      cross.col(j).array() += (grand_mean - training_means[j]) - row_mean.array();
  }

  // Computes the moments of one term. The terms are independent a priori, so the covariance of a term with f at the
  // training rows is its covariance with itself. own: work space for the Gram matrix of the training rows.
  TermMoments moments_of(const Kernel::TermKernel& term, ConstMat all, int threads, MatRef own) const {
    const Vector theta = theta_.segment(term.first_parameter, term.kernel->parameters().size());
    const Index first = term.first_input, count = term.kernel->input_count();
    const Eigen::Ref<const Matrix> x = all.middleCols(first, count), inputs = state_.inputs.middleCols(first, count);
    Matrix cross(x.rows(), inputs.rows());
    term.kernel->gram(theta, x, inputs, cross, threads);
    TermMoments moments{term.model, Vector(x.rows()), cross * state_.alpha, {}};
    term.kernel->diagonal(theta, x, moments.prior_variance);
    moments.variance = moments.prior_variance;
    if (is_weighted()) cross *= state_.roots.asDiagonal();
    if (centred()) {
      term.kernel->gram_lower(theta, inputs, own, threads);
      const Vector weights = state_.roots.cwiseAbs2();
      const Vector means = is_weighted()
                               ? Vector(state_.roots.cwiseProduct(symmetric_product(own, weights)) / weights.sum())
                               : Vector(symmetric_row_sums(own) / static_cast<double>(own.rows()));
      Vector row_mean(x.rows());
      centre(cross, row_mean, means, mean_of(means));
      moments.variance.array() += mean_of(means) - 2.0 * row_mean.array();
    }
    solve_lower_right(state_.factor, Op::transpose, cross);
    const Vector minimum = 8 * std::numeric_limits<double>::epsilon() * moments.prior_variance;
    moments.variance = (moments.variance - cross.rowwise().squaredNorm()).cwiseMax(minimum);
    return moments;
  }

  std::shared_ptr<const Kernel> kernel_;
  Vector theta_;
  ExactState state_;
  double grand_mean_ = 0;
};

}  // namespace

Matrix draw_jointly(const FunctionPosterior& posterior, const InputView& x, Index count, RandomStream& stream) {
  Matrix factor = posterior.covariance(x);
  Vector mean(x.rows()), none(0);
  posterior.predict(x, mean, none);
  safe_cholesky(factor, "Cholesky factor of the posterior covariance");
  factor.triangularView<Eigen::StrictlyUpper>().setZero();
  Matrix z(x.rows(), count), result(x.rows(), count);
  for (Index c = 0; c < count; ++c) z.col(c) = stream.normals(x.rows());
  gemm(1.0, factor, Op::none, z, Op::none, 0.0, result);
  result.colwise() += mean;
  return result;
}

std::unique_ptr<Posterior> make_posterior(std::shared_ptr<const Kernel> kernel, ConstVec theta, ExactState state) {
  require(theta.size() >= kernel->parameters().size(), "theta does not fit the kernel");
  require(state.inputs.cols() == kernel->input_count() && state.alpha.size() == state.inputs.rows(),
          "posterior state does not fit the kernel");
  return std::make_unique<ExactPosterior>(std::move(kernel), theta, std::move(state));
}

}  // namespace alacarte
