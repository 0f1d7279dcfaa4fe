// Progress of a job on standard error.
#include <fmt/format.h>
#include <cmath>
#include <utility>

#include "app/plan_seconds.hpp"
#include "app/training_text.hpp"
#include "command.hpp"
#include "training_json.hpp"

namespace alacarte::cli {
namespace {

// Seconds between lines in a log file, which should stay readable after a night of training.
constexpr double kSparseSeconds = 10;

// Delay of a warning, in seconds. A training that fails soon after one mostly fails for the same cause, a full disk,
// and then prints its error only.
constexpr std::chrono::seconds kHoldWarnings{10};

}  // namespace

ProgressReporter::~ProgressReporter() { clear_live_line(); }

std::string ProgressReporter::describe(const Progress& p) const {
  std::string text = p.fit + "  " + p.stage;
  if (p.has_evidence) text += fmt::format("  evaluation {}  evidence {:.6g}", p.evaluation, -p.objective);
  if (p.has_evidence && std::isfinite(p.gradient_norm)) text += fmt::format("  |gradient| {:.2e}", p.gradient_norm);
  if (p.has_evidence && p.noise_sd > 0) text += fmt::format("  noise {:.3g}", p.noise_sd * target_scale_);
  text += fmt::format("  {}", format_seconds(p.seconds));
  if (p.seconds_left >= 0) text += fmt::format("  left {}", format_seconds(p.seconds_left));
  if (p.rank_speeds.size() > 0) {
    Index slowest = 0;
    const double least = p.rank_speeds.minCoeff(&slowest);
    text += fmt::format("  {:.3g} rows/s a rank, least {:.3g} (rank {})", p.rank_speeds.mean(), least, slowest);
  }
  return text;
}

void ProgressReporter::on_plan(const TrainingPlan& plan) {
  target_scale_ = plan.target_scale;
  if (!shows_events()) return;
  const double seconds = plan_seconds(plan, threads_, measure_machine());
  log_event("plan", plan_json(plan, threads_, seconds), plan_text(plan, threads_, seconds));
}

void ProgressReporter::on_progress(const Progress& p) {
  if (!held_.empty() && std::chrono::steady_clock::now() - held_since_ >= kHoldWarnings) show_warnings();
  if (live_line_possible()) {
    show_live_line(describe(p));
    return;
  }
  // Probes that run side by side report in turn: each is announced once, then the clock decides.
  const bool announce = stages_.insert(p.fit + '/' + p.stage).second;
  if (!announce && p.seconds - last_seconds_ < kSparseSeconds) return;
  last_seconds_ = p.seconds;
  nlohmann::json fields = {{"fit", p.fit}, {"stage", p.stage}, {"seconds", p.seconds}};
  if (p.has_evidence)
    fields.update({{"iteration", p.iteration},
                   {"evaluation", p.evaluation},
                   {"objective", p.objective},
                   {"gradient_norm", p.gradient_norm}});
  if (p.has_evidence && p.noise_sd > 0) fields["noise_sd"] = p.noise_sd * target_scale_;
  if (p.seconds_left >= 0) fields["seconds_left"] = p.seconds_left;
  if (p.rank_speeds.size() > 0)
    fields["rows_per_second"] = std::vector<double>(p.rank_speeds.begin(), p.rank_speeds.end());
  log_event("progress", fields, describe(p));
}

void ProgressReporter::on_message(const std::string& text) { log_info(text); }

void ProgressReporter::on_warning(const std::string& text) {
  if (held_.empty()) held_since_ = std::chrono::steady_clock::now();
  held_.push_back(text);
}

void ProgressReporter::show_warnings() {
  for (const std::string& text : std::exchange(held_, {})) log_warning(text);
}

Job ProgressReporter::job() { return {threads_, this, &interrupt_flag()}; }

void ProgressReporter::on_rows(const char* activity, double share, Index rows) {
  show_live_line(share < 0 ? fmt::format("{}  {} rows", activity, rows)
                           : fmt::format("{}  {:.0f} %  {} rows", activity, 100 * share, rows));
}

void ProgressReporter::on_training_rows(Index training_rows, Index file_rows, Index held_out,
                                        const std::string& target) {
  const Index dropped = file_rows - training_rows - held_out;
  std::string rest = file_rows > training_rows ? fmt::format(" of {}", file_rows) : "";
  if (held_out > 0) rest += fmt::format(", {} held out", held_out);
  if (dropped > 0) rest += fmt::format(", {} dropped (missing cells or weight 0)", dropped);
  log_event("rows",
            {{"file", file_rows},
             {"training", training_rows},
             {"held_out", held_out},
             {"dropped", dropped},
             {"target", target}},
            fmt::format("rows: {}{}; target '{}'", training_rows, rest, one_line(target)));
}

void ProgressReporter::on_rows_stored(Index rows) {
  log_event("converted", {{"rows", rows}}, fmt::format("converted {} rows", rows));
}

}  // namespace alacarte::cli
