// A deep kernel: a network before another map, k(x, x') = psi(z(x)).psi(z(x')) with z(x) = [h(x), x] (Wilson, Hu,
// Salakhutdinov and Xing 2016). Any map with an input gradient may follow the network; free frequencies give a phase
// one direction in h and one in x.
#include <fmt/format.h>
#include <algorithm>
#include <memory>
#include <optional>

#include "alacarte/core/error.hpp"
#include "core/config_at.hpp"
#include "features/heavy_tails.hpp"
#include "features/maps.hpp"
#include "features/network.hpp"
#include "features/thread_work.hpp"

namespace alacarte {
namespace {

constexpr Index kMaxLayers = 16;
constexpr Index kStartRows = 1024;     // rows whose outputs give the ranges of the inner map's inputs
constexpr Index kRelevanceRows = 256;  // standard normal rows over which slopes are averaged
constexpr std::uint64_t kRelevanceSeed = 1;

/// The network computes in Scalar, the inner map in doubles.
template <class Scalar>
class PreparedDeep final : public PreparedDense {
 public:
  PreparedDeep(std::shared_ptr<const HeavyTails> tails, PreparedNetwork<Scalar> network,
               std::unique_ptr<PreparedMap> inner, bool skip, Index features, Index inner_parameters)
      : PreparedDense(network.shape().inputs, features, network.shape().parameters() + inner->accumulator_size()),
        tails_(std::move(tails)),
        network_(std::move(network)),
        inner_(std::move(inner)),
        skip_(skip),
        inner_parameters_(inner_parameters) {}

  void forward_backward(const InputView& rows, MatRef psi, MatRef psi_bar, const std::function<void()>& between,
                        VecRef sums) const override {
    ConstMat x = rows.dense();
    auto z = inner_inputs(x.rows());
    Scalar* const tape = tape_of(x.rows());
    lift(x, true, tape, z);
    inner_->forward(z, psi);
    between();
    pull_back_through(z, psi, psi_bar, tape, sums);
  }

 private:
  Index outputs() const { return network_.shape().outputs(); }
  Index inner_count() const { return outputs() + (skip_ ? inputs_ : 0); }

  Scalar* tape_of(Index rows) const { return thread_work<PreparedDeep, Scalar>(network_.tape_size(rows)); }
  Eigen::Map<Matrix> inner_inputs(Index rows) const { return thread_matrix<struct DeepInputs>(rows, inner_count()); }

  void lift(ConstMat x, bool slopes, Scalar* tape, Eigen::Map<Matrix>& z) const {
    const auto put = [&](ConstMat v) {
      z.leftCols(outputs()) = network_.forward(v, slopes, tape).template cast<double>();
      if (skip_) z.rightCols(inputs_) = v;
    };
    if (!tails_) return put(x);
    auto v = thread_matrix<struct DeepTails>(x.rows(), inputs_);
    v = x;
    tails_->apply(v);
    put(v);
  }

  void compute(ConstMat x, MatRef psi) const override {
    auto z = inner_inputs(x.rows());
    lift(x, false, tape_of(x.rows()), z);
    inner_->forward(z, psi);
  }

  void pull_back(ConstMat x, ConstMat psi, ConstMat psi_bar, VecRef sums) const override {
    auto z = inner_inputs(x.rows());
    Scalar* const tape = tape_of(x.rows());
    lift(x, true, tape, z);
    pull_back_through(z, psi, psi_bar, tape, sums);
  }

  void tangent(ConstMat x, ConstMat psi, ConstMat x_dot, MatRef psi_dot) const override {
    if (!tails_) return tangent_behind(x, psi, x_dot, psi_dot);
    Matrix v_dot = x_dot;
    tails_->apply_slopes(x, v_dot);
    tangent_behind(x, psi, v_dot, psi_dot);
  }

  /// Takes x_dot, the tangent of the inputs of the network.
  void tangent_behind(ConstMat x, ConstMat psi, ConstMat x_dot, MatRef psi_dot) const {
    auto z = inner_inputs(x.rows());
    Scalar* const tape = tape_of(x.rows());
    lift(x, true, tape, z);
    auto z_dot = thread_matrix<struct DeepCotangents>(x.rows(), inner_count());
    z_dot.leftCols(outputs()) = network_.tangent(x_dot, tape).template cast<double>();
    if (skip_) z_dot.rightCols(inputs_) = x_dot;
    inner_->forward_tangent(z, psi, z_dot, psi_dot);
  }

