#pragma once
// Versions of training, for results that are kept beside newer ones.
#include <string>

namespace alacarte {

/// Raised with every change after which a fit of the same recipe, data and seed may end elsewhere than another rounding
/// would take it (tests/golden/fits.py compare tells). 1: version 0.1, and all commits since, but where `scale.target`
/// is not zscore (no stored result is of such a recipe), of products of kernels for classes, and of counts above a
/// thousand.
inline constexpr int kTrainerVersion = 1;

/// Raised with every change of what the recipe "auto" stands for (auto_recipe.hpp). 1: first of version 0.2. 2:
/// several starts of the spectra on few rows. 3: weights by leave-one-out scores. 4: networks,
/// and weights by held-out rows, on many rows. 5: from 8000 rows on; of classes networks alone. 6: sums of exact
/// kernels on few rows. 7: frequencies begin at the ARD fit's length-scales, on many rows. 8: noise that varies,
/// and held-out rows always, from 8000 rows on. 9: of fewer than 10,000 rows, small mixtures learn the noise. 10:
/// noise that is a mixture; the ARD fit begins once more where it explains little, and its subsample rules no input
/// out. 11: from 8000 rows on networks alone. 12: of classes, more passes. 13: of classes two networks at least, every
/// other of inputs without heavy tails. 14: of numbers smaller networks, and on fewer rows, too. 15: of
/// classes, too, and up to eight of them where time is given. 16: curvature carried over from subsamples; above 400
/// rows sums alone. 17: samples of the hyperparameters up to 250 rows. 18: of numbers, too, up
/// to eight networks where there is time to see six million rows. 19: up to sixteen where each of eight has all its
/// passes.
inline constexpr int kAutoVersion = 19;

/// The same of the recipe "deep". 1: the first. 2: noise that is a mixture of normals.
inline constexpr int kDeepVersion = 2;

/// "1" of most models, "1, auto 2" of model "auto", "1, deep 2" of "deep": two results with the same recipe and
/// different texts need not agree.
inline std::string trainer_version(const std::string& model) {
  const std::string trainer = std::to_string(kTrainerVersion);
  if (model == "auto") return trainer + ", auto " + std::to_string(kAutoVersion);
  return model == "deep" ? trainer + ", deep " + std::to_string(kDeepVersion) : trainer;
}

}  // namespace alacarte
