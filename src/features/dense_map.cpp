// Dense frequencies: random Fourier features (the oracle for Fastfood), and the sparse spectrum GP, whose frequencies
// are parameters (Lazaro-Gredilla et al. 2010). Phases are one matrix product, u = (x ./ lengthscale) F^T.
#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/linalg/dense.hpp"
#include "alacarte/linalg/sincos.hpp"
#include "features/maps.hpp"
#include "features/slots.hpp"

namespace alacarte {
namespace {

constexpr double kTwoPi = 6.283185307179586476925;

struct Offsets {
  Index log_lengthscale = 0, log_amplitude = 0, frequency = -1;
  bool shared = false;
};

class PreparedDense final : public PreparedMap {
 public:
  PreparedDense(Matrix frequencies, Vector lengthscale, double amplitude, Offsets at)
      : at_(at),
        amplitude_(amplitude),
        inverse_lengthscale_(lengthscale.cwiseInverse()),
        unit_(std::move(frequencies)) {
    rows_ = unit_ * inverse_lengthscale_.asDiagonal();
    turns_ = rows_ / kTwoPi;
  }

  void forward(ConstMat x, MatRef psi) const override {
    const Index m = rows_.rows();
    require(x.cols() == rows_.cols() && psi.rows() == x.rows() && psi.cols() == 2 * m, "feature map: shapes");
    gemm(1, x, Op::none, turns_, Op::transpose, 0, psi.leftCols(m));
    for (Index j = 0; j < m; ++j) {
      sincos_turns(psi.col(j).data(), psi.rows(), psi.col(m + j).data(), psi.col(j).data());
      psi.col(j) *= amplitude_;
      psi.col(m + j) *= amplitude_;
    }
  }

  void backward(ConstMat x, ConstMat psi, ConstMat psi_bar, VecRef sums) const override {
    const Index m = rows_.rows(), d = rows_.cols();
    require(x.cols() == d && psi.rows() == x.rows() && psi.cols() == 2 * m && psi_bar.rows() == psi.rows() &&
                psi_bar.cols() == psi.cols() && sums.size() == accumulator_size(),
            "feature map: shapes");
    thread_local Matrix phase_bar, input_bar;
    phase_bar.resize(x.rows(), m);
    for (Index j = 0; j < m; ++j) {
      const auto c = psi.col(j).array(), s = psi.col(m + j).array();
      const auto c_bar = psi_bar.col(j).array(), s_bar = psi_bar.col(m + j).array();
      phase_bar.col(j) = c * s_bar - s * c_bar;
      sums[0] += (c * c_bar + s * s_bar).sum();
    }
    if (at_.frequency >= 0) {
      gemm(1, phase_bar, Op::transpose, x, Op::none, 1, Eigen::Map<Matrix>(sums.data() + 1, m, d));
      return;
    }
    input_bar.resize(x.rows(), d);
    gemm(1, phase_bar, Op::none, rows_, Op::none, 0, input_bar);
    for (Index j = 0; j < d; ++j) sums[1 + j] += input_bar.col(j).dot(x.col(j));
  }

  /// log amplitude; then u_bar^T x (m, d) where frequencies are learned, else sum of x_bar x for each input.
  Index accumulator_size() const override { return 1 + (at_.frequency >= 0 ? rows_.size() : rows_.cols()); }

  void finish(ConstVec sums, VecRef theta_bar) const override {
    require(sums.size() == accumulator_size(), "feature map: sums of another map");
    const Index m = rows_.rows(), d = rows_.cols();
    theta_bar[at_.log_amplitude] += sums[0];
    Vector input_sums;
    if (at_.frequency >= 0) {
      const Eigen::Map<const Matrix> product(sums.data() + 1, m, d);
      Eigen::Map<Matrix>(theta_bar.data() + at_.frequency, m, d) += product * inverse_lengthscale_.asDiagonal();
      input_sums = product.cwiseProduct(rows_).colwise().sum();
    } else {
      input_sums = sums.tail(d);
    }
    if (at_.shared)
      theta_bar[at_.log_lengthscale] -= input_sums.sum();
    else
      theta_bar.segment(at_.log_lengthscale, d) -= input_sums;
  }

