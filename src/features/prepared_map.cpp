// Common parts of maps: a linear predictor through forward(), phase rates, shape checks, maps side by side; and their
// output buffer.
#include <algorithm>
#include <utility>

#include "features/maps.hpp"
#include "features/thread_work.hpp"

namespace alacarte {
namespace {

constexpr Index kRows = 256;  // rows with features in memory at a time

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
  struct Part {
    std::unique_ptr<LinearPredictor> own;
    Index first_input, inputs;
  };
  explicit JoinedPredictors(std::vector<Part> parts) : parts_(std::move(parts)) {}
  void add(const InputView& x, VecRef f) const override {
    for (const Part& part : parts_)
      part.own->add(part.inputs < 0 ? x : x.middle_cols(part.first_input, part.inputs), f);
  }

 private:
  std::vector<Part> parts_;
};

}  // namespace

void PreparedMap::forward_modulated(Index, const InputView&, MatRef, VecRef) const {
  require(false, "the map has no modulated terms");
}
void PreparedMap::backward_modulated(Index, const InputView&, ConstMat, ConstMat, ConstVec, VecRef) const {
  require(false, "the map has no modulated terms");
}

void PreparedMap::forward_backward(const InputView& x, MatRef psi, MatRef psi_bar, const std::function<void()>& between,
                                   VecRef sums) const {
  forward(x, psi);
  between();
  backward(x, psi, psi_bar, sums);
}

void PreparedMap::add_input_gradient(const InputView&, ConstMat, ConstMat, MatRef) const {
  require(false, "the map has no input gradient");
}

void PreparedMap::forward_tangent(const InputView&, ConstMat, ConstMat, MatRef) const {
  require(false, "the map has no derivative by its inputs");
}

Vector FeatureMap::phase_rates(ConstVec theta) const {
  Matrix rows = frequencies(theta).rows.cwiseAbs();
  if (rows.rows() == 0) return {};
  Vector rates(rows.cols());
  for (Index j = 0; j < rows.cols(); ++j) {
    double* const column = rows.col(j).data();
    double* const middle = column + rows.rows() / 2;
    std::nth_element(column, middle, column + rows.rows());
    rates[j] = *middle;
  }
  return rates;
}

std::unique_ptr<LinearPredictor> PreparedMap::linear_predictor(ConstVec weights, FloatType) const {
  return std::make_unique<StoredFeatures>(*this, weights);
}

void PreparedDense::forward(const InputView& rows, FeatureBlock features) const {
  ConstMat x = rows.dense();
  MatRef psi = features.dense();
  require(x.cols() == inputs_ && psi.rows() == x.rows() && psi.cols() == features_, "feature map: shapes");
  compute(x, psi);
}

void PreparedDense::backward(const InputView& rows, ConstMat psi, ConstMat psi_bar, VecRef sums) const {
  ConstMat x = rows.dense();
  require(x.cols() == inputs_ && psi.rows() == x.rows() && psi.cols() == features_ && psi_bar.rows() == psi.rows() &&
              psi_bar.cols() == features_ && sums.size() == sums_,
          "feature map: shapes");
  pull_back(x, psi, psi_bar, sums);
}

void PreparedDense::forward_tangent(const InputView& rows, ConstMat psi, ConstMat x_dot, MatRef psi_dot) const {
  ConstMat x = rows.dense();
  require(x.cols() == inputs_ && psi.rows() == x.rows() && psi.cols() == features_ && x_dot.rows() == x.rows() &&
              x_dot.cols() == inputs_ && psi_dot.rows() == x.rows() && psi_dot.cols() == features_,
          "feature map: shapes");
  tangent(x, psi, x_dot, psi_dot);
}

void PreparedDense::finish(ConstVec sums, VecRef theta_bar) const {
  require(sums.size() == sums_, "feature map: sums of another map");
  add_gradient(sums, theta_bar);
}

PreparedParts::PreparedParts(std::vector<Part> parts) : parts_(std::move(parts)) {
  for (Part& part : parts_) {
    part.feature_at = std::exchange(features_, features_ + part.features);
    part.sum_at = std::exchange(sums_, sums_ + part.map->accumulator_size());
  }
}

