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
#include <vector>

namespace alacarte {

struct ModelFile;  // io/model_file.hpp; the room io defines save() and load() below

/// One fit.
struct Member {
  Recipe recipe;  ///< recipe of this fit alone
  Prior prior;    ///< feature map or exact kernel
  Vector theta;   ///< parameters of the prior, prior.parameters().size(); the noise is the posterior's
  std::unique_ptr<Posterior> posterior;  ///< posterior of the weights or of the function
  Vector likelihood_theta;  ///< learned parameters of the likelihood (Likelihood::parameters()); often none
  FitSummary summary;       ///< how it was trained
  double weight = 1;        ///< weight in the mixture: the weights of J fits have the sum J
};

/// Returns true if it is one of several samples of the hyperparameters of a fit, and not the first (training.samples).
bool is_further_sample(const Member& member);

class FittedModel;
/// Returns the hyperparameters of a member's map or kernel (FeatureMap::describe(), Kernel::describe()). The relevance
/// of an input with one value in all training rows is 0: only the prior determines its spectrum. Periods are in the
/// inputs' own units, unless rows are scaled or the inputs bent.
KernelDescription describe(const FittedModel& model, const Member& member);

/// Contents of predictions of many rows, and their threads.
struct PredictOptions {
  /// For numbers: variances of f, without the observation noise. For counts: the logarithm of the rate, a number,
  /// without the exposure.
  bool latent = false;
  /// false: means only (variances come back as zero); classes and counts at the mean of f. The mean of a target that is
  /// transformed (scale.target log, yeo-johnson) needs the variances, which then are computed all the same.
  bool variance = true;
  int threads = 1;  ///< processor threads to use
  /// (rows) weights, or empty: all 1. For numbers with gaussian noise, its variance is divided by the weight of the
  /// row; other predictions stay. Where the model knows the noise of rows (Schema::knows_noise()) they are 1 / sd^2,
  /// and without them predictions have the noise 1.
  Vector weights = {};
  /// (rows) logarithms of the exposures of counts (Dataset::offsets), or empty: all 0, which predicts rates for an
  /// exposure of 1. Other predictions stay.
  Vector offsets = {};
};

/// Moments that predict_one() computes: the mean alone, the mean and the variance of f, or the mean and the variance of
/// an observation. The latter two are equal for classes and counts.
enum class Moment { mean, latent_variance, variance };

/// Prediction of one row, in the unit of the target; components are those of the transformed target, if it is.
struct OneRowPrediction {
  double mean = 0, variance = 0;  ///< moments of numbers and counts; a variance that is not wanted is 0
  Vector class_values;            ///< (K) for classes, as ClassPrediction::values
  /// (J) moments of the mixture's components, one for each fit: those of the number, or of the log mean of counts. A
  /// noise_shape enters by its variance alone.
  Vector component_means, component_variances;
};

/// Work space of predict_one() for one model and one thread, with the last prediction.
class OneRowWorkspace {
  friend class FittedModel;
  OneRowPrediction prediction_;
  Vector inputs_, work_, weights_;
  Matrix output_means_, covariances_;   // for classes, of the current fit: (1, outputs) and (1, pairs)
  std::vector<OneRowWorkspace> noise_;  // work space of the noise model, if there is one
};

/// Range of logarithms of noise factors, which keeps variances finite and above zero even for rows unlike those that
/// noise_model was learned from.
struct LogNoiseRange {
  double low = -30;  ///< smallest logarithm of a factor
  double high = 30;  ///< largest logarithm of a factor
  /// Returns exp(log_factor), within the range.
  double factor(double log_factor) const { return std::exp(std::clamp(log_factor, low, high)); }
  bool operator==(const LogNoiseRange&) const = default;  ///< compares by value
};

/// A trained model: from raw rows to predictions, in memory or in a model file. Const and shared by threads.
class FittedModel {
 public:
  Recipe recipe;                ///< recipe with every default filled in (apply_likelihood_defaults())
  std::uint64_t seed = 0;       ///< seed of the training
  Schema schema;                ///< maps columns to encoded rows
  Standardizer standardizer;    ///< maps encoded rows to standardised ones
  std::vector<Member> members;  ///< one unless the model is a mixture
  Calibration calibration;      ///< corrects intervals or probabilities by rows that training did not see
  /// Model of the logarithm of each row's factor of the noise variance, for noise that varies; null: the factor is 1.
  std::shared_ptr<const FittedModel> noise_model;
  /// Range of logarithms of factors in the rows that the noise was learned from; others are clamped to it.
  LogNoiseRange log_noise_range;
  NoiseShape noise_shape;   ///< distribution of gaussian noise around its variance
  TrainingRecord training;  ///< how it was trained

