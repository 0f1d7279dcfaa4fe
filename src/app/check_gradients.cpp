#include "check_gradients.hpp"

#include <cmath>
#include <limits>
#include <new>

#include "alacarte/model/likelihood.hpp"
#include "alacarte/model/registered.hpp"
#include "data/generators.hpp"
#include "train/plan/auto_recipe.hpp"
#include "train/plan/fit_jobs.hpp"
#include "training_rows.hpp"

namespace alacarte {
namespace {

// Largest acceptable relative errors. Few frequencies and rows suffice, since the formulas do not depend on sizes.
// Central differences are accurate to about 1e-7, a gradient in floats to about 1e-4.
constexpr double kTolerance = 1e-5, kMixedTolerance = 1e-3;
constexpr Index kFrequencies = 16, kMaxEntries = 80, kExactRows = 40, kMaxCheckedRows = 1200;

void lower_frequencies(Recipe& recipe) {
  const ModelInfo* info = find_model_info(model_infos(), recipe.model);
  if (info != nullptr && info->uses("features.frequencies"))
    recipe.features.frequencies = std::min(recipe.features.frequencies, kFrequencies);
  for (Recipe& term : recipe.terms) lower_frequencies(term);
}

class MemberCheck {
 public:
  MemberCheck(const Recipe& recipe, const Dataset& rows, std::uint64_t seed)
      : recipe_(recipe), rows_(rows), seed_(seed), streams_(RandomStreams(seed).scope("check")) {
    lower_frequencies(recipe_);
    const Index available = std::min(rows_.rows(), kMaxCheckedRows);
    prior_ = make_prior(recipe_, rows.inputs.cols(), streams_.scope("map"), training_rows(available).statistics);
  }

  /// Returns the numbers of rows to check: fewer and more than features, if there are enough rows.
  std::vector<Index> row_counts() const {
    const Index available = std::min(rows_.rows(), kMaxCheckedRows);
    if (prior_.kernel()) return {std::min(available, kExactRows)};
    const Index features = prior_.map()->feature_count();
    std::vector<Index> counts = {std::min(available, std::max<Index>(2, features / 2)),
                                 std::min(available, features + features / 4 + 1)};
    if (counts[0] == counts[1]) counts.pop_back();
    return counts;
  }

  /// Checks the objective of a training on these rows near its first start. Some gradients vanish by symmetry at the
  /// start and would hide an error, so the point is moved a little.
  ModelGradientCheck run(Index rows) const {
    const TrainingRows training = training_rows(rows);
    const FitJob job{recipe_.model, 0, recipe_, streams_, prior_};
    const auto objective = make_job_inference(job, training, recipe_.noise.prior_value, 1);
    Vector theta = make_job_starts(job, training, objective->parameters(), recipe_.noise.prior_value).front();
    RandomStream stream = streams_.stream("moved");
    for (const Index entry : objective->parameters().trainable_entries()) theta[entry] += 0.05 * stream.normal();
    ModelGradientCheck result;
    result.model = recipe_.model;
    result.has_features = prior_.map() != nullptr;
    result.frequencies = recipe_.features.frequencies;
    result.inputs = rows_.inputs.cols();
    result.plan = objective->plan();
    result.check = check_gradient(*objective, theta, kMaxEntries);
    // A NaN must not count as a small error.
    const auto& entries = result.check.entries;
    const bool finite =
        std::all_of(entries.begin(), entries.end(), [](const auto& e) { return std::isfinite(e.error); });
    result.tolerance = recipe_.precision == Precision::mixed ? kMixedTolerance : kTolerance;
    result.worst = finite ? result.check.worst() : std::numeric_limits<double>::infinity();
    return result;
  }

 private:
  /// Returns the first `rows` rows, prepared as for training.
  TrainingRows training_rows(Index rows) const {
    Dataset first;
    first.inputs = rows_.inputs.topRows(rows);
    first.target = rows_.target.head(rows);
    if (rows_.weights.size() > 0) first.weights = rows_.weights.head(rows);
    TrainingRows training = prepare_rows(recipe_, std::move(first), seed_).rows;
    const Index classes =
        target_kind(recipe_) == TargetKind::classes ? static_cast<Index>(rows_.target.maxCoeff()) + 1 : 0;
    count_classes(recipe_, classes, training);
    return training;
  }

  Recipe recipe_;
  const Dataset& rows_;
  std::uint64_t seed_;
  RandomStreams streams_;
  Prior prior_;
};

}  // namespace

Dataset rows_to_check(const std::string& path, const Recipe& recipe, const Job& job) {
  return load(*load_training_rows(path, recipe.data, {}, 0, job)->rows);
}

Dataset rows_to_check(const Recipe& recipe, std::uint64_t seed) {
  Dataset rows;
  RandomStream stream = RandomStreams(seed).stream("check/rows");
  find_problem("friedman1")->generate(kMaxCheckedRows, stream, rows.inputs, rows.target);
  const Likelihood& likelihood = likelihood_of(recipe);
  if (likelihood.target() == TargetKind::classes) {  // classes of equal size, by the target
    const Index classes = likelihood.max_classes() > 0 ? likelihood.max_classes() : 3;
    std::vector<double> sorted(rows.target.begin(), rows.target.end());
    std::sort(sorted.begin(), sorted.end());
    for (double& y : rows.target) {
      const auto rank = std::lower_bound(sorted.begin(), sorted.end(), y) - sorted.begin();
      y = static_cast<double>(rank * classes / rows.rows());
    }
  } else if (likelihood.target() == TargetKind::counts) {
    rows.target = rows.target.array().max(0.0).round();
  }
  return rows;
}

GradientAgreement check_gradients(const Recipe& given, const Dataset& rows, std::uint64_t seed,
                                  const std::function<void(const ModelGradientCheck&)>& on_result, const Job& job) {
  GradientAgreement agreement;
  const bool has_classes = target_kind(given) == TargetKind::classes;
  const Recipe recipe = auto_recipe(given, {rows.rows(), rows.inputs.cols(), has_classes ? Index{2} : 0}, job.threads);
  for (Recipe fit : recipe.model == "mixture" ? recipe.members : std::vector<Recipe>{recipe}) {
    fit.scale_inputs = recipe.scale_inputs;
    fit.scale_target = recipe.scale_target;
    fit.scale_rows = recipe.scale_rows;
    try {
      const MemberCheck member(fit, rows, seed);
      bool first = true;
      for (const Index count : member.row_counts()) {
        job.stop_if_interrupted();
        ModelGradientCheck result = member.run(count);
        result.first = std::exchange(first, false);
        on_result(result);
        if (result.worst / result.tolerance >= agreement.worst / agreement.tolerance)
          agreement = {result.worst, result.tolerance};
      }
    } catch (const std::bad_alloc&) {
      throw ConfigError("/features", fit.model + " of this recipe takes more memory than there is");
    }
  }
  return agreement;
}

}  // namespace alacarte
