// Sums and products of kernels.

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "core/config_at.hpp"
#include "kernel/entries.hpp"
#include "kernel/levels.hpp"
#include "kernel/tiled.hpp"

namespace alacarte {
namespace {

/// A term of a sum or product, with the first of its parameters, constants and sums. It reads some neighbouring inputs:
/// its number of them from first_input on.
struct CompoundTerm {
  std::string model;
  std::unique_ptr<TiledKernel> kernel;
  Index first_input = 0;
  Index first_parameter = 0, first_constant = 0, first_sum = 0;

  Eigen::Ref<const Matrix> inputs(ConstMat x) const { return x.middleCols(first_input, kernel->input_count()); }

  template <class Theta>
  auto own(Theta&& theta) const {
    return theta.segment(first_parameter, kernel->parameters().size());
  }
  template <class Constants>
  auto constants(Constants&& all) const {
    return all.segment(first_constant, kernel->constant_count());
  }
  template <class Sums>
  auto sums(Sums&& all) const {
    return all.segment(first_sum, kernel->sum_count());
  }
};

// A sum or product, one tile of rows at a time, so that term values stay in the first-level cache.
class CompoundKernel final : public TiledKernel {
 public:
  enum class Operation { sum, product };
  using Term = CompoundTerm;

  /// Takes at least one term. The slots of term t begin with "term[t].", or with prefixes[t]; then the terms of the
  /// first stand for it, as if there were no sum around them.
  CompoundKernel(Operation operation, std::vector<Term> terms, Index input_count,
                 const std::vector<std::string>& prefixes = {})
      : TiledKernel(input_count), operation_(operation), terms_(std::move(terms)), has_own_names_(!prefixes.empty()) {
    require(!terms_.empty(), "a sum or product of kernels has at least one term");
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      Term& term = terms_[t];
      require(term.first_input + term.kernel->input_count() <= input_count, "a term of a kernel has other inputs");
      term.first_parameter =
          layout_.append(term.kernel->parameters(), prefixes.empty() ? fmt::format("term[{}].", t) : prefixes[t]);
      term.first_constant = constants_;
      term.first_sum = sums_;
      if (!is_sum() && t > 0)
        for (ParameterSlot& slot : layout_.slots())
          if (slot.offset >= term.first_parameter) slot.scale_power = 0;
      constants_ += term.kernel->constant_count();
      sums_ += term.kernel->sum_count();
      inner_scratch_ = std::max(inner_scratch_, term.kernel->scratch_count());
    }
  }

  bool has_tangent() const override {
    return std::all_of(terms_.begin(), terms_.end(), [](const Term& term) { return term.kernel->has_tangent(); });
  }

  Index kernels_per_pair() const override {
    Index all = 0;
    for (const Term& term : terms_) all += term.kernel->kernels_per_pair();
    return all;
  }

  std::vector<TermKernel> terms() const override {
    std::vector<TermKernel> all;
    for (std::size_t t = 0; is_sum() && t < terms_.size(); ++t) {
      const Term& term = terms_[t];
      if (t == 0 && has_own_names_) all = term.kernel->terms();
      if (all.empty() || t > 0) all.push_back({term.model, term.kernel.get(), term.first_parameter, term.first_input});
    }
    return all;
  }

  // Amplitudes start at the target's spread for any kernel: T terms share its variance, or their product has it.
  Vector start(const TrainingStatistics& statistics, Index k, RandomStream& stream) const override {
    TrainingStatistics shared = statistics;
    const double count = static_cast<double>(terms_.size());
    shared.target_sd = is_sum() ? statistics.target_sd / std::sqrt(count) : std::pow(statistics.target_sd, 1 / count);
    Vector theta(layout_.size());
    for (const Term& term : terms_) {
      const bool has_all = term.kernel->input_count() == input_count();
      term.own(theta) = term.kernel->start(
          has_all ? shared : shared.of_inputs(term.first_input, term.kernel->input_count()), k, stream);
      // Each periodic term begins at a season of its own.
      if (term.model == "exact-periodic") shared.structure.drop_season();
    }
    return theta;
  }

