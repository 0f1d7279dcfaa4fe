// The min-max kernel by consistent weighted samples: each of k samples gives a row one nonzero feature,
//   psi_{j, code_j(x)}(x) = a / sqrt(k),   so psi(x).psi(x') = a^2 times the share of the samples that agree.
#include <cmath>

#include "features/consistent_sampling.hpp"
#include "features/maps.hpp"
#include "features/slots.hpp"

namespace alacarte {
namespace {

/// Returns the codes of the most recent rows of this thread.
std::vector<std::int32_t>& thread_codes() {
  thread_local std::vector<std::int32_t> codes;
  return codes;
}

/// Returns x as CSR rows; dense rows are converted in memory that the thread keeps until its next call.
SparseView nonzeros_of(const InputView& x) {
  if (x.is_sparse()) return x.sparse();
  thread_local SparseRows rows;
  to_sparse(x.dense(), rows);
  return rows.view();
}

/// Calls visit(row, feature) for each nonzero feature, row by row, ascending.
template <class Visit>
void each_one(const ConsistentSampler& sampler, const InputView& x, const Visit& visit) {
  std::vector<std::int32_t>& codes = thread_codes();
  sampler.sample(nonzeros_of(x), codes);
  const std::int32_t* code = codes.data();
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < sampler.samples(); ++j) visit(i, j * sampler.code_count() + *code++);
}

/// Predicts by summing the weights of the codes.
class CodePredictor final : public LinearPredictor {
 public:
  CodePredictor(std::shared_ptr<const ConsistentSampler> sampler, double value, ConstVec weights)
      : sampler_(std::move(sampler)), weights_(value * weights) {}
  void add(const InputView& x, VecRef f) const override {
    require(f.size() == x.rows() && x.cols() == sampler_->inputs(), "one sum for each row");
    each_one(*sampler_, x, [&](Index row, Index feature) { f[row] += weights_[feature]; });
  }

 private:
  std::shared_ptr<const ConsistentSampler> sampler_;
  Vector weights_;
};

class PreparedSamples final : public PreparedMap {
 public:
  PreparedSamples(std::shared_ptr<const ConsistentSampler> sampler, double amplitude)
      : sampler_(std::move(sampler)), value_(amplitude / std::sqrt(static_cast<double>(sampler_->samples()))) {}

  void forward(const InputView& x, FeatureBlock psi) const override {
    require(x.cols() == sampler_->inputs(), "feature map: shapes");
    psi.is_sparse() ? forward_sparse(x, psi.sparse()) : forward_dense(x, psi.dense());
  }
  std::unique_ptr<LinearPredictor> linear_predictor(ConstVec weights, FloatType) const override {
    return std::make_unique<CodePredictor>(sampler_, value_, weights);
  }

  // Uses that psi is proportional to the amplitude, the only parameter.
  void backward(const InputView&, ConstMat psi, ConstMat psi_bar, VecRef sums) const override {
    for (Index i = 0; i < psi.cols(); ++i) sums[0] += psi.col(i).dot(psi_bar.col(i));
  }
  Index accumulator_size() const override { return 1; }
  void finish(ConstVec sums, VecRef theta_bar) const override { theta_bar[0] += sums[0]; }

 private:
  Index features() const { return sampler_->samples() * sampler_->code_count(); }

  void forward_dense(const InputView& x, MatRef psi) const {
    require(psi.rows() == x.rows() && psi.cols() == features(), "feature map: shapes");
    psi.setZero();
    each_one(*sampler_, x, [&](Index row, Index feature) { psi(row, feature) = value_; });
  }
  void forward_sparse(const InputView& x, SparseRows& psi) const {
    psi.clear(features());
    each_one(*sampler_, x, [&](Index row, Index feature) {
      if (psi.rows() < row) psi.end_row();
      psi.add(feature, value_);
    });
    while (psi.rows() < x.rows()) psi.end_row();
  }

  std::shared_ptr<const ConsistentSampler> sampler_;
  double value_;
};

class ConsistentSamplesMap final : public LayoutMap {
 public:
  ConsistentSamplesMap(std::uint64_t key, Index inputs, const FeatureConfig& config)
      : LayoutMap(inputs, 0),
        key_(key),
        sampler_(std::make_shared<const ConsistentSampler>(key, inputs, config.samples, config.bits,
                                                           config.code == SampleCode::full)) {
    features_ = sampler_->samples() * sampler_->code_count();
    layout_.add(log_amplitude_slot("gcws.log_amplitude", 1));
  }

