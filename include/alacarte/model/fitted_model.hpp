#pragma once
// A trained model: schema, standardiser and one or more fits (a mixture), in the user's own units.
#include <alacarte/data/dataset.hpp>
#include <alacarte/model/calibration.hpp>
#include <alacarte/model/posterior.hpp>
#include <alacarte/model/prediction.hpp>
#include <alacarte/model/training_record.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace alacarte {

struct ModelFile;  // io/model_file.hpp; the room io defines save() and load() below

/// One fit: exactly one of map and kernel is set.
struct Member {
  Recipe recipe;                          ///< of this fit alone
  std::shared_ptr<const FeatureMap> map;  ///< null for an exact kernel
  std::shared_ptr<const Kernel> kernel;   ///< null for a feature map
  Vector theta;                           ///< of the map or kernel: parameters().size(); the noise is the posterior's
  std::unique_ptr<Posterior> posterior;   ///< of the weights or of the function
  Vector likelihood_theta;  ///< learned parameters of the likelihood (Likelihood::parameters()); often none
  FitSummary summary;       ///< how it was trained
  double weight = 1;        ///< in the mixture: the weights of J fits have the sum J
  /// Of the map or kernel.
  const ParameterLayout& parameters() const { return map ? map->parameters() : kernel->parameters(); }
};

/// Whether it is one of several samples of the hyperparameters of a fit, and not the first (training.samples).
bool is_further_sample(const Member& member);

/// What predictions of many rows hold, and their threads.
struct PredictOptions {
  bool latent = false;   ///< of numbers: variances of f, without the observation noise
  bool variance = true;  ///< false: means only (variances come back as zero); classes and counts at the mean of f
  int threads = 1;       ///< processor threads to use
  /// (rows), or empty: all 1. Of numbers with gaussian noise, its variance is divided by the weight of the row; others
  /// stay. Where the model knows the noise of rows (Schema::knows_noise()) they are 1 / sd^2, and without them
  /// predictions have the noise 1.
  Vector weights = {};
};

/// Which moments predict_one() computes: the mean alone, the mean and the variance of f, or the mean and the variance
/// of an observation. The latter two are one for classes and counts.
enum class Moment { mean, latent_variance, variance };

/// Prediction of one row, in the unit of the target.
struct OneRowPrediction {
  double mean = 0, variance = 0;  ///< of numbers and counts; a variance that is not wanted is 0
  Vector class_values;            ///< (K) of classes, as ClassPrediction::values
  /// (J) one component for each fit: of numbers, and of counts the log rate.
  Vector component_means, component_variances;  ///< of the mixture; a noise_shape counts by its variance alone
};

/// Work space of predict_one() for one model and one thread, with the last prediction.
class OneRowWorkspace {
  friend class FittedModel;
  OneRowPrediction prediction_;
  Vector inputs_, work_, weights_;
  Matrix output_means_, covariances_;   // of classes, of the fit at hand: (1, outputs) and (1, pairs)
  std::vector<OneRowWorkspace> noise_;  // of the noise model, if there is one
};

/// Where logarithms of noise factors stay: finite and not zero as variances, whatever noise_model says of rows unlike
/// those that it was learned from.
struct LogNoiseRange {
  double low = -30;  ///< least logarithm of a factor
  double high = 30;  ///< greatest
  /// exp(log_factor), within the range.
  double factor(double log_factor) const { return std::exp(std::clamp(log_factor, low, high)); }
  bool operator==(const LogNoiseRange&) const = default;  ///< by value
};

/// A trained model: from raw rows to predictions, in memory or in a model file. Const and shared by threads.
class FittedModel {
 public:
  Recipe recipe;                ///< with every default filled in (apply_likelihood_defaults())
  std::uint64_t seed = 0;       ///< of the training
  Schema schema;                ///< from columns to encoded rows
  Standardizer standardizer;    ///< from encoded rows to standardised ones
  std::vector<Member> members;  ///< one unless the model is a mixture
  Calibration calibration;      ///< of intervals or probabilities by rows that training did not see
  /// Of noise that varies: a model of the logarithm of each row's factor of the noise variance; null: the factor is 1.
  std::shared_ptr<const FittedModel> noise_model;
  /// Logarithms of factors beyond these are taken as these: what the rows showed that the noise was learned from.
  LogNoiseRange log_noise_range;
  NoiseShape noise_shape;   ///< distribution of gaussian noise around its variance
  TrainingRecord training;  ///< how it was trained

