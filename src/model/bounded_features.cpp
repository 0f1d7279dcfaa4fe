#include "model/bounded_features.hpp"

namespace alacarte {
namespace {

constexpr double kLargestPhase = 0x1p48;
// Rates are below e^20 (the bounds of log length-scales), so nearer rows need no sum of phases.
constexpr double kNear = 0x1p19;

}  // namespace

BoundedFeatures::BoundedFeatures(std::shared_ptr<const FeatureMap> map, ConstVec theta)
    : map_(std::move(map)), theta_(theta.head(map_->parameters().size())) {
  prepared_ = map_->prepare(theta_);
}

bool BoundedFeatures::near(const InputView& x) const {
  if (x.is_sparse() || x.rows() == 0) return true;
  return x.dense().cwiseAbs().maxCoeff<Eigen::PropagateNaN>() <= kNear;
}

const std::vector<BoundedFeatures::Term>& BoundedFeatures::terms() const {
  std::call_once(once_, [this] {
    Matrix psi(1, map_->feature_count());
    const Matrix origin = Matrix::Zero(1, map_->input_count());
    prepared_->forward(origin, psi);
    const auto add = [&](const FeatureMap& map, Index first, Index parameter, Index input) {
      const Vector rates = map.phase_rates(theta_.segment(parameter, map.parameters().size()));
      if (rates.size() > 0)
        terms_.push_back(
            {first, map.feature_count(), input, rates, psi.middleCols(first, map.feature_count()).squaredNorm()});
    };
    const auto parts = map_->terms();
    for (const auto& part : parts) add(*part.map, part.first, part.first_parameter, part.first_input);
    if (parts.empty()) add(*map_, 0, 0, 0);
  });
  return terms_;
}

Vector BoundedFeatures::forward(const InputView& x, MatRef psi) const {
  prepared_->forward(x, psi);
  Vector lost;
  if (near(x)) return lost;
  const auto dense = x.dense();
  for (const Term& term : terms())
    for (Index i = 0; i < dense.rows(); ++i) {
      const auto own = dense.row(i).segment(term.first_input, term.rates.size());
      if (own.cwiseAbs().dot(term.rates.transpose()) <= kLargestPhase) continue;
      if (lost.size() == 0) lost = Vector::Zero(x.rows());
      lost[i] += term.variance;
      psi.row(i).segment(term.first, term.count).setZero();
    }
  return lost;
}

}  // namespace alacarte
