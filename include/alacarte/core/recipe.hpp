#pragma once
// A recipe: every choice that turns a table into a fitted model. Plain data with defaults; io/recipe_io.hpp reads it
// from strict JSON and documents each field from the same table.
#include <alacarte/core/types.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// By column: as it is; mean 0; mean 0 and standard deviation 1; to [0, 1].
enum class Scaling { none, center, zscore, range };
/// What is done to each row of inputs after the columns' scaling, in this order.
struct RowScaling {
  bool roots = false;  ///< each entry z becomes sign(z) sqrt(|z|)
  bool unit = false;   ///< the row is divided by its Euclidean length (rows of zeros stay)
  bool operator==(const RowScaling&) const = default;  ///< by value
};
/// Mean of the process.
enum class MeanKind {
  zero,
  constant
};  ///< after standardisation: nothing more, or a flat-prior constant integrated out
/// Algebra of the evidence. Gaussian: over features (primal), over rows (dual), or the cheaper. Of several classes: the
/// joint curvature (primal), one block a class (bound), or joint where it is small (inference/inference.hpp).
enum class EvidenceForm { automatic, primal, dual, bound };
/// float64: all in doubles. mixed: the one product that only the gradient needs is taken in floats.
enum class Precision { float64, mixed };

/// Which columns of a table are inputs, target and key, and what becomes of gaps ("data" of a recipe).
struct DataConfig {
  std::string target;                    ///< column name, or index from 0 (negative from the end); "" = last
  std::vector<std::string> inputs;       ///< names or indices; empty = all but target, ignored and key
  std::vector<std::string> ignore;       ///< columns to leave alone
  std::vector<std::string> categorical;  ///< one-hot coded; categories are learned from the training rows
  std::string key;                       ///< column copied to the predictions, never an input
  std::string weights;                   ///< column of row weights, never an input; "" = every row has weight 1
  std::string missing = "error";         ///< error | drop | mean
  std::string unseen = "error";    ///< category not seen in training, at prediction: error | zero (all indicators 0)
  std::string header = "auto";     ///< auto | yes | no
  std::string separator = "auto";  ///< auto | comma | semicolon | tab | space
  std::string decimal = "auto";    ///< auto | point | comma: how a CSV file writes numbers
  std::vector<std::string> missing_words;  ///< cells of a CSV file that are gaps, beside the empty, "?", na, nan, null
  std::string text = "onehot";  ///< inputs whose first rows are text alone: onehot (coded as categorical) | error
  std::vector<std::string> dates = {};  ///< columns of dates: each becomes its days since 1970-01-01
  std::string noise_sd = {};  ///< column of known noise standard deviations, in place of weights; "" = not known
  bool labels = false;  ///< the target is a class, of any text; no key of its own: likelihood and learner decide it
  bool operator==(const DataConfig&) const = default;  ///< by value
};

/// The random features of a map ("features" of a recipe). A map reads those keys that its ModelInfo lists.
struct FeatureConfig {
  std::string draws = "fastfood";  ///< fastfood | fft | gaussian | orthogonal | sobol | hashed
  std::string phase = "pair";      ///< pair: cosine and sine of each phase; offset: one cosine, shifted by U[0, 2 pi)
  bool normalized = false;         ///< features of a row divided by their own length (offset phases only)
  Index frequencies = 256;         ///< m; for gm and pwl in each component
  Index components = 3;            ///< Q of gm and pwl
  Index knots = 0;                 ///< pwl: 0 = one hat (the paper's), K > 0 = K hats on learned knots
  bool learn_lengthscale = true;   ///< ssgpr: learn the ARD scales beside the frequencies (off in the paper)
  std::string landmarks = "uniform";  ///< how landmarks are taken from the training rows: uniform | kmeans | leverage
  Index sketch = 1024;                ///< D of sketches
  std::string buckets = "random";     ///< of a sketch: random (hashed) | balanced (products of inputs meet rarely)
  Index samples = 256;                ///< k of consistent sampling
  Index bits = 8;                     ///< b lowest bits kept of each sample: 2^b features, one of them 1
  std::string code = "zero-bit";      ///< what those bits are of: zero-bit (i* alone) | full (i* and t*)
  bool operator==(const FeatureConfig&) const = default;  ///< by value
};

