#pragma once
// The standardised rows of a training, with their classes and statistics.
#include <map>
#include <memory>
#include <vector>

#include "alacarte/data/row_source.hpp"
#include "alacarte/train/fit.hpp"
#include "model/fit_inputs.hpp"
#include "trees/cross_fitting.hpp"

namespace alacarte {

struct TrainingRows {
  std::shared_ptr<const RowSource> source;
  TrainingStatistics statistics;
  std::vector<Index> classes{};  ///< rows of each class; empty for a target that is a number
  std::vector<Index> labels{};   ///< class of each row, for learners svm and logistic
  Vector input_scale{};          ///< (d) one unit of the rows in that of the data; empty: 1
  double target_scale = 1;       ///< one unit of the target in that of the data
  /// Rows beside those of `source`, whose predictions weigh the fits: no fit's parameters see them. Null: none.
  std::shared_ptr<const MemoryRows> held_out{};
  Vector more_noise_centers{};                ///< (T - 1) of NoiseCenter::more
  SplitColumns columns{};                     ///< groups or times of the rows, by which they are split
  std::shared_ptr<const FitInputs> inputs{};  ///< function of the scaled inputs that these rows hold; null: themselves
  /// These rows as fits with other views see them.
  std::map<FitView, std::shared_ptr<TrainingRows>> views{};

  /// Returns the rows as a fit with this view sees them.
  const TrainingRows& seen_as(const FitView& view) const;
  /// Calls change(rows) for these rows and for each view of them.
  template <class Change>
  void for_each_view(const Change& change) {
    change(*this);
    for (auto& [view, rows] : views) change(*rows);
  }
  double memory_bytes() const;  ///< memory of the rows, views included
};

/// Number of classes without a schema: as many as the targets have, and for classifiers at least two.
inline constexpr Index kAnyClasses = -1;

/// Sets rows.classes for so many classes (0: the target is a number), and rows.labels. Throws ConfigError when the
/// likelihood is of fewer, DataError for a target that is no class. Cost: one pass.
void count_classes(const Recipe& recipe, Index classes, TrainingRows& rows);
/// Sets statistics.target_sd, from which the prior amplitude of f starts: start_sd() of the likelihood, or 1
/// for classifiers.
void set_start_sd(const Recipe& recipe, TrainingStatistics& statistics);
TrainingRows make_training_rows(std::shared_ptr<const RowSource> source, const RandomStreams& streams);

/// Columns of boosted trees for views that have them.
struct TreeColumns {
  std::shared_ptr<const BoostedTrees> trees{};
  Matrix columns{};  ///< (n, c) of the rows, each predicted without the row
  CrossFittedWork work{};
  std::string note{};  ///< one line for people; empty: there are no trees
};
/// Returns true if the recipe or a member sees boosted trees.
bool takes_trees(const Recipe& recipe);
/// Adds the rows as each view of the recipe or a member sees them: through curves, learned from statistics.sample, with
/// columns of trees, or both. Throws ConfigError for a curve beside scaled rows, and for sparse rows. Cost: a copy of
/// the rows in memory and a pass for each.
void add_views(const Recipe& recipe, const TreeColumns& columns, const RandomStreams& streams, TrainingRows& rows);

/// Draws rows of the levels of the first random effect, eight of a level together: among rows of different levels the
/// effect could not be told from noise. The rows are those of one process. Cost: one pass.
std::vector<Index> draw_level_rows(const RowSource& rows, Index maximum, RandomStream& stream);

struct PreparedRows {
  Standardizer standardizer;  ///< learned from the rows
  TrainingRows rows;          ///< standardised

  /// Gives the rows the structure that they had before they were standardised.
  void take_structure(const RowStructure& raw);
};
/// Standardises rows: in place in memory, otherwise as they are read. Throws DataError for rows that no model can
/// use, and ConfigError for sparse rows that the recipe does not take.
PreparedRows prepare_rows(const Recipe& recipe, std::shared_ptr<RowSource> training, std::uint64_t seed);

}  // namespace alacarte
