#include "alacarte/app/check_gradients.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "alacarte/core/error.hpp"
#include "alacarte/data/generators.hpp"
#include "alacarte/inference/inference.hpp"
#include "alacarte/model/likelihood.hpp"
#include "alacarte/model/registered.hpp"
#include "training_rows.hpp"

namespace alacarte {
namespace {

// The formulas do not know their sizes: few frequencies and rows check the same code at a cost that invites checking.
constexpr Index kFrequencies = 16, kMaxEntries = 80, kExactRows = 40, kMaxCheckedRows = 1200;

/// The starting point, moved a little: some gradients vanish at a start by symmetry and would hide an error.
Vector point_to_check(const ModelFunction& model, const Objective& objective, const TrainingView& view,
                      const NoiseConfig& noise, RandomStream stream) {
  Vector theta(objective.parameters().size());
  theta.head(model.parameters().size()) = model.start(view, 0, stream);
  const double log_noise = 0.5 * std::log(std::max(noise.start * noise.start - noise.floor * noise.floor, 1e-8));
  const ParameterLayout& layout = objective.parameters();
  if (layout.contains("noise.log_sd")) theta[layout.find("noise.log_sd").offset] = log_noise;
  if (layout.contains("constant.log_sd")) theta[layout.find("constant.log_sd").offset] = 0;
  for (const Index entry : objective.parameters().trainable_entries()) theta[entry] += 0.05 * stream.normal();
  return theta;
}

void lower_frequencies(Recipe& recipe) {
  const ModelCard* card = find_card(model_cards(), recipe.model);
  if (card != nullptr && card->uses("features.frequencies"))
    recipe.features.frequencies = std::min(recipe.features.frequencies, kFrequencies);
  for (Recipe& term : recipe.terms) lower_frequencies(term);
}

class MemberCheck {
 public:
  MemberCheck(const Recipe& recipe, const Dataset& rows, std::uint64_t seed)
      : recipe_(recipe), rows_(rows), streams_(RandomStreams(seed).scope("check")) {
    lower_frequencies(recipe_);
    const Index available = std::min(rows_.rows(), kMaxCheckedRows);
    model_ = make_function(recipe_, rows.inputs.cols(), streams_.scope("map"), standardized(available).view);
  }

  /// Fewer rows than features, and more, as far as there are rows.
  std::vector<Index> row_counts() const {
    const Index available = std::min(rows_.rows(), kMaxCheckedRows);
    if (model_.kernel) return {std::min(available, kExactRows)};
    const Index features = model_.map->feature_count();
    std::vector<Index> counts = {std::min(available, std::max<Index>(2, features / 2)),
                                 std::min(available, features + features / 4 + 1)};
    if (counts[0] == counts[1]) counts.pop_back();
    return counts;
  }

  ModelGradientCheck run(Index rows) const {
    const auto& [x, y, view] = standardized(rows);
    InferenceOptions options;
    options.mean = recipe_.mean;
    options.form = recipe_.evidence;
    options.noise = recipe_.noise;
    options.likelihood = laplace_likelihood(recipe_);
    if (learns_classes(recipe_)) options.classes = static_cast<Index>(y.maxCoeff()) + 1;
    const auto objective =
        model_.map ? make_inference(model_.map, x, y, options) : make_inference(model_.kernel, x, y, options);
    const Vector theta = point_to_check(model_, *objective, view, recipe_.noise, streams_.stream("start"));
    ModelGradientCheck result;
    result.model = recipe_.model;
    result.has_features = model_.map != nullptr;
    result.frequencies = recipe_.features.frequencies;
    result.inputs = rows_.inputs.cols();
    result.plan = objective->plan();
    result.check = check_gradient(*objective, theta, kMaxEntries);
    // A NaN must not pass for a small error.
    const auto& entries = result.check.entries;
    const bool finite =
        std::all_of(entries.begin(), entries.end(), [](const auto& e) { return std::isfinite(e.error); });
    result.worst = finite ? result.check.worst() : std::numeric_limits<double>::infinity();
    return result;
  }

 private:
  struct Rows {
    Matrix x;
    Vector y;
    TrainingView view;
  };
  /// The first `rows`.
  Rows standardized(Index rows) const {
    const Matrix raw = rows_.inputs.topRows(rows);
    const Vector target = rows_.target.head(rows);
    const auto standardizer =
        Standardizer::learn(raw, target, recipe_.scale_inputs, recipe_.scale_target, recipe_.scale_rows);
    Matrix x = standardizer.inputs(raw);
    Vector y = standardizer.target(target);
    RandomStream pairs = streams_.stream("pairs");
    TrainingView view = make_training_view(x, y, pairs);
    return {std::move(x), std::move(y), std::move(view)};
  }

  Recipe recipe_;
  const Dataset& rows_;
  RandomStreams streams_;
  ModelFunction model_;
};

}  // namespace

Dataset rows_to_check(const std::string& path, const Recipe& recipe, const Job& job) {
  return load_training_rows(path, recipe.data, {}, 0, job)->rows;
}

Dataset rows_to_check(const Recipe& recipe, std::uint64_t seed) {
  Dataset rows;
  RandomStream stream = RandomStreams(seed).stream("check/rows");
  find_problem("friedman1")->generate(kMaxCheckedRows, stream, rows.inputs, rows.target);
  const LikelihoodEntry* entry = find_likelihood(recipe.likelihood);
  if (entry->classes) {  // of equal numbers of rows, by the target's size
    const Index classes = entry->most_classes > 0 ? entry->most_classes : 3;
    std::vector<double> sorted(rows.target.begin(), rows.target.end());
    std::sort(sorted.begin(), sorted.end());
    for (double& y : rows.target) {
      const auto rank = std::lower_bound(sorted.begin(), sorted.end(), y) - sorted.begin();
      y = static_cast<double>(rank * classes / rows.rows());
    }
  } else if (entry->likelihood != nullptr) {
    rows.target = rows.target.array().max(0.0).round();  // counts
  }
  return rows;
}

double check_gradients(const Recipe& recipe, const Dataset& rows, std::uint64_t seed,
                       const std::function<void(const ModelGradientCheck&)>& on_result, const Job& job) {
  double worst = 0;
  for (Recipe fit : recipe.model == "mixture" ? recipe.members : std::vector<Recipe>{recipe}) {
    fit.scale_inputs = recipe.scale_inputs;
    fit.scale_target = recipe.scale_target;
    fit.scale_rows = recipe.scale_rows;
    const MemberCheck member(fit, rows, seed);
    bool first = true;
    for (const Index count : member.row_counts()) {
      job.stop_if_interrupted();
      ModelGradientCheck result = member.run(count);
      result.first = std::exchange(first, false);
      on_result(result);
      worst = std::max(worst, result.worst);
    }
  }
  return worst;
}

}  // namespace alacarte