  KernelDescription describe(ConstVec theta) const override {
    require(theta.size() == layout_.size(), "theta does not fit the kernel");
    std::vector<KernelDescription> terms;
    for (const Term& term : terms_) {
      terms.push_back(term.kernel->describe(term.own(theta)));
      terms.back().model = term.model;
      place_inputs(terms.back(), term.first_input, input_count());
    }
    KernelDescription whole = describe_terms(std::move(terms), input_count(), !is_sum());
    if (has_own_names_ && !terms_[0].kernel->terms().empty()) open_first_term(whole);
    return whole;
  }

  // Counts the constants of the terms, in turn.
  Index constant_count() const override { return constants_; }
  void prepare(ConstVec theta, VecRef constants) const override {
    for (const Term& term : terms_) term.kernel->prepare(term.own(theta), term.constants(constants));
  }

  void values(ConstVec constants, ConstMat x1, Index first, ConstMat x2, Index row, Array out) const override {
    combine_tiles(out, [&](const Term& term, Array of_term) {
      term.kernel->values(term.constants(constants), term.inputs(x1), first, term.inputs(x2), row, of_term);
    });
  }
  void training_values(ConstVec constants, ConstMat x1, Index first, ConstMat x2, Index row, Array out) const override {
    combine_tiles(out, [&](const Term& term, Array of_term) {
      term.kernel->training_values(term.constants(constants), term.inputs(x1), first, term.inputs(x2), row, of_term);
    });
  }
  double variance(ConstVec constants, ConstMat x, Index row) const override {
    double all = is_sum() ? 0 : 1;
    for (const Term& term : terms_) {
      const double value = term.kernel->variance(term.constants(constants), term.inputs(x), row);
      all = is_sum() ? all + value : all * value;
    }
    return all;
  }

  // Applies the product rule: the product of the first terms is kept with its derivative, and both take the next.
  void tangents(ConstVec constants, ConstMat x1, ConstMat x1_dot, Index first, ConstMat x2, Index row,
                Array out) const override {
    const Index count = out.size();
    Tile value(count), next(count), next_slope(count);
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      const Term& term = terms_[t];
      const auto of_term = term.constants(constants);
      term.kernel->tangents(of_term, term.inputs(x1), term.inputs(x1_dot), first, term.inputs(x2), row, next_slope);
      if (!is_sum()) term.kernel->values(of_term, term.inputs(x1), first, term.inputs(x2), row, next);
      if (t == 0) {
        out = next_slope;
        if (!is_sum()) value = next;
      } else if (is_sum()) {
        out += next_slope;
      } else {
        out = out * next + value * next_slope;
        value *= next;
      }
    }
  }

  // Uses the mixed derivative of a product, p_st q + p_s q_t + p_t q_s + p q_st; at equal points p_s = p_t.
  double slope_variance(ConstVec constants, ConstMat x, ConstMat x_dot, Index row) const override {
    double value = 1, slope = 0, both = 0;
    for (const Term& term : terms_) {
      const auto of_term = term.constants(constants);
      const double next_both = term.kernel->slope_variance(of_term, term.inputs(x), term.inputs(x_dot), row);
      if (is_sum()) {
        both += next_both;
        continue;
      }
      const double next = term.kernel->variance(of_term, term.inputs(x), row);
      Tile next_slope(1);
      term.kernel->tangents(of_term, term.inputs(x), term.inputs(x_dot), row, term.inputs(x), row, next_slope);
      both = both * next + 2 * slope * next_slope[0] + value * next_both;
      slope = slope * next + value * next_slope[0];
      value *= next;
    }
    return both;
  }

  Index sum_count() const override { return sums_; }
  // Recomputes the terms' values, which costs less than their way to memory and back. A product needs those of all.
  Index scratch_count() const override {
    return inner_scratch_ + (is_sum() ? 1 : static_cast<Index>(terms_.size()) + 1);
  }
  void collect(ConstVec constants, ConstMat x1, Index first, ConstMat x2, Index row, ConstArray, ConstArray weight,
               Eigen::Ref<Eigen::ArrayXXd> scratch, VecRef sums) const override {
    auto inner = scratch.leftCols(inner_scratch_);
    if (is_sum()) {
      for (const Term& term : terms_)
        term.kernel->collect_anew(term.constants(constants), term.inputs(x1), first, term.inputs(x2), row, weight,
                                  scratch.col(inner_scratch_), inner, term.sums(sums));
      return;
    }
    // Multiplies the others anew for each term: a division by its own values would fail at zeros.
    const auto count = static_cast<Index>(terms_.size());
    auto all = scratch.middleCols(inner_scratch_, count);
    auto bar = scratch.col(inner_scratch_ + count);
    for (Index t = 0; t < count; ++t) {
      const Term& term = terms_[static_cast<std::size_t>(t)];
      term.kernel->training_values(term.constants(constants), term.inputs(x1), first, term.inputs(x2), row, all.col(t));
    }
    for (Index t = 0; t < count; ++t) {
      bar = weight;
      for (Index s = 0; s < count; ++s)
        if (s != t) bar *= all.col(s);
      const Term& term = terms_[static_cast<std::size_t>(t)];
      term.kernel->collect(term.constants(constants), term.inputs(x1), first, term.inputs(x2), row, all.col(t), bar,
                           inner, term.sums(sums));
    }
  }