  void pull_back_through(const Eigen::Map<Matrix>& z, ConstMat psi, ConstMat psi_bar, Scalar* tape, VecRef sums) const {
    const Index own = network_.shape().parameters();
    inner_->backward(z, psi, psi_bar, sums.tail(inner_->accumulator_size()));
    auto z_bar = thread_matrix<struct DeepCotangents>(z.rows(), z.cols());
    z_bar.setZero();
    inner_->add_input_gradient(z, psi, psi_bar, z_bar);
    Matrix none;
    network_.backward(z_bar.leftCols(outputs()), tape, sums.head(own), none);
  }

  void add_gradient(ConstVec sums, VecRef theta_bar) const override {
    const Index own = network_.shape().parameters();
    theta_bar.head(own) += sums.head(own);
    inner_->finish(sums.tail(inner_->accumulator_size()), theta_bar.segment(own, inner_parameters_));
  }

  std::shared_ptr<const HeavyTails> tails_;  // null: raw inputs
  PreparedNetwork<Scalar> network_;
  std::unique_ptr<PreparedMap> inner_;
  bool skip_;
  Index inner_parameters_;
};

/// Returns the inputs and the units of each layer.
Vector sizes_of(const NetworkShape& shape) {
  Vector sizes(shape.layers() + 1);
  sizes[0] = static_cast<double>(shape.inputs);
  for (Index k = 0; k < shape.layers(); ++k) sizes[k + 1] = static_cast<double>(shape.units(k));
  return sizes;
}

class DeepMap final : public LayoutMap {
 public:
  DeepMap(std::optional<HeavyTails> tails, NetworkShape shape, bool skip, MapPointer inner)
      : LayoutMap(shape.inputs, inner->feature_count()),
        tails_(tails ? std::make_shared<const HeavyTails>(*std::move(tails)) : nullptr),
        shape_(std::move(shape)),
        skip_(skip),
        inner_(std::move(inner)) {
    shape_.add_slots("deep", layout_);
    layout_.append(inner_->parameters(), "deep.");
  }

  bool has_tangent() const override { return inner_->has_tangent(); }

  // Starts the inner map from the ranges and distances of its inputs for the sampled rows.
  Vector start(const TrainingStatistics& statistics, Index k, RandomStream& stream) const override {
    Vector theta(layout_.size());
    theta.head(shape_.parameters()) = shape_.start(stream);
    theta.tail(inner_->parameters().size()) = inner_->start(inner_statistics(statistics, theta), k, stream);
    return theta;
  }

  KernelDescription describe(ConstVec theta) const override {
    check(theta);
    const KernelDescription inner = inner_->describe(inner_part(theta));
    return {.amplitude = inner.amplitude, .relevance = relevance(theta, inner.relevance)};
  }

  // Uses the network near the rows: its slopes far away are not larger by orders of magnitude.
  Vector phase_rates(ConstVec theta) const override {
    return relevance(theta, inner_->describe(inner_part(theta)).relevance);
  }

  // Saves the sizes of the network, which loading checks.
  void save(TensorBundle& bundle, const std::string& prefix) const override {
    bundle.put_vector(prefix + "sizes", sizes_of(shape_));
    if (tails_) tails_->save(bundle, prefix + "tails");
    inner_->save(bundle, prefix + "inner.");
  }

  std::unique_ptr<PreparedMap> prepare_single(ConstVec theta) const override {
    check(theta);
    return prepared<float>(theta, inner_->prepare_single(inner_part(theta)));
  }

  double work_bytes(int threads) const override {
    constexpr double kChunkRows = 512;
    const double units =
        static_cast<double>(PreparedNetwork<double>(shape_, Vector::Zero(shape_.parameters())).tape_size(1));
    const double inner_inputs = static_cast<double>(inner_->input_count());
    return inner_->work_bytes(threads) + 8 * kChunkRows * (units + 2 * inner_inputs) * threads;
  }

  double flops_per_row() const override { return shape_.flops_per_row() + 1.5 * inner_->flops_per_row(); }

 private:
  std::unique_ptr<PreparedMap> prepare_at(ConstVec theta) const override {
    return prepared<double>(theta, inner_->prepare(inner_part(theta)));
  }

