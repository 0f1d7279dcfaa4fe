#pragma once
// The standardised rows of a training, with their classes and statistics.
#include <map>
#include <memory>
#include <vector>

#include "alacarte/data/row_source.hpp"
#include "alacarte/train/fit.hpp"
#include "data/input_curves.hpp"

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
  Vector more_noise_centers{};                  ///< (T - 1) of NoiseCenter::more
  SplitColumns columns{};                       ///< groups or times of the rows, by which they are split
  std::shared_ptr<const InputCurves> curves{};  ///< curves whose values the inputs are; null: none
  /// These rows at the values of curves, for each kind of curve that a fit takes.
  std::map<Scaling, std::shared_ptr<TrainingRows>> curved{};

  /// Returns the rows as a fit with this scaling of inputs sees them: itself unless that is a curve.
  const TrainingRows& scaled_as(Scaling scaling) const;
  /// Calls change(rows) for these rows and for those at the values of curves.
  template <class Change>
  void for_each_scale(const Change& change) {
    change(*this);
    for (auto& [kind, rows] : curved) change(*rows);
  }
  double memory_bytes() const;  ///< memory of the rows, those at the values of curves included
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

/// Adds the rows at the values of each kind of curve that the recipe or a member names, learned from
/// statistics.sample. Throws ConfigError for a curve beside scaled rows, and for sparse rows. Cost: a copy of the rows
/// in memory and a pass for each.
void add_curved_rows(const Recipe& recipe, const RandomStreams& streams, TrainingRows& rows);

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
