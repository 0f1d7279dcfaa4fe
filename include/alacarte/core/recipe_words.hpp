#pragma once
// The closed sets of words of a recipe: one enum each, and the words that stand for its values in JSON and messages.
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace alacarte {

/// Words of the values of an enum, in the order of its values: each enum has its words_of().
template <std::size_t count>
using Words = std::array<std::string_view, count>;
template <class Enum>
concept HasWords = std::is_enum_v<Enum> && requires(Enum value) {
  words_of(value);
};

/// Returns the word of a value, as recipes write it.
template <HasWords Enum>
std::string word(Enum value) {
  return std::string(words_of(value).at(static_cast<std::size_t>(value)));
}

/// Returns the words of all values, in their order.
template <HasWords Enum>
std::vector<std::string> words() {
  constexpr auto all = words_of(Enum{});
  return {all.begin(), all.end()};
}

/// Returns the value that a word stands for, if there is one.
template <HasWords Enum>
std::optional<Enum> from_word(std::string_view text) {
  constexpr auto all = words_of(Enum{});
  const auto found = std::find(all.begin(), all.end(), text);
  if (found == all.end()) return std::nullopt;
  return static_cast<Enum>(found - all.begin());
}

/// Keeps JSON from taking the number of a value for its word.
template <class Json, HasWords Enum>
void to_json(Json& json, Enum value) = delete;

/// Scaling of a column: none; to mean 0; mean 0 and standard deviation 1; to [0, 1]; or zscore and then a monotone
/// curve (data/input_curves.hpp): the normal quantile of its rank, asinh, or a smooth clip.
enum class Scaling { none, center, zscore, range, normal_scores, asinh, clip };
constexpr Words<7> words_of(Scaling) { return {"none", "center", "zscore", "range", "normal-scores", "asinh", "clip"}; }
/// Returns true for the scalings that are curves behind a zscore.
constexpr bool is_curve(Scaling scaling) { return scaling >= Scaling::normal_scores; }

/// Columns that boosted trees predict of each row, cross-fitted (trees/cross_fitting.hpp): none, beside the inputs, or
/// in place of them. Automatic: model "auto" chooses; for any other model none.
enum class TreeInputs { automatic, none, beside, alone };
constexpr Words<4> words_of(TreeInputs) { return {"auto", "false", "true", "alone"}; }

/// Scaling of a regression target: as Scaling; or to mean 0 and standard deviation 1 after its logarithm (log) or after
/// the power of Yeo and Johnson that makes it most nearly normal (core/predictive_distribution.hpp). Automatic: model
/// "auto" chooses between zscore and a transform by left-out rows; for any other model zscore.
enum class TargetScaling { none, center, zscore, range, log, yeo_johnson, automatic };
constexpr Words<7> words_of(TargetScaling) {
  return {"none", "center", "zscore", "range", "log", "yeo-johnson", "auto"};
}
/// Returns true if a target so scaled has the standard deviation 1.
constexpr bool has_unit_variance(TargetScaling scaling) {
  return scaling >= TargetScaling::log || scaling == TargetScaling::zscore;
}

/// Mean of the process after standardisation: nothing more, or a flat-prior constant that is integrated out.
enum class MeanKind { zero, constant };
constexpr Words<2> words_of(MeanKind) { return {"zero", "constant"}; }

/// Algebra of the evidence. Gaussian: over features (primal), over rows (dual), or the cheaper. Of several classes: the
/// joint curvature (primal), one block a class (bound), or joint where it is small (inference/inference.hpp).
enum class EvidenceForm { automatic, primal, dual, bound };
constexpr Words<4> words_of(EvidenceForm) { return {"auto", "primal", "dual", "bound"}; }

/// float64: all in doubles. mixed: the one product that only the gradient needs is taken in floats.
enum class Precision { float64, mixed };
constexpr Words<2> words_of(Precision) { return {"double", "mixed"}; }

/// Treatment of an empty cell of an input: an error, the row is left out, or the mean of the training rows. Automatic:
/// the mean beside an indicator of the gap, or an error under data.strict.
enum class MissingCells { error, drop, mean, automatic };
constexpr Words<4> words_of(MissingCells) { return {"error", "drop", "mean", "auto"}; }

/// Treatment, at prediction, of a category that no training row had: an error, or all indicators 0. Automatic: the
/// latter, or an error under data.strict.
enum class UnseenCategory { error, zero, automatic };
constexpr Words<3> words_of(UnseenCategory) { return {"error", "zero", "auto"}; }

/// Says whether the first line of a CSV file names the columns.
enum class HeaderLine { automatic, yes, no };
constexpr Words<3> words_of(HeaderLine) { return {"auto", "yes", "no"}; }

/// Sign between the cells of a CSV file.
enum class Separator { automatic, comma, semicolon, tab, space, bar };
constexpr Words<6> words_of(Separator) { return {"auto", "comma", "semicolon", "tab", "space", "bar"}; }

/// Decimal sign of the numbers of a CSV file.
enum class DecimalSign { automatic, point, comma };
constexpr Words<3> words_of(DecimalSign) { return {"auto", "point", "comma"}; }

/// Treatment of inputs of text. onehot: those whose first rows are text alone are coded one-hot. error: none may hold
/// text. Automatic: by the kind that all rows show (data/column_kinds.hpp), or like onehot under data.strict.
enum class TextInputs { onehot, error, automatic };
constexpr Words<3> words_of(TextInputs) { return {"onehot", "error", "auto"}; }

/// Origin of the directions of frequencies: Hadamard or Fourier products, independent or orthogonal Gaussian rows, a
/// Sobol sequence, or rows made again from a hash in every pass.
enum class DirectionSource { fastfood, fft, gaussian, orthogonal, sobol, hashed };
constexpr Words<6> words_of(DirectionSource) {
  return {"fastfood", "fft", "gaussian", "orthogonal", "sobol", "hashed"};
}

/// Features of a phase: its cosine and sine, or one cosine, shifted by U[0, 2 pi).
enum class PhaseFeatures { pair, offset };
constexpr Words<2> words_of(PhaseFeatures) { return {"pair", "offset"}; }

/// Choice of landmarks among the training rows: by chance, as centres of clusters, or by leverage scores.
enum class LandmarkChoice { uniform, kmeans, leverage };
constexpr Words<3> words_of(LandmarkChoice) { return {"uniform", "kmeans", "leverage"}; }

/// Buckets of a sketch: hashed, or chosen so that products of inputs meet rarely.
enum class SketchBuckets { random, balanced };
constexpr Words<2> words_of(SketchBuckets) { return {"random", "balanced"}; }

/// Code of a consistent sample: the sampled coordinate alone, or with its level.
enum class SampleCode { zero_bit, full };
constexpr Words<2> words_of(SampleCode) { return {"zero-bit", "full"}; }

/// Inputs of a network: as scaled, or those with heavy tails through asinh.
enum class NetworkInputs { standard, asinh };
constexpr Words<2> words_of(NetworkInputs) { return {"standard", "asinh"}; }

/// Function of every unit of a network.
enum class Activation { silu, tanh, sine };
constexpr Words<3> words_of(Activation) { return {"silu", "tanh", "sine"}; }

/// Training of a network: Adam on minibatches, or all parameters by L-BFGS on the evidence.
enum class NetworkTraining { minibatches, evidence };
constexpr Words<2> words_of(NetworkTraining) { return {"minibatches", "evidence"}; }

/// Centre of the prior on noise: the noise of a short exact or Fastfood ARD fit, or a fixed value.
enum class PriorCenter { ard, fixed };
constexpr Words<2> words_of(PriorCenter) { return {"ard", "fixed"}; }

/// Distribution of the noise: gaussian; a mixture of normals of different scales; or chosen by the model.
enum class NoiseDistribution { automatic, gaussian, mixture };
constexpr Words<3> words_of(NoiseDistribution) { return {"auto", "gaussian", "mixture"}; }

/// Parameters that training begins from: shares of the inputs' ranges; the ARD fit that centres the noise prior; the
/// fit to class indicators.
enum class StartPoint { range, ard, labels };
constexpr Words<3> words_of(StartPoint) { return {"range", "ard", "labels"}; }

/// Learner of the weights of the features.
enum class LearnerKind { gp, svm, logistic };
constexpr Words<3> words_of(LearnerKind) { return {"gp", "svm", "logistic"}; }

/// Search of a classifier's scale and cost: all pairs on all rows, or on a subsample first.
enum class CostSearch { grid, subsample };
constexpr Words<2> words_of(CostSearch) { return {"grid", "subsample"}; }

/// Weight of a class's rows: 1, or rows / (classes * rows of the class).
enum class ClassWeights { none, balanced };
constexpr Words<2> words_of(ClassWeights) { return {"none", "balanced"}; }

/// Correction by rows that training never sees: intervals of numbers and counts, or probabilities of classes.
enum class CalibrationKind { none, conformal, temperature };
constexpr Words<3> words_of(CalibrationKind) { return {"none", "conformal", "temperature"}; }

/// Weights of several fits: equal, by leave-one-out scores, by a tenth of the rows, or chosen by the model.
enum class FitWeights { automatic, equal, leave_one_out, held_out, folds };
constexpr Words<5> words_of(FitWeights) { return {"auto", "equal", "leave-one-out", "held-out", "folds"}; }

/// Fits of several targets: one kernel for all with a noise each, or one model each.
enum class TargetSharing { shared, independent };
constexpr Words<2> words_of(TargetSharing) { return {"shared", "independent"}; }

}  // namespace alacarte
