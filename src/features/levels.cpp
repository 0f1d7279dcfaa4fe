#include "features/levels.hpp"

#include <algorithm>
#include <cmath>

#include "features/maps.hpp"
#include "features/slots.hpp"

namespace alacarte {
namespace {

/// Codes of a column and their features.
struct Codes {
  Index levels, kept;
  /// Returns the feature of a code, or -1.
  Index feature(double code) const {
    if (!(code >= 0 && code < static_cast<double>(levels))) return kept;
    return code < static_cast<double>(kept) ? static_cast<Index>(code) : -1;
  }
};

class LevelEffects final : public LinearPredictor {
 public:
  LevelEffects(const Codes& codes, ConstVec weights, double amplitude) : codes_(codes), effects_(amplitude * weights) {}
  void add(const InputView& x, VecRef f) const override {
    require(x.cols() == 1 && f.size() == x.rows(), "levels: shapes");
    const auto codes = x.dense();
    for (Index i = 0; i < f.size(); ++i)
      if (const Index j = codes_.feature(codes(i, 0)); j >= 0) f[i] += effects_[j];
  }

 private:
  Codes codes_;
  Vector effects_;
};

class PreparedLevels final : public PreparedDense {
 public:
  PreparedLevels(const Codes& codes, double amplitude)
      : PreparedDense(1, codes.kept + 1, 1), codes_(codes), amplitude_(amplitude) {}

  // Codes have no neighbours that an input could move to.
  void add_input_gradient(const InputView&, ConstMat, ConstMat, MatRef) const override {}
  std::unique_ptr<LinearPredictor> linear_predictor(ConstVec weights, FloatType) const override {
    require(weights.size() == features_, "levels: one weight for each feature");
    return std::make_unique<LevelEffects>(codes_, weights, amplitude_);
  }

 private:
  void compute(ConstMat x, MatRef psi) const override {
    psi.setZero();
    for (Index i = 0; i < x.rows(); ++i)
      if (const Index j = codes_.feature(x(i, 0)); j >= 0) psi(i, j) = amplitude_;
  }
  // Uses that psi is proportional to the amplitude.
  void pull_back(ConstMat x, ConstMat, ConstMat psi_bar, VecRef sums) const override {
    for (Index i = 0; i < x.rows(); ++i)
      if (const Index j = codes_.feature(x(i, 0)); j >= 0) sums[0] += amplitude_ * psi_bar(i, j);
  }
  void tangent(ConstMat, ConstMat, ConstMat, MatRef psi_dot) const override { psi_dot.setZero(); }
  void add_gradient(ConstVec sums, VecRef theta_bar) const override { theta_bar[0] += sums[0]; }

  Codes codes_;
  double amplitude_;
};

class LevelsMap final : public LayoutMap {
 public:
  explicit LevelsMap(const Codes& codes) : LayoutMap(1, codes.kept + 1), codes_(codes) {
    require(codes.kept > 0 && codes.kept <= codes.levels, "levels: at least one");
    layout_.add(log_amplitude_slot("levels.log_amplitude", 1));
  }

  bool has_input_gradient() const override { return true; }
  bool has_tangent() const override { return true; }
  Vector start(const TrainingStatistics& statistics, Index, RandomStream&) const override {
    return inside_bounds(layout_, Vector::Constant(1, std::log(statistics.target_sd)));
  }
  // Codes have no order, so that the effect has no relevance in the sense of a frequency.
  KernelDescription describe(ConstVec theta) const override {
    check(theta);
    return {.amplitude = std::exp(theta[0]), .relevance = Vector::Zero(1)};
  }
  void save(TensorBundle&, const std::string&) const override {}
  double flops_per_row() const override { return static_cast<double>(features_); }

 private:
  std::unique_ptr<PreparedMap> prepare_at(ConstVec theta) const override {
    return std::make_unique<PreparedLevels>(codes_, std::exp(theta[0]));
  }

  Codes codes_;
};

}  // namespace

std::unique_ptr<FeatureMap> make_levels_map(Index levels, Index kept) {
  return std::make_unique<LevelsMap>(Codes{levels, kept});
}

std::vector<LevelColumn> level_columns(const std::vector<Index>& level_counts, bool eliminates) {
  std::vector<LevelColumn> columns;
  if (!eliminates) {
    const Index share = kMaxDenseLevels / std::max<Index>(1, static_cast<Index>(level_counts.size()));
    for (const Index count : level_counts) columns.push_back({count, std::min(count, share)});
    return columns;
  }
  for (const Index count : level_counts) columns.push_back({count, count});
  std::vector<LevelColumn*> by_levels;
  for (LevelColumn& column : columns) by_levels.push_back(&column);
  std::stable_sort(by_levels.begin(), by_levels.end(),
                   [](const LevelColumn* one, const LevelColumn* other) { return one->levels < other->levels; });
  if (!by_levels.empty()) by_levels.pop_back();  // the eliminated one
  Index left = kMaxDenseLevels;
  for (LevelColumn* column : by_levels) {
    if (column->levels > left) column->kept = 1;
    left -= column->kept;
  }
  return columns;
}

Index level_features(const std::vector<Index>& level_counts, bool eliminates) {
  Index all = 0;
  for (const LevelColumn& column : level_columns(level_counts, eliminates)) all += column.kept + 1;
  if (!eliminates || level_counts.empty()) return all;
  return all - *std::max_element(level_counts.begin(), level_counts.end()) - 1;
}

}  // namespace alacarte
