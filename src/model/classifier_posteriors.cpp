#include "model/classifier_posteriors.hpp"

#include <numeric>

#include "model/bounded_features.hpp"
#include "model/posteriors.hpp"

namespace alacarte {
namespace {

Index functions_of(Index classes) { return classes == 2 ? 1 : classes; }

void need_means_only(ConstMat variances) {
  if (variances.size() > 0)
    throw NumericalError("prediction", "support vector machines and logistic regression have no variances");
}

class LinearClassifier final : public Posterior {
 public:
  LinearClassifier(std::shared_ptr<const FeatureMap> map, ConstVec theta, LinearFunctions state)
      : features_(std::move(map), theta), state_(std::move(state)) {}

  Index outputs() const override { return state_.offsets.size(); }
  bool has_variance() const override { return false; }

  void predict_outputs(const InputView& x, MatRef means, MatRef variances) const override {
    need_means_only(variances);
    require(means.rows() == x.rows() && means.cols() == outputs(), "predict_outputs: one mean a row and function");
    predict_chunks(x, means);
  }

  void save(TensorBundle& bundle, const std::string& prefix, bool) const override {
    bundle.put(prefix + "class_weights", state_.weights);
    bundle.put_vector(prefix + "class_offsets", state_.offsets);
  }

 private:
  void predict_chunks(const InputView& x, MatRef means) const {
    means.rowwise() = state_.offsets.transpose();
    const bool sparse = features_.map().sparse_support().features;
    SparseRows entries;
    Matrix buffer;
    for (Index first = 0; first < x.rows(); first += kPosteriorRows) {
      const Index rows = std::min(kPosteriorRows, x.rows() - first);
      const InputView chunk = x.middle_rows(first, rows);
      auto own = means.middleRows(first, rows);
      if (sparse) {
        features_.prepared().forward(chunk, entries);
        add_sparse(entries.view(), own);
      } else {
        buffer.resize(rows, features_.map().feature_count());
        features_.forward(chunk, buffer);
        own.noalias() += buffer * state_.weights;
      }
    }
  }

  void add_sparse(const SparseView& psi, MatRef means) const {
    for (Index i = 0; i < psi.rows; ++i)
      for (Index e = psi.starts[i]; e < psi.starts[i + 1]; ++e)
        means.row(i) += psi.values[e] * state_.weights.row(psi.columns[e]);
  }

  BoundedFeatures features_;
  LinearFunctions state_;
};

class SupportClassifier final : public Posterior {
 public:
  SupportClassifier(std::shared_ptr<const Kernel> kernel, ConstVec theta, SupportVotes votes, Matrix vectors)
      : kernel_(std::move(kernel)),
        theta_(theta.head(kernel_->parameters().size())),
        votes_(std::move(votes)),
        vectors_(std::move(vectors)) {}

  Index outputs() const override { return functions_of(votes_.classes()); }
  bool has_variance() const override { return false; }

  void predict_outputs(const InputView& x, MatRef means, MatRef variances) const override {
    need_means_only(variances);
    require(means.rows() == x.rows() && means.cols() == outputs(), "predict_outputs: one mean a row and function");
    Matrix buffer(std::min(kPosteriorRows, x.rows()), vectors_.rows());
    for (Index first = 0; first < x.rows(); first += kPosteriorRows) {
      const Index rows = std::min(kPosteriorRows, x.rows() - first);
      MatRef values = buffer.topRows(rows);
      kernel_->gram(theta_, x.dense().middleRows(first, rows), vectors_, values);
      votes_.values(values, means.middleRows(first, rows));
    }
  }

  void save(TensorBundle& bundle, const std::string& prefix, bool) const override {
    bundle.put(prefix + "support_vectors", vectors_);
    bundle.put(prefix + "support_coefficients", votes_.coefficients);
    bundle.put_vector(prefix + "support_rho", votes_.rho);
    bundle.put_integers(prefix + "support_counts", votes_.counts);
    bundle.put_integers(prefix + "support_order", votes_.order);
  }

