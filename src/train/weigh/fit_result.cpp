#include "fit_result.hpp"

#include <fmt/format.h>
#include <numeric>

#include "alacarte/core/version.hpp"
#include "optimise/fit_context.hpp"

namespace alacarte {
namespace {

constexpr Index kMaxShareRows = 1000, kMaxCheckedRows = 100;
// Largest number of entries of k(x, X) for shares of terms; with more, the solves would take as long as evaluations.
constexpr Index kMaxShareEntries = 1'000'000;

/// Returns the shares of the terms of an additive model in the variance of f over the rows: a priori, and a posteriori
/// (variance of the posterior mean over the rows plus posterior variance). None for a model that is not additive.
std::vector<TermShare> term_shares(const FitJob& job, const Posterior& posterior, const TrainingRows& rows,
                                   int threads) {
  Index count = std::min(kMaxShareRows, rows.statistics.sample.rows());
  if (job.prior.kernel()) count = std::min(count, std::max<Index>(1, kMaxShareEntries / rows.source->rows()));
  const FunctionPosterior* function = posterior.as_function();
  if (!function) return {};
  const auto terms = function->term_moments(rows.statistics.sample.topRows(count), threads);
  if (terms.empty()) return {};
  std::vector<double> prior, after;
  for (const auto& term : terms) {
    prior.push_back(term.prior_variance.mean());
    after.push_back((term.mean.array() - term.mean.mean()).square().mean() + term.variance.mean());
  }
  const double prior_sum = std::accumulate(prior.begin(), prior.end(), 0.0);
  const double after_sum = std::accumulate(after.begin(), after.end(), 0.0);
  std::vector<TermShare> shares;
  for (std::size_t t = 0; t < terms.size(); ++t)
    shares.push_back(
        {terms[t].model, prior_sum > 0 ? prior[t] / prior_sum : 0.0, after_sum > 0 ? after[t] / after_sum : 0.0});
  return shares;
}

Member make_member(const FitJob& job, FitOutcome& outcome, const NoiseCenter& center, const TrainingRows& rows,
                   int threads) {
  Member member;
  member.recipe = job.recipe;
  member.prior = job.prior;
  member.theta = std::move(outcome.theta);
  member.posterior = std::move(outcome.posterior);
  member.likelihood_theta = std::move(outcome.likelihood_theta);
  member.summary = std::move(outcome.summary);
  member.summary.name = job.name;
  if (outcome.is_sample) member.summary.is_sample = true;
  if (job.is_classifier()) return member;
  if (!outcome.is_sample) member.summary.terms = term_shares(job, *member.posterior, rows, threads);
  if (job.recipe.priors && likelihood_of(job.recipe).is_conjugate()) {
    const bool found = job.recipe.noise.prior_center == PriorCenter::ard;
    member.summary.noise_prior = {found ? center.value : job.recipe.noise.prior_value,
                                  word(found ? center.from : PriorCenter::fixed)};
  }
  return member;
}

/// Throws if the moments of the mixture are not finite: its variance has squares of differences of means, and the mean
/// of counts is that of an exponential.
void require_mixture(const FittedModel& model, const Matrix& means, const Matrix& variances,
                     const Vector& dispersions) {
  const bool has_counts = model.target() == TargetKind::counts;
  const auto is_finite = [](const auto& law) { return law.mean().allFinite() && law.variance().allFinite(); };
  if (has_counts ? is_finite(CountDistribution(means, variances, {}, dispersions))
                 : is_finite(PredictiveDistribution(means, variances, true)))
    return;
  throw NumericalError(
      model.members.front().recipe.model,
      has_counts ? "its predictions of its own training rows are not finite: a few counts are too far above all others "
                   "for this likelihood; predict their logarithm as a number, or look for a wrong cell"
                 : "its predictions of its own training rows are not finite; give the target in a larger unit");
}

/// Refuses a model whose numbers are finite but not their squares, before its first prediction does.
void require_predictions(const FittedModel& model, ConstMat sample) {
  const double scale = model.standardizer.target_scale(), shift = model.standardizer.target_shift();
  const Matrix rows = sample.topRows(std::min(kMaxCheckedRows, sample.rows()));
  const auto count = static_cast<Index>(model.members.size());
  Matrix all_means(rows.rows(), count), all_variances(rows.rows(), count);
  Vector dispersions = Vector::Zero(count);
  bool is_mixture = model.target() != TargetKind::classes && count > 0;
  for (Index k = 0; k < count; ++k) {
    const Member& member = model.members[static_cast<std::size_t>(k)];
    const Posterior& posterior = *member.posterior;
    // Covariances of many classes are large, and classes have no unit whose square could overflow.
    const bool has_one = posterior.outputs() == 1 && posterior.has_variance();
    Matrix means(rows.rows(), posterior.outputs()), covariances(has_one ? rows.rows() : 0, has_one ? 1 : 0);
    posterior.predict_outputs(rows, means, covariances);
    covariances.array() += posterior.noise_variance();
    if (has_one && posterior.noise_variance() > 0 &&
        !(posterior.noise_variance() * scale * scale >= std::numeric_limits<double>::min()))
      throw NumericalError(
          member.recipe.model,
          fmt::format("the variances of its predictions are no numbers of a computer; the scale of the "
                      "target is {:.3g}: give it in a smaller unit",
                      scale));
    if ((means * scale).array().isFinite().all() && std::isfinite(shift) &&
        (covariances * (scale * scale)).array().isFinite().all()) {
      is_mixture = is_mixture && has_one;
      if (!is_mixture) continue;
      all_means.col(k) = means.col(0).array() * scale + shift;
      all_variances.col(k) = covariances.col(0) * (scale * scale);
      if (member.likelihood_theta.size() == 1) dispersions[k] = std::exp(member.likelihood_theta[0]);
      continue;
    }
    throw NumericalError(member.recipe.model,
                         fmt::format("its predictions of its own training rows are not finite; the scale of the target "
                                     "is {:.3g}: give it in a larger unit, or look for a wrong cell",
                                     scale));
  }
  if (is_mixture) require_mixture(model, all_means, all_variances, dispersions);
}

}  // namespace

LeftOutScores left_out_scores(const Prediction& prediction, const ScoredRows& scored) {
  const Vector &target = scored.target, &weights = scored.weights;
  if (prediction.kind() == TargetKind::numbers) return score(prediction.distribution(), target, weights);
  if (prediction.kind() == TargetKind::counts) {
    CountScoreSums sums;
    sums.add(prediction.counts(), target, weights);
    return sums.result();
  }
  return score_classes(prediction.classes().values, target, true, weights);
}

ScoredRows read_scored(const RowSource& training, const std::vector<Index>& scored) {
  ScoredRows rows;
  rows.target.resize(scored.empty() ? training.rows() : static_cast<Index>(scored.size()));
  if (training.has_weights()) rows.weights.resize(rows.target.size());
  if (training.has_offsets()) rows.offsets.resize(rows.target.size());
  if (training.is_distributed()) {
    const auto gathered = scored.empty() ? gather_all_rows(training) : gather_rows(training, scored);
    return {gathered->y(), gathered->weights(), gathered->offsets()};
  }
  RowScratch scratch;
  for (Index i = 0; i < rows.target.size(); ++i) {
    const RowBlock row = training.read(scored.empty() ? i : scored[static_cast<std::size_t>(i)], 1, scratch);
    rows.target[i] = row.y[0];
    if (rows.weights.size() > 0) rows.weights[i] = row.weights[0];
    if (rows.offsets.size() > 0) rows.offsets[i] = row.offsets[0];
  }
  return rows;
}

void spread_samples(FitOutcomes& outcomes, std::vector<FitJob>& jobs) {
  FitOutcomes spread;
  std::vector<FitJob> of_each;
  for (std::size_t k = 0; k < outcomes.size(); ++k) {
    std::vector<FitOutcome> samples;
    if (outcomes[k]) samples = std::move(outcomes[k]->samples);
    spread.push_back(std::move(outcomes[k]));
    of_each.insert(of_each.end(), 1 + samples.size(), jobs[k]);
    for (FitOutcome& sample : samples) spread.emplace_back(std::move(sample));
  }
  outcomes = std::move(spread);
  jobs = std::move(of_each);
}

TrainingRecord training_record(const TrainingRows& rows, const Schema& schema, const PlannedJobs& planned,
                               const FitOutcomes& outcomes, double seconds, int threads) {
  std::map<std::string, Index> classes;
  for (std::size_t k = 0; k < rows.classes.size(); ++k) classes[schema.classes()[k]] = rows.classes[k];
  Index evaluations = 0, came_out = 0;
  bool cut_short = false;
  for (const auto& outcome : outcomes) {
    if (!outcome) continue;
    ++came_out;
    evaluations += outcome->evaluations;
    cut_short = cut_short || outcome->cut_short;
  }
  TrainingRecord record;
  record.rows = rows.source->rows();
  record.inputs = rows.source->inputs();
  record.target = schema.target_name();
  record.seconds = seconds;
  record.threads = threads;
  record.evaluations = evaluations;
  record.planned_fits = static_cast<Index>(planned.jobs.size());
  record.fits = came_out;
  record.cut_short = cut_short || came_out < static_cast<Index>(planned.jobs.size());
  record.notes = planned.plan.notes;
  record.program_version = version();
  if (!FitContext::is_alone()) record.ranks = FitContext::ranks();
  if (!classes.empty()) record.classes = std::move(classes);
  return record;
}

FittedModel model_for_target(const FittedModel& first, const Schema& schema, const Standardizer& of_target) {
  FittedModel model;
  model.recipe = first.recipe;
  model.seed = first.seed;
  model.schema = schema;
  model.recipe.data = schema.config();
  model.standardizer = first.standardizer.with_target_of(of_target);
  model.training = first.training;
  model.training.target = schema.target_name();
  model.training.seasons.clear();  // of the first target's values
  return model;
}

FitOutcomes outcomes_of(FitOutcomes& all, std::size_t target) {
  FitOutcomes own(all.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (!all[k]) continue;
    Solution& solution = all[k]->more[target - 1];
    own[k] = FitOutcome{all[k]->theta,
                        all[k]->summary,
                        all[k]->evaluations,
                        all[k]->cut_short,
                        std::move(solution.posterior),
                        std::move(solution.leave_one_out)};
    own[k]->is_sample = all[k]->is_sample;
  }
  return own;
}

std::optional<Prediction> add_members(FittedModel& model, FitOutcomes& outcomes, const std::vector<FitJob>& jobs,
                                      const ScoredRows& scored, const FoldRows& folds,
                                      const std::function<NoiseCenter(const FitJob&)>& center_of,
                                      const TrainingRows& rows, int threads) {
  const Vector fold_target = folds.rows ? folds.rows->y() : Vector();
  const LeftOutFits fits{model,           outcomes,    jobs,          scored.target,     scored.weights,
                         scored.held_out, fold_target, folds.weights, scored.prior_rows, scored.offsets};
  Vector weights = mixture_weights(fits);
  const bool has_scores = model.recipe.weights != FitWeights::equal && model.recipe.weights != FitWeights::automatic;
  if (has_scores && rows.source->more_targets().cols() == 0) {
    auto& notes = model.training.notes;
    if (!notes) notes.emplace();
    weights = drop_negligible(weights, jobs, outcomes, *notes);
  }
  auto left_out = left_out_predictions(fits, weights);
  if (rows.source->rows() < 2) left_out.reset();  // no other row predicts the only one
  model.training.leave_one_out.reset();
  if (left_out) model.training.leave_one_out = left_out_scores(*left_out, scored);
  for (std::size_t k = 0; k < outcomes.size(); ++k) {
    if (!outcomes[k]) continue;
    Member member = make_member(jobs[k], *outcomes[k], center_of(jobs[k]), rows, threads);
    member.weight = weights[static_cast<Index>(model.members.size())];
    model.members.push_back(std::move(member));
  }
  require_predictions(model, rows.statistics.sample);
  return left_out;
}

FitSummary fit_summary(const TrainingSummary& training) {
  return {.stop = training.stop,
          .objective = training.objective,
          .log_evidence = training.log_evidence,
          .gradient_norm = training.gradient_norm,
          .iterations = training.iterations,
          .evaluations = training.evaluations,
          .failed_evaluations = training.failed_evaluations,
          .restarts = training.restarts,
          .jitter = training.jitter,
          .start_objectives = training.start_objectives,
          .best_start = training.best_start,
          .at_bound = training.at_bound,
          .trace = training.trace,
          .seconds = training.seconds};
}

}  // namespace alacarte
