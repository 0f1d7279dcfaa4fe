// An additive model: f = f_1 + .. + f_T, each term a registered map with its own parameters. The features lie side by
// side, so the kernels add.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/core/config_at.hpp"
#include "alacarte/core/error.hpp"
#include "features/linear_predictor.hpp"
#include "features/maps.hpp"

namespace alacarte {
namespace {

std::string prefix_of(std::size_t term) { return fmt::format("term[{}].", term); }

struct Term {
  std::string model;
  MapPointer map;
};

class PreparedSum final : public PreparedMap {
 public:
  struct Part {
    std::unique_ptr<PreparedMap> map;
    Index features, feature_at, sum_at, theta_at, parameters;
  };

  explicit PreparedSum(std::vector<Part> parts) : parts_(std::move(parts)) {}

  void forward(const InputView& x, FeatureBlock features) const override {
    MatRef psi = features.dense();
    require(psi.cols() == feature_count(), "feature map: shapes");
    for (const Part& part : parts_) part.map->forward(x, psi.middleCols(part.feature_at, part.features));
  }
  void backward(const InputView& x, ConstMat psi, ConstMat psi_bar, VecRef sums) const override {
    require(psi.cols() == feature_count() && psi_bar.cols() == psi.cols() && sums.size() == accumulator_size(),
            "feature map: shapes");
    for (const Part& part : parts_)
      part.map->backward(x, psi.middleCols(part.feature_at, part.features),
                         psi_bar.middleCols(part.feature_at, part.features),
                         sums.segment(part.sum_at, part.map->accumulator_size()));
  }
  std::unique_ptr<LinearPredictor> linear_predictor(ConstVec weights, FloatType type) const override {
    require(weights.size() == feature_count(), "feature map: one weight for each feature");
    std::vector<std::unique_ptr<LinearPredictor>> terms;
    for (const Part& part : parts_)
      terms.push_back(part.map->linear_predictor(weights.segment(part.feature_at, part.features), type));
    return join_predictors(std::move(terms));
  }
  Index accumulator_size() const override { return parts_.back().sum_at + parts_.back().map->accumulator_size(); }
  void finish(ConstVec sums, VecRef theta_bar) const override {
    require(sums.size() == accumulator_size(), "feature map: sums of another map");
    for (const Part& part : parts_)
      part.map->finish(sums.segment(part.sum_at, part.map->accumulator_size()),
                       theta_bar.segment(part.theta_at, part.parameters));
  }

 private:
  Index feature_count() const { return parts_.back().feature_at + parts_.back().features; }

  std::vector<Part> parts_;
};

class SumMap final : public FeatureMap {
 public:
  SumMap(std::vector<Term> terms, Index inputs) : inputs_(inputs), terms_(std::move(terms)) {
    if (terms_.empty()) throw ConfigError("/terms", "a sum needs at least one term");
    for (std::size_t t = 0; t < terms_.size(); ++t)
      offsets_.push_back(layout_.append(terms_[t].map->parameters(), prefix_of(t)));
  }

  const ParameterLayout& parameters() const override { return layout_; }
  Index input_count() const override { return inputs_; }
  Index feature_count() const override {
    Index count = 0;
    for (const Term& term : terms_) count += term.map->feature_count();
    return count;
  }
  std::unique_ptr<PreparedMap> prepare(ConstVec theta) const override {
    require(theta.size() == layout_.size(), "theta does not fit the feature map");
    std::vector<PreparedSum::Part> parts;
    Index features = 0, sums = 0;
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      const FeatureMap& map = *terms_[t].map;
      parts.push_back(
          {map.prepare(part(theta, t)), map.feature_count(), features, sums, offsets_[t], map.parameters().size()});
      features += map.feature_count();
      sums += parts.back().map->accumulator_size();
    }
    return std::make_unique<PreparedSum>(std::move(parts));
  }
  // Sparse inputs if every term reads them. The joint features are dense even if those of a term could be sparse.
  SparseSupport sparse_support() const override {
    const auto reads = [](const Term& term) { return term.map->sparse_support().inputs; };
    return {.inputs = std::all_of(terms_.begin(), terms_.end(), reads)};
  }
  // The terms share the target's variance at first.
  Vector start(const TrainingStatistics& statistics, Index k, RandomStream& stream) const override {
    TrainingStatistics shared = statistics;
    shared.target_sd /= std::sqrt(static_cast<double>(terms_.size()));
    Vector theta(layout_.size());
    for (std::size_t t = 0; t < terms_.size(); ++t)
      theta.segment(offsets_[t], terms_[t].map->parameters().size()) = terms_[t].map->start(shared, k, stream);
    return theta;
  }
  nlohmann::json describe(ConstVec theta) const override;
  FrequencyRows frequencies(ConstVec theta) const override;
  void save(TensorBundle& bundle, const std::string& prefix) const override {
    for (std::size_t t = 0; t < terms_.size(); ++t) terms_[t].map->save(bundle, prefix + prefix_of(t));
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
      all.push_back({terms_[t].model, first, map.feature_count(), &map, offsets_[t]});
      first += map.feature_count();
    }
    return all;
  }

