#pragma once
// Versions of training, for results that are kept beside newer ones.
#include <string>

namespace alacarte {

/// Version of training, raised with every change after which a fit of the same recipe, data and seed may end elsewhere
/// than another rounding would take it (compare with tests/golden/fits.py). 1: version 0.1, and all commits since,
/// except for `scale.target` other than zscore (no stored result has such a recipe), products of kernels for
/// classification, and counts above a thousand. 2: fits may begin at the structure of the rows.
inline constexpr int kTrainerVersion = 2;

/// Version of the recipe "auto" (auto_recipe.hpp), raised with every change of it. 1: first of version 0.2. 2: several
/// starts of the spectra on few rows. 3: weights by leave-one-out scores. 4: networks, and weights by held-out rows, on
/// many rows. 5: from 8000 rows on; networks alone for classification. 6: sums of exact kernels on few rows. 7:
/// frequencies begin at the ARD fit's length-scales, on many rows. 8: noise that varies, and held-out rows always, from
/// 8000 rows on. 9: below 10,000 rows, small mixtures learn the noise. 10: noise that is a mixture; the ARD fit is
/// restarted if it explains little, and its subsample rules no input out. 11: networks alone from 8000 rows on. 12:
/// more passes for classification. 13: at least two networks for classification, every other one with inputs without
/// heavy tails. 14: smaller networks for regression, and on fewer rows, too. 15: also for classification, and up to
/// eight of them if time is given. 16: curvature carried over from subsamples; sums alone above 400 rows. 17: samples
/// of the hyperparameters up to 250 rows. 18: up to eight networks for regression, too, if time allows six million
/// rows. 19: up to sixteen if each of eight makes all its passes. 20: fits begin at the structure of the rows, and have
/// a periodic term where these have seasons; kernels for classes up to 2000 rows, in place of learned frequencies and
/// beside networks, weighed by folds; two kernels alone where there are fewer than eight rows for each input, and
/// leave-one-out scores of samples without the row's own part. 21: the logarithm of a skewed target, where left-out
/// rows ask for it; random effects of levels. 22: members on the inputs' normal scores, weights by stacking, and noise
/// that varies on few rows, too. 23: normal scores with a knot for every eight rows; seasons only where no period
/// holds most of the rows; fits of one model share the prior of weights by folds. 24: networks and learned frequencies
/// race where sums of exact kernels do not suit. 25: boosted trees race, too. 26: the race scores numbers with
/// the spread that suits the held-out rows, and judges no network that has seen few; trees learn the noise, too.
inline constexpr int kAutoVersion = 26;

/// Version of the recipe "deep". 1: the first. 2: noise that is a mixture of normals.
inline constexpr int kDeepVersion = 2;

/// Returns the version for a result: "1" for most models, "1, auto 2" for model "auto", "1, deep 2" for "deep". Two
/// results with the same recipe and different texts need not agree.
inline std::string trainer_version(const std::string& model) {
  const std::string trainer = std::to_string(kTrainerVersion);
  if (model == "auto") return trainer + ", auto " + std::to_string(kAutoVersion);
  return model == "deep" ? trainer + ", deep " + std::to_string(kDeepVersion) : trainer;
}

}  // namespace alacarte
