// Defaults of PreparedMap: a linear predictor through forward(), and no modulated terms.
#include "features/linear_predictor.hpp"

#include "alacarte/core/error.hpp"
#include "features/thread_work.hpp"

namespace alacarte {
namespace {

constexpr Index kRows = 256;  // whose features are in memory at a time

class StoredFeatures final : public LinearPredictor {
 public:
  StoredFeatures(const PreparedMap& map, ConstVec weights) : map_(map), weights_(weights) {}
  void add(const InputView& x, VecRef f) const override {
    require(f.size() == x.rows(), "linear predictor: one value for each row");
    auto psi = thread_matrix<StoredFeatures>(std::min(kRows, x.rows()), weights_.size());
    for (Index first = 0; first < x.rows(); first += kRows) {
      const Index rows = std::min(kRows, x.rows() - first);
      map_.forward(x.middle_rows(first, rows), psi.topRows(rows));
      f.segment(first, rows).noalias() += psi.topRows(rows) * weights_;
    }
  }

 private:
  const PreparedMap& map_;
  Vector weights_;
};

class JoinedPredictors final : public LinearPredictor {
 public:
  explicit JoinedPredictors(std::vector<std::unique_ptr<LinearPredictor>> parts) : parts_(std::move(parts)) {}
  void add(const InputView& x, VecRef f) const override {
    for (const auto& part : parts_) part->add(x, f);
  }

 private:
  std::vector<std::unique_ptr<LinearPredictor>> parts_;
};

}  // namespace

void PreparedMap::add_residual_variance(const InputView&, ConstMat, VecRef) const {}
void PreparedMap::add_residual_covariance(const InputView&, ConstMat, MatRef) const {}

void PreparedMap::forward_modulated(Index, const InputView&, MatRef, VecRef) const {
  require(false, "the map has no modulated terms");
}
void PreparedMap::backward_modulated(Index, const InputView&, ConstMat, ConstMat, ConstVec, VecRef) const {
  require(false, "the map has no modulated terms");
}

std::unique_ptr<LinearPredictor> PreparedMap::linear_predictor(ConstVec weights, FloatType) const {
  return std::make_unique<StoredFeatures>(*this, weights);
}

std::unique_ptr<LinearPredictor> join_predictors(std::vector<std::unique_ptr<LinearPredictor>> parts) {
  return std::make_unique<JoinedPredictors>(std::move(parts));
}

}  // namespace alacarte
