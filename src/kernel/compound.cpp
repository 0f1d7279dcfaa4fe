// Sums and products of kernels.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/core/config_at.hpp"
#include "alacarte/core/error.hpp"
#include "kernel/entries.hpp"
#include "kernel/tiled.hpp"

namespace alacarte {
namespace {

class CompoundKernel final : public Kernel {
 public:
  enum class Operation { sum, product };
  struct Term {
    std::string model;
    std::unique_ptr<Kernel> kernel;
  };

  /// At least one term, all on the same inputs. The slots of term t begin with "term[t].".
  CompoundKernel(Operation operation, std::vector<Term> terms) : operation_(operation), terms_(std::move(terms)) {
    require(!terms_.empty(), "a sum or product of kernels has at least one term");
    for (std::size_t t = 0; t < terms_.size(); ++t)
      offsets_.push_back(layout_.append(terms_[t].kernel->parameters(), fmt::format("term[{}].", t)));
  }

  const ParameterLayout& parameters() const override { return layout_; }
  Index input_count() const override { return terms_.front().kernel->input_count(); }
  void gram(ConstVec theta, ConstMat x1, ConstMat x2, MatRef gram, int threads) const override {
    require(theta.size() == layout_.size(), "theta does not fit the kernel");
    terms_[0].kernel->gram(part(theta, 0), x1, x2, gram, threads);
    Matrix scratch(terms_.size() > 1 ? gram.rows() : 0, gram.cols());
    for (std::size_t t = 1; t < terms_.size(); ++t) {
      terms_[t].kernel->gram(part(theta, t), x1, x2, scratch, threads);
      combine(gram, scratch);
    }
  }

  void gram_lower(ConstVec theta, ConstMat x, MatRef gram, int threads) const override {
    require(theta.size() == layout_.size(), "theta does not fit the kernel");
    terms_[0].kernel->gram_lower(part(theta, 0), x, gram, threads);
    Matrix scratch(terms_.size() > 1 ? gram.rows() : 0, gram.cols());
    for (std::size_t t = 1; t < terms_.size(); ++t) {
      terms_[t].kernel->gram_lower(part(theta, t), x, scratch, threads);
      for (Index j = 0; j < gram.cols(); ++j)
        combine(gram.col(j).tail(gram.rows() - j), scratch.col(j).tail(gram.rows() - j));
    }
  }

  void row(ConstVec theta, ConstVec point, ConstMat rows, VecRef values) const override {
    each_tile(theta, rows, values, [&](const Kernel& kernel, ConstVec own, ConstMat tile, VecRef out) {
      kernel.row(own, point, tile, out);
    });
  }

  void diagonal(ConstVec theta, ConstMat x, VecRef diagonal) const override {
    each_tile(theta, x, diagonal,
              [](const Kernel& kernel, ConstVec own, ConstMat tile, VecRef out) { kernel.diagonal(own, tile, out); });
  }

  void backward(ConstVec theta, ConstMat x, ConstMat, ConstMat gram_bar, VecRef theta_bar, int threads) const override {
    each_cotangent(theta, x, x, gram_bar, theta_bar, threads,
                   [&](std::size_t t, const Matrix& own, const Matrix& bar, VecRef own_bar) {
                     terms_[t].kernel->backward(part(theta, t), x, own, bar, own_bar, threads);
                   });
  }

  void backward_cross(ConstVec theta, ConstMat x1, ConstMat x2, ConstMat, ConstMat gram_bar,
                      VecRef theta_bar) const override {
    each_cotangent(theta, x1, x2, gram_bar, theta_bar, 1,
                   [&](std::size_t t, const Matrix& own, const Matrix& bar, VecRef own_bar) {
                     terms_[t].kernel->backward_cross(part(theta, t), x1, x2, own, bar, own_bar);
                   });
  }

  bool has_tangent() const override {
    return std::all_of(terms_.begin(), terms_.end(), [](const Term& term) { return term.kernel->has_tangent(); });
  }
  void tangent(ConstVec theta, ConstMat x1, ConstMat x1_dot, ConstMat x2, MatRef slope) const override;
  void tangent_variance(ConstVec theta, ConstMat x, ConstMat x_dot, VecRef variance) const override;

  Index scratch_grams() const override {
    Index inner = 0;
    for (const Term& term : terms_) inner = std::max(inner, term.kernel->scratch_grams());
    return inner + 1 + (operation_ == Operation::sum ? 1 : static_cast<Index>(terms_.size()));
  }

