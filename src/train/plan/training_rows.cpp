#include "training_rows.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <set>
#include <tuple>

#include "data/changed_rows.hpp"
#include "data/quartiles.hpp"
#include "optimise/fit_context.hpp"

namespace alacarte {

namespace {

void check_training_rows(const RowSource& training) {
  if (training.rows() == 0) throw DataError("training data", "there are no rows to train on");
  if (training.inputs() == 0) throw DataError("training data", "there are no input columns");
  const auto require_finite = [](bool finite, const std::string& what) {
    if (!finite) throw DataError("training data", what + " holds a value that is not finite");
  };
  for_each_block(training, [&](const RowBlock& block) {
    if (training.is_sparse()) {
      const SparseView x = block.x.sparse();
      require_finite(Eigen::Map<const Vector>(x.values + x.starts[0], x.nonzeros()).allFinite(), "an input");
    }
    for (Index j = 0; !training.is_sparse() && j < training.inputs(); ++j)
      require_finite(block.x.dense().col(j).allFinite(), "input " + std::to_string(j));
    require_finite(block.y.allFinite(), "the target");
  });
}

/// The classes of all ranks; a rank may have seen none of the last.
void add_over_ranks(std::vector<Index>& classes) {
  classes.resize(static_cast<std::size_t>(FitContext::largest(static_cast<double>(classes.size()))), 0);
  Vector counts(static_cast<Index>(classes.size()));
  std::copy(classes.begin(), classes.end(), counts.begin());
  FitContext::add_over_ranks(counts);
  for (std::size_t k = 0; k < classes.size(); ++k) classes[k] = static_cast<Index>(counts[static_cast<Index>(k)]);
}

}  // namespace

TrainingRows make_training_rows(std::shared_ptr<const RowSource> source, const RandomStreams& streams) {
  RandomStream pairs = streams.stream("training_view.pairs");
  TrainingStatistics statistics = training_statistics(*source, pairs);
  return {std::move(source), std::move(statistics), {}};
}

const TrainingRows& TrainingRows::seen_as(const FitView& view) const {
  const auto found = views.find(view);
  return found == views.end() ? *this : *found->second;
}

double TrainingRows::memory_bytes() const {
  double bytes = source->memory_bytes();
  for (const auto& [view, rows] : views) bytes += rows->source->memory_bytes();
  return bytes;
}

bool takes_trees(const Recipe& recipe) {
  const auto sees_trees = [](const Recipe& one) { return view_of(one).trees != TreeInputs::none; };
  return recipe.members.empty() ? sees_trees(recipe)
                                : std::any_of(recipe.members.begin(), recipe.members.end(), sees_trees);
}

namespace {

/// Returns the rows as one view of the recipe sees them.
TrainingRows rows_of_view(const FitView& view, const Recipe& recipe, const TreeColumns& columns,
                          const RandomStreams& streams, const TrainingRows& rows) {
  const bool bends = is_curve(view.scale);
  const auto refuse = [&](const char* why) {
    throw ConfigError(bends ? "/scale/inputs" : "/data/trees",
                      fmt::format("'{}' {}", bends ? word(view.scale) : word(view.trees), why));
  };
  if (rows.source->is_sparse()) refuse("is for dense rows");
  if (recipe.scale_rows != RowScaling{}) refuse("goes with neither scale.roots nor scale.unit_rows");
  const auto levels = static_cast<Index>(rows.statistics.level_counts.size());
  TrainingRows seen = rows;
  seen.views.clear();
  std::shared_ptr<const InputCurves> curves;
  if (bends)
    curves = std::make_shared<const InputCurves>(InputCurves::learn(view.scale, rows.statistics.sample, levels));
  const bool has_trees = view.trees != TreeInputs::none;
  seen.inputs = std::make_shared<const FitInputs>(curves, has_trees ? columns.trees : nullptr, view.trees,
                                                  rows.source->inputs(), levels);
  if (has_trees) {
    const auto of_trees = [&](const Matrix& x) { return seen.inputs->with_columns(x, columns.columns); };
    seen.source = with_inputs(*rows.source, of_trees, view.trees == TreeInputs::beside);
    seen.input_scale = {};  // a column has no unit
  } else {
    seen.source = behind_curves(rows.source, curves);
  }
  RandomStream pairs = streams.stream("curves.pairs");
  seen.statistics = training_statistics(*seen.source, pairs);
  seen.statistics.target_sd = rows.statistics.target_sd;
  // Seasons recur along an input, not along its curve.
  seen.statistics.structure.neighbour_sd = rows.statistics.structure.neighbour_sd;
  return seen;
}

}  // namespace

void add_views(const Recipe& recipe, const TreeColumns& columns, const RandomStreams& streams, TrainingRows& rows) {
  std::set<FitView> views;
  if (recipe.members.empty()) views.insert(view_of(recipe));
  for (const Recipe& member : recipe.members) views.insert(view_of(member));
  for (const FitView& view : views)
    if (!view.is_plain())
      rows.views[view] = std::make_shared<TrainingRows>(rows_of_view(view, recipe, columns, streams, rows));
}

std::vector<Index> draw_level_rows(const RowSource& rows, Index maximum, RandomStream& stream) {
  constexpr Index kOfLevel = 8;
  const Index column = smooth_inputs(rows);
  const std::vector<std::int32_t> place = stream.permutation(rows.level_counts().front());
  struct Row {
    Index round, level, row;
    bool operator<(const Row& other) const {
      return std::tie(round, level, row) < std::tie(other.round, other.level, other.row);
    }
  };
  std::vector<Row> all;
  std::vector<Index> seen(place.size(), 0), order;
  const std::vector<std::int32_t> shuffled = stream.permutation(rows.rows());
  std::vector<double> codes;
  for_each_block(rows, [&](const RowBlock& block) {
    const Vector own = block.x.dense().col(column);
    codes.insert(codes.end(), own.begin(), own.end());
  });
  for (const Index row : shuffled) {
    const double code = codes[static_cast<std::size_t>(row)];
    if (!(code >= 0 && code < static_cast<double>(place.size()))) continue;
    const auto level = static_cast<std::size_t>(code);
    all.push_back({seen[level]++ / kOfLevel, place[level], row});
  }
  const auto most = std::min(all.size(), static_cast<std::size_t>(maximum));
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(most), all.end());
  for (std::size_t k = 0; k < most; ++k) order.push_back(all[k].row);
  return order;
}

