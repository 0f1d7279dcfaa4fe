#pragma once
// The negative log evidence as a function of theta, with its gradient: the chain theta -> features -> linear Gaussian
// -> evidence and back, or the exact Gram matrix in place of the features. Rows are standardised.
//
// With the gaussian likelihood, rows with equal inputs cost as much as one: they are merged into a row of their
// weighted mean, which leaves out a number that depends on the noise alone (data/merged_rows.hpp). Evidence,
// gradient, posterior and leave-one-out predictions are those of all rows.
//
// Other likelihoods take Laplace's approximation on the features (math.md section 8; Rasmussen & Williams 2006, 3.4 and
// 3.5): with the mode w^ of -sum log p(y_i | f_i) + |w|^2 / 2, f = Psi w,
//
//   NL = -sum log p(y_i | f^_i) + |w^|^2 / 2 + log|B| / 2,  B = I + Psi^T W Psi,
//
// and the gradient includes the dependence of W and w^ on theta. The mean is no flat prior here, which has no evidence,
// but a constant feature s, w ~ N(0, 1), whose log s is the last slot, "constant.log_sd".
//
// Softmax of K classes: B has K D' rows, D' = D and the constant (form "laplace"). Above kMaxJointFeatures = 2048
// rows, or where it does not fit InferenceOptions::memory_bytes, log|B| is replaced by an upper bound (form "laplace
// bound"), unless the form asked for is primal. Form `bound` always takes it:
//
//   log|B| <= (K-1)/K sum_k log|B_k|,  B_k = I + K/(K-1) Psi^T diag(W_kk) Psi  of D' rows.
//
// B is 1 along the sum of the classes, since W has no such part; the contrasts u_k = sqrt(K/(K-1)) (e_k - 1/K) are unit
// vectors with (K-1)/K sum_k u_k u_k^T = I - 11^T/K and u_k^T W u_k = K/(K-1) W_kk; and the logarithm is concave
// (Jensen's operator inequality). Equal for two classes, or where all probabilities are; never above Boehning's (1992)
// constant bound of the curvature. Mode and -log p are exact, and the gradient is that of the bound. Features trained
// on minibatches, which no evidence trains, always take the blocks (train/plan/fit_jobs.cpp).
//
// An exact kernel is n features: psi(x) = L^-1 k(X, x), L L^T = k(X, X) over the training rows X, which hold the
// process there; at another x it has the variance k(x, x) - |psi(x)|^2 besides.
//
// The posterior of classes goes one step further. Where classes are almost separable the mode lies where the likelihood
// is flat: the curvature there says nearly nothing, the covariance is close to the prior's, and averaged probabilities
// are far too even (Kuss & Rasmussen 2005, JMLR 6). So solve() takes one natural-gradient step of length 1/2 from
// Laplace's Gaussian towards the variational one (Khan & Lin 2017, eq. 13 to 16): with E over f ~ N(m, C) of each row,
//
//   S^-1 = I + Psi^T (W + E W)/2 Psi,   w = w^ + S (Psi^T E g - w^)/2.
//
// More steps change little (vehicle, 400 rows: log loss 0.512 by Laplace, 0.414, 0.418 after 16 steps).
#include <alacarte/core/recipe.hpp>
#include <alacarte/data/row_source.hpp>
#include <alacarte/features/feature_map.hpp>
#include <alacarte/inference/objective.hpp>
#include <alacarte/kernel/kernel.hpp>
#include <alacarte/model/likelihood.hpp>
#include <alacarte/model/posterior.hpp>
#include <limits>
#include <memory>
#include <vector>

namespace alacarte {

/// Leave-one-out predictions in standardised units: with the gaussian likelihood those of the observation, each (n, 1);
/// with other likelihoods those of f at each row, without the likelihood of that row: means (n, K), covariances (n,
/// K(K+1)/2).
struct LeaveOneOut {
  Matrix mean, variance;  ///< means (rows, K), and their covariances
};

/// Rows that get leave-one-out predictions.
struct LeftOutRows {
  bool any = true;                                   ///< true if any row gets one
  std::vector<Index> rows{};                         ///< increasing places of the rows; empty = all
  static LeftOutRows none() { return {false, {}}; }  ///< no row gets one
};

/// A block of the precision P = (K + S)^-1 of the rows, S the variances of their noise, with a constant mean projected
/// out.
struct PrecisionBlock {
  Matrix precision;  ///< (rows, rows) of P
  Vector projected;  ///< (rows) of P y
  Vector y;          ///< (rows) targets
};

/// Result of solve(): the posterior at one theta and, if requested, the leave-one-out predictions.
struct Solution {
  std::unique_ptr<Posterior> posterior;  ///< posterior at theta, independent of the inference
  LeaveOneOut leave_one_out;             ///< empty if not wanted
  std::vector<Solution> more{};          ///< solutions of the targets beside the first
};

/// Inference for one prior (a feature map or a kernel), likelihood and set of rows: plan(), evaluate(), solve().
class Inference : public Objective {
 public:
  double evaluate(ConstVec theta, VecRef gradient) final {
    return evaluate_below(std::numeric_limits<double>::infinity(), theta, gradient);
  }
  /// Returns posterior and leave-one-out predictions from one factor, that of the last evaluation if it was at this
  /// theta. The latter are exact for the gaussian likelihood (math.md section 1); for others the quadratic form that
  /// the posterior takes for the row's own likelihood is removed. Cost of one evaluation, memory O(left_out rows).
  virtual Solution solve(ConstVec theta, const LeftOutRows& left_out) = 0;

