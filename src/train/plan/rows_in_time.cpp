#include "rows_in_time.hpp"

#include "cost_model.hpp"
#include "data/changed_rows.hpp"
#include "minibatch_plan.hpp"
#include "open_relevance.hpp"
#include "optimise/trainer.hpp"
#include "resolved_recipe.hpp"

namespace alacarte {
namespace {

constexpr Index kSampledRows = 1000, kMinRows = 500, kFirstSubsample = 1000, kSubsampleGrowth = 2,
                kMinSubsampledRows = 1200;
// From so many seconds and rows on learned frequencies gain from rows drawn anew: of 16 fits on eight such sets 13 have
// a lower NLPD, by 0.06 on average, and three a higher one, by 0.013 at most (experiments/frontier,
// thirty seconds; on fewer rows and in less time they do not pay: experiments/optimisers).
constexpr double kMinSecondsOfDraws = 30;
constexpr Index kMinRowsOfDraws = 10'000, kDrawnRows = 1000;
// Memory of drawn rows without and with a limit.
constexpr double kMaxBytes = 2e9, kShareOfMemory = 0.25;
// "auto" plans for all rows itself, and counts no features of levels in the smallest models that it has: from so many
// rows on these may take longer than the time.
constexpr Index kMinAutoRows = 6000;
// Evaluations that a fit must have time for, and those that its posterior takes as long as.
constexpr double kMinEvaluations = 12, kPosteriorEvaluations = 2;

}  // namespace

RowsInTime rows_in_time(const Recipe& recipe, const RowSource& training, Index classes, const FitOptions& options) {
  const Index all = training.rows();
  if (recipe.training.seconds == 0 || recipe.learner.kind != LearnerKind::gp || training.is_distributed())
    return {all, false};
  if (recipe.model == "auto") {
    if (training.level_counts().empty() || all < kMinAutoRows) return {all, false};
    return {rows_in_time(planned_recipe(recipe, training, classes, {}, options), training, classes, options).rows,
            false};
  }
  // If the noise varies, every fit gets its share of the time.
  const double fits = recipe.noise.varies ? 2 * static_cast<double>(recipe.noise.rounds) + 1 : 1;
  const double flops = nominal_flops(recipe.training.seconds / fits, std::max(1, options.threads));
  check_feature_sizes(recipe, all, options.memory_bytes);
  const std::vector<Index> sample = draw_training_rows(all, std::min(all, kSampledRows), options.seed);
  const PreparedRows prepared = prepare_rows(recipe, some_rows(training, sample), options.seed);
  std::vector<FitJob> jobs = make_jobs(recipe, prepared.rows.statistics, options.seed);
  const double targets = static_cast<double>(training.more_targets().cols()) + 1;
  // At most so many evaluations of so many fits of each member.
  const auto cost = [&](Index n, double most, std::size_t fits) {
    double sum = 0;
    for (std::size_t k = 0; k < jobs.size(); ++k)
      if (k < fits || jobs[k - fits].member != jobs[k].member) {
        const TrainingConfig& own = jobs[k].recipe.training;
        const auto asked = static_cast<double>(planned_evaluations(own));
        const auto sampling =
            static_cast<double>(sampling_evaluations(jobs[k].prior.parameters().trainable_count(), own.samples,
                                                     chain_start(jobs[k].recipe, n, smooth_inputs(training))));
        const double evaluation =
            evaluation_flops(jobs[k], static_cast<double>(n), static_cast<double>(training.inputs()), targets, classes);
        sum += fit_flops(jobs[k], evaluation, static_cast<double>(n),
                         sampling + std::min(most, asked + kPosteriorEvaluations));
      }
    return sum;
  };
  const auto is_too_slow = [&] { return cost(all, std::numeric_limits<double>::infinity(), 1) > flops; };
  bool is_short = is_too_slow(), takes_bound = false;
  if (is_short)
    for (FitJob& job : jobs)
      if (job.recipe.evidence == EvidenceForm::automatic && is_joint(job, classes)) {
        take_bound(job.recipe);
        takes_bound = true;
      }
  if (takes_bound) is_short = is_too_slow();
  // Two share the time; further copies begin in what these leave (FitPool).
  const auto fits_into = [&](Index n) { return cost(n, kMinEvaluations, 2) <= flops; };
  if (all <= kMinRows || fits_into(all)) return {all, is_short, takes_bound};
  // Drawn rows are kept in memory.
  const double bytes = options.memory_bytes > 0 ? kShareOfMemory * options.memory_bytes : kMaxBytes;
  const auto kept = static_cast<Index>(bytes / (8 * static_cast<double>(training.inputs() + 2)));
  Index most = std::max(kMinRows + 1, std::min(all, kept)), least = kMinRows;
  while (most - least > 1) {
    const Index middle = least + (most - least) / 2;
    (fits_into(middle) ? least : most) = middle;
  }
  return {least, is_short, takes_bound};
}

void take_bound(Recipe& recipe) {
  for (Recipe& member : recipe.members) take_bound(member);
  const bool has_features = recipe.members.empty() && find_kernel(recipe.model) == nullptr;
  if (has_features && recipe.evidence == EvidenceForm::automatic) recipe.evidence = EvidenceForm::bound;
}

bool begin_on_few_rows(Recipe& recipe, const RowsInTime& planned, double seconds) {
  bool given = false;
  for (Recipe& member : recipe.members) given = begin_on_few_rows(member, planned, seconds) || given;
  TrainingConfig& training = recipe.training;
  // Without iterations the parameters are to stay where they are.
  if (planned.rows < kMinSubsampledRows || !recipe.members.empty() || training.subsample > 0 ||
      training.drawn_rows > 0 || training.iterations == 0 || training.start == StartPoint::labels ||
      uses_minibatches(recipe))
    return given;
  const bool learns_frequencies = recipe.model == "ssgpr" || recipe.model == "fsgbard";
  if (learns_frequencies && recipe.learner.kind == LearnerKind::gp && likelihood_of(recipe).is_conjugate() &&
      seconds >= kMinSecondsOfDraws && planned.rows >= kMinRowsOfDraws) {
    training.drawn_rows = kDrawnRows;
    return true;
  }
  if (!planned.is_short) return given;
  training.subsample = kFirstSubsample;
  training.subsample_growth = kSubsampleGrowth;
  training.carry_curvature = true;
  return true;
}

std::vector<Index> draw_training_rows(Index all, Index count, std::uint64_t seed) {
  RandomStream stream = RandomStreams(seed).stream("rows_in_time");
  std::vector<Index> drawn = draw_rows(stream, all, count);
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

}  // namespace alacarte