 private:
  Offsets at_;
  double amplitude_;
  Vector inverse_lengthscale_;
  Matrix unit_, rows_, turns_;  // (m, d): in units of 1/lengthscale; in radians per unit of x; in turns
};

class DenseMap final : public FeatureMap {
 public:
  DenseMap(DenseKind kind, bool learn_lengthscale, Matrix draws) : draws_(std::move(draws)) {
    const std::string name = kind == DenseKind::rbf ? "rbf" : kind == DenseKind::ard ? "ard" : "ssgpr";
    const Index d = draws_.cols();
    at_.shared = kind == DenseKind::rbf;
    ParameterSlot scales = log_lengthscale_slot(name + ".log_lengthscale", at_.shared ? 1 : d, d);
    scales.trainable = kind != DenseKind::ssgpr || learn_lengthscale;
    at_.log_lengthscale = layout_.add(std::move(scales));
    if (kind == DenseKind::ssgpr)
      at_.frequency = layout_.add(normal_slot(name + ".frequency", draws_.size(), flat_draws(), kSpread, -1e4, 1e4));
    at_.log_amplitude = layout_.add(log_amplitude_slot(name + ".log_amplitude", 1));
  }

  const ParameterLayout& parameters() const override { return layout_; }
  Index input_count() const override { return draws_.cols(); }
  Index feature_count() const override { return 2 * draws_.rows(); }

  std::unique_ptr<PreparedMap> prepare(ConstVec theta) const override {
    require(theta.size() == layout_.size(), "theta does not fit the feature map");
    const double amplitude = std::exp(theta[at_.log_amplitude]) / std::sqrt(static_cast<double>(draws_.rows()));
    return std::make_unique<PreparedDense>(unit_frequencies(theta), lengthscale(theta), amplitude, at_);
  }

  Vector start(const TrainingView& view, Index k, RandomStream& stream) const override {
    Vector theta(layout_.size());
    if (at_.shared)
      theta[at_.log_lengthscale] = rbf_start(view, k);
    else
      theta.segment(at_.log_lengthscale, input_count()) = ard_start(view, stream);
    theta[at_.log_amplitude] = std::log(view.target_sd);
    if (at_.frequency >= 0) theta.segment(at_.frequency, draws_.size()) = flat_draws();
    return inside_bounds(layout_, theta);
  }

  nlohmann::json describe(ConstVec theta) const override {
    const double amplitude = std::exp(theta[at_.log_amplitude]);
    const Vector scales = lengthscale(theta);
    Vector relevance = scales.cwiseInverse();
    if (at_.frequency >= 0)
      relevance = relevance.array() * unit_frequencies(theta).array().square().colwise().mean().sqrt().transpose();
    nlohmann::json component = {{"amplitude", amplitude}, {"lengthscales", to_json(scales)}};
    return {{"relevance", to_json(relevance)}, {"amplitude", amplitude}, {"components", {component}}};
  }

  FrequencyRows frequencies(ConstVec theta) const override {
    const Matrix rows = unit_frequencies(theta) * lengthscale(theta).cwiseInverse().asDiagonal();
    return {rows, Vector::Constant(rows.rows(), 1.0 / static_cast<double>(rows.rows()))};
  }

  void save(TensorBundle& bundle, const std::string& prefix) const override {
    bundle.put(prefix + "frequencies", draws_);
  }

  double flops_per_row() const override {
    return 4.0 * static_cast<double>(draws_.size()) + 55.0 * static_cast<double>(draws_.rows());
  }

 private:
  // Of the prior that holds the frequencies near their draws, in units of 1 / length-scale. A standard normal around
  // zero, their law before the data, leaves m d frequencies free enough to buy the noise away on a few hundred rows.
  static constexpr double kSpread = 0.3;

  Vector flat_draws() const { return Eigen::Map<const Vector>(draws_.data(), draws_.size()); }

  Vector lengthscale(ConstVec theta) const {
    if (at_.shared) return Vector::Constant(input_count(), std::exp(theta[at_.log_lengthscale]));
    return theta.segment(at_.log_lengthscale, input_count()).array().exp();
  }

  Matrix unit_frequencies(ConstVec theta) const {
    if (at_.frequency < 0) return draws_;
    return Eigen::Map<const Matrix>(theta.data() + at_.frequency, draws_.rows(), draws_.cols());
  }

