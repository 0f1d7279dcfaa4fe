#include "posterior_budget.hpp"

#include "held_out_amplitude.hpp"

namespace alacarte {
namespace {

// Typical posteriors per search; posteriors' worth of the last evaluation and posterior, variational step included.
constexpr double kTrials = 6, kLastPosteriors = 3;
// Largest shares of the remaining time: for all posteriors, and for those after the search.
constexpr double kMaxPosteriorShare = 0.6, kMaxFinalShare = 0.35;
constexpr double kMaxTimingShare = 0.1;                      // largest share of the remaining time for timing more rows
constexpr Index kFewTimedRows = 256, kMoreTimedRows = 1024;  // numbers of timed rows
constexpr Index kMinAmplitudeRows = 1000, kMinPosteriorRows = 2000;
constexpr Index kInterruptedRows = 50000;  // largest number of rows for the posterior after an interrupt

}  // namespace

double PosteriorBudget::measure(const Vector& theta) {
  const Index own = rows_.source->own_rows(), few = std::min(kFewTimedRows, own), more = std::min(kMoreTimedRows, own);
  if (few == 0) return 0;  // other ranks have rows to measure
  least_ = seconds_of(theta, few);
  // Times more rows if that leaves nearly all of the time; otherwise takes the cost to be linear in the rows.
  if (least_ * static_cast<double>(more) / static_cast<double>(few) > kMaxTimingShare * context_.seconds_left())
    each_ = least_ / static_cast<double>(few);
  else
    each_ = more > few ? std::max(0.0, seconds_of(theta, more) - least_) / static_cast<double>(more - few) : 0;
  if (likelihood_of(job_.recipe).target() == TargetKind::classes) measure_scores(theta, few);
  is_measured_ = true;
  const double left = context_.seconds_left();
  const auto of = [&](Index rows) { return least_ + each_ * static_cast<double>(std::max<Index>(0, rows - few)); };
  const Index share = rows_.source->largest_share();
  const double scores = held_out() * (left_out_ + value_);
  after_amplitude_ = std::min(kLastPosteriors * of(share) + scores, kMaxFinalShare * left);
  const double trial = of(std::min(kMaxAmplitudeRows, share)) + held_out() * value_;
  return std::min(kTrials * trial + after_amplitude_, kMaxPosteriorShare * left);
}

TrainingRows PosteriorBudget::first_rows(Index count) const {
  RowScratch scratch;
  const RowBlock first = rows_.source->read(rows_.source->own_first(), count, scratch);
  TrainingRows some(rows_);
  Dataset data;
  data.inputs = first.x.dense();
  data.target = first.y;
  data.offsets = first.offsets;
  some.source = std::make_shared<const MemoryRows>(std::move(data));
  count_classes(job_.recipe, static_cast<Index>(rows_.classes.size()), some);
  return some;
}

/// Times the probabilities of left-out rows that weigh the fits: hundreds of points for each row and class.
void PosteriorBudget::measure_scores(const Vector& theta, Index count) {
  const TrainingRows some = first_rows(count);
  const auto rows = static_cast<double>(count);
  const double before = context_.now();
  try {
    const LeaveOneOut left_out =
        make_job_inference(job_, some, job_.recipe.noise.prior_value, threads_)->leave_one_out(theta);
    left_out_ = std::max(0.0, context_.now() - before - least_) / rows;
    const double between = context_.now();
    class_values(job_.recipe, left_out.mean, left_out.variance, static_cast<Index>(some.classes.size()));
    value_ = (context_.now() - between) / rows;
  } catch (const NumericalError&) {  // these times stay as they were
  }
}

/// Times the posterior of this rank's first `count` rows, without the other ranks.
double PosteriorBudget::seconds_of(const Vector& theta, Index count) const {
  const double before = context_.now();
  const TrainingRows some = first_rows(count);
  try {
    make_job_inference(job_, some, job_.recipe.noise.prior_value, threads_)->posterior(theta);
  } catch (const NumericalError&) {  // a failure takes about as long
  }
  return context_.now() - before;
}

Index PosteriorBudget::amplitude_rows() const {
  const Index given = context_.most_posterior_rows;
  const Index most = std::min(given > 0 ? given : kMaxAmplitudeRows, rows_.source->rows());
  const double seconds = (context_.seconds_left() - after_amplitude_) / kTrials - held_out() * value_;
  const Index rows = rows_in_time("amplitude rows", seconds, std::min(kMinAmplitudeRows, most), most);
  return rows == 0 ? most : rows;
}

bool PosteriorBudget::tries_amplitude(Index trials, double began) const {
  if (context_.repeats()) {
    const Index recorded = context_.recorded("amplitude");
    return recorded == 0 || trials < recorded;
  }
  const double each = (context_.now() - began) / static_cast<double>(trials);
  const bool is_late = context_.is_timed() && each + after_amplitude_ > context_.seconds_left();
  const bool ends = FitContext::any(is_late || context_.is_interrupted());
  if (ends) context_.record("amplitude", trials);
  return !ends;
}

Index PosteriorBudget::posterior_rows(bool interrupted) const {
  const std::string stage = "posterior rows";
  const Index all = rows_.source->rows(), given = context_.most_posterior_rows;
  if (given > 0) return given < all ? given : 0;
  if (!context_.repeats() && interrupted) {
    if (rows_.source->is_distributed() || all <= kInterruptedRows) return 0;
    context_.record(stage, kInterruptedRows);
    return kInterruptedRows;
  }
  const double left = context_.seconds_left() - held_out() * (left_out_ + value_);
  return rows_in_time(stage, left / kLastPosteriors, std::min(kMinPosteriorRows, all), all);
}

/// Returns the number of rows in [least, most] whose posterior takes `seconds`, and records it; 0 for `most`.
Index PosteriorBudget::rows_in_time(const std::string& stage, double seconds, Index least, Index most) const {
  if (context_.repeats()) return context_.recorded(stage);
  if (!context_.is_timed() || !is_measured_ || rows_.source->is_distributed() || least == most) return 0;
  const double more = (seconds - least_) / std::max(each_, 1e-12);
  if (more >= static_cast<double>(most)) return 0;
  const Index rows = std::clamp(static_cast<Index>(std::max(0.0, more)), least, most);
  context_.record(stage, rows);
  return rows;
}

}  // namespace alacarte
