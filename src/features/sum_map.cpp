// An additive model: f = f_1 + .. + f_T, each term a registered map with its own parameters. The features lie side by
// side, so the kernels add.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "core/config_at.hpp"
#include "features/levels.hpp"
#include "features/maps.hpp"
#include "kernel/levels.hpp"

namespace alacarte {
namespace {

std::string prefix_of(std::size_t term) { return fmt::format("term[{}].", term); }

/// A term, which reads its number of neighbouring inputs from first_input on.
struct Term {
  std::string model;
  std::shared_ptr<const FeatureMap> map;
  Index first_input = 0;
};

class SumMap final : public LayoutMap {
 public:
  /// prefixes: beginnings of the names of the terms' slots, if not "term[t]."; then the first term's terms and tensors
  /// stand for themselves, as if there were no sum around them.
  SumMap(std::vector<Term> terms, Index inputs, std::vector<std::string> prefixes = {})
      : LayoutMap(inputs, 0), terms_(std::move(terms)), prefixes_(std::move(prefixes)) {
    if (terms_.empty()) throw ConfigError("/terms", "a sum needs at least one term");
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      require(terms_[t].first_input + terms_[t].map->input_count() <= inputs, "a term of a sum has other inputs");
      offsets_.push_back(layout_.append(terms_[t].map->parameters(), slots_of(t)));
      features_ += terms_[t].map->feature_count();
    }
  }

  // Reads sparse inputs if every term does. The joint features are dense even if those of a term could be sparse.
  SparseSupport sparse_support() const override {
    const auto reads = [](const Term& term) { return term.map->sparse_support().inputs; };
    return {.inputs = std::all_of(terms_.begin(), terms_.end(), reads)};
  }
  bool has_input_gradient() const override {
    return std::all_of(terms_.begin(), terms_.end(), [](const Term& term) { return term.map->has_input_gradient(); });
  }
  bool has_tangent() const override {
    return std::all_of(terms_.begin(), terms_.end(), [](const Term& term) { return term.map->has_tangent(); });
  }
  // Shares the target's variance among the terms at first.
  Vector start(const TrainingStatistics& statistics, Index k, RandomStream& stream) const override {
    TrainingStatistics shared = statistics;
    shared.target_sd /= std::sqrt(static_cast<double>(terms_.size()));
    Vector theta(layout_.size());
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      const FeatureMap& map = *terms_[t].map;
      const bool has_all = map.input_count() == inputs_;
      theta.segment(offsets_[t], map.parameters().size()) =
          map.start(has_all ? shared : shared.of_inputs(terms_[t].first_input, map.input_count()), k, stream);
    }
    return theta;
  }
  KernelDescription describe(ConstVec theta) const override {
    check(theta);
    std::vector<KernelDescription> terms;
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      terms.push_back(terms_[t].map->describe(part(theta, t)));
      terms.back().model = terms_[t].model;
      place_inputs(terms.back(), terms_[t].first_input, inputs_);
    }
    KernelDescription whole = describe_terms(std::move(terms), inputs_, false);
    if (!prefixes_.empty() && !terms_[0].map->terms().empty()) open_first_term(whole);
    return whole;
  }
  // Returns none unless every term has frequencies: the shares of the variance would be wrong.
  FrequencyRows frequencies(ConstVec theta) const override {
    std::vector<FrequencyRows> parts;
    std::vector<double> variances;
    Index rows = 0;
    double total = 0;
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      parts.push_back(terms_[t].map->frequencies(part(theta, t)));
      if (parts.back().rows.rows() == 0) return {};
      rows += parts.back().rows.rows();
      variances.push_back(std::pow(terms_[t].map->describe(part(theta, t)).amplitude, 2));
      total += variances.back();
    }
    FrequencyRows all{Matrix::Zero(rows, inputs_), Vector(rows)};
    Index first = 0;
    for (std::size_t t = 0; t < parts.size(); ++t) {
      const Index count = parts[t].rows.rows();
      all.rows.block(first, terms_[t].first_input, count, parts[t].rows.cols()) = parts[t].rows;
      all.shares.segment(first, count) = parts[t].shares * (variances[t] / total);
      first += count;
    }
    return all;
  }

  // Without the terms around it the first has bounds of its own.
  Vector phase_rates(ConstVec theta) const override {
    return terms_.size() == 1 ? terms_[0].map->phase_rates(theta) : LayoutMap::phase_rates(theta);
  }
  LevelSplit level_split() const override {
    std::size_t largest = 0;
    for (std::size_t t = 1; t < terms_.size() && !prefixes_.empty(); ++t)
      if (largest == 0 || terms_[t].map->feature_count() > terms_[largest].map->feature_count()) largest = t;
    if (largest == 0) return {};
    std::vector<Term> others = terms_;
    std::vector<std::string> prefixes = prefixes_;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(largest));
    prefixes.erase(prefixes.begin() + static_cast<std::ptrdiff_t>(largest));
    return {std::make_shared<SumMap>(std::move(others), inputs_, std::move(prefixes)), terms_[largest].first_input,
            terms_[largest].map->feature_count() - 1, offsets_[largest]};
  }

  void save(TensorBundle& bundle, const std::string& prefix) const override {
    for (std::size_t t = 0; t < terms_.size(); ++t) terms_[t].map->save(bundle, prefix + slots_of(t));
  }
  double work_bytes(int threads) const override {
    double bytes = 0;
    for (const Term& term : terms_) bytes += term.map->work_bytes(threads);
    return bytes;
  }
  double flops_per_row() const override {
    double flops = 0;
    for (const Term& term : terms_) flops += term.map->flops_per_row();
    return flops;
  }
  std::vector<TermFeatures> terms() const override {
    std::vector<TermFeatures> all;
    Index first = 0;
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      const FeatureMap& map = *terms_[t].map;
      if (t == 0 && !prefixes_.empty()) all = map.terms();
      if (all.empty() || t > 0)
        all.push_back({terms_[t].model, first, map.feature_count(), &map, offsets_[t], terms_[t].first_input});
      first += map.feature_count();
    }
    return all;
  }

  std::unique_ptr<PreparedMap> prepare_single(ConstVec theta) const override {
    check(theta);
    return prepared_parts(theta, !prefixes_.empty());
  }

 private:
  std::unique_ptr<PreparedMap> prepare_at(ConstVec theta) const override { return prepared_parts(theta, false); }
  std::unique_ptr<PreparedMap> prepared_parts(ConstVec theta, bool single) const {
    std::vector<PreparedParts::Part> parts;
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      const FeatureMap& map = *terms_[t].map;
      parts.push_back({single ? map.prepare_single(part(theta, t)) : map.prepare(part(theta, t)), map.feature_count(),
                       offsets_[t], map.parameters().size()});
      if (map.input_count() == inputs_) continue;
      parts.back().first_input = terms_[t].first_input;
      parts.back().inputs = map.input_count();
    }
    return std::make_unique<PreparedParts>(std::move(parts));
  }

  Eigen::Ref<const Vector> part(ConstVec theta, std::size_t t) const {
    return theta.segment(offsets_[t], terms_[t].map->parameters().size());
  }

  std::string slots_of(std::size_t t) const { return prefixes_.empty() ? prefix_of(t) : prefixes_[t]; }

  std::vector<Term> terms_;
  std::vector<std::string> prefixes_;
  std::vector<Index> offsets_;
};

