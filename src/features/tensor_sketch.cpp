// The polynomial kernel by tensor sketches; the algebra is in prepared_sketch.hpp.
#include <cmath>

#include "features/prepared_sketch.hpp"
#include "features/slots.hpp"

namespace alacarte {
namespace {

constexpr Index kMaxSketchDegree = 50;

struct SketchSettings {
  Index degree, sketch;
  double offset;
  bool balanced, learn_lengthscale;
};

class TensorSketchMap final : public LayoutMap {
 public:
  TensorSketchMap(const SketchSettings& settings, Index inputs, SketchHashes hashes)
      : LayoutMap(inputs, settings.sketch),
        settings_(settings),
        hashes_(std::make_shared<const SketchHashes>(std::move(hashes))) {
    if (settings.degree > 1) fourier_ = std::make_shared<const RealFourier>(settings.sketch);
    const double mean = 0.5 * std::log(static_cast<double>(inputs));
    if (settings.learn_lengthscale)
      at_.log_lengthscale =
          layout_.add(normal_slot("tensor-sketch.log_lengthscale", inputs, Vector::Constant(1, mean), 1.5, -10, 18));
    at_.log_amplitude = layout_.add(log_amplitude_slot("tensor-sketch.log_amplitude", 1));
    // Without length-scales the amplitude compensates for the size of the inputs at any degree.
    if (!settings.learn_lengthscale) layout_.slots().back().lower = -300;
    if (settings.offset == 0) return;
    const double start = std::log(settings.offset);
    at_.log_offset = layout_.add(
        normal_slot("tensor-sketch.log_offset", 1, Vector::Constant(1, start), 1.5, start - 12, start + 12));
  }

  SparseSupport sparse_support() const override { return {.inputs = true}; }
  bool has_tangent() const override { return true; }

  // Starts with the amplitude that gives f the target's standard deviation at a row of mean squared length.
  Vector start(const TrainingStatistics& statistics, Index, RandomStream& stream) const override {
    Vector theta = Vector::Zero(layout_.size());
    if (at_.log_lengthscale >= 0) theta.segment(at_.log_lengthscale, inputs_) = ard_start(statistics, stream);
    if (at_.log_offset >= 0) theta[at_.log_offset] = std::log(settings_.offset);
    double square = statistics.sample.rows() == 0
                        ? scale(theta).squaredNorm()
                        : (statistics.sample * scale(theta).asDiagonal()).rowwise().squaredNorm().mean();
    square += offset(theta);
    theta[at_.log_amplitude] = std::log(statistics.target_sd);
    if (square > 0) theta[at_.log_amplitude] -= 0.5 * static_cast<double>(settings_.degree) * std::log(square);
    return inside_bounds(layout_, theta);
  }

  // Reports the amplitude of the value with all inputs 1, the mean size of standardised ones.
  KernelDescription describe(ConstVec theta) const override {
    const Vector relevance = scale(theta);
    const double square = relevance.squaredNorm() + offset(theta);
    KernelDescription report = {
        .amplitude = std::exp(theta[at_.log_amplitude]) * std::pow(square, 0.5 * static_cast<double>(settings_.degree)),
        .relevance = relevance,
        .lengthscale = relevance.cwiseInverse(),
        .degree = settings_.degree};
    if (settings_.offset > 0) report.offset = offset(theta);
    return report;
  }

  void save(TensorBundle& bundle, const std::string& prefix) const override { hashes_->save(bundle, prefix); }

  double work_bytes(int threads) const override {
    const auto p = static_cast<double>(settings_.degree), size = static_cast<double>(settings_.sketch);
    return 8.0 * static_cast<double>(threads) * size * (9 + p + 3) +
           28.0 * p * static_cast<double>(hashes_->coordinates());
  }
  double flops_per_row() const override {
    const auto p = static_cast<double>(settings_.degree), size = static_cast<double>(settings_.sketch);
    const double transforms = settings_.degree == 1 ? 0 : 3 * p + 2;
    return transforms * 2.5 * size * std::log2(size) + p * p * 6 * size +
           6.0 * p * static_cast<double>(hashes_->coordinates());
  }

