#pragma once
// Steps of Adam on the mean squared error of a linear read-out, psi(x) w + b, over minibatches: in the features'
// parameters and the read-out together.
#include <memory>
#include <vector>

#include "adam.hpp"
#include "alacarte/features/feature_map.hpp"

namespace alacarte {

class MinibatchSteps {
 public:
  /// x (n, d) and y (n) must outlive it. theta: the map's parameters at the start; those of slots that end in
  /// log_amplitude stay, since the read-out has their part. Steps are in standard deviations of the priors: of a weight
  /// of the read-out N(0, 1), as in the model.
  MinibatchSteps(const FeatureMap& map, ConstMat x, ConstVec y, ConstVec theta, double decay, Index batch, int threads);

  /// One step of this length on the rows batch[0 .. batch - 1]. The same bits with any number of threads.
  void step(const Index* batch, double length);
  /// Mean squared error over the rows with these indices; the same bits with any number of threads.
  double mean_square(const std::vector<Index>& rows);
  Eigen::Ref<const Vector> theta() const { return parameters_.head(map_.parameters().size()); }

 private:
  /// Work space and sums of some neighbouring rows of a batch.
  struct Part {
    Matrix x, psi, psi_bar;
    Vector y, residual, sums, weight_bar;
    double bias_bar = 0, square = 0;
  };
  void read(const Index* rows, Index count, Part& part) const;
  void add_part(const PreparedMap& map, const Index* rows, Index count, double scale, Part& part) const;

  const FeatureMap& map_;
  Eigen::Ref<const Matrix> x_;
  Eigen::Ref<const Vector> y_;
  const Index batch_;
  const int threads_;
  Vector parameters_;  // theta, the read-out's weights, its constant
  Vector gradient_;
  Adam adam_;
  std::vector<Part> parts_;
};

}  // namespace alacarte