 private:
  std::shared_ptr<const Kernel> kernel_;
  Vector theta_;
  SupportVotes votes_;
  Matrix vectors_;
};

[[noreturn]] void malformed(const std::string& name) {
  throw IoError("model file", "tensor '" + name + "' does not fit the classes");
}

}  // namespace

void SupportVotes::values(ConstMat kernel, MatRef values) const {
  const Index all = classes();
  std::vector<Index> first(order.size(), 0);
  for (std::size_t p = 1; p < first.size(); ++p) first[p] = first[p - 1] + counts[p - 1];
  const bool two = all == 2;
  values.setZero();
  Matrix clear = Matrix::Zero(kernel.rows(), all);
  Vector decision(kernel.rows());
  Index pair = 0;
  for (Index p = 0; p < all; ++p) {
    for (Index q = p + 1; q < all; ++q, ++pair) {
      const auto one = static_cast<std::size_t>(p), other = static_cast<std::size_t>(q);
      decision.noalias() =
          kernel.middleCols(first[one], counts[one]) * coefficients.col(q - 1).segment(first[one], counts[one]);
      decision.noalias() +=
          kernel.middleCols(first[other], counts[other]) * coefficients.col(p).segment(first[other], counts[other]);
      decision.array() -= rho[pair];
      if (two) {
        values.col(0) = order[0] == 1 ? decision : Vector(-decision);
        return;
      }
      values.col(order[one]).array() += (decision.array() > 0).cast<double>();
      values.col(order[other]).array() += (decision.array() <= 0).cast<double>();
      clear.col(order[one]) += decision;
      clear.col(order[other]) -= decision;
    }
  }
  values.array() += clear.array() / (3 * (clear.array().abs() + 1));
}

std::unique_ptr<Posterior> make_posterior(std::shared_ptr<const FeatureMap> map, ConstVec theta,
                                          LinearFunctions state) {
  require(state.weights.rows() == map->feature_count() && state.weights.cols() == state.offsets.size(),
          "linear functions: shapes");
  return std::make_unique<LinearClassifier>(std::move(map), theta, std::move(state));
}

std::unique_ptr<Posterior> make_posterior(std::shared_ptr<const Kernel> kernel, ConstVec theta, SupportVotes votes,
                                          Matrix vectors) {
  require(votes.coefficients.rows() == vectors.rows() && vectors.cols() == kernel->input_count(),
          "support votes: shapes");
  return std::make_unique<SupportClassifier>(std::move(kernel), theta, std::move(votes), std::move(vectors));
}

std::unique_ptr<Posterior> load_linear_functions(const TensorBundle& bundle, const std::string& prefix,
                                                 std::shared_ptr<const FeatureMap> map, ConstVec theta, Index classes) {
  const Index functions = functions_of(classes);
  LinearFunctions state{bundle.matrix(prefix + "class_weights", map->feature_count(), functions),
                        bundle.vector(prefix + "class_offsets", functions)};
  return make_posterior(std::move(map), theta, std::move(state));
}

std::unique_ptr<Posterior> load_support_votes(const TensorBundle& bundle, const std::string& prefix,
                                              std::shared_ptr<const Kernel> kernel, ConstVec theta, Index classes) {
  Matrix vectors = bundle.matrix(prefix + "support_vectors", -1, kernel->input_count());
  SupportVotes votes;
  votes.coefficients = bundle.matrix(prefix + "support_coefficients", vectors.rows(), classes - 1);
  votes.rho = bundle.vector(prefix + "support_rho", classes * (classes - 1) / 2);
  votes.counts = bundle.integers(prefix + "support_counts", classes);
  votes.order = bundle.integers(prefix + "support_order", classes);
  Index sum = 0;
  for (const std::int32_t count : votes.counts) {
    if (count < 0) malformed(prefix + "support_counts");
    sum += count;
  }
  if (sum != vectors.rows()) malformed(prefix + "support_counts");
  std::vector<std::int32_t> sorted = votes.order, expected(votes.order.size());
  std::sort(sorted.begin(), sorted.end());
  std::iota(expected.begin(), expected.end(), 0);
  if (sorted != expected) malformed(prefix + "support_order");
  return make_posterior(std::move(kernel), theta, std::move(votes), std::move(vectors));
}

}  // namespace alacarte
