// The features of rows less what the effects of their levels explain.
#include <cmath>

#include "features/levels.hpp"
#include "features/maps.hpp"

namespace alacarte {
namespace {

/// Returns the place of a code among so many levels; -1 for others.
Index level_of(double code, Index levels) {
  return code >= 0 && code < static_cast<double>(levels) ? static_cast<Index>(code) : -1;
}

/// The mean of the rest, and a number for each level.
class NetPredictor final : public LinearPredictor {
 public:
  NetPredictor(std::unique_ptr<LinearPredictor> rest, Index column, Vector of_levels, double of_others)
      : rest_(std::move(rest)), column_(column), of_levels_(std::move(of_levels)), of_others_(of_others) {}
  void add(const InputView& x, VecRef f) const override {
    rest_->add(x, f);
    const auto rows = x.dense();
    for (Index i = 0; i < f.size(); ++i) {
      const Index level = level_of(rows(i, column_), of_levels_.size());
      f[i] += level < 0 ? of_others_ : of_levels_[level];
    }
  }

 private:
  std::unique_ptr<LinearPredictor> rest_;
  Index column_;
  Vector of_levels_;
  double of_others_;
};

class PreparedNet final : public PreparedMap {
 public:
  PreparedNet(std::unique_ptr<PreparedMap> rest, const LevelSplit& split, const LevelMeans& means, double variance)
      : rest_(std::move(rest)),
        split_(split),
        means_(means),
        count_(split.rest->feature_count()),
        variance_(variance) {}

  void forward(const InputView& x, FeatureBlock features) const override {
    MatRef psi = features.dense();
    const Index own = count_;
    require(psi.rows() == x.rows() && psi.cols() == own + (has_constant() ? 1 : 0), "features net of levels: shapes");
    rest_->forward(x, psi.leftCols(own));
    const auto rows = x.dense();
    for (Index i = 0; i < x.rows(); ++i) {
      const Index level = level_of(rows(i, split_.column), split_.levels);
      const double share = level < 0 ? 0 : means_.shares[level];
      if (has_means() && share > 0)
        psi.row(i).head(own) -= share * means_.features.row(level);
      else
        psi.row(i).head(own) *= 1 - share;
      if (!has_constant()) continue;
      psi.row(i).head(own) -= (1 - share) * means_.centre.transpose();
      psi(i, own) = 1 - share;
    }
  }

  void backward(const InputView&, ConstMat, ConstMat, VecRef) const override { refuse(); }
  Index accumulator_size() const override { return 0; }
  void finish(ConstVec, VecRef) const override { refuse(); }

  void forward_tangent(const InputView& x, ConstMat psi, ConstMat x_dot, MatRef psi_dot) const override {
    const Index own = count_;
    // The tangent of the rest reads its features, not those net of levels.
    Matrix rest(psi.rows(), own);
    rest_->forward(x, rest);
    psi_dot.setZero();
    rest_->forward_tangent(x, rest, x_dot, psi_dot.leftCols(own));
  }

  std::unique_ptr<LinearPredictor> linear_predictor(ConstVec weights, FloatType type) const override {
    const Index own = count_;
    const Vector mine = weights.head(own);
    Vector of_levels = Vector::Zero(split_.levels);
    if (has_means()) of_levels = -means_.shares.cwiseProduct(means_.features * mine);
    double of_others = 0;
    if (has_constant()) {
      const double of_centre = means_.centre.dot(mine);
      of_others = weights[own] - of_centre;
      of_levels.array() += (1 - means_.shares.array()) * weights[own];
      if (has_means())
        of_levels.array() -= (1 - means_.shares.array()) * of_centre;
      else
        of_levels.array() -= of_centre;
    }
    return std::make_unique<NetPredictor>(rest_->linear_predictor(mine, type), split_.column, std::move(of_levels),
                                          of_others);
  }

  void add_residual_mean(const InputView& x, VecRef mean) const override {
    const auto rows = x.dense();
    for (Index i = 0; i < x.rows(); ++i)
      if (const Index level = level_of(rows(i, split_.column), split_.levels); level >= 0)
        mean[i] += means_.effects[level];
  }
  void add_residual_variance(const InputView& x, ConstMat, VecRef variance) const override {
    const auto rows = x.dense();
    for (Index i = 0; i < x.rows(); ++i) variance[i] += variance_of(level_of(rows(i, split_.column), split_.levels));
  }
  void add_residual_covariance(const InputView& x, ConstMat, MatRef covariance) const override {
    const auto rows = x.dense();
    for (Index j = 0; j < x.rows(); ++j) {
      const Index level = level_of(rows(j, split_.column), split_.levels);
      covariance(j, j) += variance_of(level);
      for (Index i = j + 1; level >= 0 && i < x.rows(); ++i)
        if (rows(i, split_.column) == rows(j, split_.column)) covariance(i, j) += variance_of(level);
    }
  }

