#pragma once
// Descriptions for reports: of a trained fit by its hyperparameters, and of the seasons of its rows.
#include <alacarte/model/fitted_model.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// Returns the hyperparameters of a member's map or kernel (FeatureMap::describe(), Kernel::describe()). The relevance
/// of an input with one value in all training rows is 0: only the prior determines its spectrum. Periods are in the
/// inputs' own units, unless rows are scaled, which leaves them none.
KernelDescription describe(const FittedModel& model, const Member& member);

/// Returns the periods (d lists) that a described fit has learned, in the inputs' own units: those of periodic kernels
/// and, where they last, those of the mean frequencies of spectra: a period below a third of the input's range and the
/// component's length-scale, with a hundredth of the variance. None where rows are scaled.
std::vector<std::vector<double>> learned_periods(const FittedModel& model, const KernelDescription& description);

/// Returns the seasons of raw rows, as a record keeps them. input_names: one for each input.
std::vector<SeasonRecord> season_records(const RowStructure& structure, const std::vector<std::string>& input_names);

/// Describes a season in one line: "t, period 40.02, 97 % of the variance".
std::string season_text(const SeasonRecord& season);

}  // namespace alacarte
