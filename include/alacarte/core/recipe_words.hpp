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

/// Words of the values of an enum, in the order of its values.
template <class Enum>
inline constexpr std::array<std::string_view, 0> kWords = {};

/// Returns the word of a value, as recipes write it.
template <class Enum>
requires std::is_enum_v<Enum> std::string word(Enum value) {
  return std::string(kWords<Enum>.at(static_cast<std::size_t>(value)));
}

/// Returns the words of all values, in their order.
template <class Enum>
std::vector<std::string> words() {
  return {kWords<Enum>.begin(), kWords<Enum>.end()};
}

/// Returns the value that a word stands for, if there is one.
template <class Enum>
std::optional<Enum> from_word(std::string_view text) {
  const auto& all = kWords<Enum>;
  const auto found = std::find(all.begin(), all.end(), text);
  if (found == all.end()) return std::nullopt;
  return static_cast<Enum>(found - all.begin());
}

/// Keeps JSON from taking the number of a value for its word.
template <class Json, class Enum>
requires(!kWords<Enum>.empty()) void to_json(Json& json, Enum value) = delete;

/// Scaling of a column: none; to mean 0; mean 0 and standard deviation 1; to [0, 1].
enum class Scaling { none, center, zscore, range };
template <>
inline constexpr auto kWords<Scaling> = std::to_array<std::string_view>({"none", "center", "zscore", "range"});

/// Mean of the process after standardisation: nothing more, or a flat-prior constant that is integrated out.
enum class MeanKind { zero, constant };
template <>
inline constexpr auto kWords<MeanKind> = std::to_array<std::string_view>({"zero", "constant"});

/// Algebra of the evidence. Gaussian: over features (primal), over rows (dual), or the cheaper. Of several classes: the
/// joint curvature (primal), one block a class (bound), or joint where it is small (inference/inference.hpp).
enum class EvidenceForm { automatic, primal, dual, bound };
template <>
inline constexpr auto kWords<EvidenceForm> = std::to_array<std::string_view>({"auto", "primal", "dual", "bound"});

/// float64: all in doubles. mixed: the one product that only the gradient needs is taken in floats.
enum class Precision { float64, mixed };
template <>
inline constexpr auto kWords<Precision> = std::to_array<std::string_view>({"double", "mixed"});

/// Treatment of an empty cell of an input: an error, the row is left out, or the mean of the training rows.
enum class MissingCells { error, drop, mean };
template <>
inline constexpr auto kWords<MissingCells> = std::to_array<std::string_view>({"error", "drop", "mean"});

/// Treatment, at prediction, of a category that no training row had: an error, or all indicators 0.
enum class UnseenCategory { error, zero };
template <>
inline constexpr auto kWords<UnseenCategory> = std::to_array<std::string_view>({"error", "zero"});

/// Says whether the first line of a CSV file names the columns.
enum class HeaderLine { automatic, yes, no };
template <>
inline constexpr auto kWords<HeaderLine> = std::to_array<std::string_view>({"auto", "yes", "no"});

/// Sign between the cells of a CSV file.
enum class Separator { automatic, comma, semicolon, tab, space };
template <>
inline constexpr auto kWords<Separator> = std::to_array<std::string_view>({"auto", "comma", "semicolon", "tab",
                                                                           "space"});

/// Decimal sign of the numbers of a CSV file.
enum class DecimalSign { automatic, point, comma };
template <>
inline constexpr auto kWords<DecimalSign> = std::to_array<std::string_view>({"auto", "point", "comma"});

/// Treatment of inputs whose first rows are text alone: coded one-hot, or an error.
enum class TextInputs { onehot, error };
template <>
inline constexpr auto kWords<TextInputs> = std::to_array<std::string_view>({"onehot", "error"});

/// Origin of the directions of frequencies: Hadamard or Fourier products, independent or orthogonal Gaussian rows, a
/// Sobol sequence, or rows made again from a hash in every pass.
enum class DirectionSource { fastfood, fft, gaussian, orthogonal, sobol, hashed };
template <>
inline constexpr auto kWords<DirectionSource> = std::to_array<std::string_view>({"fastfood", "fft", "gaussian",
                                                                                 "orthogonal", "sobol", "hashed"});

