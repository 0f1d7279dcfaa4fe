#pragma once
// Leave-one-out predictions of samples of the hyperparameters, in which a row does not choose its own samples.
#include <vector>

#include "train/search/fit_outcome.hpp"

namespace alacarte {

/// Replaces the leave-one-out predictions of each sample by those of a sample of the hyperparameters' posterior without
/// the row. The samples are of p(theta | y), and p(theta | y without y_i) is in proportion to
/// p(theta | y) / p(y_i | y without y_i, theta) (Gelfand, Dey and Chang 1992). Row i draws as many samples with these
/// weights as there are, spread evenly, and no weight is above sqrt(samples) times the mean (Ionides 2008).
/// target (rows): in the unit of the predictions, one of them for each row, with the noise in their variances. Nothing
/// changes where a prediction is missing or not finite. Cost O(rows samples).
void leave_rows_out_of_samples(ConstVec target, std::vector<FitOutcome>& samples);

}  // namespace alacarte