/// What the kernel is, where a model leaves it open ("kernel" of a recipe).
struct KernelConfig {
  bool isotropic = false;            ///< one length-scale for all inputs in place of one for each
  double nu = 1.5;                   ///< smoothness of Matern kernels
  double alpha = 1;                  ///< rational quadratic: (1 + r^2 / (2 alpha))^-alpha; 1 is the Cauchy kernel
  bool learn_shape = true;           ///< feature maps learn nu and alpha, starting from these
  Index degree = 2;                  ///< p of (x.x' + c)^p
  double offset = 1;                 ///< c of (x.x' + c)^p
  Index balls = 1;                   ///< t: a frequency is the sum of t uniform points of the unit ball
  std::vector<double> quantiles;     ///< of a frequency's length, at equally spaced levels from 0 to 1
  std::vector<double> coefficients;  ///< of an expansion, from degree 0 on
  bool learn_coefficients = true;    ///< learn the coefficients, starting from these
  std::vector<double> lengthscale;   ///< set by hand, of each input in its unit, or one for all; empty = not set
  bool trained = true;               ///< length-scales are learned from where they begin; false: they stay there
  bool operator==(const KernelConfig&) const = default;  ///< by value
};

/// The network before the features of a deep kernel, and its training on minibatches ("network" of a recipe).
struct NetworkConfig {
  std::string inputs = "standard";             ///< as scaled: standard | those with heavy tails through asinh: asinh
  std::vector<Index> widths = {256, 256, 64};  ///< units of each layer, the one next to the inputs first; or none
  std::string activation = "silu";             ///< of every layer: silu | tanh | sine
  bool residual = false;                       ///< a layer whose input is as wide adds to that
  bool skip = true;                            ///< the features see the inputs, too, beside the last layer
  std::string training =
      "minibatches";    ///< minibatches: as below | evidence: all parameters by L-BFGS (few units only)
  Index epochs = 100;   ///< passes over the rows, if the time allows
  Index batch = 128;    ///< rows of a minibatch
  double step = 0.03;   ///< of Adam at its longest, in standard deviations of each parameter's prior
  double decay = 0.01;  ///< of parameters towards their priors' means, in units of the step
  bool operator==(const NetworkConfig&) const = default;  ///< by value
};

/// Noise of the observations and its prior ("noise" of a recipe).
struct NoiseConfig {
  double floor = 1e-3;               ///< least noise standard deviation, in standard deviations of the target
  double sd = 0;                     ///< first noise standard deviation in the unit of the target; 0 = by `start`
  bool trained = true;               ///< learned from there; false: it stays
  double start = 0.1;                ///< first noise standard deviation, in the same unit
  std::string prior_center = "ard";  ///< "ard": the noise of a short exact or Fastfood ARD fit; "fixed": prior_value
  double prior_value = 0.2;          ///< centre of the prior, in standard deviations of the target
  Index prior_rows = 700;            ///< most rows of that ARD fit
  double prior_sd = 0.15;            ///< spread of log noise sd around the centre (inverse gamma: a barrier below)
  double degrees = 0;                ///< student-t: degrees of freedom by hand, above 2; 0 = learned
  double dispersion = 0;             ///< negative-binomial: a of the variance u + a u^2 by hand; 0 = learned
  bool varies = false;               ///< gaussian: log noise is a second function of the inputs (math.md section 10)
  Index rounds = 2;  ///< of that: fits of the noise, each with a fit of the mean after it; 0: one, and the mean stays
  Index rows = 10'000;  ///< of rounds 0: most left-out rows that the noise is learned from
  /// gaussian | mixture (of up to three normals of different scales, learned from predictions of left-out rows) | auto:
  /// mixture for models "auto" and (by held-out rows) "deep", where rows have no weights and one target
  std::string shape = "auto";
  bool operator==(const NoiseConfig&) const = default;  ///< by value
};

/// Starts, iterations and limits of the optimisation ("training" of a recipe).
struct TrainingConfig {
  Index starts = 5;                   ///< probes from this many starting points
  Index probe_iterations = 15;        ///< L-BFGS iterations of each probe
  Index iterations = 100;             ///< further iterations from the best probe
  Index evaluations = 0;              ///< cap on evaluations of a fit, on each subsample and on all rows; 0 = none
  double seconds = 0;                 ///< wall-clock budget of the whole training; 0 = none
  double gradient_tolerance = 1e-4;   ///< stop when |gradient| <= this * max(1, |objective|)
  double objective_tolerance = 1e-9;  ///< stop when the relative change over 5 iterations is below this; 0 = off
  Index history = 20;                 ///< L-BFGS pairs kept
  /// Parameters to begin from: range (of the inputs) | ard (length-scales and noise of the ARD fit that centres the
  /// noise prior) | labels (of classes: what maximises the gaussian evidence of their indicators)
  std::string start = "range";
  Index start_rows = 1000;          ///< most rows of the fit to class indicators
  Index start_iterations = 40;      ///< L-BFGS iterations of that fit
  Index subsample = 0;              ///< rows of a first seeded subsample to train on, more up to all; 0 = off
  Index subsample_growth = 2;       ///< rows of each further subsample over those of the one before
  Index subsample_iterations = 10;  ///< L-BFGS iterations on each subsample after the first
  Index drawn_rows = 0;          ///< of each step on rows drawn anew, before L-BFGS on all of them; 0 = no such steps
  Index drawn_steps = 1000;      ///< so many of them; with seconds, as many as there is time for
  bool carry_curvature = false;  ///< L-BFGS begins each with the memory of the subsample before
  Index samples = 0;  ///< of the hyperparameters from their posterior, each a part of the mixture; 0 = their mode alone
  bool operator==(const TrainingConfig&) const = default;  ///< by value
};