  Matrix draws_;  // (m, d) N(0, 1)
  Offsets at_;
  ParameterLayout layout_;
};

}  // namespace

MapPointer make_dense_map(DenseKind kind, const FeatureConfig& config, Index inputs, const RandomStreams& streams) {
  require(inputs > 0 && config.frequencies > 0, "a feature map needs inputs and frequencies");
  RandomStream stream = streams.stream("dense.frequencies");
  const Vector normals = stream.normals(config.frequencies * inputs);
  return std::make_unique<DenseMap>(kind, config.learn_lengthscale,
                                    Eigen::Map<const Matrix>(normals.data(), config.frequencies, inputs));
}

MapPointer load_dense_map(DenseKind kind, const FeatureConfig& config, Index inputs, const TensorBundle& bundle,
                          const std::string& prefix) {
  require(inputs > 0 && config.frequencies > 0, "a feature map needs inputs and frequencies");
  return std::make_unique<DenseMap>(kind, config.learn_lengthscale,
                                    bundle.matrix(prefix + "frequencies", config.frequencies, inputs));
}

namespace {

bool dense(const FeatureConfig& config) {
  if (config.draws != "fastfood" && config.draws != "gaussian")
    throw ConfigError("/features/draws", "must be 'fastfood' or 'gaussian', not '" + config.draws + "'");
  return config.draws == "gaussian";
}

template <FastfoodKind kKind, DenseKind kDense>
MapPointer make_either(const Recipe& recipe, Index inputs, const RandomStreams& streams, const TrainingView&) {
  return dense(recipe.features) ? make_dense_map(kDense, recipe.features, inputs, streams)
                                : make_fastfood_map(kKind, recipe.features, inputs, streams);
}

template <FastfoodKind kKind, DenseKind kDense>
MapPointer load_either(const Recipe& recipe, Index inputs, const TensorBundle& bundle, const std::string& prefix) {
  return dense(recipe.features) ? load_dense_map(kDense, recipe.features, inputs, bundle, prefix)
                                : load_fastfood_map(kKind, recipe.features, inputs, bundle, prefix);
}

MapPointer make_ssgpr(const Recipe& recipe, Index inputs, const RandomStreams& streams, const TrainingView&) {
  return make_dense_map(DenseKind::ssgpr, recipe.features, inputs, streams);
}

MapPointer load_ssgpr(const Recipe& recipe, Index inputs, const TensorBundle& bundle, const std::string& prefix) {
  return load_dense_map(DenseKind::ssgpr, recipe.features, inputs, bundle, prefix);
}

constexpr const char* kGaussianCost =
    "features n m log d with Fastfood, n m d with dense frequencies, D = 2 m; memory of a chunk of features";
constexpr const char* kGaussianReference = "Le, Sarlos and Smola 2013, section 3; Rahimi and Recht 2007";

}  // namespace

FeatureMapEntry rbf_entry() {
  return {{.name = "rbf",
           .description = "Gaussian kernel with one length-scale.",
           .formula = "k(x, x') = v^2 exp(-|x - x'|^2 / (2 lengthscale^2));  psi(x) = v / sqrt(m) [cos u, sin u]",
           .cost = kGaussianCost,
           .reference = kGaussianReference,
           .accuracy = "unbiased; standard deviation of order v^2 / sqrt(m)",
           .fixed = "",
           .keys = {"features.draws", "features.frequencies"},
           .recipe = R"({"model": "rbf", "features": {"frequencies": 256}, "copies": 3})"},
          make_either<FastfoodKind::rbf, DenseKind::rbf>,
          load_either<FastfoodKind::rbf, DenseKind::rbf>};
}

FeatureMapEntry ard_entry() {
  return {{.name = "ard",
           .description = "Gaussian kernel with one length-scale for each input.",
           .formula = "k(x, x') = v^2 exp(-|(x - x') ./ lengthscale|^2 / 2);  psi(x) = v / sqrt(m) [cos u, sin u]",
           .cost = kGaussianCost,
           .reference = kGaussianReference,
           .accuracy = "unbiased; standard deviation of order v^2 / sqrt(m)",
           .fixed = "",
           .keys = {"features.draws", "features.frequencies"},
           .recipe = R"({"model": "ard", "features": {"frequencies": 256}, "copies": 3})"},
          make_either<FastfoodKind::ard, DenseKind::ard>,
          load_either<FastfoodKind::ard, DenseKind::ard>};
}

FeatureMapEntry ssgpr_entry() {
  return {{.name = "ssgpr",
           .description = "Sparse spectrum: every entry of every frequency is learned.",
           .formula = "psi(x) = v / sqrt(m) [cos u, sin u], u = F (x ./ lengthscale): the m x d matrix F is learned",
           .cost = "features n m d, D = 2 m; memory of a chunk of features, parameters m d + d + 1",
           .reference = "Lazaro-Gredilla et al. 2010; Yang et al. 2015, section 5",
           .accuracy = "its frequencies are its kernel: at the start they are a draw of ard's",
           .fixed = "",
           .keys = {"features.frequencies", "features.learn_lengthscale"},
           .recipe = R"({"model": "ssgpr", "features": {"frequencies": 64}, "copies": 3})"},
          make_ssgpr,
          load_ssgpr};
}

}  // namespace alacarte