  template <class Scalar>
  std::unique_ptr<PreparedMap> prepared(ConstVec theta, std::unique_ptr<PreparedMap> inner) const {
    return std::make_unique<PreparedDeep<Scalar>>(tails_,
                                                  PreparedNetwork<Scalar>(shape_, theta.head(shape_.parameters())),
                                                  std::move(inner), skip_, features_, inner_->parameters().size());
  }

  Eigen::Ref<const Vector> inner_part(ConstVec theta) const { return theta.tail(inner_->parameters().size()); }

  TrainingStatistics inner_statistics(const TrainingStatistics& statistics, const Vector& theta) const {
    Matrix x = statistics.sample.topRows(std::min(kStartRows, statistics.sample.rows()));
    if (tails_) tails_->apply(x);
    const PreparedNetwork<double> network(shape_, theta.head(shape_.parameters()));
    std::vector<double> tape(static_cast<std::size_t>(network.tape_size(x.rows())));
    Matrix z(x.rows(), inner_->input_count());
    z.leftCols(shape_.outputs()) = network.forward(x, false, tape.data());
    if (skip_) z.rightCols(shape_.inputs) = x;
    TrainingStatistics inner;
    inner.rows = statistics.rows;
    inner.target_sd = statistics.target_sd;
    inner.range = (z.colwise().maxCoeff() - z.colwise().minCoeff()).transpose();
    inner.range = (inner.range.array() > 0).select(inner.range, 1.0);
    // The sample is in random order, so neighbours are a random pair.
    const Index pairs = z.rows() - 1;
    inner.pair_differences = pairs > 0 ? Matrix(z.topRows(pairs) - z.bottomRows(pairs)) : Matrix::Ones(1, z.cols());
    inner.sample = std::move(z);
    return inner;
  }

  /// Returns (d) sqrt(E (d phase / d x_j)^2) over standard normal rows, from the inner map's rates r by the entries of
  /// z: with v = +-1 of random signs, (J^T (r v))_j^2 is sum_k (r_k J_kj)^2 on average.
  Vector relevance(ConstVec theta, const Vector& rate) const {
    RandomStream stream(kRelevanceSeed);
    const Vector normals = stream.normals(kRelevanceRows * shape_.inputs);
    const Eigen::Map<const Matrix> x(normals.data(), kRelevanceRows, shape_.inputs);
    Matrix v = x;
    if (tails_) tails_->apply(v);
    Matrix h_bar(kRelevanceRows, shape_.outputs()), slope = Matrix::Zero(kRelevanceRows, shape_.inputs);
    for (Index k = 0; k < h_bar.cols(); ++k)
      for (Index i = 0; i < kRelevanceRows; ++i) h_bar(i, k) = rate[k] * stream.sign();
    const PreparedNetwork<double> network(shape_, theta.head(shape_.parameters()));
    std::vector<double> tape(static_cast<std::size_t>(network.tape_size(kRelevanceRows)));
    Vector sums = Vector::Zero(shape_.parameters());
    network.forward(v, true, tape.data());
    network.backward(h_bar, tape.data(), sums, slope);
    Matrix skipped = Matrix::Zero(kRelevanceRows, shape_.inputs);
    if (skip_) skipped.rowwise() = rate.tail(shape_.inputs).transpose();
    for (Matrix* each : {&slope, &skipped})
      if (tails_) tails_->apply_slopes(x, *each);
    const Vector squares = (slope.cwiseAbs2() + skipped.cwiseAbs2()).colwise().mean().transpose();
    return squares.cwiseSqrt();
  }