/// The learner of the weights of the features. Classifiers (svm, logistic) keep the kernel's parameters fixed at their
/// starting point.
struct LearnerConfig {
  std::string kind = "gp";     ///< gp | svm | logistic
  std::vector<double> costs;   ///< C of svm and logistic, the best by cross-validation; empty = 10^-3, 10^-2, .., 10^3
  std::vector<double> scales;  ///< of svm and logistic: multiples of the median distance of rows that length-scales are
                               ///< held at, the best by cross-validation; empty = 1
  Index folds = 5;             ///< of that cross-validation
  std::string search = "grid";  ///< grid: every scale and cost on all rows | subsample: scale and cost on search_rows,
                                ///< then that cost and its neighbours on all rows
  Index search_rows = 500;      ///< rows of that subsample
  std::string class_weights = "none";                     ///< none | balanced: weight n / (classes * rows of the class)
  bool operator==(const LearnerConfig&) const = default;  ///< by value
};

/// What rows that training never sees correct ("calibration" of a recipe; model/calibration.hpp).
struct CalibrationConfig {
  std::string kind = "none";  ///< none | conformal (intervals of numbers and counts) | temperature (of probabilities)
  double share = 0.2;         ///< of the training rows
  bool operator==(const CalibrationConfig&) const = default;  ///< by value
};

/// All that decides a model beside rows, seed and threads. Read and checked strictly by io/recipe_io.hpp.
struct Recipe {
  std::string model = "ard";  ///< a name of the model registry, "mixture" or "auto" (train/auto_recipe.hpp)
  std::string description;    ///< free text for people; changes nothing
  DataConfig data;            ///< columns and gaps
  Scaling scale_inputs = Scaling::zscore;  ///< of the inputs, by column
  Scaling scale_target = Scaling::zscore;  ///< of a target that is a number
  RowScaling scale_rows;                   ///< of each row of inputs, after the columns
  MeanKind mean = MeanKind::constant;      ///< of the process
  std::string likelihood = "gaussian";     ///< of the target, given f: a name of the registry of likelihoods
  LearnerConfig learner;                   ///< of the features' weights
  bool priors = true;  ///< MAP-II: weak priors on every learned scale (docs/math.md); false = maximum likelihood
  EvidenceForm evidence = EvidenceForm::automatic;
  Precision precision = Precision::float64;  ///< of the gradient
  FeatureConfig features;                    ///< of feature maps
  KernelConfig kernel;                       ///< of maps and exact kernels
  NetworkConfig network;                     ///< of deep kernels
  NoiseConfig noise;                         ///< of likelihoods with noise
  TrainingConfig training;                   ///< how long, from where
  CalibrationConfig calibration;             ///< of the trained model
  /// Of "mixture": each is a full recipe without data, scaling and members of its own; mean, priors, evidence, noise
  /// and training are the mixture's where a member says nothing.
  std::vector<Recipe> members;
  /// Of models that add or multiply others: each a recipe of which only model, features, kernel and terms are used.
  std::vector<Recipe> terms;
  /// Of several fits: equal | leave-one-out (by the scores of rows that a posterior did not see) | held-out (by a tenth
  /// of the rows that no parameter saw; train/weigh/left_out.hpp) | auto (of model "auto" held-out if it takes
  /// networks, else leave-one-out; otherwise equal).
  std::string weights = "auto";
  std::string targets = "shared";  ///< of several targets: shared (one kernel for all, a noise each) | independent
  Index copies = 1;  ///< how many fits of this model, each with its own draws and starts, make the mixture
  double flops = 0;  ///< budget of floating-point operations of the training, which shrinks to meet it; 0 = none
  double max_model_mb = 512;                       ///< training refuses, before it starts, to make a larger model file
  bool operator==(const Recipe&) const = default;  ///< by value
};

}  // namespace alacarte
