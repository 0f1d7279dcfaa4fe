#pragma once
// A recipe: every choice that turns a table into a fitted model. Plain data with defaults; io/recipe_io.hpp reads it
// from strict JSON and documents each field from the same table.
#include <alacarte/core/recipe_words.hpp>
#include <alacarte/core/types.hpp>
#include <optional>
#include <string>
#include <vector>

namespace alacarte {

/// Scaling of each row of inputs after that of the columns, in this order.
struct RowScaling {
  bool roots = false;  ///< each entry z becomes sign(z) sqrt(|z|)
  bool unit = false;   ///< the row is divided by its Euclidean length (rows of zeros stay)
  bool operator==(const RowScaling&) const = default;  ///< memberwise
};

/// Roles of the columns of a table, and the treatment of gaps ("data" of a recipe).
struct DataConfig {
  std::string target;                    ///< column name, or index from 0 (negative from the end); "" = last
  std::vector<std::string> inputs;       ///< names or indices; empty = all but target, ignored and key
  std::vector<std::string> ignore;       ///< unused columns
  std::vector<std::string> categorical;  ///< one-hot coded; categories are learned from the training rows
  std::string key;                       ///< column copied to the predictions, never an input
  std::string weights;                   ///< column of row weights, never an input; "" = every row has weight 1
  bool strict = false;  ///< true: what needs a guess is an error, unless one of the keys below asks for it
  MissingCells missing = MissingCells::automatic;     ///< empty cells of inputs
  UnseenCategory unseen = UnseenCategory::automatic;  ///< category that no training row had, at prediction
  HeaderLine header = HeaderLine::automatic;          ///< first line of a CSV file
  Separator separator = Separator::automatic;         ///< separator of a CSV file
  DecimalSign decimal = DecimalSign::automatic;       ///< decimal sign of a CSV file
  std::vector<std::string> missing_words;  ///< cells of a CSV file that are gaps, besides the empty, "?", na, nan, null
  TextInputs text = TextInputs::automatic;  ///< inputs of text
  std::vector<std::string> dates = {};      ///< columns of dates: each becomes its days since 1970-01-01
  std::string noise_sd = {};  ///< column of known noise standard deviations, in place of weights; "" = unknown
  std::string exposure = {};  ///< column of exposures of counts, whose means are exposure times rate; "" = all 1
  std::string group = {};     ///< column no level of which is on both sides of a split; "" = none; may be an input
  std::string time = {};      ///< column that orders rows: splits train on the past; "" = none; may be an input
  /// True if a line of units stood below the names of the training table; not a key: empty while a table is new.
  std::optional<bool> second_header = {};
  bool labels = false;  ///< true if the target is a label; not a key: likelihood and learner decide it
  bool operator==(const DataConfig&) const = default;  ///< memberwise
};

/// Replaces "auto" under data.strict by the words that it stands for there.
inline void resolve_strictness(DataConfig& data) {
  if (!data.strict) return;
  if (data.missing == MissingCells::automatic) data.missing = MissingCells::error;
  if (data.unseen == UnseenCategory::automatic) data.unseen = UnseenCategory::error;
  if (data.text == TextInputs::automatic) data.text = TextInputs::onehot;
}

/// Random features of a map ("features" of a recipe). A map reads only the keys that its ModelInfo lists.
struct FeatureConfig {
  DirectionSource draws = DirectionSource::fastfood;  ///< source of the directions of frequencies
  PhaseFeatures phase = PhaseFeatures::pair;          ///< features of each phase
  bool normalized = false;        ///< true: features of a row are divided by their length (offset phases only)
  Index frequencies = 256;        ///< m; for gm and pwl in each component
  Index components = 3;           ///< Q of gm and pwl
  Index knots = 0;                ///< pwl: 0 = one hat (the paper's), K > 0 = K hats on learned knots
  bool learn_lengthscale = true;  ///< ssgpr: learn the ARD scales with the frequencies (off in the paper)
  LandmarkChoice landmarks = LandmarkChoice::uniform;  ///< choice of landmarks from the training rows
  Index sketch = 1024;                                 ///< D of sketches
  SketchBuckets buckets = SketchBuckets::random;       ///< buckets of a sketch
  Index samples = 256;                                 ///< k of consistent sampling
  Index bits = 8;                          ///< b lowest bits kept of each sample: 2^b features, one of them 1
  SampleCode code = SampleCode::zero_bit;  ///< source of those bits
  bool operator==(const FeatureConfig&) const = default;  ///< memberwise
};

/// Settings of the kernel that a model leaves open ("kernel" of a recipe).
struct KernelConfig {
  bool isotropic = false;            ///< true: one length-scale for all inputs
  double nu = 1.5;                   ///< smoothness of Matern kernels
  double alpha = 1;                  ///< rational quadratic: (1 + r^2 / (2 alpha))^-alpha; 1 is the Cauchy kernel
  bool learn_shape = true;           ///< feature maps learn nu and alpha, starting from these
  Index degree = 2;                  ///< p of (x.x' + c)^p
  double offset = 1;                 ///< c of (x.x' + c)^p
  Index balls = 1;                   ///< t: a frequency is the sum of t uniform points of the unit ball
  std::vector<double> quantiles;     ///< quantiles of a frequency's length, at equally spaced levels from 0 to 1
  std::vector<double> coefficients;  ///< coefficients of an expansion, from degree 0 on
  bool learn_coefficients = true;    ///< learn the coefficients, starting from these
  std::vector<double> lengthscale;   ///< given length-scale of each input in its unit, or one for all; empty = not set
  double amplitude = 0;        ///< given standard deviation of the function in the unit of the target; 0 = not set
  std::vector<double> period;  ///< given period of each input in its unit, or one for all; empty = not set
  /// False: what is given of length-scales, amplitude and periods stays at its start; if nothing is, the length-scales.
  bool trained = true;
  bool operator==(const KernelConfig&) const = default;  ///< memberwise
};

/// Network before the features of a deep kernel, and its training on minibatches ("network" of a recipe).
struct NetworkConfig {
  NetworkInputs inputs = NetworkInputs::standard;  ///< transform of the scaled inputs
  std::vector<Index> widths = {256, 256, 64};      ///< units of each layer, from the inputs on; may be empty
  Activation activation = Activation::silu;        ///< activation of every layer
  bool residual = false;  ///< true: layers whose input has the same width add it (skip connection)
  bool skip = true;       ///< true: the features see the inputs as well as the last layer
  NetworkTraining training = NetworkTraining::minibatches;  ///< minibatches: as below
  Index epochs = 100;                                       ///< largest number of passes over the rows, if time allows
  Index batch = 128;                                        ///< rows of a minibatch
  double step = 0.03;   ///< peak Adam step, in standard deviations of each parameter's prior
  double decay = 0.01;  ///< decay of parameters towards their priors' means, in units of the step
  bool operator==(const NetworkConfig&) const = default;  ///< memberwise
};

/// Noise of the observations and its prior ("noise" of a recipe).
struct NoiseConfig {
  double floor = 1e-3;  ///< smallest noise standard deviation, in standard deviations of the target
  double sd = 0;        ///< first noise standard deviation in the unit of the target; 0 = use `start`
  bool trained = true;  ///< false: it stays at its start
  double start = 0.1;   ///< first noise standard deviation, in standard deviations of the target
  PriorCenter prior_center = PriorCenter::ard;  ///< the noise of a short ARD fit, or prior_value
  double prior_value = 0.2;                     ///< centre of the prior, in standard deviations of the target
  Index prior_rows = 700;                       ///< row cap of that ARD fit
  double prior_sd = 0.15;  ///< spread of log noise sd around the centre (inverse gamma: a barrier below)
  double degrees = 0;      ///< student-t: given degrees of freedom, above 2; 0 = learned
  double dispersion = 0;   ///< negative-binomial: given a of the variance u + a u^2; 0 = learned
  bool varies = false;     ///< gaussian: log noise is a second function of the inputs (math.md section 10)
  Index rounds = 2;        ///< rounds of noise fit and mean fit if `varies`; 0: one noise fit, and the mean stays
  Index rows = 10'000;     ///< rounds 0: cap on left-out rows for the noise fit
  /// gaussian | mixture (up to three normals of different scales, learned from predictions of left-out rows) | auto:
  /// mixture for models "auto" and (by held-out rows) "deep", if rows have no weights and there is one target
  NoiseDistribution shape = NoiseDistribution::automatic;
  bool operator==(const NoiseConfig&) const = default;  ///< memberwise
};

/// Starts, iterations and limits of the optimisation ("training" of a recipe).
struct TrainingConfig {
  Index starts = 5;                   ///< number of starting points that are probed
  Index probe_iterations = 15;        ///< L-BFGS iterations of each probe
  Index iterations = 100;             ///< further iterations from the best probe
  Index evaluations = 0;              ///< cap on evaluations of a fit, on each subsample and on all rows; 0 = none
  double seconds = 0;                 ///< wall-clock budget of the whole training; 0 = none
  double gradient_tolerance = 1e-4;   ///< stop when |gradient| <= this * max(1, |objective|)
  double objective_tolerance = 1e-9;  ///< stop when the relative change over 5 iterations is below this; 0 = off
  Index history = 20;                 ///< L-BFGS pairs kept
  /// Starting parameters: range (of the inputs) | ard (length-scales and noise of the ARD fit that centres the noise
  /// prior) | labels (classification: the maximum of the gaussian evidence of the class indicators)
  StartPoint start = StartPoint::range;
  Index start_rows = 1000;          ///< row cap of the fit to class indicators
  Index start_iterations = 40;      ///< L-BFGS iterations of that fit
  Index subsample = 0;              ///< rows of a first seeded subsample to train on, more up to all; 0 = off
  Index subsample_growth = 2;       ///< ratio of the rows of successive subsamples
  Index subsample_iterations = 10;  ///< L-BFGS iterations on each subsample after the first
  Index drawn_rows = 0;             ///< newly drawn rows of each step before L-BFGS on all rows; 0 = no such steps
  Index drawn_steps = 1000;         ///< number of these steps; with seconds, as many as there is time for
  bool carry_curvature = false;     ///< true: L-BFGS starts each subsample with the memory of the one before
  Index samples = 0;                ///< posterior samples of the hyperparameters, mixed; 0 = the mode only
  bool operator==(const TrainingConfig&) const = default;  ///< memberwise
};

/// The learner of the weights of the features. Classifiers (svm, logistic) keep the kernel's parameters fixed at their
/// starting point.
struct LearnerConfig {
  LearnerKind kind = LearnerKind::gp;
  std::vector<double> costs;   ///< C of svm and logistic, the best by cross-validation; empty = 10^-3, 10^-2, .., 10^3
  std::vector<double> scales;  ///< svm and logistic: multiples of the median distance of rows for the fixed
                               ///< length-scales, the best by cross-validation; empty = 1
  Index folds = 5;             ///< folds of that cross-validation
  CostSearch search = CostSearch::grid;  ///< subsample: scale and cost on search_rows rows, then that cost and its
                                         ///< neighbours on all rows
  Index search_rows = 500;               ///< rows of that subsample
  ClassWeights class_weights = ClassWeights::none;        ///< weights of the rows of each class
  bool operator==(const LearnerConfig&) const = default;  ///< memberwise
};

/// Calibration on held-out rows ("calibration" of a recipe; model/calibration.hpp).
struct CalibrationConfig {
  CalibrationKind kind = CalibrationKind::none;               ///< corrected quantity
  double share = 0.2;                                         ///< share of the training rows to hold out
  bool operator==(const CalibrationConfig&) const = default;  ///< memberwise
};

/// All settings that determine a model besides rows, seed and threads. io/recipe_io.hpp reads and checks it strictly.
struct Recipe {
  std::string model = "ard";  ///< a name of the model registry, "mixture" or "auto" (train/plan/auto_recipe.hpp)
  std::string description;    ///< free text for people; changes nothing
  DataConfig data;            ///< columns and gaps
  Scaling scale_inputs = Scaling::zscore;    ///< scaling of the inputs, by column; a member may have a curve of its own
  TreeInputs trees = TreeInputs::automatic;  ///< columns of boosted trees; a member may have its own
  TargetScaling scale_target = TargetScaling::zscore;  ///< scaling of a regression target
  RowScaling scale_rows;                               ///< scaling of each row of inputs, after the columns
  MeanKind mean = MeanKind::constant;                  ///< mean of the process
  std::string likelihood = "gaussian";  ///< law of the target given f: a name of the registry of likelihoods
  LearnerConfig learner;                ///< learner of the features' weights
  bool priors = true;  ///< MAP-II: weak priors on every learned scale (docs/math.md); false = maximum likelihood
  EvidenceForm evidence = EvidenceForm::automatic;
  Precision precision = Precision::float64;  ///< precision of the gradient
  FeatureConfig features;                    ///< settings of feature maps
  KernelConfig kernel;                       ///< settings of maps and exact kernels
  NetworkConfig network;                     ///< settings of deep kernels
  NoiseConfig noise;                         ///< settings of likelihoods with noise
  TrainingConfig training;                   ///< starts, iterations and limits
  CalibrationConfig calibration;             ///< calibration of the trained model
  /// Members of a "mixture": full recipes without members, and of data and scaling with trees and scale_inputs alone:
  /// that of the mixture, or a curve; these, mean, priors, evidence, noise and training default to those of the
  /// mixture.
  std::vector<Recipe> members;
  /// Terms of a model that adds or multiplies others: only model, features, kernel and terms of each are used.
  std::vector<Recipe> terms;
  /// Weights of several fits: equal | leave-one-out (by the scores of left-out rows) | held-out (by a tenth of the rows
  /// that no parameter saw) | folds (of classes: by all rows, which kernels leave out one by one and networks in
  /// folds) | auto (model "auto": one of these; other models: equal).
  FitWeights weights = FitWeights::automatic;
  TargetSharing targets = TargetSharing::shared;  ///< kernels of several targets
  Index copies = 1;           ///< number of fits of this model in the mixture, each with its own draws and starts
  double flops = 0;           ///< floating-point budget, which training shrinks to meet; 0 = none
  double max_model_mb = 512;  ///< largest model file, in MB; training fails early for a larger one
  bool operator==(const Recipe&) const = default;  ///< memberwise
};

}  // namespace alacarte
