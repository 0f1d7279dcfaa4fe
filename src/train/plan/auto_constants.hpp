#pragma once
// The constants of "auto". Each was measured on the tables of experiments/auto or experiments/frontier; names in
// brackets are tables, and scores are of their test rows. A change needs a new version in train/version.hpp.
#include <array>

#include "alacarte/core/types.hpp"

namespace alacarte::auto_detail {

/// Copies of the rows that memory has to hold where members see them through curves: the table, the rows as they are
/// and through two curves, and those that the race and the noise are learned from.
inline constexpr double kMaxCopies = 6;
/// Copies with boosted trees: two further views, and the rows as the trees are trained on them.
inline constexpr double kMaxTreeCopies = 10;

// ---- operations

inline constexpr double kDefaultFlops = 7e11;       ///< operations for 1000 rows without time or operations (5 s)
inline constexpr double kDefaultGrowth = 0.12;      ///< exponent by which these grow with the rows
inline constexpr double kMinDefaultRows = 100;      ///< rows below which they do not fall further
inline constexpr double kEvaluationsBeside = 6;     ///< evaluations of line searches and the posterior of a fit
inline constexpr double kPosteriorEvaluations = 6;  ///< evaluations that the posterior of a network for classes takes
/// Speed of exact kernels over the nominal one, used with a clock only: 1.9 on a thread (benchmarks/cost_model.cpp),
/// and less on two of one core.
inline constexpr double kExactSpeed = 1.5;
/// Factor of the iterations that are planned under a clock, which ends those that take longer.
inline constexpr double kClockReach = 2;

// ---- the race of members on more than kFewRows rows

inline constexpr double kRaceShare = 0.06;  ///< share of the operations for the race
/// Share of them for the round of boosted trees, and largest share of the operations for the trees of the fits.
inline constexpr double kTreeRaceShare = 0.04, kTreeShare = 0.25;
/// Their share on few rows of classes, where no race tells whether trees are worth more.
inline constexpr double kFewTreeShare = 0.1;
inline constexpr Index kMinTreeRows = 100;   ///< smallest number of such rows
inline constexpr Index kLineIterations = 8;  ///< iterations of a line over them, which has few parameters
/// The largest share of that round with its ARD fits and trees.
inline constexpr double kMaxTreeRaceShare = 0.2;
/// Largest share of it with the ARD fits before it. Beyond that too little time is left for what wins (pumadyn32nm in
/// 3 s: NLPD 1.3 against -0.03 by networks without a race).
inline constexpr double kMaxRaceShare = 1.0 / 6;
inline constexpr double kArdEvaluations = 80;  ///< evaluations of such a fit, with those of its starts
/// Largest share for these, which have fewer rows where inputs are many, down to kMinArdRows.
inline constexpr double kRaceArdShare = 0.04;
inline constexpr Index kMinArdRows = 200;
inline constexpr Index kMaxRaceRows = 10'000;     ///< largest number of rows that its members are fitted to
inline constexpr Index kRaceHeldShare = 10;       ///< one of so many of all rows scores them,
inline constexpr Index kMaxRaceHeldRows = 2'000;  ///< up to so many, whose standard error is small enough

// ---- few rows: exact kernels, and spectra beside them

inline constexpr Index kFewRows = 1600;  ///< largest number of rows of exact kernels, whose evaluations take n^3
/// Returns the largest share of the operations for boosted trees.
inline double tree_share(Index rows) { return rows <= kFewRows ? kFewTreeShare : kTreeShare; }
inline constexpr Index kIterations = 60;  ///< smallest number of iterations of a fit of all rows

inline constexpr Index kWholeRows = 800;         ///< largest number of rows of exact fits that begin on all of them
inline constexpr Index kWarmIterations = 30;     ///< iterations of a sum from the ARD fit's length-scales
inline constexpr Index kColdIterations = 42;     ///< iterations of a sum from shares of the inputs' ranges
inline constexpr double kIterationsShare = .87;  ///< share of these on 400 to 800 rows, where the last gain little
inline constexpr Index kMaxSeasons = 2;          ///< largest number of periodic terms of a sum
inline constexpr Index kMaxSums = 3;             ///< largest number of sums from shares of the ranges

inline constexpr Index kSumRows = 1200;          ///< rows of the first subsample of a sum on more than kFewRows
inline constexpr Index kMinSumRows = 600;        ///< rows of that subsample where time is short
inline constexpr Index kMaxSumRows = 6000;       ///< largest number of rows of such a sum
inline constexpr Index kSumIterations = 28;      ///< its iterations on the subsample
inline constexpr double kMaxSumIterations = 30;  ///< largest number of its iterations on all rows
inline constexpr double kGramMatrices = 8;       ///< triangles of n^2 / 2 doubles that it keeps at a time
inline constexpr double kMaxModelShare = 0.9;    ///< largest share of max_model_mb for its factor

/// Largest number of rows with mixtures of spectra; on more, sums of exact kernels are better in less time.
inline constexpr Index kSpectrumRows = 400;
inline constexpr Index kSpectrumFrequencies = 64;  ///< frequencies of each component
inline constexpr Index kMinSpectrum = 16;          ///< smallest number of these
inline constexpr Index kSpectrumComponents = 3;    ///< components of a mixture of spectra
inline constexpr double kSpectrumShare = 0.9;      ///< largest share of the operations left for two spectra

/// Largest number of rows with samples of the hyperparameters, which the evidence leaves open there
/// (experiments/samples); on more rows they add nothing (autompg).
inline constexpr Index kSampledRows = 250;
inline constexpr Index kExactSamples = 20;     ///< samples of an exact fit
inline constexpr Index kSpectrumSamples = 10;  ///< samples of a spectrum, which cost more
inline constexpr Index kAutoOpenSamples = 20;  ///< samples of each kernel where rows are few for the inputs
/// Factor of the time that samples need under a clock, which would leave an overfitted mode if it ended them early
/// (a cut of 100 rows and 200 inputs on a busy machine: 95 % intervals held 65 %).
inline constexpr double kSampleReserve = 2;
inline constexpr double kSampledBytes = 400;  ///< model file of all samples, in bytes for each pair of rows

// ---- many rows: learned frequencies on subsamples

inline constexpr Index kRowsPerFeature = 8;     ///< rows of the first subsample for each feature
inline constexpr Index kProbes = 2;             ///< starts that are tried there
inline constexpr Index kProbeIterations = 25;   ///< iterations of each try
inline constexpr Index kLaterIterations = 5;    ///< iterations of each doubling; all of them cost little more
inline constexpr Index kFinalIterations = 10;   ///< iterations on all rows that the frequencies must leave time for
inline constexpr double kMaxIterations = 200;   ///< largest number of iterations on all rows
inline constexpr Index kMinFrequencies = 32;    ///< smallest and
inline constexpr Index kMaxFrequencies = 1024;  ///< largest number of learned frequencies
inline constexpr Index kFrequencyFits = 3;      ///< fits that share the operations: two of ssgpr and one of fsgbard

// ---- many rows: networks

/// Widths of the first layers of a network and the frequencies of its last.
struct NetworkSize {
  Index width, frequencies;
};
/// Sizes of networks. A small one sees more rows in the same time, which is worth more than its size, and takes longer
/// steps; both are better than the recipe deep, twice as wide (experiments/frontier, sizes of networks).
inline constexpr NetworkSize kNarrow{64, 32}, kWide{128, 64};
inline constexpr Index kLastWidth = 64;           ///< width of the last layer
inline constexpr double kNetworkStep = 0.06;      ///< length of the steps of both
inline constexpr double kMinWideSamples = 2.5e6;  ///< rows seen (rows times passes) from which the wide one is better
/// Passes over the rows that networks need to be tried: with fewer, the posterior of all rows takes as long as they (a
/// million rows in 20 s: 28 s).
inline constexpr double kMinPasses = 10;
inline constexpr double kManyPasses = 60;  ///< passes of each of several networks
inline constexpr double kMaxPasses = 200;  ///< largest number of passes
/// Smallest number of networks; one alone may end badly (protein in 10 s: NLPD 0.64, of two 0.37).
inline constexpr Index kMinNetworks = 2;
inline constexpr Index kMaxNetworks = 4;  ///< largest number without a clock, and of few samples
/// Largest number in the time that was asked for: for regression only where kMinSamplesOfMany rows are seen, for with
/// fewer each has too few passes (10 s, pol: NLPD 0.69 against 0.62; 100 s, protein: 0.26 against 0.32).
inline constexpr Index kMaxTimedNetworks = 8;
inline constexpr double kMinSamplesOfMany = 6e6;  ///< rows seen from which more than kMaxNetworks are better
/// Largest number for regression where each has all its passes (100 s, pol: NLPD 0.42 against 0.51).
inline constexpr Index kMaxWholeNetworks = 16;

// ---- kernels for classes on few rows

inline constexpr Index kMaxKernelClassRows = 2000;                ///< largest number of rows
inline constexpr Index kMaxFoldRows = 2000;                       ///< largest number of rows that weigh them in folds
inline constexpr Index kRowsOfFewFolds = 600;                     ///< rows from which these weights take few folds
inline constexpr Index kFewClassFolds = 5, kManyClassFolds = 10;  ///< folds from there on, and below
inline constexpr Index kClassCopies = 2;                          ///< fits of learned frequencies
inline constexpr double kMaxLearnedShare = 0.1;     ///< learned numbers of a row, above which folds predict a fit
inline constexpr Index kClassIterations = 40;       ///< iterations of each
inline constexpr Index kMaxClassFrequencies = 128;  ///< frequencies of each where exact kernels are too dear
inline constexpr double kClassKernelShare = 0.8;    ///< largest share of the operations beside networks
inline constexpr std::array<const char*, 2> kExactClassKernels{"exact-matern", "exact-rbf"};
inline constexpr std::array<const char*, 2> kClassKernels{"matern", "rbf"};

// ---- networks for classes and counts. Every other network for classes takes inputs with heavy tails through asinh:
// which kind is better differs from table to table (spambase: log loss 0.135 against 0.168, ctg3: 0.231 against
// 0.187), and held-out rows weigh them. For regression the second kind costs more than it gives (protein in 30 s: NLPD
// 0.37 against 0.32).

/// Smallest number of rows for classes, whose borders spectra miss, and for which Laplace's approximation is dear.
inline constexpr Index kMinClassRows = 300;
inline constexpr Index kMinCountRows = 8000;     ///< smallest number of rows for counts
inline constexpr Index kClassFrequencies = 32;   ///< frequencies of a network for classes
inline constexpr Index kCountFrequencies = 128;  ///< frequencies of a network for counts
inline constexpr double kClassShare = 0.7;       ///< share of the operations for the passes; posteriors take the rest
inline constexpr double kMinClassPasses = 8;     ///< passes that suffice for classes,
inline constexpr double kMinClassSamples = 1e5;  ///< or rows seen
inline constexpr double kMaxClassPasses = 80;    ///< largest number of passes; more add nothing (car, ctg3)

// ---- noise

/// Rows of the ARD fit that centres the noise prior on more than kFewRows; the sums on fewer rows begin at its
/// length-scales, and keep the default.
inline constexpr Index kNoiseRows = 400;
inline constexpr Index kMinVaryingRows = 100;      ///< left-out rows that tell how the noise varies
inline constexpr double kLeftOutNoiseShare = 0.2;  ///< largest share of the time or operations for the noise

/// Rows below which an exact kernel learns the noise. On more, spectra and networks fail in different places, and
/// their mean is as good as the better of them on each of nine tables.
inline constexpr Index kExactNoiseRows = 300;
inline constexpr Index kNoiseCopies = 2;        ///< spectra, and networks, of the noise
inline constexpr Index kNoiseFrequencies = 32;  ///< frequencies of each
inline constexpr Index kNoiseIterations = 60;   ///< iterations of a spectrum or kernel of the noise
inline constexpr Index kNoiseWidth = 64;        ///< width of both layers of a network of the noise
inline constexpr Index kNoiseEpochs = 30;       ///< its passes
inline constexpr Index kRowsOfHalves = 1000;    ///< rows below which halves know much less than the whole
inline constexpr Index kFewFolds = 2;           ///< folds of the cross-fitting from so many rows on,
inline constexpr Index kManyFolds = 5;          ///< and below

}  // namespace alacarte::auto_detail
