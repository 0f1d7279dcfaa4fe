#include "classifier_search.hpp"

#include <fmt/format.h>

#include "cross_validation.hpp"
#include "data/splits.hpp"

namespace alacarte {
namespace {

/// Returns a cost of an ascending list and its neighbours there.
std::vector<double> costs_around(const std::vector<double>& costs, double cost) {
  const auto at = std::find(costs.begin(), costs.end(), cost);
  return {at == costs.begin() ? at : at - 1, costs.end() - at > 1 ? at + 2 : costs.end()};
}

/// Draws labelled rows into memory, each class in proportion.
TrainingRows stratified_rows(const TrainingRows& rows, Index count, std::uint64_t seed) {
  const double share = static_cast<double>(count) / static_cast<double>(rows.source->rows());
  const std::vector<bool> drawn = hold_out(rows.labels, share, seed);
  TrainingRows few;
  std::vector<Index> order;
  few.classes.assign(rows.classes.size(), 0);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (!drawn[i]) continue;
    order.push_back(static_cast<Index>(i));
    few.labels.push_back(rows.labels[i]);
    ++few.classes[static_cast<std::size_t>(rows.labels[i])];
  }
  few.source = gather_rows(*rows.source, order);
  few.columns = rows.columns.of_rows(order);
  return few;
}

class ClassifierSearch {
 public:
  ClassifierSearch(const FitJob& job, const TrainingRows& rows, int threads, const FitContext& context)
      : job_(job),
        rows_(rows),
        threads_(threads),
        context_(context),
        scales_(scales_of(job.recipe)),
        costs_(costs_of(job.recipe)),
        validation_(job, rows, rows.statistics, "", threads, context) {}

  FitOutcome run(std::uint64_t seed) {
    const double began = context_.now();
    Candidate chosen{scales_.front(), costs_.front(), 0};
    if (searches_subsample(job_.recipe, rows_.source->rows())) chosen = narrow(chosen, seed);
    const bool known = !few_tried_.empty();
    bool is_short = false;
    if (scales_.size() * costs_.size() > 1 && !context_.is_interrupted()) {
      validation_.run(scales_, costs_, seed);
      is_short = tried().size() < scales_.size() * costs_.size() && !context_.is_interrupted();
      if (!tried().empty()) chosen = best_of(tried());
      if (is_short && tried().empty() && !known) chosen = middle();
      if (is_short) context_.message(clock_text(chosen));
      const std::string warning = tried().empty() ? "" : grid_edge_warning(chosen);
      if (!warning.empty()) context_.message(warning);
    }
    FitOutcome outcome;
    const bool interrupted = context_.is_interrupted();
    outcome.cut_short = interrupted || is_short;
    // After an interrupt the best candidate so far is still fitted to all rows.
    const bool search_cut = interrupted && (!tried().empty() || known);
    double solving = 0;
    if (!interrupted || search_cut) {
      validation_.prepare(chosen.scale);
      solving = context_.now();
      outcome.posterior = classifier().solve(chosen.cost, search_cut ? nullptr : context_.interrupt).posterior;
    }
    if (!outcome.posterior)
      throw NumericalError("training of '" + job_.name + "'", "interrupted before anything was fitted");
    const double ended = context_.now();
    outcome.theta = validation_.theta();
    outcome.evaluations = validation_.solutions() + 1;
    outcome.summary = summary_of(chosen);
    outcome.summary.feature_seconds = validation_.feature_seconds();
    outcome.summary.solver_seconds = ended - solving;
    outcome.summary.training_error = share(classifier().training_errors());
    outcome.summary.seconds = ended - began;
    outcome.summary.stop = interrupted ? Stop::interrupted : is_short ? Stop::clock : Stop::converged;
    return outcome;
  }

 private:
  Classifier& classifier() { return validation_.classifier(); }
  const std::vector<Candidate>& tried() const { return validation_.tried(); }
  double share(Index wrong) const { return static_cast<double>(wrong) / static_cast<double>(rows_.labels.size()); }

