#pragma once
// A trained model: schema, standardiser and one or more fits (an equal-weight mixture), in the user's own units.
#include <alacarte/core/count_distribution.hpp>
#include <alacarte/core/predictive_distribution.hpp>
#include <alacarte/data/dataset.hpp>
#include <alacarte/model/posterior.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace alacarte {

struct ModelFile;  // io/model_file.hpp

/// One fit: exactly one of map and kernel is set.
struct Member {
  Recipe recipe;
  std::shared_ptr<const FeatureMap> map;
  std::shared_ptr<const Kernel> kernel;
  Vector theta;  ///< of the map or kernel: parameters().size(); the noise is the posterior's
  std::unique_ptr<Posterior> posterior;
  nlohmann::json summary;  ///< training summary: evidence, iterations, starts, jitter
  const ParameterLayout& parameters() const { return map ? map->parameters() : kernel->parameters(); }
};

/// Predicted class values of rows.
struct ClassPrediction {
  Matrix values;              ///< (rows, K) in the order of Schema::classes()
  bool probabilities = true;  ///< rows of `values` sum to 1; otherwise decision values, the largest wins

  std::vector<Index> labels() const;  ///< (rows) the class of the largest value, the first where several are
};

struct PredictOptions {
  bool latent = false;   ///< variances of f, without the observation noise
  bool variance = true;  ///< false: means only (variances come back as zero)
  int threads = 1;
};

/// Which moments predict_one() computes: the mean alone, the mean and the variance of f, or the mean and the variance
/// of an observation.
enum class Moment { mean, latent_variance, variance };

/// Work space of predict_one() for one model and one thread.
class OneRowWorkspace {
 public:
  /// (J) of the last prediction, one component for each fit, in target units; variances as they were wanted.
  const Vector& component_means() const { return means_; }
  const Vector& component_variances() const { return variances_; }

 private:
  friend class FittedModel;
  Vector inputs_, work_, means_, variances_;
  // Of a model of classes: values, and of the fit at hand the means (1, outputs) and covariances (1, pairs).
  Vector classes_;
  Matrix output_means_, covariances_;
};

class FittedModel {
 public:
  Recipe recipe;  ///< with every default filled in (apply_likelihood_defaults())
  std::uint64_t seed = 0;
  Schema schema;
  Standardizer standardizer;
  std::vector<Member> members;
  nlohmann::json training;  ///< rows, data fingerprint, seconds, leave-one-out scores, program version

  /// raw (rows, d): inputs as the schema encodes them (Dataset::view()), sparse for a model that was trained on sparse
  /// rows; sparse rows of another model are a std::invalid_argument. Streams in chunks over threads; the result does
  /// not depend on their number. Throws NumericalError when variances are asked of a model without them,
  /// std::invalid_argument of a model of classes or counts; so do the other questions about one function. Cost O(rows
  /// D^2) with variance, O(rows D) without, D the features (or training rows, if fewer).
  PredictiveDistribution predict(const InputView& raw, const PredictOptions& options = {}) const;
  /// Whether the target is a class; then use predict_classes().
  bool has_classes() const { return schema.config().labels; }
  /// Class predictions: probabilities or decision values averaged over the fits. options.latent has no effect. Throws
  /// std::invalid_argument for a model without classes. Cost as predict() for each output.
  ClassPrediction predict_classes(const InputView& raw, const PredictOptions& options = {}) const;
  ClassPrediction predict_classes(const Dataset& rows, const PredictOptions& options = {}) const {
    return predict_classes(rows.view(), options);
  }
  /// Whether the target is a count; then use predict_counts().
  bool has_counts() const;
  /// Predictive distributions of counts. Throws std::invalid_argument for a model of other targets. Cost as predict().
  CountDistribution predict_counts(const InputView& raw, const PredictOptions& options = {}) const;
  /// One row at the latency of matrix-vector products, for servers: raw (d), encoded as for predict(), and equal to it
  /// to rounding. Mean and variance (0 unless wanted) of the mixture, in target units. Allocates nothing, so call it
  /// from as many threads as there are work spaces; the first call of a thread may set up scratch of the kernels
  /// (one_row_workspace() does that for its own). The BLAS runs with the threads it is set to (core/threads.hpp): a
  /// server with threads of its own holds a BlasThreads(1). Throws std::invalid_argument on shapes or another model's
  /// work space, NumericalError when variances are asked of a model without them. Cost O(D^2) with variance, O(D) and
  /// the features without.
  Posterior::Moments predict_one(ConstVec raw, OneRowWorkspace& workspace, Moment wanted = Moment::variance) const;
  OneRowWorkspace one_row_workspace() const;
  /// predict_one() for a model of classes: the values (K) of one row, equal to predict_classes() up to rounding; they
  /// stay in the work space until its next use. Allocates one row of values for each fit; softmax and the learners svm
  /// and logistic also allocate their features, softmax its covariances and quadrature points. Throws
  /// std::invalid_argument for a model without classes, and as predict_one().
  const Vector& predict_classes_one(ConstVec raw, OneRowWorkspace& workspace) const;
  /// Covariance of the mixture over the rows, target units squared; noise on the diagonal unless latent.
  Matrix covariance(const InputView& raw, bool latent) const;
  /// `count` functions without noise (rows, count), target units: draw c comes from member c mod J. Equal seeds draw
  /// the same functions, so rows may be asked in chunks unless a member is an exact process (its draws are joint).
  Matrix draws(const InputView& raw, Index count, std::uint64_t seed) const;
  bool has_variance() const;  ///< of every member

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
  /// Standardised rows, dense or sparse as the model has them.
  struct Standardized {
    Matrix dense;
    SparseRows sparse;
    InputView view() const { return sparse.width > 0 ? InputView(sparse.view()) : InputView(dense); }
  };
  Standardized standardize(const InputView& raw) const;
  void standardise_one(ConstVec raw, OneRowWorkspace& workspace) const;
  bool is_regression() const { return !has_classes() && !has_counts(); }
};

}  // namespace alacarte