  /// Returns the kind of the target, and so of every prediction.
  TargetKind target() const { return target_kind(recipe); }
  /// Predicts rows. Predictions of numbers or counts are mixtures over the fits; class values are their weighted
  /// averages. raw (rows, d): inputs as the schema encodes them (Dataset::view()), sparse for a model that was trained
  /// on sparse rows; sparse rows of another model are a std::invalid_argument. Streams in chunks over threads; the
  /// result does not depend on their number. Throws NumericalError when variances are asked of a model without them;
  /// classes are then predicted at the mean of f. Cost O(rows D^2) with variance, O(rows D) without, for each output, D
  /// the features (or training rows, if fewer).
  Prediction predict(const InputView& raw, const PredictOptions& options = {}) const;
  /// Predicts one row at the latency of matrix-vector products, for servers: raw (d), encoded as for predict(), whose
  /// result it has up to rounding; it stays in the work space until its next use. For numbers it allocates nothing, so
  /// call it from as many threads as there are work spaces; the first call of a thread may set up scratch of the
  /// kernels (one_row_workspace() does that for its own). For classes and counts it allocates one row of values for
  /// each fit, and softmax and the learners svm and logistic their features, softmax its covariances and quadrature
  /// points. The BLAS runs with the threads it is set to (core/threads.hpp): a server with threads of its own holds a
  /// BlasThreads(1). Throws std::invalid_argument on shapes or another model's work space, NumericalError as predict().
  /// Cost O(D^2) with variance, O(D) and the features without.
  /// exposure: by which the rate of counts is multiplied; above 0.
  const OneRowPrediction& predict_one(ConstVec raw, OneRowWorkspace& workspace, Moment wanted = Moment::variance,
                                      double exposure = 1) const;
  OneRowWorkspace one_row_workspace() const;  ///< makes work space for predict_one(), one for each thread
  /// Returns the covariance of the mixture over the rows, target units squared, with noise on the diagonal unless
  /// latent. Throws std::invalid_argument unless the target is a number; draws() too. Throws ConfigError for a target
  /// on the scale of yeo-johnson, whose covariances have no closed form.
  Matrix covariance(const InputView& raw, bool latent) const;
  /// Draws `count` functions without noise (rows, count), target units: draw c comes from the member that lacks most of
  /// its share (c mod J with equal weights). Equal seeds draw the same functions, so rows may be asked in chunks unless
  /// a member is an exact process (its draws are joint).
  Matrix draws(const InputView& raw, Index count, std::uint64_t seed) const;
  bool has_variance() const;  ///< true if every member has variances
  /// Returns lower and upper bound of observations, each (rows), between which one lies with `probability`: after
  /// conformal calibration mean -+ factor * sd (for counts, the counts inside; where the target is transformed, in that
  /// unit and undone), for any other model, and for latent predictions, central quantiles. prediction: from predict(),
  /// numbers or counts with variances. Throws ConfigError for a probability that needs more held-out rows than there
  /// were.
  Interval interval(const Prediction& prediction, double probability) const;
  /// Returns the noise variances of the members at these rows (rows, J), in the unit of the (transformed) target
  /// squared; noise_shape multiplies them. raw as in predict().
  Matrix noise_variances(const InputView& raw, int threads = 1) const;
  Vector component_weights() const;  ///< (J) weights of the members

  /// Makes a file. mean_only omits parts that only variances need; for feature models it then contains no training
  /// rows. The mean of a target that is transformed needs them, so nothing is omitted.
  ModelFile save(bool mean_only = false) const;
  /// Loads a model, with bit-equal predictions. Throws IoError naming the invalid part, for any contents of the file.
  static FittedModel load(const ModelFile& file);

 private:
  /// Latent moments (rows, members), standardised; variances that are not wanted are zero.
  struct Latent {
    Matrix means, variances;
  };
  Latent latent(const InputView& raw, const PredictOptions& options) const;
  Matrix log_normal_covariance(const InputView& raw, bool latent) const;
  /// Returns the factors of the noise variance at raw rows, (rows); ones without a noise model.
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
  /// Sets the moments in the unit of the target from the components of the transformed one, whose noise has a factor
  /// (0: none).
  void undo_transform(double factor, OneRowPrediction& one, const Vector& weights) const;
};

}  // namespace alacarte