 private:
  Eigen::Ref<const Vector> part(ConstVec theta, std::size_t t) const {
    return theta.segment(offsets_[t], terms_[t].map->parameters().size());
  }

  Index inputs_;
  std::vector<Term> terms_;
  std::vector<Index> offsets_;
  ParameterLayout layout_;
};

// The spectra add, weighted by the variances: so do the mean squares of their frequencies.
nlohmann::json SumMap::describe(ConstVec theta) const {
  require(theta.size() == layout_.size(), "theta does not fit the feature map");
  nlohmann::json components = nlohmann::json::array();
  Vector power = Vector::Zero(inputs_);
  double variance = 0;
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    nlohmann::json component = terms_[t].map->describe(part(theta, t));
    const double own = std::pow(component.at("amplitude").get<double>(), 2);
    variance += own;
    for (Index j = 0; j < inputs_; ++j)
      power[j] += own * std::pow(component.at("relevance").at(static_cast<std::size_t>(j)).get<double>(), 2);
    component["model"] = terms_[t].model;
    components.push_back(std::move(component));
  }
  nlohmann::json relevance = nlohmann::json::array();
  for (const double value : power) relevance.push_back(variance > 0 ? std::sqrt(value / variance) : 0.0);
  return {
      {"amplitude", std::sqrt(variance)}, {"relevance", std::move(relevance)}, {"components", std::move(components)}};
}

// None unless every term has them: the shares of the variance would be wrong.
FrequencyRows SumMap::frequencies(ConstVec theta) const {
  std::vector<FrequencyRows> parts;
  std::vector<double> variances;
  Index rows = 0;
  double total = 0;
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    parts.push_back(terms_[t].map->frequencies(part(theta, t)));
    if (parts.back().rows.rows() == 0) return {};
    rows += parts.back().rows.rows();
    variances.push_back(std::pow(terms_[t].map->describe(part(theta, t)).at("amplitude").get<double>(), 2));
    total += variances.back();
  }
  FrequencyRows all{Matrix(rows, inputs_), Vector(rows)};
  Index first = 0;
  for (std::size_t t = 0; t < parts.size(); ++t) {
    const Index count = parts[t].rows.rows();
    all.rows.middleRows(first, count) = parts[t].rows;
    all.shares.segment(first, count) = parts[t].shares * (variances[t] / total);
    first += count;
  }
  return all;
}

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

FeatureMapEntry sum_entry() {
  return {{.name = "sum",
           .description = "Sum of models: each term a feature map with parameters of its own.",
           .formula = "k(x, x') = sum_t k_t(x, x');  psi(x) = [psi_1(x), .., psi_T(x)]",
           .cost = "the terms' together; D = sum of the terms' features",
           .reference = "Rasmussen and Williams 2006, section 4.2.4",
           .accuracy = "as the terms",
           .fixed = "",
           .keys = {"terms"},
           .recipe = R"({"model": "sum", "terms": [{"model": "linear"}, {"model": "ard"}]})"},
          make_sum,
          load_sum};
}

}  // namespace alacarte
