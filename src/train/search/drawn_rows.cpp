#include "drawn_rows.hpp"

#include <fmt/format.h>

#include "optimise/adam.hpp"

namespace alacarte {
namespace {

constexpr Index kMaxTimedSteps = 20'000;
constexpr double kDrawnShare = 0.7;  // share of the remaining time; L-BFGS on all rows has the rest
constexpr Index kTimedSteps = 4;     // steps before their number is planned
constexpr double kStep = 0.03, kWarmUpSteps = 10;
constexpr double kWholeUnit = 0.3;  // prior deviation above which steps are not shortened
constexpr int kMaxFailures = 10;

/// Makes an Adam of the trained entries, scaled by their priors; other entries stay.
Adam make_adam(const ParameterLayout& layout) {
  Vector unit = Vector::Zero(layout.size());
  for (const ParameterSlot& slot : layout.slots())
    if (slot.trainable)
      unit.segment(slot.offset, slot.size)
          .setConstant(slot.prior.kind == ParameterPrior::Kind::none ? 1 : std::min(1.0, slot.prior.sd / kWholeUnit));
  return Adam(std::move(unit), Vector::Zero(layout.size()), Vector::Zero(layout.size()));
}

class DrawnRowsRun {
 public:
  DrawnRowsRun(const FitJob& job, const TrainingRows& rows, double noise_center, const Vector& start, int threads,
               double memory_bytes, const FitContext& context)
      : job_(job),
        rows_(rows),
        noise_center_(noise_center),
        threads_(threads),
        memory_bytes_(memory_bytes),
        context_(context),
        stream_(job.streams.stream("drawn_rows")),
        count_(job.recipe.training.drawn_rows),
        theta_(start) {}

  /// Fills the pool within `bytes`; returns false if too few rows fit to draw from.
  bool fill_pool(double bytes) {
    const Index all = rows_.source->rows();
    const double row_bytes = 8.0 * static_cast<double>(rows_.source->inputs() + 2);
    const bool in_memory = dynamic_cast<const MemoryRows*>(rows_.source.get()) != nullptr;
    const Index fit = std::min(kMaxPooledRows, static_cast<Index>(bytes / row_bytes));
    const Index kept = in_memory ? all : std::min(all, fit);
    if (kept < 2 * count_) return false;
    pool_ = in_memory ? rows_.source : gather_rows(*rows_.source, draw_rows(stream_, all, kept));
    return true;
  }

  Vector run() {
    const double began = context_.now();
    Index planned = context_.is_timed() ? kMaxTimedSteps : job_.recipe.training.drawn_steps;
    if (context_.repeats()) planned = context_.recorded("drawn steps");
    const Index asked = context_.repeats() ? context_.recorded("drawn steps made") : planned;
    for (int failures = 0; made_ < std::min(planned, asked) && failures < kMaxFailures; ++made_) {
      if (made_ == kTimedSteps && context_.is_timed()) planned = std::clamp(in_time(began), made_, planned);
      if (!context_.repeats() && made_ > 0 && must_stop()) break;
      failures = step(planned) ? 0 : failures + 1;
      report();
    }
    context_.record("drawn steps", planned);
    context_.record("drawn steps made", made_);
    context_.message(fmt::format("{}: {} steps on {} rows drawn anew took {:.3g} s", context_.name(), made_, count_,
                                 context_.now() - began));
    return theta_;
  }

 private:
  Index in_time(double began) const {
    const double each = (context_.now() - began) / static_cast<double>(kTimedSteps);
    return kTimedSteps +
           static_cast<Index>(kDrawnShare * std::max(0.0, context_.seconds_left()) / std::max(each, 1e-9));
  }

  bool must_stop() const { return context_.is_interrupted() || (context_.is_timed() && context_.seconds_left() < 0); }

  /// Makes one step; returns false, and moves nothing, if the rows cannot be evaluated.
  bool step(Index planned) {
    TrainingRows drawn{pick(), rows_.statistics, {}};
    drawn.more_noise_centers = rows_.more_noise_centers;
    count_classes(job_.recipe, static_cast<Index>(rows_.classes.size()), drawn);
    const auto inference = make_job_inference(job_, drawn, noise_center_, threads_, memory_bytes_);
    const ParameterLayout& layout = inference->parameters();
    if (!adam_) adam_ = make_adam(layout);
    Vector gradient(theta_.size()), priors = Vector::Zero(theta_.size());
    try {
      inference->evaluate(theta_, gradient);
      const double scale = static_cast<double>(rows_.source->rows()) / static_cast<double>(count_);
      layout.penalty(theta_, job_.recipe.priors, priors);
      gradient = (scale * gradient + priors) / static_cast<double>(rows_.source->rows());
      if (!gradient.allFinite()) return false;
    } catch (const NumericalError&) {
      return false;
    }
    // The number of steps is unknown before the first are timed, and a repetition must not know more.
    const double at = made_ < kTimedSteps ? 0 : (static_cast<double>(made_) + 0.5) / static_cast<double>(planned);
    const double warm = std::min(1.0, static_cast<double>(made_ + 1) / kWarmUpSteps);
    adam_->begin_step(kStep * warm * 0.5 * (1 + std::cos(0.5 * kTwoPi * at)));
    adam_->move(0, theta_.size(), theta_, gradient);
    return true;
  }

  std::shared_ptr<const RowSource> pick() { return gather_rows(*pool_, draw_rows(stream_, pool_->rows(), count_)); }

  void report() {
    if (context_.now() - last_report_ < 1) return;
    last_report_ = context_.now();
    Progress progress{context_.name(), "rows drawn anew"};
    progress.has_evidence = false;  // the evidence of so few rows says little
    progress.seconds = last_report_;
    context_.report(progress);
  }

  const FitJob& job_;
  const TrainingRows& rows_;
  const double noise_center_;
  const int threads_;
  const double memory_bytes_;
  const FitContext& context_;
  RandomStream stream_;
  const Index count_;
  Vector theta_;
  std::shared_ptr<const RowSource> pool_;
  std::optional<Adam> adam_;
  Index made_ = 0;
  double last_report_ = -std::numeric_limits<double>::infinity();
};

}  // namespace

Vector train_on_drawn_rows(const FitJob& job, const TrainingRows& rows, double noise_center, const Vector& start,
                           int threads, double memory_bytes, double pool_bytes, const FitContext& context) {
  if (rows.source->is_distributed())
    throw ConfigError("/training/drawn_rows", "needs all rows in one process; run it without mpirun");
  DrawnRowsRun run(job, rows, noise_center, start, threads, memory_bytes, context);
  return run.fill_pool(pool_bytes) ? run.run() : start;
}

}  // namespace alacarte