/// Features of a phase: its cosine and sine, or one cosine, shifted by U[0, 2 pi).
enum class PhaseFeatures { pair, offset };
template <>
inline constexpr auto kWords<PhaseFeatures> = std::to_array<std::string_view>({"pair", "offset"});

/// Choice of landmarks among the training rows: by chance, as centres of clusters, or by leverage scores.
enum class LandmarkChoice { uniform, kmeans, leverage };
template <>
inline constexpr auto kWords<LandmarkChoice> = std::to_array<std::string_view>({"uniform", "kmeans", "leverage"});

/// Buckets of a sketch: hashed, or chosen so that products of inputs meet rarely.
enum class SketchBuckets { random, balanced };
template <>
inline constexpr auto kWords<SketchBuckets> = std::to_array<std::string_view>({"random", "balanced"});

/// Code of a consistent sample: the sampled coordinate alone, or with its level.
enum class SampleCode { zero_bit, full };
template <>
inline constexpr auto kWords<SampleCode> = std::to_array<std::string_view>({"zero-bit", "full"});

/// Inputs of a network: as scaled, or those with heavy tails through asinh.
enum class NetworkInputs { standard, asinh };
template <>
inline constexpr auto kWords<NetworkInputs> = std::to_array<std::string_view>({"standard", "asinh"});

/// Function of every unit of a network.
enum class Activation { silu, tanh, sine };
template <>
inline constexpr auto kWords<Activation> = std::to_array<std::string_view>({"silu", "tanh", "sine"});

/// Training of a network: Adam on minibatches, or all parameters by L-BFGS on the evidence.
enum class NetworkTraining { minibatches, evidence };
template <>
inline constexpr auto kWords<NetworkTraining> = std::to_array<std::string_view>({"minibatches", "evidence"});

/// Centre of the prior on noise: the noise of a short exact or Fastfood ARD fit, or a fixed value.
enum class PriorCenter { ard, fixed };
template <>
inline constexpr auto kWords<PriorCenter> = std::to_array<std::string_view>({"ard", "fixed"});

/// Distribution of the noise: gaussian; a mixture of normals of different scales; or chosen by the model.
enum class NoiseDistribution { automatic, gaussian, mixture };
template <>
inline constexpr auto kWords<NoiseDistribution> = std::to_array<std::string_view>({"auto", "gaussian", "mixture"});

/// Parameters that training begins from: shares of the inputs' ranges; the ARD fit that centres the noise prior; the
/// fit to class indicators.
enum class StartPoint { range, ard, labels };
template <>
inline constexpr auto kWords<StartPoint> = std::to_array<std::string_view>({"range", "ard", "labels"});

/// Learner of the weights of the features.
enum class LearnerKind { gp, svm, logistic };
template <>
inline constexpr auto kWords<LearnerKind> = std::to_array<std::string_view>({"gp", "svm", "logistic"});

/// Search of a classifier's scale and cost: all pairs on all rows, or on a subsample first.
enum class CostSearch { grid, subsample };
template <>
inline constexpr auto kWords<CostSearch> = std::to_array<std::string_view>({"grid", "subsample"});

/// Weight of a class's rows: 1, or rows / (classes * rows of the class).
enum class ClassWeights { none, balanced };
template <>
inline constexpr auto kWords<ClassWeights> = std::to_array<std::string_view>({"none", "balanced"});

/// Correction by rows that training never sees: intervals of numbers and counts, or probabilities of classes.
enum class CalibrationKind { none, conformal, temperature };
template <>
inline constexpr auto kWords<CalibrationKind> = std::to_array<std::string_view>({"none", "conformal", "temperature"});

/// Weights of several fits: equal, by leave-one-out scores, by a tenth of the rows, or chosen by the model.
enum class FitWeights { automatic, equal, leave_one_out, held_out };
template <>
inline constexpr auto kWords<FitWeights> = std::to_array<std::string_view>({"auto", "equal", "leave-one-out",
                                                                            "held-out"});

/// Fits of several targets: one kernel for all with a noise each, or one model each.
enum class TargetSharing { shared, independent };
template <>
inline constexpr auto kWords<TargetSharing> = std::to_array<std::string_view>({"shared", "independent"});

}  // namespace alacarte
