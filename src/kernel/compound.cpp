#include "kernel/compound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/core/config_at.hpp"
#include "alacarte/core/error.hpp"
#include "kernel/entries.hpp"
#include "kernel/tiled.hpp"

namespace alacarte {

CompoundKernel::CompoundKernel(Operation operation, std::vector<Term> terms)
    : operation_(operation), terms_(std::move(terms)) {
  require(!terms_.empty(), "a sum or product of kernels has at least one term");
  for (std::size_t t = 0; t < terms_.size(); ++t)
    offsets_.push_back(layout_.append(terms_[t].kernel->parameters(), fmt::format("term[{}].", t)));
}

Eigen::Ref<const Vector> CompoundKernel::part(ConstVec theta, std::size_t term) const {
  return theta.segment(offsets_[term], terms_[term].kernel->parameters().size());
}

void CompoundKernel::gram(ConstVec theta, ConstMat x1, ConstMat x2, MatRef gram, int threads) const {
  require(theta.size() == layout_.size(), "theta does not fit the kernel");
  terms_[0].kernel->gram(part(theta, 0), x1, x2, gram, threads);
  Matrix scratch(terms_.size() > 1 ? gram.rows() : 0, gram.cols());
  for (std::size_t t = 1; t < terms_.size(); ++t) {
    terms_[t].kernel->gram(part(theta, t), x1, x2, scratch, threads);
    if (operation_ == Operation::sum)
      gram += scratch;
    else
      gram.array() *= scratch.array();
  }
}

// One tile at a time, so that the values of the other terms fit on the stack.
void CompoundKernel::row(ConstVec theta, ConstVec point, ConstMat rows, VecRef values) const {
  require(theta.size() == layout_.size(), "theta does not fit the kernel");
  Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kTileRows, 1> scratch;
  for (Index first = 0; first < rows.rows(); first += kTileRows) {
    const Index count = std::min(kTileRows, rows.rows() - first);
    scratch.resize(count);
    auto out = values.segment(first, count);
    terms_[0].kernel->row(part(theta, 0), point, rows.middleRows(first, count), out);
    for (std::size_t t = 1; t < terms_.size(); ++t) {
      terms_[t].kernel->row(part(theta, t), point, rows.middleRows(first, count), scratch);
      if (operation_ == Operation::sum)
        out += scratch;
      else
        out.array() *= scratch.array();
    }
  }
}

void CompoundKernel::diagonal(ConstVec theta, ConstMat x, VecRef diagonal) const {
  require(theta.size() == layout_.size(), "theta does not fit the kernel");
  Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kTileRows, 1> scratch;
  for (Index first = 0; first < x.rows(); first += kTileRows) {
    const Index count = std::min(kTileRows, x.rows() - first);
    scratch.resize(count);
    auto out = diagonal.segment(first, count);
    terms_[0].kernel->diagonal(part(theta, 0), x.middleRows(first, count), out);
    for (std::size_t t = 1; t < terms_.size(); ++t) {
      terms_[t].kernel->diagonal(part(theta, t), x.middleRows(first, count), scratch);
      if (operation_ == Operation::sum)
        out += scratch;
      else
        out.array() *= scratch.array();
    }
  }
}

// For a product, the product of the other factors is recomputed for each term; dividing by the entries of the term
// would fail at zeros.
template <class Pull>
void CompoundKernel::each_cotangent(ConstVec theta, ConstMat x1, ConstMat x2, ConstMat gram_bar, VecRef theta_bar,
                                    int threads, Pull&& pull) const {
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

void CompoundKernel::backward(ConstVec theta, ConstMat x, ConstMat, ConstMat gram_bar, VecRef theta_bar,
                              int threads) const {
  each_cotangent(theta, x, x, gram_bar, theta_bar, threads,
                 [&](std::size_t t, const Matrix& own, const Matrix& bar, VecRef own_bar) {
                   terms_[t].kernel->backward(part(theta, t), x, own, bar, own_bar, threads);
                 });
}

void CompoundKernel::backward_cross(ConstVec theta, ConstMat x1, ConstMat x2, ConstMat, ConstMat gram_bar,
                                    VecRef theta_bar) const {
  each_cotangent(theta, x1, x2, gram_bar, theta_bar, 1,
                 [&](std::size_t t, const Matrix& own, const Matrix& bar, VecRef own_bar) {
                   terms_[t].kernel->backward_cross(part(theta, t), x1, x2, own, bar, own_bar);
                 });
}

Index CompoundKernel::scratch_grams() const {
  Index inner = 0;
  for (const Term& term : terms_) inner = std::max(inner, term.kernel->scratch_grams());
  return inner + 1 + (operation_ == Operation::sum ? 1 : static_cast<Index>(terms_.size()));
}

std::vector<Kernel::TermKernel> CompoundKernel::terms() const {
  std::vector<TermKernel> all;
  for (std::size_t t = 0; operation_ == Operation::sum && t < terms_.size(); ++t)
    all.push_back({terms_[t].model, terms_[t].kernel.get(), offsets_[t]});
  return all;
}

// Amplitudes start at the target's spread whatever the kernel: T terms share its variance, or their product has it.
Vector CompoundKernel::start(const TrainingStatistics& statistics, Index k, RandomStream& stream) const {
  TrainingStatistics shared = statistics;
  const double count = static_cast<double>(terms_.size());
  shared.target_sd = operation_ == Operation::sum ? statistics.target_sd / std::sqrt(count)
                                                  : std::pow(statistics.target_sd, 1 / count);
  Vector theta(layout_.size());
  for (std::size_t t = 0; t < terms_.size(); ++t)
    theta.segment(offsets_[t], terms_[t].kernel->parameters().size()) = terms_[t].kernel->start(shared, k, stream);
  return theta;
}

// Of a sum, the spectra add, weighted by the variances; of a product they are convolved, so mean squares add.
nlohmann::json CompoundKernel::describe(ConstVec theta) const {
  require(theta.size() == layout_.size(), "theta does not fit the kernel");
  const bool sum = operation_ == Operation::sum;
  nlohmann::json components = nlohmann::json::array();
  Vector power = Vector::Zero(input_count());
  double variance = sum ? 0 : 1;
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    nlohmann::json component = terms_[t].kernel->describe(part(theta, t));
    const double own = std::pow(component.at("amplitude").get<double>(), 2);
    variance = sum ? variance + own : variance * own;
    for (Index j = 0; j < power.size(); ++j)
      power[j] +=
          (sum ? own : 1) * std::pow(component.at("relevance").at(static_cast<std::size_t>(j)).get<double>(), 2);
    component["model"] = terms_[t].model;
    components.push_back(std::move(component));
  }
  if (sum && variance > 0) power /= variance;
  nlohmann::json relevance = nlohmann::json::array();
  for (const double value : power) relevance.push_back(std::sqrt(value));
  return {
      {"amplitude", std::sqrt(variance)}, {"relevance", std::move(relevance)}, {"components", std::move(components)}};
}

namespace {

std::unique_ptr<Kernel> make_compound(CompoundKernel::Operation operation, const Recipe& recipe, Index inputs) {
  if (recipe.terms.empty()) throw ConfigError("/terms", fmt::format("'{}' needs at least one term", recipe.model));
  std::vector<CompoundKernel::Term> terms;
  for (std::size_t t = 0; t < recipe.terms.size(); ++t) {
    const Recipe& term = recipe.terms[t];
    const KernelEntry* entry = find_kernel(term.model);
    if (entry == nullptr)
      throw ConfigError(fmt::format("/terms/{}/model", t), fmt::format("there is no exact kernel '{}'", term.model));
    terms.push_back({term.model, config_at(fmt::format("/terms/{}", t), [&] { return entry->make(term, inputs); })});
  }
  return std::make_unique<CompoundKernel>(operation, std::move(terms));
}

}  // namespace

KernelEntry sum_kernel_entry() {
  return {
      {.name = "exact-sum",
       .description = "Exact Gaussian process, sum of exact kernels, each with parameters of its own.",
       .formula = "k(x, x') = sum_t k_t(x, x')",
       .cost = "n^3/3 flops, and those of the terms' Gram matrices twice; 8 n^2 bytes more than a term",
       .reference = "Rasmussen and Williams 2006, section 4.2.4",
       .accuracy = "exact",
       .fixed = "",
       .keys = {"terms"},
       .recipe = R"({"model": "exact-sum", "terms": [{"model": "exact-linear"}, {"model": "exact-ard"}]})",
       .exact = true},
      [](const Recipe& recipe, Index inputs) { return make_compound(CompoundKernel::Operation::sum, recipe, inputs); }};
}

KernelEntry product_kernel_entry() {
  return {{.name = "exact-product",
           .description = "Exact Gaussian process, product of exact kernels, each with parameters of its own.",
           .formula = "k(x, x') = prod_t k_t(x, x')",
           .cost = "n^3/3 flops, and those of the T terms' Gram matrices twice; 8 n^2 (T + 2) bytes more than a term",
           .reference = "Rasmussen and Williams 2006, section 4.2.4",
           .accuracy = "exact",
           .fixed = "",
           .keys = {"terms"},
           .recipe = R"({"model": "exact-product", "terms": [{"model": "exact-periodic"}, {"model": "exact-rbf"}]})",
           .exact = true},
          [](const Recipe& recipe, Index inputs) {
            return make_compound(CompoundKernel::Operation::product, recipe, inputs);
          }};
}

}  // namespace alacarte