  Index kernels_per_pair() const override {
    Index all = 0;
    for (const Term& term : terms_) all += term.kernel->kernels_per_pair();
    return all;
  }

  std::vector<Kernel::TermKernel> terms() const override {
    std::vector<TermKernel> all;
    for (std::size_t t = 0; operation_ == Operation::sum && t < terms_.size(); ++t)
      all.push_back({terms_[t].model, terms_[t].kernel.get(), offsets_[t]});
    return all;
  }

  // Amplitudes start at the target's spread whatever the kernel: T terms share its variance, or their product has it.
  Vector start(const TrainingStatistics& statistics, Index k, RandomStream& stream) const override {
    TrainingStatistics shared = statistics;
    const double count = static_cast<double>(terms_.size());
    shared.target_sd = operation_ == Operation::sum ? statistics.target_sd / std::sqrt(count)
                                                    : std::pow(statistics.target_sd, 1 / count);
    Vector theta(layout_.size());
    for (std::size_t t = 0; t < terms_.size(); ++t)
      theta.segment(offsets_[t], terms_[t].kernel->parameters().size()) = terms_[t].kernel->start(shared, k, stream);
    return theta;
  }

  nlohmann::json describe(ConstVec theta) const override {
    require(theta.size() == layout_.size(), "theta does not fit the kernel");
    std::vector<nlohmann::json> components;
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      components.push_back(terms_[t].kernel->describe(part(theta, t)));
      components.back()["model"] = terms_[t].model;
    }
    return describe_terms(std::move(components), input_count(), operation_ == Operation::product);
  }

 private:
  template <class Values, class More>
  void combine(Values&& values, const More& more) const {
    if (operation_ == Operation::sum)
      values += more;
    else
      values.array() *= more.array();
  }

  /// evaluate(kernel, its theta, some rows, values) of every term, combined into `values`. One tile at a time, so that
  /// the values of the other terms fit on the stack.
  template <class Evaluate>
  void each_tile(ConstVec theta, ConstMat rows, VecRef values, const Evaluate& evaluate) const {
    require(theta.size() == layout_.size(), "theta does not fit the kernel");
    Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kTileRows, 1> scratch;
    for (Index first = 0; first < rows.rows(); first += kTileRows) {
      const Index count = std::min(kTileRows, rows.rows() - first);
      scratch.resize(count);
      evaluate(*terms_[0].kernel, part(theta, 0), rows.middleRows(first, count), values.segment(first, count));
      for (std::size_t t = 1; t < terms_.size(); ++t) {
        evaluate(*terms_[t].kernel, part(theta, t), rows.middleRows(first, count), scratch);
        combine(values.segment(first, count), scratch);
      }
    }
  }

  Eigen::Ref<const Vector> part(ConstVec theta, std::size_t term) const {
    return theta.segment(offsets_[term], terms_[term].kernel->parameters().size());
  }

  /// Each term's Gram matrix and its cotangent, in turn, to pull(term, gram, gram_bar, theta_bar).
  /// For a product, the product of the other factors is recomputed for each term; dividing by the entries of the term
  /// would fail at zeros.
  template <class Pull>
  void each_cotangent(ConstVec theta, ConstMat x1, ConstMat x2, ConstMat gram_bar, VecRef theta_bar, int threads,
                      Pull&& pull) const {
    require(theta.size() == layout_.size() && theta_bar.size() == layout_.size(), "theta does not fit the kernel");
    const bool product = operation_ == Operation::product;
    std::vector<Matrix> grams(product ? terms_.size() : 1, Matrix(x1.rows(), x2.rows()));
    for (std::size_t t = 0; product && t < terms_.size(); ++t)
      terms_[t].kernel->gram(part(theta, t), x1, x2, grams[t], threads);
    Matrix bar = gram_bar;
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      Matrix& own = grams[product ? t : 0];
      if (product) {
        bar = gram_bar;
        for (std::size_t s = 0; s < terms_.size(); ++s)
          if (s != t) bar.array() *= grams[s].array();
      } else {
        terms_[t].kernel->gram(part(theta, t), x1, x2, own, threads);
      }
      pull(t, own, bar, theta_bar.segment(offsets_[t], terms_[t].kernel->parameters().size()));
    }
  }

  Operation operation_;
  std::vector<Term> terms_;
  std::vector<Index> offsets_;
  ParameterLayout layout_;
};