  /// What the target is, and so the kind of every prediction.
  TargetKind target() const { return target_kind(recipe); }
  /// Predictions of numbers or counts are mixtures over the fits; class values are their weighted averages. raw (rows,
  /// d): inputs as the schema encodes them (Dataset::view()), sparse for a model that was trained on sparse rows;
  /// sparse rows of another model are a std::invalid_argument. Streams in chunks over threads; the result does not
  /// depend on their number. Throws NumericalError when variances are asked of a model without them; classes are then
  /// predicted at the mean of f. Cost O(rows D^2) with variance, O(rows D) without, for each output, D the features (or
  /// training rows, if fewer).
  Prediction predict(const InputView& raw, const PredictOptions& options = {}) const;
  /// One row at the latency of matrix-vector products, for servers: raw (d), encoded as for predict(), and equal to it
  /// to rounding; it stays in the work space until its next use. Of numbers it allocates nothing, so call it from as
  /// many threads as there are work spaces; the first call of a thread may set up scratch of the kernels
  /// (one_row_workspace() does that for its own). Of classes and counts it allocates one row of values for each fit,
  /// and softmax and the learners svm and logistic their features, softmax its covariances and quadrature points. The
  /// BLAS runs with the threads it is set to (core/threads.hpp): a server with threads of its own holds a
  /// BlasThreads(1). Throws std::invalid_argument on shapes or another model's work space, NumericalError as predict().
  /// Cost O(D^2) with variance, O(D) and the features without.
  const OneRowPrediction& predict_one(ConstVec raw, OneRowWorkspace& workspace, Moment wanted = Moment::variance) const;
  OneRowWorkspace one_row_workspace() const;  ///< for predict_one(), one for each thread
  /// Covariance of the mixture over the rows, target units squared; noise on the diagonal unless latent. Throws
  /// std::invalid_argument unless the target is a number; draws() too.
  Matrix covariance(const InputView& raw, bool latent) const;
  /// `count` functions without noise (rows, count), target units: draw c comes from the member that has least
  /// of its share yet (c mod J with equal weights). Equal seeds draw
  /// the same functions, so rows may be asked in chunks unless a member is an exact process (its draws are joint).
  Matrix draws(const InputView& raw, Index count, std::uint64_t seed) const;
  bool has_variance() const;  ///< of every member
  /// Lower and upper bound of observations, each (rows), between which one lies with `probability`. After conformal
  /// calibration mean -+ factor * sd (of counts, the counts inside), of any other model, and of latent predictions,
  /// central quantiles. prediction: of predict(), of numbers or counts with variances. Throws ConfigError for a
  /// probability that needs more held-out rows than there were.
  Interval interval(const Prediction& prediction, double probability) const;
  /// Noise variances of the members at these rows (rows, J), in the unit of the target squared; noise_shape multiplies
  /// them. raw as predict().
  Matrix noise_variances(const InputView& raw, int threads = 1) const;
  Vector component_weights() const;  ///< (J) of the members

  /// mean_only omits what only variances need; for feature models the file then contains no training rows.
  ModelFile save(bool mean_only = false) const;
  /// Predictions of the loaded model are bit-equal. Throws IoError naming what is invalid, for any contents of the
  /// file.
  static FittedModel load(const ModelFile& file);

 private:
  /// Latent moments (rows, members), standardised; no variances: zero.
  struct Latent {
    Matrix means, variances;
  };
  Latent latent(const InputView& raw, const PredictOptions& options) const;
  /// (rows) factors of the noise variance at raw rows; ones without a noise model.
  Vector noise_factors(const InputView& raw, int threads) const;
  /// Standardised rows, dense or sparse as the model has them.
  struct Standardized {
    Matrix dense;
    SparseRows sparse;
    InputView view() const { return sparse.width > 0 ? InputView(sparse.view()) : InputView(dense); }
  };
  Standardized standardize(const InputView& raw) const;
  ClassPrediction predict_classes(const InputView& raw, const PredictOptions& options) const;
  void predict_classes_one(OneRowWorkspace& workspace, bool variance) const;
};

}  // namespace alacarte