  /// Returns the block of some rows (increasing) for a target, after solve() at this theta. Cost, for each row: of n x
  /// n matrices n^2, of D features D^2 and D for each row of the block. Throws std::invalid_argument with another
  /// likelihood than the gaussian.
  virtual PrecisionBlock precision_block(ConstVec theta, const std::vector<Index>& rows, Index target);

  /// Returns the posterior of solve(), and throws as it.
  std::unique_ptr<Posterior> posterior(ConstVec theta) { return solve(theta, LeftOutRows::none()).posterior; }
  /// Returns leave-one-out predictions of `rows`, all where it is empty. Throws as solve().
  LeaveOneOut leave_one_out(ConstVec theta, const std::vector<Index>& rows = {}) {
    return solve(theta, {true, rows}).leave_one_out;
  }
};

/// Largest K D' for which softmax takes its whole curvature, of some 34 MB a matrix.
inline constexpr Index kMaxJointFeatures = 2048;

/// Settings of an inference besides the function and the rows.
struct InferenceOptions {
  /// With a likelihood of counts or classes y is not scaled: it holds counts, or class indices in [0, classes).
  std::reference_wrapper<const Likelihood> likelihood = gaussian_likelihood();
  Index classes = 0;                             ///< K; 0 unless the target is a class
  Vector class_weights;                          ///< (classes) weights of the rows of each class; empty = 1
  Index max_joint_features = kMaxJointFeatures;  ///< largest K D' with one joint curvature matrix (Laplace)
  MeanKind mean = MeanKind::constant;            ///< mean of the process
  EvidenceForm form = EvidenceForm::automatic;   ///< algebra of the Gaussian evidence
  /// Floor and prior, in the unit of y (a recipe's are in standard deviations of the target); the prior's centre is
  /// prior_value here, whatever prior_center says.
  NoiseConfig noise;
  std::vector<NoiseConfig> more_noise;       ///< (T - 1) noise of further targets; empty: as the first
  std::vector<std::string> held;             ///< names of slots that stay at their starting values
  int threads = 1;                           ///< processor threads to use
  Index chunk_rows = 0;                      ///< rows of a chunk; 0 = chosen from D and the cache
  Precision precision = Precision::float64;  ///< precision of the gradient's largest product
  /// Limit of plan().memory_bytes, for which chunks and workers shrink to their minimum; 0 = no limit.
  double memory_bytes = 0;
  /// True if the gaussian likelihood evaluates rows in memory with equal inputs as one, where that saves more than a
  /// fifth of them and takes at most half of memory_bytes. Results differ by rounding alone.
  bool merges_equal_rows = true;
  /// Largest number of mean features of levels, (levels M), in a posterior without the indicators of levels: with more,
  /// the features of a row stand for those of its level in variances, which is exact for features that are constant in
  /// a level, and otherwise makes variances lower by a share of some M / levels.
  double max_level_means = 4e6;
  /// True if posteriors of classes take the variational step; otherwise they are Laplace's own.
  bool variational_step = true;
};

/// Makes the inference of a feature map. `automatic` chooses the primal form (3 n D^2 + D^3 flops, memory flat in n) if
/// D <= n, otherwise the dual one (3 n^2 D + n^3), which reads all rows into memory. For a fixed number of threads
/// every answer is the same bits on every run. An exact kernel with a likelihood other than the gaussian uses Laplace's
/// approximation on D = n features (some 30 n^3 flops an evaluation for one output). Throws std::invalid_argument on
/// shapes, and DataError for a target that the likelihood does not accept.
std::unique_ptr<Inference> make_inference(const Prior& prior, std::shared_ptr<const RowSource> rows,
                                          const InferenceOptions& options);
/// Makes the inference on rows in memory: x (n, d) and y (n), n >= 1, kept by reference; they must outlive it. Throws
/// as above.
std::unique_ptr<Inference> make_inference(const Prior& prior, const Matrix& x, const Vector& y,
                                          const InferenceOptions& options);

}  // namespace alacarte
