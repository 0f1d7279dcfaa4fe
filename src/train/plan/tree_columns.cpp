#include "tree_columns.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "alacarte/core/error.hpp"
#include "alacarte/model/likelihood.hpp"
#include "auto_constants.hpp"
#include "cost_model.hpp"
#include "trees/cross_fitting.hpp"

namespace alacarte {
namespace {

void check_rows(const TrainingRows& rows) {
  const auto refuse = [](const char* why) { throw ConfigError("/data/trees", why); };
  if (rows.source->more_targets().cols() > 0) refuse("is for one target; take \"targets\": \"independent\"");
  if (rows.source->is_distributed()) refuse("needs all rows in one process; run it without mpirun");
  check_cross_fitting(*rows.source);
}

/// Memory while trees are boosted.
struct BoostingBytes {
  double standing, fit;  ///< with the rows in doubles; of each fit at a time, which has its own in doubles and floats
  BoostingBytes(const RowSource& rows) {
    const double table = static_cast<double>(rows.rows()) * static_cast<double>(rows.inputs());
    standing = kProgramBytes + rows.memory_bytes() + 8 * table;
    fit = 30 * table;
  }
};

/// Returns how many fits at a time the memory holds. Throws MemoryLimitError if it does not hold one.
int workers_within(double memory_bytes, const RowSource& rows, int threads) {
  if (!(memory_bytes > 0)) return threads;
  const BoostingBytes bytes(rows);
  if (bytes.standing + bytes.fit > memory_bytes) throw MemoryLimitError(memory_bytes, bytes.standing + bytes.fit);
  return static_cast<int>(std::min((memory_bytes - bytes.standing) / bytes.fit, static_cast<double>(threads)));
}

CrossFitting fitting_of(const Recipe& recipe, const TrainingRows& rows, const FitOptions& options, double flops) {
  CrossFitting how;
  how.classes = static_cast<Index>(rows.classes.size());
  how.loss = how.classes > 0                                        ? BoostingLoss::classes
             : likelihood_of(recipe).target() == TargetKind::counts ? BoostingLoss::counts
                                                                    : BoostingLoss::squares;
  const int threads = std::max(1, options.threads);
  how.threads = workers_within(options.memory_bytes, *rows.source, threads);
  how.flops = flops > 0 ? flops
                        : auto_detail::kTreeShare *
                              (recipe.flops > 0 ? recipe.flops : nominal_flops(recipe.training.seconds, threads));
  how.seed = options.seed;
  return how;
}

// Names of the recorded work, with 1 added to places.
constexpr const char *kTreesName = "boosted trees", *kEffort = "effort", *kSettings = "settings";
std::string rounds_of_fold(std::size_t k) { return fmt::format("rounds of fold {}", k + 1); }

std::optional<CrossFittedWork> recorded_trees(const WorkRecord::Stages& stages) {
  const auto of = [&](const std::string& stage) {
    const auto found = stages.find(WorkKey{kTreesName, "", stage}.text());
    return found == stages.end() ? Index{0} : found->second;
  };
  if (of(kEffort) == 0) return std::nullopt;
  CrossFittedWork work{of(kEffort) - 1, of(kSettings) - 1};
  for (std::size_t k = 0; of(rounds_of_fold(k)) > 0; ++k) work.rounds.push_back(of(rounds_of_fold(k)));
  return work;
}

}  // namespace

TreeColumns boost_columns(const Recipe& recipe, const TrainingRows& rows, const FitOptions& options,
                          const TreeBudget& budget) {
  check_rows(rows);
  CrossFitting how = fitting_of(recipe, rows, options, budget.flops);
  how.after_round = budget.after_round;
  how.is_shallow = budget.is_shallow;
  const std::optional<CrossFittedWork> repeated =
      budget.stages != nullptr && *budget.stages ? recorded_trees(**budget.stages) : std::nullopt;
  if (repeated) how.repeated = &*repeated;
  CrossFitted fitted = cross_fit_trees(*rows.source, budget.split, how);
  const double megabytes = 16e-6 * static_cast<double>(fitted.trees->nodes());
  if (recipe.max_model_mb > 0 && megabytes > recipe.max_model_mb)
    throw ConfigError("/max_model_mb",
                      fmt::format("boosted trees would take {:.0f} MB of the model file, {:g} are allowed", megabytes,
                                  recipe.max_model_mb));
  return {std::move(fitted.trees), std::move(fitted.columns), std::move(fitted.work), std::move(fitted.note)};
}

void record_trees(const CrossFittedWork& work, const FitContext& context) {
  FitContext own = context;
  own.fit = kTreesName;
  own.record(kEffort, work.effort + 1);  // a record of 0 is none
  own.record(kSettings, work.candidate + 1);
  for (std::size_t k = 0; k < work.rounds.size(); ++k) own.record(rounds_of_fold(k), work.rounds[k]);
}

TreeColumns planned_columns(const Recipe& recipe, const TrainingRows& rows) {
  if (!takes_trees(recipe)) return {};
  check_rows(rows);
  const auto classes = static_cast<Index>(rows.classes.size());
  const Index outputs = tree_outputs(classes);
  return {std::make_shared<const BoostedTrees>(rows.source->inputs(), outputs),
          Matrix::Zero(rows.source->rows(), outputs)};
}

double boosting_bytes(const RowSource& rows, const FitOptions& options) {
  const BoostingBytes bytes(rows);
  return bytes.standing + bytes.fit * workers_within(options.memory_bytes, rows, std::max(1, options.threads));
}

}  // namespace alacarte