const FeatureMapEntry& entry_of(const Recipe& recipe, std::size_t term) {
  const FeatureMapEntry* entry = find_feature_map(recipe.terms[term].model);
  if (entry == nullptr)
    throw ConfigError(fmt::format("/terms/{}/model", term),
                      fmt::format("there is no feature map '{}'", recipe.terms[term].model));
  return *entry;
}

MapPointer make_sum(const Recipe& recipe, Index inputs, const RandomStreams& streams,
                    const TrainingStatistics& statistics) {
  std::vector<Term> terms;
  for (std::size_t t = 0; t < recipe.terms.size(); ++t) {
    const Recipe& term = recipe.terms[t];
    const FeatureMapEntry& entry = entry_of(recipe, t);
    terms.push_back({term.model, config_at(fmt::format("/terms/{}", t), [&] {
                       return entry.make(term, inputs, streams.scope(fmt::format("term[{}]", t)), statistics);
                     })});
  }
  return std::make_unique<SumMap>(std::move(terms), inputs);
}

MapPointer load_sum(const Recipe& recipe, Index inputs, const TensorBundle& bundle, const std::string& prefix) {
  std::vector<Term> terms;
  for (std::size_t t = 0; t < recipe.terms.size(); ++t)
    terms.push_back(
        {recipe.terms[t].model, entry_of(recipe, t).load(recipe.terms[t], inputs, bundle, prefix + prefix_of(t))});
  return std::make_unique<SumMap>(std::move(terms), inputs);
}

}  // namespace

// The first term keeps the names of its slots and tensors, by which recipes and model files know them.
std::unique_ptr<FeatureMap> with_level_effects(std::string model, std::unique_ptr<FeatureMap> map,
                                               const std::vector<LevelColumn>& columns) {
  const Index inputs = map->input_count(), count = static_cast<Index>(columns.size());
  std::vector<Term> terms;
  std::vector<std::string> prefixes = {""};
  terms.push_back({std::move(model), std::move(map)});
  for (Index k = 0; k < count; ++k) {
    const LevelColumn& column = columns[static_cast<std::size_t>(k)];
    terms.push_back({kLevelsModel, make_levels_map(column.levels, column.kept), inputs + k});
    prefixes.push_back(level_prefix(k));
  }
  return std::make_unique<SumMap>(std::move(terms), inputs + count, std::move(prefixes));
}

FeatureMapEntry sum_entry() {
  return {{.name = "sum",
           .description = "Sum of models: each term a feature map with parameters of its own.",
           .formula = "k(x, x') = sum_t k_t(x, x');  psi(x) = [psi_1(x), .., psi_T(x)]",
           .cost = "the terms' together; D = sum of the terms' features",
           .reference = "Rasmussen and Williams 2006, section 4.2.4",
           .accuracy = "as the terms",
           .keys = {"terms"},
           .recipe = R"({"model": "sum", "terms": [{"model": "linear"}, {"model": "ard"}]})"},
          make_sum,
          load_sum};
}

}  // namespace alacarte
