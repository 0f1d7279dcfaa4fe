#include "model/curved_posterior.hpp"

#include "alacarte/core/error.hpp"

namespace alacarte {
namespace {

using Curves = std::shared_ptr<const InputCurves>;

Eigen::Ref<const Matrix> dense_of(const InputView& x) {
  require(!x.is_sparse(), "curves of the inputs need dense rows");
  return x.dense();
}

class CurvedOutputs final : public Posterior {
 public:
  CurvedOutputs(Curves curves, std::unique_ptr<Posterior> inner)
      : curves_(std::move(curves)), inner_(std::move(inner)) {}

  Index outputs() const override { return inner_->outputs(); }
  void predict_outputs(const InputView& x, MatRef means, MatRef covariances) const override {
    const Matrix bent = curves_->of(dense_of(x));
    inner_->predict_outputs(InputView(bent), means, covariances);
  }
  double noise_variance() const override { return inner_->noise_variance(); }
  bool has_variance() const override { return inner_->has_variance(); }
  void save(TensorBundle& bundle, const std::string& prefix, bool mean_only) const override {
    inner_->save(bundle, prefix, mean_only);
    curves_->save(bundle, prefix + "curves/");
  }
  Curved curved() const override { return {curves_, inner_.get()}; }

 private:
  Curves curves_;
  std::unique_ptr<Posterior> inner_;
};

class CurvedFunction final : public FunctionPosterior {
 public:
  CurvedFunction(Curves curves, std::unique_ptr<Posterior> inner)
      : curves_(std::move(curves)), owned_(std::move(inner)), inner_(function_of(*owned_)) {}

  double noise_variance() const override { return inner_.noise_variance(); }
  bool has_variance() const override { return inner_.has_variance(); }
  void save(TensorBundle& bundle, const std::string& prefix, bool mean_only) const override {
    inner_.save(bundle, prefix, mean_only);
    curves_->save(bundle, prefix + "curves/");
  }
  Curved curved() const override { return {curves_, owned_.get()}; }
  void predict(const InputView& x, VecRef mean, VecRef variance) const override {
    const Matrix bent = curves_->of(dense_of(x));
    inner_.predict(InputView(bent), mean, variance);
  }
  Moments predict_one(ConstVec x, VecRef work, bool variance) const override {
    const Index own = inner_.one_row_work();
    VecRef bent = work.segment(own, curves_->inputs());
    curves_->of_row(x, bent);
    return inner_.predict_one(bent, work.head(own), variance);
  }
  Index one_row_work() const override { return inner_.one_row_work() + curves_->inputs(); }
  Matrix covariance(const InputView& x) const override {
    const Matrix bent = curves_->of(dense_of(x));
    return inner_.covariance(InputView(bent));
  }
  Matrix draws(const InputView& x, Index count, RandomStream& stream) const override {
    const Matrix bent = curves_->of(dense_of(x));
    return inner_.draws(InputView(bent), count, stream);
  }
  std::vector<TermMoments> term_moments(const InputView& x, int threads) const override {
    const Matrix bent = curves_->of(dense_of(x));
    return inner_.term_moments(InputView(bent), threads);
  }
  bool has_tangent() const override { return inner_.has_tangent(); }
  void predict_tangents(const InputView& x, Index directions, const Direction& direction, MatRef means,
                        MatRef variances) const override {
    const Eigen::Ref<const Matrix> given = dense_of(x);
    const Matrix bent = curves_->of(given);
    const auto along_curves = [&](Index k, Index first, MatRef x_dot) {
      direction(k, first, x_dot);
      curves_->multiply_slopes(given.middleRows(first, x_dot.rows()), x_dot);
    };
    inner_.predict_tangents(InputView(bent), directions, along_curves, means, variances);
  }
  Moments functional(const InputView& x, ConstVec weights, bool variance) const override {
    const Matrix bent = curves_->of(dense_of(x));
    return inner_.functional(InputView(bent), weights, variance);
  }

 private:
  Curves curves_;
  std::unique_ptr<Posterior> owned_;
  const FunctionPosterior& inner_;
};

}  // namespace

std::unique_ptr<Posterior> behind_curves(std::shared_ptr<const InputCurves> curves, std::unique_ptr<Posterior> inner) {
  if (!curves) return inner;
  if (inner->as_function() != nullptr) return std::make_unique<CurvedFunction>(std::move(curves), std::move(inner));
  return std::make_unique<CurvedOutputs>(std::move(curves), std::move(inner));
}

}  // namespace alacarte