void count_classes(const Recipe& recipe, Index classes, TrainingRows& rows) {
  const bool any = classes == kAnyClasses, labels = recipe.learner.kind != LearnerKind::gp;
  rows.classes.assign(static_cast<std::size_t>(any ? 1 + labels : classes), 0);
  if (classes == 0) return;
  constexpr double kMaxClasses = 1e6;
  for_each_block(*rows.source, [&](const RowBlock& block) {
    for (const double place : block.y) {
      if (!(place >= 0 && place < (any ? kMaxClasses : static_cast<double>(classes))) || place != std::floor(place))
        throw DataError("training data", fmt::format("{:g} is the place of no class", place));
      const auto label = static_cast<std::size_t>(place);
      if (label >= rows.classes.size()) rows.classes.resize(label + 1, 0);
      ++rows.classes[label];
      if (labels) rows.labels.push_back(static_cast<Index>(place));
    }
  });
  if (rows.source->is_distributed()) add_over_ranks(rows.classes);
  const Index maximum = labels ? 0 : likelihood_of(recipe).max_classes();
  if (maximum > 0 && static_cast<Index>(rows.classes.size()) > maximum)
    throw ConfigError("/likelihood", fmt::format("'{}' is of {} classes, and the target has {}; take softmax",
                                                 recipe.likelihood, maximum, rows.classes.size()));
}

void set_start_sd(const Recipe& recipe, TrainingStatistics& statistics) {
  // Classifiers keep the amplitude fixed: the cost C alone determines the size of the function.
  statistics.target_sd =
      recipe.learner.kind == LearnerKind::gp ? likelihood_of(recipe).start_sd(statistics.target_sd) : 1;
}

void PreparedRows::take_structure(const RowStructure& raw) {
  if (!standardizer.is_sparse())
    rows.statistics.structure = raw.scaled(standardizer.input_scale(), standardizer.target_scale());
}

PreparedRows prepare_rows(const Recipe& recipe, std::shared_ptr<RowSource> training, std::uint64_t seed) {
  check_training_rows(*training);
  if (training->has_weights() && recipe.learner.kind != LearnerKind::gp)
    throw ConfigError("/data/weights", "learner '" + word(recipe.learner.kind) + "' takes no weights of rows");
  if (training->is_sparse() && !takes_sparse_rows(recipe))
    throw ConfigError("/model", "'" + recipe.model + "' with these settings takes no sparse rows");
  if (training->is_distributed() && recipe.learner.kind != LearnerKind::gp)
    throw ConfigError("/learner/kind",
                      "'" + word(recipe.learner.kind) + "' needs all rows in one process; run it without mpirun");
  PreparedRows prepared;
  prepared.standardizer = Standardizer::learn(*training, recipe.scale_inputs, recipe.scale_target, recipe.scale_rows);
  if (recipe.learner.kind == LearnerKind::gp && likelihood_of(recipe).wants_robust_scale()) {
    const QuartileScale scale = quartile_scale(*training);
    prepared.standardizer.set_target(scale.median, scale.sd);
  }
  prepared.rows = make_training_rows(prepared.standardizer.standardise(std::move(training)), RandomStreams(seed));
  set_start_sd(recipe, prepared.rows.statistics);
  if (!prepared.standardizer.is_sparse()) prepared.rows.input_scale = prepared.standardizer.input_scale();
  prepared.rows.target_scale = prepared.standardizer.target_scale();
  return prepared;
}

}  // namespace alacarte
