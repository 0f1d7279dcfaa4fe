#pragma once
// Steps of Adam on the log likelihood of a linear read-out, f = psi(x) W + b, over minibatches: in the features'
// parameters and the read-out together.
#include <memory>
#include <vector>

#include "alacarte/features/feature_map.hpp"
#include "alacarte/model/likelihood.hpp"
#include "data/minibatch_rows.hpp"
#include "optimise/adam.hpp"

namespace alacarte {

class MinibatchSteps {
 public:
  /// The target of the read-out.
  struct Target {
    const Likelihood& likelihood;
    Index outputs;  ///< K
    double start;   ///< starting value of every output
  };
  /// Prepares the steps. theta: the map's parameters at the start; slots that end in log_amplitude stay, since the
  /// read-out takes their part. Steps are in standard deviations of the priors; a weight of the read-out has N(0, 1),
  /// as in the model. batch: rows of a step. is_shared: ranks share them, and make all steps together.
  MinibatchSteps(const FeatureMap& map, const Target& target, ConstVec theta, double decay, Index batch, int threads,
                 bool is_shared);

  /// Makes one step of this length, the same bits with any number of threads. Ranks that share the batch send one sum:
  /// the map's accumulator, K weights for each feature and K constants.
  void step(const BatchRows& batch, double length);
  /// Returns the mean of -log p(y | f) over the rows, with noise 1 for regression; the same bits with any number of
  /// threads. If ranks share the batches, all have these rows, and each computes a part.
  double mean_loss(const BatchRows& rows);
  Eigen::Ref<const Vector> theta() const { return parameters_.head(map_.parameters().size()); }
  /// Returns the root mean square of the weights W.
  double weight_size() const;

 private:
  /// Work space and sums of some neighbouring rows of a batch.
  struct Part {
    Matrix x, psi, psi_bar, f, f_bar, curvature, weight_bar;
    Vector y, offsets, ones, sums, bias_bar;
  };
  using ReadOut = Eigen::Map<const Matrix>;
  ReadOut weights() const { return {parameters_.data() + map_.parameters().size(), map_.feature_count(), outputs_}; }
  void read(const BatchRows& rows, Index first, Index count, Part& part) const;
  /// Computes f = psi W + b of the part's rows, with the offsets of counts; returns sum log p(y | f), and f_bar = its
  /// derivative by f.
  double read_out(Part& part) const;
  void add_part(const PreparedMap& map, const BatchRows& rows, Index first, Index count, Part& part) const;
  Part& sum_of_parts(const PreparedMap& map, const BatchRows& rows);

  const FeatureMap& map_;
  const Likelihood& likelihood_;
  const Index outputs_, batch_;
  const int threads_;
  const bool is_shared_;
  Vector parameters_;  // theta, the weights W (features, outputs), the constants b
  Vector gradient_;
  Adam adam_;
  std::vector<Part> parts_;
};

}  // namespace alacarte