void PreparedParts::forward(const InputView& x, FeatureBlock features) const {
  MatRef psi = features.dense();
  require(psi.cols() == features_, "feature map: shapes");
  for (const Part& part : parts_) part.map->forward(part.view(x), psi.middleCols(part.feature_at, part.features));
}

void PreparedParts::backward(const InputView& x, ConstMat psi, ConstMat psi_bar, VecRef sums) const {
  require(psi.cols() == features_ && psi_bar.cols() == features_ && sums.size() == sums_, "feature map: shapes");
  for (const Part& part : parts_)
    part.map->backward(part.view(x), psi.middleCols(part.feature_at, part.features),
                       psi_bar.middleCols(part.feature_at, part.features),
                       sums.segment(part.sum_at, part.map->accumulator_size()));
}

void PreparedParts::forward_backward(const InputView& x, MatRef psi, MatRef psi_bar,
                                     const std::function<void()>& between, VecRef sums) const {
  const bool keeps = std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.inputs >= 0; });
  if (!keeps) return PreparedMap::forward_backward(x, psi, psi_bar, between, sums);
  require(psi.cols() == features_ && psi_bar.cols() == features_ && sums.size() == sums_, "feature map: shapes");
  forward_backward_from(0, x, psi, psi_bar, between, sums);
}

void PreparedParts::forward_backward_from(std::size_t first, const InputView& x, MatRef psi, MatRef psi_bar,
                                          const std::function<void()>& between, VecRef sums) const {
  if (first == parts_.size()) return between();
  const Part& part = parts_[first];
  part.map->forward_backward(
      part.view(x), psi.middleCols(part.feature_at, part.features), psi_bar.middleCols(part.feature_at, part.features),
      [&] { forward_backward_from(first + 1, x, psi, psi_bar, between, sums); },
      sums.segment(part.sum_at, part.map->accumulator_size()));
}

void PreparedParts::add_input_gradient(const InputView& x, ConstMat psi, ConstMat psi_bar, MatRef x_bar) const {
  require(psi.cols() == features_ && psi_bar.cols() == features_, "feature map: shapes");
  for (const Part& part : parts_)
    part.map->add_input_gradient(part.view(x), psi.middleCols(part.feature_at, part.features),
                                 psi_bar.middleCols(part.feature_at, part.features), part.own(x_bar));
}

void PreparedParts::forward_tangent(const InputView& x, ConstMat psi, ConstMat x_dot, MatRef psi_dot) const {
  require(psi.cols() == features_ && psi_dot.cols() == features_, "feature map: shapes");
  for (const Part& part : parts_)
    part.map->forward_tangent(part.view(x), psi.middleCols(part.feature_at, part.features), part.of(x_dot),
                              psi_dot.middleCols(part.feature_at, part.features));
}

std::unique_ptr<LinearPredictor> PreparedParts::linear_predictor(ConstVec weights, FloatType type) const {
  require(weights.size() == features_, "feature map: one weight for each feature");
  std::vector<JoinedPredictors::Part> terms;
  for (const Part& part : parts_)
    terms.push_back({part.map->linear_predictor(weights.segment(part.feature_at, part.features), type),
                     part.first_input, part.inputs});
  return std::make_unique<JoinedPredictors>(std::move(terms));
}

void PreparedParts::finish(ConstVec sums, VecRef theta_bar) const {
  require(sums.size() == sums_, "feature map: sums of another map");
  for (const Part& part : parts_)
    part.map->finish(sums.segment(part.sum_at, part.map->accumulator_size()),
                     theta_bar.segment(part.first_parameter, part.parameters));
}

MatRef FeatureBlock::dense() const {
  require(sparse_ == nullptr, "the map writes dense features alone");
  return Eigen::Map<Matrix, 0, Eigen::OuterStride<>>(dense_, rows_, cols_, Eigen::OuterStride<>(stride_));
}

SparseRows& FeatureBlock::sparse() const {
  require(sparse_ != nullptr, "dense features where sparse ones are needed");
  return *sparse_;
}

}  // namespace alacarte