// Of a product by the product rule: the product of the first terms is kept with its derivative, and both take the next.
void CompoundKernel::tangent(ConstVec theta, ConstMat x1, ConstMat x1_dot, ConstMat x2, MatRef slope) const {
  require(theta.size() == layout_.size(), "theta does not fit the kernel");
  terms_[0].kernel->tangent(part(theta, 0), x1, x1_dot, x2, slope);
  Matrix value(x1.rows(), x2.rows()), own(x1.rows(), x2.rows()), own_slope(x1.rows(), x2.rows());
  const bool product = operation_ == Operation::product;
  if (product) terms_[0].kernel->gram(part(theta, 0), x1, x2, value);
  for (std::size_t t = 1; t < terms_.size(); ++t) {
    terms_[t].kernel->tangent(part(theta, t), x1, x1_dot, x2, own_slope);
    if (!product) {
      slope += own_slope;
      continue;
    }
    terms_[t].kernel->gram(part(theta, t), x1, x2, own);
    slope = slope.cwiseProduct(own) + value.cwiseProduct(own_slope);
    value.array() *= own.array();
  }
}

// The mixed derivative of a product p q is p_st q + p_s q_t + p_t q_s + p q_st, and at equal points p_s = p_t.
void CompoundKernel::tangent_variance(ConstVec theta, ConstMat x, ConstMat x_dot, VecRef variance) const {
  require(theta.size() == layout_.size(), "theta does not fit the kernel");
  const Index n = x.rows();
  Vector own(n), value = Vector::Ones(n), slope = Vector::Zero(n), own_value(n), own_slope(n);
  variance.setZero();
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    const Kernel& kernel = *terms_[t].kernel;
    kernel.tangent_variance(part(theta, t), x, x_dot, own);
    if (operation_ == Operation::sum) {
      variance += own;
      continue;
    }
    kernel.diagonal(part(theta, t), x, own_value);
    for (Index i = 0; i < n; ++i)
      kernel.tangent(part(theta, t), x.row(i), x_dot.row(i), x.row(i), Eigen::Map<Matrix>(&own_slope[i], 1, 1));
    variance =
        (variance.array() * own_value.array() + 2 * slope.array() * own_slope.array() + value.array() * own.array())
            .matrix();
    slope = (slope.array() * own_value.array() + value.array() * own_slope.array()).matrix();
    value.array() *= own_value.array();
  }
}

template <CompoundKernel::Operation kOperation>
std::unique_ptr<Kernel> make_compound(const Recipe& recipe, Index inputs) {
  if (recipe.terms.empty()) throw ConfigError("/terms", fmt::format("'{}' needs at least one term", recipe.model));
  std::vector<CompoundKernel::Term> terms;
  for (std::size_t t = 0; t < recipe.terms.size(); ++t) {
    const Recipe& term = recipe.terms[t];
    const KernelEntry* entry = find_kernel(term.model);
    if (entry == nullptr)
      throw ConfigError(fmt::format("/terms/{}/model", t), fmt::format("there is no exact kernel '{}'", term.model));
    terms.push_back({term.model, config_at(fmt::format("/terms/{}", t), [&] { return entry->make(term, inputs); })});
  }
  return std::make_unique<CompoundKernel>(kOperation, std::move(terms));
}

}  // namespace

KernelEntry sum_kernel_entry() {
  return {{.name = "exact-sum",
           .description = "Exact Gaussian process, sum of exact kernels, each with parameters of its own.",
           .formula = "k(x, x') = sum_t k_t(x, x')",
           .cost = "n^3/3 flops, and those of the terms' Gram matrices twice; 8 n^2 bytes more than a term",
           .reference = "Rasmussen and Williams 2006, section 4.2.4",
           .keys = {"terms"},
           .recipe = R"({"model": "exact-sum", "terms": [{"model": "exact-linear"}, {"model": "exact-ard"}]})"},
          make_compound<CompoundKernel::Operation::sum>};
}

KernelEntry product_kernel_entry() {
  return {{.name = "exact-product",
           .description = "Exact Gaussian process, product of exact kernels, each with parameters of its own.",
           .formula = "k(x, x') = prod_t k_t(x, x')",
           .cost = "n^3/3 flops, and those of the T terms' Gram matrices twice; 8 n^2 (T + 2) bytes more than a term",
           .reference = "Rasmussen and Williams 2006, section 4.2.4",
           .keys = {"terms"},
           .recipe = R"({"model": "exact-product", "terms": [{"model": "exact-periodic"}, {"model": "exact-rbf"}]})"},
          make_compound<CompoundKernel::Operation::product>};
}

}  // namespace alacarte