  SparseSupport sparse_support() const override { return {.inputs = true, .features = true}; }
  Vector start(const TrainingStatistics& statistics, Index k, RandomStream&) const override {
    return inside_bounds(layout_,
                         Vector::Constant(1, std::log(statistics.target_sd) + 0.5 * static_cast<double>(k % 5)));
  }
  // Gives all inputs equal relevance.
  KernelDescription describe(ConstVec theta) const override {
    return {.amplitude = std::exp(theta[0]), .relevance = Vector::Ones(input_count())};
  }
  void save(TensorBundle& bundle, const std::string& prefix) const override {
    bundle.put_vector(prefix + "gcws.key",
                      Eigen::Vector3d(static_cast<double>(sampler_->samples()), static_cast<double>(input_count()),
                                      static_cast<double>(key_)));
  }
  double work_bytes(int threads) const override { return static_cast<double>(threads) * sampler_->work_bytes(); }
  double flops_per_row() const override {
    return 12.0 * static_cast<double>(sampler_->samples() * input_count()) + 2.0 * static_cast<double>(feature_count());
  }

 private:
  std::unique_ptr<PreparedMap> prepare_at(ConstVec theta) const override {
    return std::make_unique<PreparedSamples>(sampler_, std::exp(theta[0]));
  }

  std::uint64_t key_;
  std::shared_ptr<const ConsistentSampler> sampler_;
};

constexpr double kKeys = 9007199254740992.0;  // 2^53: whole numbers that a double represents

void check_gcws(const Recipe& recipe) {
  const FeatureConfig& config = recipe.features;
  if (config.samples < 1) throw ConfigError("/features/samples", "must be at least 1");
  if (config.bits < 1 || config.bits > 24) throw ConfigError("/features/bits", "must be from 1 to 24");
}

MapPointer make_gcws(const Recipe& recipe, Index inputs, const RandomStreams& streams, const TrainingStatistics&) {
  check_gcws(recipe);
  RandomStream stream = streams.stream("gcws.key");
  const auto key = static_cast<std::uint64_t>(stream.below(static_cast<std::int64_t>(kKeys)));
  return std::make_unique<ConsistentSamplesMap>(key, inputs, recipe.features);
}

MapPointer load_gcws(const Recipe& recipe, Index inputs, const TensorBundle& bundle, const std::string& prefix) {
  check_gcws(recipe);
  const Vector stored = bundle.vector(prefix + "gcws.key", 3);
  if (stored[0] != static_cast<double>(recipe.features.samples) || stored[1] != static_cast<double>(inputs) ||
      !(stored[2] >= 0 && stored[2] < kKeys))
    throw IoError("model file", "tensor '" + prefix + "gcws.key' is of other samples");
  return std::make_unique<ConsistentSamplesMap>(static_cast<std::uint64_t>(stored[2]), inputs, recipe.features);
}

}  // namespace

FeatureMapEntry gcws_entry() {
  return {
      {.name = "gcws",
       .description = "Min-max kernel by consistent weighted samples: one-hot codes, for dense or sparse rows.",
       .formula = "k(x, x') = v^2 sum_i min(u_i, u'_i) / sum_i max(u_i, u'_i),  u = [max(x, 0), max(-x, 0)];  psi has "
                  "v / sqrt(k) at the code of each\nof k samples, the b lowest bits of i* (zero-bit) or of a hash of "
                  "(i*, t*) (full), and 0 elsewhere",
       .cost = "features n k nonzeros; D = k 2^b, of which k are not 0 (zero-bit: k min(2^b, 2d + 1)); memory none",
       .reference = "Li 2017 (Linearized GMM kernels), algorithm 1; Ioffe 2010",
       .accuracy = "full: k + (v^2 - k) / 2^b, variance k (v^2 - k) / samples; zero-bit: above that kernel, "
                   "a little for many inputs, far\nfor few: of one input the features are those of its sign",
       .keys = {"features.samples", "features.bits", "features.code"},
       .recipe = R"({"model": "gcws", "scale": {"inputs": "none"}, "features": {"samples": 128, "bits": 4}})"},
      make_gcws,
      load_gcws};
}

}  // namespace alacarte