  /// Returns the best pair of a subsample; leaves its scale alone, and its cost with the neighbours.
  Candidate narrow(const Candidate& first, std::uint64_t seed) {
    const TrainingRows few = stratified_rows(rows_, job_.recipe.learner.search_rows, seed);
    few_rows_ = few.source->rows();
    CrossValidation on_few(job_, few, rows_.statistics, fmt::format(" on {} rows", few_rows_), threads_, context_);
    on_few.run(scales_, costs_, seed);
    few_tried_ = on_few.tried();
    const double times = static_cast<double>(rows_.source->rows()) / static_cast<double>(few_rows_);
    validation_.expect(on_few.fold_seconds() * (job_.prior.map() ? times : times * times));
    if (few_tried_.empty()) return first;
    const Candidate best = best_of(few_tried_);
    scales_ = {best.scale};
    costs_ = costs_around(costs_, best.cost);
    return best;
  }

  /// Returns the candidate for a search that had no time to try any.
  Candidate middle() const { return {scales_[scales_.size() / 2], costs_[costs_.size() / 2], 0}; }

  std::string clock_text(const Candidate& chosen) const {
    return fmt::format("{}: {} of {} candidates were tried on all rows in the time; cost {:g}", job_.name,
                       tried().size(), scales_.size() * costs_.size(), chosen.cost);
  }

  /// Returns a warning if the best cost is the largest of the grid or the costs make no difference; otherwise "".
  std::string grid_edge_warning(const Candidate& best) const {
    const auto count = static_cast<Index>(rows_.labels.size());
    const double largest = costs_of(job_.recipe).back();
    const bool constant = best.wrong >= count - *std::max_element(rows_.classes.begin(), rows_.classes.end());
    const bool alike =
        costs_.size() > 1 && best.wrong > 0 &&
        std::all_of(tried().begin(), tried().end(), [&](const auto& one) { return one.wrong == best.wrong; });
    if (constant || alike)
      return fmt::format("{}: the costs up to {:g} make no difference; much larger ones (learner.costs) may", job_.name,
                         costs_.back());
    if (costs_.size() > 1 && best.cost == largest)
      return fmt::format("{}: the best cost is the largest of learner.costs, {:g}; larger ones may do better",
                         job_.name, best.cost);
    return {};
  }

  FitSummary summary_of(const Candidate& chosen) const {
    FitSummary summary;
    summary.learner = word(job_.recipe.learner.kind);
    summary.solver = job_.prior.map() ? "LIBLINEAR" : "LIBSVM";
    summary.class_weights = word(job_.recipe.learner.class_weights);
    summary.cost = chosen.cost;
    if (!lengthscale_slots(job_.prior.parameters()).empty()) summary.scale = chosen.scale;
    if (!few_tried_.empty()) {
      summary.search_rows = few_rows_;
      summary.search = table_of(few_tried_, few_rows_);
    }
    if (tried().empty()) return summary;
    summary.folds = validation_.folds();
    summary.cross_validation_error = share(chosen.wrong);
    summary.cross_validation = table_of(tried(), rows_.source->rows());
    return summary;
  }

  static std::vector<TriedCost> table_of(const std::vector<Candidate>& tried, Index rows) {
    std::vector<TriedCost> table;
    for (const Candidate& one : tried)
      table.push_back({one.scale, one.cost, static_cast<double>(one.wrong) / static_cast<double>(rows)});
    return table;
  }

  const FitJob& job_;
  const TrainingRows& rows_;
  const int threads_;
  const FitContext& context_;
  std::vector<double> scales_, costs_;  // still to try on all rows
  CrossValidation validation_;
  Index few_rows_ = 0;
  std::vector<Candidate> few_tried_;
};

}  // namespace

FitOutcome search_classifier(const FitJob& job, const TrainingRows& rows, std::uint64_t seed, int threads,
                             const FitContext& context) {
  return ClassifierSearch(job, rows, threads, context).run(seed);
}

}  // namespace alacarte