 private:
  bool has_means() const { return means_.features.size() > 0; }
  bool has_constant() const { return means_.centre.size() > 0; }
  double variance_of(Index level) const { return level < 0 ? variance_ : means_.variances[level]; }
  [[noreturn]] static void refuse() {
    throw std::invalid_argument("features net of levels are those of a posterior: they have no gradient");
  }

  std::unique_ptr<PreparedMap> rest_;
  const LevelSplit& split_;
  const LevelMeans& means_;
  Index count_;
  double variance_;  // of the effect of an unknown level
};

class FeaturesNetOfLevels final : public FeatureMap {
 public:
  FeaturesNetOfLevels(std::shared_ptr<const FeatureMap> map, LevelMeans means)
      : map_(std::move(map)), split_(map_->level_split()), means_(std::move(means)) {
    require(split_.rest != nullptr, "the map has no levels");
    const Index levels = split_.levels, count = split_.rest->feature_count();
    require((means_.features.size() == 0 || (means_.features.rows() == levels && means_.features.cols() == count)) &&
                means_.shares.size() == levels && means_.effects.size() == levels &&
                means_.variances.size() == levels && (means_.centre.size() == 0 || means_.centre.size() == count),
            "the means of levels do not fit the map");
  }

  const ParameterLayout& parameters() const override { return map_->parameters(); }
  Index input_count() const override { return map_->input_count(); }
  Index feature_count() const override { return split_.rest->feature_count() + (means_.centre.size() > 0 ? 1 : 0); }
  std::unique_ptr<PreparedMap> prepare(ConstVec theta) const override {
    require(theta.size() == parameters().size(), "theta does not fit the feature map");
    return std::make_unique<PreparedNet>(split_.rest->prepare(split_.rest_of(theta)), split_, means_,
                                         std::exp(2 * theta[split_.parameter]));
  }
  bool has_tangent() const override { return split_.rest->has_tangent(); }
  bool has_residual() const override { return true; }
  Vector start(const TrainingStatistics& statistics, Index k, RandomStream& stream) const override {
    return map_->start(statistics, k, stream);
  }
  KernelDescription describe(ConstVec theta) const override { return map_->describe(theta); }
  Vector phase_rates(ConstVec theta) const override { return split_.rest->phase_rates(split_.rest_of(theta)); }
  double flops_per_row() const override { return split_.rest->flops_per_row(); }
  void save(TensorBundle& bundle, const std::string& prefix) const override {
    if (means_.features.size() > 0) bundle.put(prefix + "level_means", means_.features);
    const auto put = [&](const char* name, const Vector& values) {
      if (values.size() > 0) bundle.put_vector(prefix + name, values);
    };
    put("level_shares", means_.shares);
    put("level_effects", means_.effects);
    put("level_variances", means_.variances);
    put("level_centre", means_.centre);
  }

 private:
  std::shared_ptr<const FeatureMap> map_;
  LevelSplit split_;
  LevelMeans means_;
};

}  // namespace

std::shared_ptr<const FeatureMap> make_features_net_of_levels(std::shared_ptr<const FeatureMap> map, LevelMeans means) {
  return std::make_shared<FeaturesNetOfLevels>(std::move(map), std::move(means));
}

bool has_features_net_of_levels(const TensorBundle& bundle, const std::string& prefix) {
  return bundle.contains(prefix + "level_effects");
}

std::shared_ptr<const FeatureMap> load_features_net_of_levels(std::shared_ptr<const FeatureMap> map,
                                                              const TensorBundle& bundle, const std::string& prefix) {
  const LevelSplit split = map->level_split();
  if (!split.rest) throw IoError("model file", "tensor '" + prefix + "level_effects' is of a model without levels");
  const Index count = split.rest->feature_count();
  const auto take = [&](const char* name, Index size) {
    return bundle.contains(prefix + name) ? bundle.vector(prefix + name, size) : Vector();
  };
  LevelMeans means;
  if (bundle.contains(prefix + "level_means"))
    means.features = bundle.matrix(prefix + "level_means", split.levels, count);
  means.shares = take("level_shares", split.levels);
  means.effects = take("level_effects", split.levels);
  means.variances = take("level_variances", split.levels);
  means.centre = take("level_centre", count);
  if ((means.variances.array() < 0).any())
    throw IoError("model file", "tensor '" + prefix + "level_variances' holds a negative value");
  return make_features_net_of_levels(std::move(map), std::move(means));
}

}  // namespace alacarte
