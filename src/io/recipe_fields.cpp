#include "recipe_fields.hpp"

namespace alacarte {
namespace {

using enum FieldScope;
using Fields = std::vector<RecipeField>;

constexpr double kManyRounds = 1e9, kManyRows = 1e12, kEver = 1e300;
// Largest number of features: many more fit no memory, and slips such as 1e9 are caught.
constexpr double kManyFeatures = 1 << 24;

template <class Enum>
FieldDomain words_of() {
  return {.choices = words<Enum>()};
}

FieldDomain from_to(double minimum, double maximum) { return {{}, minimum, maximum}; }

Fields data_fields(DataConfig& data) {
  return {
      {"data", "target", &data.target, whole_only,
       "column to learn: a name, or an index from 0 (negative from the end); \"\" = the last column"},
      {"data", "inputs", &data.inputs, whole_only, "columns to learn from; [] = all but target, key and ignored ones"},
      {"data", "ignore", &data.ignore, whole_only, "columns that are never inputs"},
      {"data", "categorical", &data.categorical, whole_only,
       "columns coded one-hot; their categories are learned from the training rows"},
      {"data", "dates", &data.dates, whole_only,
       "columns of dates, which become numbers: days since 1970-01-01, the time of day as their fraction"},
      {"data", "key", &data.key, whole_only, "column copied to the predictions, never an input"},
      {"data", "weights", &data.weights, whole_only,
       "column of the weights of rows, never an input: a row of weight w has the noise variance divided by w, of "
       "classes and counts its log likelihood times w"},
      {"data", "noise_sd", &data.noise_sd, whole_only,
       "column of the known noise of rows, never an input: standard deviations in the unit of the target; then "
       "noise.sd "
       "is a factor of it, 1 and not learned unless noise.sd is set"},
      {"data", "exposure", &data.exposure, whole_only,
       "column of the exposures of counts, never an input: a row's mean is its exposure times the rate that is "
       "learned; "
       "finite and above 0"},
      {"data", "group", &data.group, whole_only,
       "column of groups, such as the subject: no value of it is on both sides of a split (held-out rows, folds, "
       "calibration, left-out scores); an input too unless it is ignored or the key"},
      {"data", "time", &data.time, whole_only,
       "column of numbers or dates that orders the rows: splits train on the past and test on the future; an input too "
       "unless it is ignored or the key"},
      {"data", "strict", &data.strict, whole_only,
       "true: an error where a table needs a guess, such as an empty cell, a category that no training row had or a "
       "column name that repeats, unless missing, unseen or text say what to do"},
      {"data", "missing", &data.missing, whole_only,
       "what to do about an empty cell of an input; auto: the mean, beside an indicator of the gap",
       words_of<MissingCells>()},
      {"data", "unseen", &data.unseen, whole_only,
       "what to do, at prediction, about a category that no training row had; auto: none of its indicators is set",
       words_of<UnseenCategory>()},
      {"data", "header", &data.header, whole_only, "whether the first line of a CSV file names the columns",
       words_of<HeaderLine>()},
      {"data", "separator", &data.separator, whole_only, "what separates the columns of a CSV file",
       words_of<Separator>()},
      {"data", "decimal", &data.decimal, whole_only,
       "how a CSV file writes numbers; auto: with a comma where its first rows do, and columns are not separated by it",
       words_of<DecimalSign>()},
      {"data", "missing_words", &data.missing_words, whole_only,
       "cells of a CSV file that are gaps, beside the empty one, ?, na, nan and null"},
      {"data", "text", &data.text, whole_only,
       "inputs of text that are not named as categorical: coded one-hot where their first rows hold text alone, an "
       "error, or auto, by the kind of column that all rows show",
       words_of<TextInputs>()},
  };
}

Fields model_fields(Recipe& r) {
  const FieldDomain scalings = words_of<Scaling>();
  return {
      {"scale", "inputs", &r.scale_inputs, anywhere,
       "what is done to each input, with statistics of the training rows; normal-scores (of ranks), asinh and clip are "
       "monotone curves behind a zscore, for inputs with most of their rows in a small part of their range, and of a "
       "mixture each member may have its own",
       scalings},
      {"data", "trees", &r.trees, anywhere,
       "true: boosted trees (XGBoost), cross-fitted in five folds, predict a column of each row beside its inputs, "
       "one for each of several classes; alone: in place of them; auto: model 'auto' has members with and without "
       "them as left-out rows ask for it, others have none; a member of a mixture may have its own",
       words_of<TreeInputs>()},
      {"scale", "target", &r.scale_target, whole_only,
       "what is done to the target: log (above 0) and yeo-johnson transform it before they scale as zscore, and every "
       "prediction is undone exactly; auto: model 'auto' chooses one where left-out rows say so, others take zscore",
       words_of<TargetScaling>()},
      {"scale", "roots", &r.scale_rows.roots, whole_only,
       "take the root of each scaled input and keep its sign: for counts and pixels, with unit_rows the Hellinger "
       "distance of rows"},
      {"scale", "unit_rows", &r.scale_rows.unit, whole_only,
       "divide each row of scaled inputs by its Euclidean length; rows of zeros stay"},
      {"", "mean", &r.mean, anywhere, "zero: nothing after scaling; constant: an unknown constant is integrated out",
       words_of<MeanKind>()},
      {"", "priors", &r.priors, anywhere, "weak priors on every learned scale; false = plain maximum likelihood"},
      {"", "evidence", &r.evidence, maps_only,
       "algebra over features (primal) or rows (dual), auto = the smaller; of softmax the joint curvature of all "
       "classes (primal) or one block a class (bound), auto = joint up to 2048 features times classes, with seconds "
       "where there is time for it",
       words_of<EvidenceForm>()},
      {"", "precision", &r.precision, maps_only,
       "mixed: the gradient's largest product in 32 bits where features are fewer than rows; it falls back to double "
       "by itself where that costs digits",
       words_of<Precision>()},
  };
}

Fields feature_fields(FeatureConfig& f) {
  return {
      {"features", "draws", &f.draws, anywhere,
       "where the directions of frequencies come from: Hadamard or Fourier products, dense independent rows, dense "
       "orthogonal blocks, a Sobol sequence, or rows made again from a hash in every pass and never stored",
       words_of<DirectionSource>()},
      {"features", "phase", &f.phase, anywhere,
       "pair: cosine and sine of each phase, two features a frequency; offset: one cosine of the phase plus a fixed "
       "uniform angle",
       words_of<PhaseFeatures>()},
      {"features", "normalized", &f.normalized, anywhere,
       "divide the features of each row by their own length; only with phase offset, the other has that length "
       "already"},
      {"features", "frequencies", &f.frequencies, anywhere,
       "how many random frequencies, for gm and pwl in each component", from_to(1, kManyFeatures)},
      {"features", "components", &f.components, anywhere, "components of the spectral mixture", from_to(1, 1000)},
      {"features", "knots", &f.knots, anywhere,
       "hats of the radial density: 0 = one of fixed shape, K > 0 = K on learned knots", from_to(0, 1000)},
      {"features", "learn_lengthscale", &f.learn_lengthscale, anywhere,
       "learn length-scales, beside the frequencies of ssgpr; without them tensor-sketch takes the inputs as they "
       "are"},
      {"features", "landmarks", &f.landmarks, anywhere,
       "how landmarks are taken from the training rows: by chance, as centres of clusters, or by leverage scores",
       words_of<LandmarkChoice>()},
      {"features", "sketch", &f.sketch, anywhere, "features of a sketch", from_to(1, kManyFeatures)},
      {"features", "buckets", &f.buckets, anywhere,
       "of a sketch: hashed, or chosen so that products of inputs meet as rarely as possible, never while there are at "
       "least (inputs + 1)^degree features",
       words_of<SketchBuckets>()},
      {"features", "samples", &f.samples, anywhere, "how many consistent samples of a row", from_to(1, kManyFeatures)},
      {"features", "bits", &f.bits, anywhere,
       "lowest bits b kept of a sample, which makes 2^b features of it, or fewer of few inputs, one of them not 0",
       from_to(1, 24)},
      {"features", "code", &f.code, anywhere, "what those bits are of: the sampled coordinate alone, or with its level",
       words_of<SampleCode>()},
  };
}

Fields kernel_fields(KernelConfig& k) {
  return {
      {"kernel", "isotropic", &k.isotropic, anywhere, "one length-scale for all inputs in place of one for each"},
      {"kernel", "nu", &k.nu, anywhere, "smoothness of the Matern kernel", from_to(0.05, 1000)},
      {"kernel", "alpha", &k.alpha, anywhere,
       "of the rational quadratic kernel (1 + r^2 / (2 alpha))^-alpha; 1 is the Cauchy kernel", from_to(0.05, 1000)},
      {"kernel", "learn_shape", &k.learn_shape, anywhere, "learn nu or alpha from there; false = it stays"},
      {"kernel", "degree", &k.degree, anywhere, "p of (x.x' + c)^p", from_to(1, 100)},
      {"kernel", "offset", &k.offset, anywhere, "c of (x.x' + c)^p", from_to(0, 1e6)},
      {"kernel", "balls", &k.balls, anywhere, "how many uniform points of the unit ball sum to a frequency",
       from_to(1, 10000)},
      {"kernel", "quantiles", &k.quantiles, anywhere,
       "of the length of a frequency in units of 1 / length-scale, at equally spaced levels from 0 to 1",
       from_to(0, 1e6)},
      {"kernel", "coefficients", &k.coefficients, anywhere, "of the expansion, from degree 0 on", from_to(-1e9, 1e9)},
      {"kernel", "learn_coefficients", &k.learn_coefficients, anywhere,
       "learn the coefficients from there; false = they stay"},
      {"kernel", "lengthscale", &k.lengthscale, not_in_mixture,
       "length-scales by hand, where training begins: of each encoded input in its own unit, or one for all; of a "
       "periodic kernel in the unit of the circle",
       from_to(1e-300, 1e300)},
      {"kernel", "amplitude", &k.amplitude, not_in_mixture,
       "standard deviation of the function by hand, in the unit of the target, where training begins: v of the model's "
       "formula (the root of a variogram's sill without its nugget); 0 = not set",
       from_to(0, 1e300)},
      {"kernel", "period", &k.period, not_in_mixture,
       "periods by hand, where training begins: of each encoded input in its own unit, or one for all",
       from_to(1e-300, 1e300)},
      {"kernel", "trained", &k.trained, not_in_mixture,
       "learn what is given of length-scales, amplitude and periods from where it begins; false = it stays there, and "
       "the length-scales do if nothing is given"},
  };
}

Fields network_fields(NetworkConfig& n) {
  return {
      {"network", "inputs", &n.inputs, anywhere,
       "as scaled (standard), or those with heavy tails through asinh around their medians (asinh)",
       words_of<NetworkInputs>()},
      {"network", "widths", &n.widths, anywhere,
       "units of each layer, the one next to the inputs first; none: the model of terms alone", from_to(1, 4096)},
      {"network", "activation", &n.activation, anywhere, "of every layer", words_of<Activation>()},
      {"network", "residual", &n.residual, anywhere, "a layer whose input is as wide adds to that"},
      {"network", "skip", &n.skip, anywhere, "the features see the inputs, too, beside the last layer"},
      {"network", "training", &n.training, anywhere,
       "minibatches: Adam on the log likelihood, noise and amplitude by a tenth of the rows that is held out; "
       "evidence: all parameters by L-BFGS, "
       "for few units",
       words_of<NetworkTraining>()},
      {"network", "epochs", &n.epochs, anywhere, "passes over the rows, fewer where the seconds end before",
       from_to(1, 1e6)},
      {"network", "batch", &n.batch, anywhere, "rows of a minibatch; never more than an eighth of all",
       from_to(1, 1e6)},
      {"network", "step", &n.step, anywhere, "of Adam at its longest, in standard deviations of each parameter's prior",
       from_to(1e-8, 10)},
      {"network", "decay", &n.decay, anywhere, "of parameters towards the means of their priors, for each unit of step",
       from_to(0, 10)},
  };
}

Fields learner_fields(Recipe& r) {
  return {
      {"", "likelihood", &r.likelihood, whole_only,
       "distribution of the target, given f (alacarte kernels list names them)"},
      {"learner", "kind", &r.learner.kind, whole_only,
       "who learns the weights of the features; svm and logistic hold the kernel's parameters where they start",
       words_of<LearnerKind>()},
      {"learner", "costs", &r.learner.costs, whole_only,
       "C of svm and logistic, the best by cross-validation; [] = powers of ten from 0.001 to 1000",
       from_to(1e-12, 1e12)},
      {"learner", "scales", &r.learner.scales, whole_only,
       "of svm and logistic: multiples of the median distance of two rows that length-scales are held at, the best by "
       "cross-validation; [] = 1",
       from_to(1e-6, 1e6)},
      {"learner", "folds", &r.learner.folds, whole_only, "of that cross-validation", from_to(2, 1000)},
      {"learner", "search", &r.learner.search, whole_only,
       "grid = every scale and cost on all rows; subsample = on search_rows rows, then the best scale on all rows, "
       "with the best cost and its neighbours",
       words_of<CostSearch>()},
      {"learner", "search_rows", &r.learner.search_rows, whole_only, "rows of that subsample", from_to(10, kManyRows)},
      {"learner", "class_weights", &r.learner.class_weights, whole_only,
       "balanced: a row counts n / (classes * rows of its class)", words_of<ClassWeights>()},
  };
}

Fields noise_fields(NoiseConfig& noise) {
  return {
      {"noise", "floor", &noise.floor, anywhere, "least noise standard deviation, in standard deviations of the target",
       from_to(1e-6, 1)},
      {"noise", "sd", &noise.sd, anywhere,
       "noise standard deviation by hand, in the unit of the target, where training begins; 0 = noise.start",
       from_to(0, 1e300)},
      {"noise", "trained", &noise.trained, anywhere, "learn the noise from where it begins; false = it stays there"},
      {"noise", "start", &noise.start, anywhere, "first noise standard deviation, in the same unit", from_to(1e-6, 10)},
      {"noise", "prior_center", &noise.prior_center, anywhere,
       "centre of the prior on noise: ard = the noise of a short exact ARD fit; fixed = prior_value",
       words_of<PriorCenter>()},
      {"noise", "prior_rows", &noise.prior_rows, anywhere, "most rows of that ARD fit", from_to(10, kManyRows)},
      {"noise", "prior_value", &noise.prior_value, anywhere, "that centre, in standard deviations of the target",
       from_to(1e-6, 10)},
      {"noise", "prior_sd", &noise.prior_sd, anywhere, "standard deviation of the prior on the logarithm of the noise",
       from_to(1e-3, 100)},
      {"noise", "degrees", &noise.degrees, whole_only,
       "degrees of freedom of student-t by hand, more than 2; 0 = learned", from_to(0, 1e6)},
      {"noise", "dispersion", &noise.dispersion, whole_only,
       "a of negative-binomial's variance u + a u^2 by hand; 0 = learned", from_to(0, 1e6)},
      {"noise", "varies", &noise.varies, whole_only,
       "the logarithm of gaussian noise is a second function of the inputs"},
      {"noise", "rounds", &noise.rounds, whole_only,
       "of that: fits, each before one of the mean; 0 = one, by rows left out, and the mean stays", from_to(0, 20)},
      {"noise", "rows", &noise.rows, whole_only, "most left-out rows that rounds 0 learns it from",
       from_to(100, kManyRows)},
      {"noise", "shape", &noise.shape, whole_only,
       "distribution of the noise: gaussian; mixture = up to three normals of different scales, learned from "
       "predictions of left-out rows (outliers, heavy tails); auto = mixture for models auto and deep",
       words_of<NoiseDistribution>()},
  };
}

Fields calibration_fields(CalibrationConfig& calibration) {
  return {
      {"calibration", "kind", &calibration.kind, whole_only,
       "what rows that training never sees correct: conformal = intervals of numbers and counts, with a guarantee; "
       "temperature = probabilities of classes",
       words_of<CalibrationKind>()},
      {"calibration", "share", &calibration.share, whole_only,
       "share of the rows that are kept for it, drawn by the seed", from_to(0.001, 0.9)},
  };
}

Fields training_fields(TrainingConfig& training) {
  return {
      {"training", "starts", &training.starts, anywhere, "starting points; the best after a short probe is continued",
       from_to(1, 10000)},
      {"training", "start", &training.start, anywhere,
       "parameters begin at: range = shares of the inputs' ranges; ard = the length-scales and noise of the ARD fit "
       "that centres the prior on the noise, where there is one; labels = those that maximise the gaussian evidence of "
       "the "
       "indicators of the classes",
       words_of<StartPoint>()},
      {"training", "start_rows", &training.start_rows, anywhere, "most rows of the fit to indicators of the classes",
       from_to(10, kManyRows)},
      {"training", "start_iterations", &training.start_iterations, anywhere, "L-BFGS iterations of that fit",
       from_to(1, kManyRounds)},
      {"training", "probe_iterations", &training.probe_iterations, anywhere, "L-BFGS iterations of each probe",
       from_to(1, kManyRounds)},
      {"training", "iterations", &training.iterations, anywhere, "further iterations from the best probe",
       from_to(0, kManyRounds)},
      {"training", "evaluations", &training.evaluations, anywhere,
       "cap on evaluations of one fit, on each of its subsamples and on all rows; 0 = none", from_to(0, kManyRounds)},
      {"training", "seconds", &training.seconds, whole_only,
       "wall-clock budget of the whole training; 0 = none (it makes results vary)", from_to(0, kManyRounds)},
      {"training", "gradient_tolerance", &training.gradient_tolerance, anywhere,
       "stop when |gradient| <= this * max(1, |objective|); 0 = off", from_to(0, 1)},
      {"training", "objective_tolerance", &training.objective_tolerance, anywhere,
       "stop when the relative change over 5 iterations is below this; 0 = off", from_to(0, 1)},
      {"training", "history", &training.history, anywhere, "L-BFGS pairs kept", from_to(1, 1000)},
      {"training", "subsample", &training.subsample, anywhere,
       "starts are probed and continued on this many rows, drawn by the seed, then on subsample_growth times as many, "
       "and so on, before all rows have their `iterations`; 0 = all rows from the start",
       from_to(0, kManyRows)},
      {"training", "subsample_growth", &training.subsample_growth, anywhere,
       "rows of each further subsample over those of the one before", from_to(2, 1e6)},
      {"training", "subsample_iterations", &training.subsample_iterations, anywhere,
       "L-BFGS iterations on each subsample, after the probes on the first", from_to(1, kManyRounds)},
      {"training", "drawn_rows", &training.drawn_rows, anywhere,
       "rows of each step of Adam on the evidence of rows drawn anew, from the first start, before L-BFGS on all rows; "
       "0 = no such steps",
       from_to(0, kManyRounds)},
      {"training", "drawn_steps", &training.drawn_steps, anywhere,
       "steps on rows drawn anew; with seconds, as many as seven tenths of the time allow", from_to(1, kManyRounds)},
      {"training", "samples", &training.samples, anywhere,
       "samples of the hyperparameters from their posterior, by Hamiltonian Monte Carlo, each a part of the mixture; 0 "
       "= the mode alone, but 40 for an exact kernel with fewer than 8 rows for each input; -1 = the mode alone, there "
       "too. For some hundred rows",
       from_to(-1, 1000)},
      {"training", "carry_curvature", &training.carry_curvature, anywhere,
       "L-BFGS begins on each larger subsample, and on all rows, with the memory of the one before"},
  };
}

}  // namespace

std::vector<RecipeField> recipe_fields(Recipe& r) {
  Fields table = {
      {"", "model", &r.model, anywhere,
       "which model, \"mixture\" of members, or \"auto\": a mixture that follows from the rows and the time"},
      {"", "description", &r.description, anywhere, "free text for people; changes nothing"}};
  const Fields last = {
      {"", "copies", &r.copies, not_in_mixture,
       "fits of this model, each with its own draws and starts, that make a mixture", from_to(1, 1000)},
      {"", "weights", &r.weights, whole_only,
       "of several fits: equal; by their leave-one-out scores (the more rows, the more they decide); by a tenth of "
       "the rows, held out from their parameters and given back to their posteriors; or, of classes, by all rows, "
       "which kernels leave out one by one and networks in folds; auto = one of the latter of model auto, otherwise "
       "equal",
       words_of<FitWeights>()},
      {"", "targets", &r.targets, whole_only,
       "of several targets (data.target \"a,b,c\"): shared = one kernel for all, a noise each; independent = one each",
       words_of<TargetSharing>()},
      {"", "flops", &r.flops, whole_only,
       "planned floating-point operations of the training, which shrinks to meet them; 0 = no plan", from_to(0, kEver)},
      {"", "max_model_mb", &r.max_model_mb, whole_only,
       "training refuses, before it starts, to make a larger model file; 0 = no limit", from_to(0, kManyRounds)}};
  for (const Fields& fields :
       {data_fields(r.data), model_fields(r), feature_fields(r.features), kernel_fields(r.kernel),
        network_fields(r.network), learner_fields(r), noise_fields(r.noise), training_fields(r.training),
        calibration_fields(r.calibration), last})
    table.insert(table.end(), fields.begin(), fields.end());
  return table;
}

std::string inapplicable_reason(const RecipeField& field, const ModelInfo* info, RecipePart part) {
  if (part == RecipePart::term && !field.is_listed() && !field.is_by_hand() && field.key != "model")
    return "belongs to the whole recipe, not to a term";
  if (part == RecipePart::member && field.scope == whole_only) return "belongs to the whole recipe, not to a member";
  if (info == nullptr)
    return field.scope != not_in_mixture && !field.is_listed()
               ? ""
               : "belongs to the members of a mixture, not to the mixture";
  const bool fits = field.is_listed() ? info->uses(field.name()) : !(field.scope == maps_only && info->exact);
  return fits ? "" : "means nothing for model '" + info->name + "'";
}

}  // namespace alacarte
