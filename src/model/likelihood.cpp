#include "alacarte/model/likelihood.hpp"

#include <fmt/format.h>
#include <cmath>
#include <functional>

#include "alacarte/core/error.hpp"
#include "alacarte/core/model_info.hpp"
#include "alacarte/core/predictive_distribution.hpp"
#include "core/kernel_keys.hpp"
#include "core/spelling.hpp"
#include "linalg/dense.hpp"
#include "model/likelihoods/entries.hpp"
#include "model/likelihoods/gaussian_points.hpp"

namespace alacarte {
namespace {

Matrix logistic_values(ConstMat means, Index classes) {
  Matrix values(means.rows(), classes);
  const auto logistic = [](double f) { return f >= 0 ? 1 / (1 + std::exp(-f)) : std::exp(f) / (1 + std::exp(f)); };
  if (means.cols() == 1) {
    values.col(0) = means.col(0).unaryExpr([&](double f) { return logistic(-f); });
    values.col(1) = means.col(0).unaryExpr(logistic);
    return values;
  }
  values = means.unaryExpr(logistic);
  for (Index i = 0; i < values.rows(); ++i) {
    const double sum = values.row(i).sum();
    if (sum > 0)
      values.row(i) /= sum;
    else  // every class has the value 0, to rounding: nothing tells them apart
      values.row(i).setConstant(1.0 / static_cast<double>(classes));
  }
  return values;
}

void refuse(const char* pointer, bool unused, const std::string& why) {
  if (unused) throw ConfigError(pointer, "means nothing for " + why);
}

/// Throws ConfigError for settings of the noise that the likelihood does not use and that are not at their defaults.
void check_noise(const Recipe& recipe) {
  const NoiseConfig defaults;
  const NoiseConfig& noise = recipe.noise;
  const std::string likelihood = "likelihood '" + recipe.likelihood + "'";
  const bool student = recipe.likelihood == "student-t", negative_binomial = recipe.likelihood == "negative-binomial";
  refuse("/noise/degrees", noise.degrees != 0 && !student, likelihood);
  refuse("/noise/dispersion", noise.dispersion != 0 && !negative_binomial, likelihood);
  if (student && noise.degrees != 0 && !(noise.degrees > 2))
    throw ConfigError("/noise/degrees", "must be more than 2, so that the noise has a variance, or 0 = learned");
  if (student && recipe.scale_target != TargetScaling::zscore && recipe.scale_target != TargetScaling::automatic)
    throw ConfigError("/scale/target", "likelihood 'student-t' scales its target by quartiles; leave it out");
  NoiseConfig unused = noise;
  unused.degrees = unused.dispersion = 0;
  if (student) {
    unused.floor = defaults.floor;
    unused.sd = defaults.sd;
    unused.trained = defaults.trained;
  }
  refuse("/noise", !likelihood_of(recipe).is_conjugate() && unused != defaults, likelihood);
  refuse("/noise/shape", noise.shape == NoiseDistribution::mixture && !noise.trained,
         "noise that is not learned (noise.trained)");
  refuse("/noise/rounds", noise.rounds != defaults.rounds && !noise.varies, "noise that does not vary");
  refuse("/noise/rows", noise.rows != defaults.rows && !(noise.varies && noise.rounds == 0),
         "noise that does not vary by rounds 0");
}

/// Refuses settings in the unit of the target where it is transformed, in which they would change from row to row.
void check_transform(const Recipe& recipe) {
  if (!is_transform(recipe.scale_target)) return;
  const auto refuse_unit = [&](const std::string& place) {
    throw ConfigError(place, "is in the unit of the target, which scale.target '" + word(recipe.scale_target) +
                                 "' transforms; leave out one of them");
  };
  if (!recipe.data.noise_sd.empty()) refuse_unit("/data/noise_sd");
  const std::function<void(const Recipe&, const std::string&)> check = [&](const Recipe& level,
                                                                           const std::string& place) {
    if (level.noise.sd > 0) refuse_unit(place + "/noise/sd");
    if (level.kernel.amplitude > 0) refuse_unit(place + "/kernel/amplitude");
    for (std::size_t k = 0; k < level.members.size(); ++k)
      check(level.members[k], fmt::format("{}/members/{}", place, k));
    for (std::size_t k = 0; k < level.terms.size(); ++k) check(level.terms[k], fmt::format("{}/terms/{}", place, k));
  };
  check(recipe, "");
}

void check_calibration(const Recipe& recipe) {
  const CalibrationConfig& calibration = recipe.calibration;
  refuse("/calibration/share", calibration.kind == CalibrationKind::none && calibration != CalibrationConfig{},
         "calibration of kind 'none'");
  const bool classes = target_kind(recipe) == TargetKind::classes;
  if (calibration.kind == CalibrationKind::conformal && classes)
    throw ConfigError("/calibration/kind", "'conformal' is of numbers and counts; classes take 'temperature'");
  if (calibration.kind == CalibrationKind::temperature && !gives_probabilities(recipe))
    throw ConfigError("/calibration/kind", classes
                                               ? "'temperature' is of probabilities, which learner 'svm' has none of"
                                               : "'temperature' is of classes; numbers and counts take 'conformal'");
}

void check_learner(const Recipe& recipe) {
  const Recipe defaults;
  const bool gp = recipe.learner.kind == LearnerKind::gp;
  const std::string learner = "learner '" + word(recipe.learner.kind) + "'";
  refuse("/learner/costs", gp && recipe.learner.costs != defaults.learner.costs, learner);
  refuse("/learner/folds", gp && recipe.learner.folds != defaults.learner.folds, learner);
  refuse("/learner/search", gp && recipe.learner.search != defaults.learner.search, learner);
  refuse("/learner/search_rows", gp && recipe.learner.search_rows != defaults.learner.search_rows, learner);
  refuse("/learner/scales", gp && recipe.learner.scales != defaults.learner.scales, learner);
  TrainingConfig timed = defaults.training;
  timed.seconds = recipe.training.seconds;
  refuse("/training", !gp && recipe.training != timed, learner);
  refuse("/noise", !gp && recipe.noise != defaults.noise, learner);
  const std::string by_hand = first_by_hand(recipe);
  refuse(by_hand.c_str(), !gp && !by_hand.empty(), learner);
  refuse("/mean", !gp && recipe.mean != defaults.mean, learner);
  refuse("/priors", !gp && recipe.priors != defaults.priors, learner);
  refuse("/evidence", !gp && recipe.evidence != defaults.evidence, learner);
  refuse("/precision", !gp && recipe.precision != defaults.precision, learner);
  refuse("/flops", !gp && recipe.flops != defaults.flops, learner);
  refuse("/likelihood", !gp && recipe.likelihood != defaults.likelihood, learner);
  refuse("/learner/class_weights",
         target_kind(recipe) != TargetKind::classes && recipe.learner.class_weights != ClassWeights::none,
         "a target that is no class");
  if (recipe.training.start == StartPoint::labels && target_kind(recipe) != TargetKind::classes)
    throw ConfigError("/training/start", "'labels' means nothing for a target that is no class");
  if (recipe.training.start == StartPoint::labels && !by_hand.empty())
    throw ConfigError("/training/start", "'labels' chooses the kernel's parameters, one of which " + by_hand + " sets");
  check_calibration(recipe);
  if (!gp) return;
  check_noise(recipe);
  const std::string likelihood = "likelihood '" + recipe.likelihood + "'";
  // Softmax alone has more than one output with three classes.
  constexpr Index kSeveralClasses = 3;
  const bool has_outputs = likelihood_of(recipe).outputs(kSeveralClasses) > 1;
  refuse("/evidence", recipe.evidence == EvidenceForm::bound && !has_outputs, likelihood);
  if (likelihood_of(recipe).is_conjugate()) return;
  refuse("/precision", recipe.precision != Precision::float64, likelihood);
  refuse("/evidence", recipe.evidence == EvidenceForm::dual, likelihood);
}

void check_exposure(const Recipe& recipe) {
  if (recipe.data.exposure.empty() || target_kind(recipe) == TargetKind::counts) return;
  throw ConfigError(
      "/data/exposure",
      "is of counts: take likelihood poisson or negative-binomial, not " +
          (recipe.learner.kind != LearnerKind::gp ? "learner '" + word(recipe.learner.kind) : "'" + recipe.likelihood) +
          "'");
}

/// Holds the noise of weight 1 at 1, or at the factor that the recipe sets, where the noise of rows is known: their
/// weights are 1 / sd^2 in the unit of the target.
void hold_known_noise(Recipe& recipe) {
  if (recipe.data.noise_sd.empty()) return;
  if (recipe.learner.kind != LearnerKind::gp || !likelihood_of(recipe).is_conjugate())
    throw ConfigError("/data/noise_sd",
                      "is of numbers with gaussian noise, not of " +
                          (recipe.learner.kind != LearnerKind::gp ? "learner '" + word(recipe.learner.kind)
                                                                  : "likelihood '" + recipe.likelihood) +
                          "'");
  if (recipe.noise.varies)
    throw ConfigError("/noise/varies", "the noise of each row is known (data.noise_sd); leave out one of them");
  const auto hold = [](NoiseConfig& noise) {
    if (noise.sd > 0) return;
    noise.sd = 1;
    noise.trained = false;
  };
  hold(recipe.noise);
  for (Recipe& member : recipe.members) hold(member.noise);
}

}  // namespace

const std::vector<LikelihoodEntry>& likelihoods() {
  static const std::vector<LikelihoodEntry> all = {
      {"gaussian", "a number, with noise of one size", "y = f + e, e ~ N(0, s2)", gaussian_likelihood()},
      {"logit", "two classes, by the logistic function", "p(1) = 1 / (1 + exp(-f))", logit_likelihood()},
      {"probit", "two classes, by the normal distribution function", "p(1) = Phi(f)", probit_likelihood()},
      {"softmax", "any number of classes, one function each", "p(k) = exp(f_k) / sum_l exp(f_l)", softmax_likelihood()},
      {"poisson", "counts: whole numbers from 0 up", "p(y) = exp(y f - exp(f)) / y!", poisson_likelihood()},
      {"student-t", "a number, with noise of heavy tails: outliers leave the rest alone", "y = f + s t, t ~ Student(v)",
       student_t_likelihood()},
      {"negative-binomial", "counts that spread more than Poisson's, with variance u + a u^2",
       "p(y) = C(y + 1/a - 1, y) (a u)^y / (1 + a u)^(y + 1/a), u = exp(f)", negative_binomial_likelihood()},
  };
  return all;
}

const LikelihoodEntry* find_likelihood(const std::string& name) { return find_named(likelihoods(), name); }

const Likelihood& likelihood_of(const Recipe& recipe) {
  require(recipe.learner.kind == LearnerKind::gp, "likelihood_of: a classifier has no likelihood");
  if (const LikelihoodEntry* entry = find_likelihood(recipe.likelihood)) return entry->likelihood;
  std::vector<std::string> names;
  for (const auto& entry : likelihoods()) names.push_back(entry.name);
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  throw ConfigError("/likelihood", "must be one of " + list + ", not '" + recipe.likelihood + "'" +
                                       did_you_mean(recipe.likelihood, names));
}

TargetKind target_kind(const Recipe& recipe) {
  return recipe.learner.kind == LearnerKind::gp ? likelihood_of(recipe).target() : TargetKind::classes;
}

const Likelihood& likelihood_at(const Recipe& recipe, ConstVec theta, std::unique_ptr<Likelihood>& owned) {
  const Likelihood& registered = likelihood_of(recipe);
  owned = theta.size() > 0 ? registered.at(recipe.noise, theta) : nullptr;
  return owned ? *owned : registered;
}

ParameterLayout Likelihood::parameters(const NoiseConfig&) const { return {}; }

std::unique_ptr<Likelihood> Likelihood::at(const NoiseConfig&, ConstVec) const { return nullptr; }

void Likelihood::parameter_slopes(ConstMat, ConstVec, ConstVec, ConstMat, ConstMat, VecRef) const {}

Matrix Likelihood::probabilities(ConstMat, ConstMat) const {
  require(false, "probabilities: the target is no class");
  return {};
}

void expected_derivatives(const Likelihood& likelihood, ConstMat means, ConstMat covariances, ConstVec y,
                          ConstVec weights, MatRef gradient, MatRef curvature) {
  const Index rows = means.rows(), outputs = means.cols();
  require(covariances.rows() == rows && covariances.cols() == pair_count(outputs),
          "expected_derivatives: a covariance for each row");
  const Matrix points = gaussian_points(outputs);
  const Index count = points.rows();
  Matrix steps(count, outputs), f(2 * count, outputs), at(2 * count, outputs), curved(2 * count, curvature.cols());
  for (Index i = 0; i < rows; ++i) {
    gemm(1.0, points, Op::none, covariance_root(covariances, i, outputs), Op::transpose, 0.0, steps);
    f.topRows(count) = steps.rowwise() + means.row(i);
    f.bottomRows(count) = (-steps).rowwise() + means.row(i);
    likelihood.derivatives(f, Vector::Constant(2 * count, y[i]), Vector::Constant(2 * count, weights[i]), at, curved);
    gradient.row(i) = at.colwise().mean();
    curvature.row(i) = curved.colwise().mean();
  }
}

bool gives_probabilities(const Recipe& recipe) {
  return target_kind(recipe) == TargetKind::classes && recipe.learner.kind != LearnerKind::svm;
}

Matrix class_values(const Recipe& recipe, ConstMat means, ConstMat covariances, Index classes) {
  require(means.cols() == classes || (means.cols() == 1 && classes == 2), "class_values: outputs and classes");
  require(covariances.size() == 0 || covariances.rows() == means.rows(), "class_values: means and covariances");
  if (recipe.learner.kind == LearnerKind::gp) return likelihood_of(recipe).probabilities(means, covariances);
  if (recipe.learner.kind == LearnerKind::logistic) return logistic_values(means, classes);
  require(recipe.learner.kind == LearnerKind::svm, "class_values: the target is no class");
  if (means.cols() == classes) return means;
  Matrix values(means.rows(), 2);
  values << -means, means;
  return values;
}

Recipe apply_likelihood_defaults(Recipe recipe) {
  check_learner(recipe);
  hold_known_noise(recipe);
  check_exposure(recipe);
  recipe.data.labels = target_kind(recipe) == TargetKind::classes;
  if (target_kind(recipe) != TargetKind::numbers) {
    if (recipe.scale_target != TargetScaling::zscore && recipe.scale_target != TargetScaling::none &&
        recipe.scale_target != TargetScaling::automatic)
      throw ConfigError("/scale/target", "classes and counts are not scaled; leave it out");
    recipe.scale_target = TargetScaling::none;
  }
  if (recipe.scale_target == TargetScaling::automatic && recipe.model != "auto")
    recipe.scale_target = TargetScaling::zscore;
  check_transform(recipe);
  for (Recipe& member : recipe.members) {
    member.likelihood = recipe.likelihood;
    member.learner = recipe.learner;
    if (!is_curve(member.scale_inputs)) member.scale_inputs = recipe.scale_inputs;
    member = apply_likelihood_defaults(std::move(member));
  }
  return recipe;
}

std::optional<RefusedTarget> refused_target(const Likelihood& likelihood, ConstVec y) {
  if (likelihood.validate_targets(y).empty()) return std::nullopt;
  for (Index i = 0; i < y.size(); ++i)
    if (std::string why = likelihood.validate_targets(y.segment(i, 1)); !why.empty())
      return RefusedTarget{i, std::move(why)};
  return std::nullopt;
}

}  // namespace alacarte