  void finish(ConstVec constants, ConstVec sums, VecRef theta_bar) const override {
    for (const Term& term : terms_)
      term.kernel->finish(term.constants(constants), term.sums(sums), term.own(theta_bar));
  }

 private:
  bool is_sum() const { return operation_ == Operation::sum; }

  void combine(Array all, ConstArray more) const {
    if (is_sum())
      all += more;
    else
      all *= more;
  }

  /// Combines evaluate(term, tile) of every term into `out`.
  template <class Evaluate>
  void combine_tiles(Array out, const Evaluate& evaluate) const {
    evaluate(terms_[0], out);
    Tile more(out.size());
    for (std::size_t t = 1; t < terms_.size(); ++t) {
      evaluate(terms_[t], more);
      combine(out, more);
    }
  }

  Operation operation_;
  std::vector<Term> terms_;
  bool has_own_names_;
  Index constants_ = 0, sums_ = 0, inner_scratch_ = 0;
};

/// Casts a kernel of the registry, all of which are tiled.
std::unique_ptr<TiledKernel> tiled(std::unique_ptr<Kernel> kernel) {
  auto* own = dynamic_cast<TiledKernel*>(kernel.get());
  require(own != nullptr, "a term of a sum or product is a tiled kernel");
  kernel.release();
  return std::unique_ptr<TiledKernel>(own);
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
    terms.push_back(
        {term.model, config_at(fmt::format("/terms/{}", t), [&] { return tiled(entry->make(term, inputs)); })});
  }
  return std::make_unique<CompoundKernel>(kOperation, std::move(terms), inputs);
}

}  // namespace

// The first term keeps the names of its slots, by which recipes and model files know them.
std::unique_ptr<Kernel> with_level_effects(std::string model, std::unique_ptr<Kernel> kernel, Index level_columns) {
  const Index inputs = kernel->input_count();
  std::vector<CompoundKernel::Term> terms;
  std::vector<std::string> prefixes = {""};
  terms.push_back({std::move(model), tiled(std::move(kernel))});
  for (Index k = 0; k < level_columns; ++k) {
    terms.push_back({kLevelsModel, make_levels_kernel(), inputs + k});
    prefixes.push_back(level_prefix(k));
  }
  return std::make_unique<CompoundKernel>(CompoundKernel::Operation::sum, std::move(terms), inputs + level_columns,
                                          prefixes);
}

KernelEntry sum_kernel_entry() {
  return {{.name = "exact-sum",
           .description = "Exact Gaussian process, sum of exact kernels, each with parameters of its own.",
           .formula = "k(x, x') = sum_t k_t(x, x')",
           .cost = "n^3/3 flops, and those of the terms' Gram matrices twice",
           .reference = "Rasmussen and Williams 2006, section 4.2.4",
           .keys = {"terms"},
           .recipe = R"({"model": "exact-sum", "terms": [{"model": "exact-linear"}, {"model": "exact-ard"}]})"},
          make_compound<CompoundKernel::Operation::sum>};
}

KernelEntry product_kernel_entry() {
  return {{.name = "exact-product",
           .description = "Exact Gaussian process, product of exact kernels, each with parameters of its own.",
           .formula = "k(x, x') = prod_t k_t(x, x')",
           .cost = "n^3/3 flops, and those of the T terms' Gram matrices twice",
           .reference = "Rasmussen and Williams 2006, section 4.2.4",
           .keys = {"terms"},
           .recipe = R"({"model": "exact-product", "terms": [{"model": "exact-periodic"}, {"model": "exact-rbf"}]})"},
          make_compound<CompoundKernel::Operation::product>};
}

}  // namespace alacarte