  std::shared_ptr<const HeavyTails> tails_;  // null: raw inputs
  NetworkShape shape_;
  bool skip_;
  MapPointer inner_;
};

NetworkShape shape_of(const NetworkConfig& config, Index inputs) {
  require(inputs > 0, "a feature map needs inputs");
  const auto layers = static_cast<Index>(config.widths.size());
  if (layers > kMaxLayers)
    throw ConfigError("/network/widths", fmt::format("must have at most {} layers, not {}", kMaxLayers, layers));
  for (const Index width : config.widths)
    if (width < 1) throw ConfigError("/network/widths", fmt::format("a layer has {} units", width));
  return {inputs, config.widths, config.activation, config.residual};
}

const FeatureMapEntry& inner_entry(const Recipe& recipe) {
  if (recipe.terms.size() != 1)
    throw ConfigError("/terms", "deep takes one model behind its network; 'sum' makes one of several");
  const std::string& name = recipe.terms.front().model;
  const FeatureMapEntry* entry = find_feature_map(name);
  if (entry == nullptr) throw ConfigError("/terms/0/model", fmt::format("there is no feature map '{}'", name));
  return *entry;
}

/// Returns false without layers, whose outputs are the inputs already.
bool skips(const Recipe& recipe, const NetworkShape& shape) { return recipe.network.skip && shape.layers() > 0; }

MapPointer make_deep_map(const Recipe& recipe, std::optional<HeavyTails> tails, NetworkShape shape, MapPointer inner) {
  if (!inner->has_input_gradient())
    throw ConfigError("/terms/0/model",
                      fmt::format("'{}' cannot stand behind a network: take ssgpr, linear, or a sum of these",
                                  recipe.terms.front().model));
  const bool skip = skips(recipe, shape);
  return std::make_unique<DeepMap>(std::move(tails), std::move(shape), skip, std::move(inner));
}

Index inner_inputs(const Recipe& recipe, const NetworkShape& shape) {
  return shape.outputs() + (skips(recipe, shape) ? shape.inputs : 0);
}

// Draws the inner map from statistics of its inputs at their start; its own start follows later.
MapPointer make_deep(const Recipe& recipe, Index inputs, const RandomStreams& streams,
                     const TrainingStatistics& statistics) {
  NetworkShape shape = shape_of(recipe.network, inputs);
  const FeatureMapEntry& entry = inner_entry(recipe);
  const Index width = inner_inputs(recipe, shape);
  TrainingStatistics none;
  none.rows = 1;
  none.range = Vector::Ones(width);
  none.pair_differences = Matrix::Ones(1, width);
  none.sample = Matrix::Zero(1, width);
  MapPointer inner =
      config_at("/terms/0", [&] { return entry.make(recipe.terms.front(), width, streams.scope("inner"), none); });
  std::optional<HeavyTails> tails;
  if (recipe.network.inputs == NetworkInputs::asinh) tails = HeavyTails::learn(statistics.sample);
  if (tails && !tails->any()) tails.reset();
  return make_deep_map(recipe, std::move(tails), std::move(shape), std::move(inner));
}

MapPointer load_deep(const Recipe& recipe, Index inputs, const TensorBundle& bundle, const std::string& prefix) {
  NetworkShape shape = shape_of(recipe.network, inputs);
  if (bundle.vector(prefix + "sizes", shape.layers() + 1) != sizes_of(shape))
    throw IoError("model file", "tensor '" + prefix + "sizes' is of another network");
  MapPointer inner =
      inner_entry(recipe).load(recipe.terms.front(), inner_inputs(recipe, shape), bundle, prefix + "inner.");
  std::optional<HeavyTails> tails;
  if (recipe.network.inputs == NetworkInputs::asinh && bundle.contains(prefix + "tails"))
    tails = HeavyTails::load(bundle, prefix + "tails", inputs);
  return make_deep_map(recipe, std::move(tails), std::move(shape), std::move(inner));
}

}  // namespace

FeatureMapEntry deep_entry() {
  return {
      {.name = "deep",
       .description = "Deep kernel: a network learns inputs for the model of terms, trained on minibatches.",
       .formula = "psi(x) = psi_term([h(x), x]), h = a(.. a(x W_1 + b_1) .. W_L + b_L): weights and the term's "
                  "parameters are learned",
       .cost = "features n P, P = sum of products of neighbouring widths, and the term's; an epoch some 6 n P + 6 n D "
               "H (D features, H inputs of the term); memory of P numbers and of a chunk's units",
       .reference = "Wilson, Hu, Salakhutdinov and Xing 2016; Kingma and Ba 2015 (Adam); Loshchilov and Hutter 2019 "
                    "(decoupled decay)",
       .accuracy = "its features are its kernel",
       .keys = {"network.inputs", "network.widths", "network.activation", "network.residual", "network.skip",
                "network.training", "network.epochs", "network.batch", "network.step", "network.decay", "terms"},
       .recipe =
           R"({"model": "deep", "network": {"widths": [256, 256, 64]}, "terms": [{"model": "ssgpr", "features": {"frequencies": 128}}]})"},
      make_deep,
      load_deep};
}

}  // namespace alacarte
