#include "model/behind_inputs.hpp"

#include "alacarte/core/error.hpp"

namespace alacarte {
namespace {

using Inputs = std::shared_ptr<const FitInputs>;

Eigen::Ref<const Matrix> dense_of(const InputView& x) {
  require(!x.is_sparse(), "fits behind curves or trees need dense rows");
  return x.dense();
}

class OutputsBehind final : public Posterior {
 public:
  OutputsBehind(Inputs inputs, std::unique_ptr<Posterior> inner)
      : inputs_(std::move(inputs)), inner_(std::move(inner)) {}

  Index outputs() const override { return inner_->outputs(); }
  void predict_outputs(const InputView& x, MatRef means, MatRef covariances) const override {
    const Matrix z = inputs_->of(dense_of(x));
    inner_->predict_outputs(InputView(z), means, covariances);
  }
  double noise_variance() const override { return inner_->noise_variance(); }
  bool has_variance() const override { return inner_->has_variance(); }
  void save(TensorBundle& bundle, const std::string& prefix, bool mean_only) const override {
    inner_->save(bundle, prefix, mean_only);
    if (inputs_->curves()) inputs_->curves()->save(bundle, prefix + "curves/");
  }
  Behind behind() const override { return {inputs_, inner_.get()}; }

 private:
  Inputs inputs_;
  std::unique_ptr<Posterior> inner_;
};

class FunctionBehind final : public FunctionPosterior {
 public:
  FunctionBehind(Inputs inputs, std::unique_ptr<Posterior> inner)
      : inputs_(std::move(inputs)), owned_(std::move(inner)), inner_(function_of(*owned_)) {}

  double noise_variance() const override { return inner_.noise_variance(); }
  bool has_variance() const override { return inner_.has_variance(); }
  void save(TensorBundle& bundle, const std::string& prefix, bool mean_only) const override {
    inner_.save(bundle, prefix, mean_only);
    if (inputs_->curves()) inputs_->curves()->save(bundle, prefix + "curves/");
  }
  Behind behind() const override { return {inputs_, owned_.get()}; }
  void predict(const InputView& x, VecRef mean, VecRef variance) const override {
    const Matrix z = inputs_->of(dense_of(x));
    inner_.predict(InputView(z), mean, variance);
  }
  Moments predict_one(ConstVec x, VecRef work, bool variance) const override {
    const Index own = inner_.one_row_work();
    VecRef z = work.segment(own, inputs_->seen());
    inputs_->of_row(x, z);
    return inner_.predict_one(z, work.head(own), variance);
  }
  Index one_row_work() const override { return inner_.one_row_work() + inputs_->seen(); }
  Matrix covariance(const InputView& x) const override {
    const Matrix z = inputs_->of(dense_of(x));
    return inner_.covariance(InputView(z));
  }
  Matrix draws(const InputView& x, Index count, RandomStream& stream) const override {
    const Matrix z = inputs_->of(dense_of(x));
    return inner_.draws(InputView(z), count, stream);
  }
  std::vector<TermMoments> term_moments(const InputView& x, int threads) const override {
    const Matrix z = inputs_->of(dense_of(x));
    return inner_.term_moments(InputView(z), threads);
  }
  bool has_tangent() const override { return inner_.has_tangent(); }
  void predict_tangents(const InputView& x, Index directions, const Direction& direction, MatRef means,
                        MatRef variances) const override {
    const Eigen::Ref<const Matrix> given = dense_of(x);
    const Matrix z = inputs_->of(given);
    const auto along = [&](Index k, Index first, MatRef z_dot) {
      Matrix x_dot(z_dot.rows(), inputs_->given());
      direction(k, first, x_dot);
      inputs_->along(given.middleRows(first, z_dot.rows()), x_dot, z_dot);
    };
    inner_.predict_tangents(InputView(z), directions, along, means, variances);
  }
  Moments functional(const InputView& x, ConstVec weights, bool variance) const override {
    const Matrix z = inputs_->of(dense_of(x));
    return inner_.functional(InputView(z), weights, variance);
  }

 private:
  Inputs inputs_;
  std::unique_ptr<Posterior> owned_;
  const FunctionPosterior& inner_;
};

}  // namespace

std::unique_ptr<Posterior> behind_inputs(std::shared_ptr<const FitInputs> inputs, std::unique_ptr<Posterior> inner) {
  if (!inputs) return inner;
  if (inner->as_function() != nullptr) return std::make_unique<FunctionBehind>(std::move(inputs), std::move(inner));
  return std::make_unique<OutputsBehind>(std::move(inputs), std::move(inner));
}

}  // namespace alacarte