 private:
  std::unique_ptr<PreparedMap> prepare_at(ConstVec theta) const override {
    return prepare_sketch(hashes_, fourier_, at_, scale(theta), std::sqrt(offset(theta)),
                          std::exp(theta[at_.log_amplitude]));
  }
  /// Returns 1/lengthscale of each input.
  Vector scale(ConstVec theta) const {
    check(theta);
    if (at_.log_lengthscale < 0) return Vector::Ones(inputs_);
    return (-theta.segment(at_.log_lengthscale, inputs_).array()).exp();
  }
  double offset(ConstVec theta) const { return at_.log_offset < 0 ? 0 : std::exp(theta[at_.log_offset]); }

  SketchSettings settings_;
  std::shared_ptr<const SketchHashes> hashes_;
  std::shared_ptr<const RealFourier> fourier_;
  SketchSlots at_;
};

SketchSettings settings_of(const Recipe& recipe) {
  const KernelConfig& kernel = recipe.kernel;
  const FeatureConfig& features = recipe.features;
  if (kernel.degree < 1 || kernel.degree > kMaxSketchDegree)
    throw ConfigError("/kernel/degree", "must be from 1 to 50");
  if (!(kernel.offset >= 0)) throw ConfigError("/kernel/offset", "must not be negative");
  if (features.buckets != SketchBuckets::random && features.buckets != SketchBuckets::balanced)
    throw ConfigError("/features/buckets", "must be 'random' or 'balanced'");
  return {kernel.degree, features.sketch, kernel.offset, features.buckets == SketchBuckets::balanced,
          features.learn_lengthscale};
}

/// Counts the inputs, and the constant.
Index coordinates(const SketchSettings& settings, Index inputs) { return settings.offset > 0 ? inputs + 1 : inputs; }

MapPointer make_tensor_sketch(const Recipe& recipe, Index inputs, const RandomStreams& streams,
                              const TrainingStatistics&) {
  const SketchSettings s = settings_of(recipe);
  return std::make_unique<TensorSketchMap>(
      s, inputs, SketchHashes(s.degree, coordinates(s, inputs), s.sketch, s.balanced, streams));
}

MapPointer load_tensor_sketch(const Recipe& recipe, Index inputs, const TensorBundle& bundle,
                              const std::string& prefix) {
  const SketchSettings s = settings_of(recipe);
  return std::make_unique<TensorSketchMap>(
      s, inputs, SketchHashes(s.degree, coordinates(s, inputs), s.sketch, s.balanced, bundle, prefix));
}

}  // namespace

FeatureMapEntry tensor_sketch_entry() {
  return {
      {.name = "tensor-sketch",
       .description = "Polynomial kernel by tensor sketches (degree 1: a count sketch), dense or sparse rows.",
       .formula = "k(x, x') = v^2 (sum_j x_j x'_j / lengthscale_j^2 + c)^p;  psi(x) = v IFFT(prod_k FFT(C_k x~)), "
                  "x~ = [x ./ lengthscale, sqrt(c)],\nC_k a count sketch: coordinate j goes to number h_k(j) with "
                  "sign s_k(j)",
       .cost = "features n p (nonzeros + D log D); memory D for a row, p d for the hashes",
       .reference = "Pham and Pagh 2013, algorithm 1; Weinberger et al. 2009 for degree 1",
       .accuracy =
           "unbiased, variance at most (2 + 3^p) |x~|^2p |x~'|^2p / D; exact with balanced buckets and D >= (d + 1)^p",
       .fixed = "kernel.degree stays what the recipe says, and an offset of 0 stays 0 (homogeneous)",
       .keys = {"features.sketch", "features.buckets", "features.learn_lengthscale", "kernel.degree", "kernel.offset"},
       .recipe = R"({"model": "tensor-sketch", "features": {"sketch": 512}, "kernel": {"degree": 2, "offset": 1}})"},
      make_tensor_sketch,
      load_tensor_sketch};
}

}  // namespace alacarte
