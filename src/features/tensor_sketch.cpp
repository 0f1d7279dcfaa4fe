// The polynomial kernel by tensor sketches (Pham and Pagh 2013): with x~ = [x ./ lengthscale, sqrt(c)] and p count
// sketches C_k into R^D,
//   psi(x) = a C_1 x~ * .. * C_p x~   (cyclic convolution),   (C_k v)_i = sum of s_k(j) v_j over the j with h_k(j) = i,
// is the count sketch of the p-fold tensor product of x~, so E psi(x).psi(x') = a^2 (x~.x~')^p. The convolution is a
// product of Fourier transforms; degree 1 is a count sketch without transforms. Rows may be dense or sparse.
#include <cmath>
#include <memory>

#include "features/maps.hpp"
#include "features/sketch_hashes.hpp"
#include "features/slots.hpp"
#include "features/tiles.hpp"
#include "linalg/fourier.hpp"

namespace alacarte {
namespace {

/// Offsets of the parameters of a sketch in theta; -1 for absent ones.
struct SketchSlots {
  Index log_lengthscale = -1;  ///< (d)
  Index log_amplitude = 0;     ///< log a
  Index log_offset = -1;       ///< log c
};

using Complex = std::complex<double>;

constexpr Index kSketchRows = 8;  // one cache line of a column-major matrix
constexpr Index kLine = kCacheLineBytes / static_cast<Index>(sizeof(double));

Index whole_lines(Index numbers) { return (numbers + kLine - 1) / kLine * kLine; }

/// Work space of a thread: a tile of rows, one sketch, and the spectra of a row.
struct SketchWork {
  SketchWork(Index sketch, Index spectra)
      : stride(whole_lines(sketch)), spectrum_stride(whole_lines(2 * (sketch / 2 + 1))), frame(size(sketch, spectra)) {
    tile = frame.take(kSketchRows * stride);
    count = frame.take(stride);
    spectrum = frame.take(spectra * spectrum_stride);
  }
  static Index size(Index sketch, Index spectra) {
    return (kSketchRows + 1) * whole_lines(sketch) + spectra * whole_lines(2 * (sketch / 2 + 1));
  }
  Complex* at(Index k) const { return reinterpret_cast<Complex*>(spectrum + k * spectrum_stride); }

  Index stride, spectrum_stride;
  ScratchFrame frame;
  double *tile, *count, *spectrum;
};

/// Cost of a row: forward O(p (nonzeros + D log D)), backward three times that and O(p^2 D).
class PreparedSketch final : public PreparedMap {
 public:
  /// hashes: h_k and s_k of d coordinates, or d + 1 if c > 0; fourier: transforms of length D, nullptr for degree 1;
  /// scale (d): 1/lengthscale; root_offset: sqrt(c); amplitude: a.
  PreparedSketch(std::shared_ptr<const SketchHashes> hashes, std::shared_ptr<const RealFourier> fourier,
                 SketchSlots slots, const Vector& scale, double root_offset, double amplitude)
      : hashes_(std::move(hashes)),
        fourier_(std::move(fourier)),
        slots_(slots),
        inputs_(scale.size()),
        weights_(hashes_->coordinates(), hashes_->degree()),
        amplitude_(amplitude) {
    for (Index k = 0; k < hashes_->degree(); ++k)
      for (Index j = 0; j < hashes_->coordinates(); ++j)
        weights_(j, k) = hashes_->signs(k)[j] * (j < inputs_ ? scale[j] : root_offset);
  }

  void forward(const InputView& x, FeatureBlock features) const override {
    const Index size = hashes_->sketch();
    MatRef psi = features.dense();
    require(x.cols() == inputs_ && psi.rows() == x.rows() && psi.cols() == size, "feature map: shapes");
    SketchWork work(size, 2);
    const double scale = hashes_->degree() == 1 ? amplitude_ : amplitude_ / static_cast<double>(size);
    for (Index first = 0; first < x.rows(); first += kSketchRows) {
      const Index rows = std::min(kSketchRows, x.rows() - first);
      for (Index r = 0; r < rows; ++r) convolve(x, first + r, work, work.tile + r * work.stride);
      for (Index i = 0; i < size; ++i)
        for (Index r = 0; r < rows; ++r) psi(first + r, i) = scale * work.tile[r * work.stride + i];
    }
  }

  // Correlates psi_bar with the convolution of the other sketches, which gives the cotangent of a sketch.
  void backward(const InputView& x, ConstMat psi, ConstMat psi_bar, VecRef sums) const override {
    const Index size = hashes_->sketch(), degree = hashes_->degree();
    require(x.cols() == inputs_ && psi.rows() == x.rows() && psi.cols() == size && psi_bar.rows() == x.rows() &&
                psi_bar.cols() == size && sums.size() == accumulator_size(),
            "feature map: shapes");
    for (Index i = 0; i < size; ++i) sums[coordinates()] += psi.col(i).dot(psi_bar.col(i));
    SketchWork work(size, degree == 1 ? 0 : degree + 2);
    for (Index first = 0; first < x.rows(); first += kSketchRows) {
      const Index rows = std::min(kSketchRows, x.rows() - first);
      for (Index i = 0; i < size; ++i)
        for (Index r = 0; r < rows; ++r) work.tile[r * work.stride + i] = amplitude_ * psi_bar(first + r, i);
      for (Index r = 0; r < rows; ++r) pull_back(x, first + r, work.tile + r * work.stride, work, sums);
    }
  }

  // Applies the product rule: the convolution of k sketches is kept with its tangent, and both take the next one.
  void forward_tangent(const InputView& x, ConstMat, ConstMat x_dot, MatRef psi_dot) const override {
    const Index size = hashes_->sketch();
    require(x.cols() == inputs_ && x_dot.cols() == inputs_ && x_dot.rows() == x.rows() && psi_dot.rows() == x.rows() &&
                psi_dot.cols() == size,
            "feature map: shapes");
    SketchWork work(size, 5);
    const InputView direction(x_dot);
    const double scale = hashes_->degree() == 1 ? amplitude_ : amplitude_ / static_cast<double>(size);
    for (Index row = 0; row < x.rows(); ++row) {
      convolve_tangent(x, direction, row, work, work.tile);
      for (Index i = 0; i < size; ++i) psi_dot(row, i) = scale * work.tile[i];
    }
  }

  /// Counts x~_bar x~ for each coordinate, then psi_bar psi.
  Index accumulator_size() const override { return coordinates() + 1; }

  void finish(ConstVec sums, VecRef theta_bar) const override {
    require(sums.size() == accumulator_size(), "feature map: sums of another map");
    if (slots_.log_lengthscale >= 0) theta_bar.segment(slots_.log_lengthscale, inputs_) -= sums.head(inputs_);
    if (slots_.log_offset >= 0) theta_bar[slots_.log_offset] += 0.5 * sums[inputs_];
    theta_bar[slots_.log_amplitude] += sums[coordinates()];
  }

 private:
  Index coordinates() const { return hashes_->coordinates(); }

  /// Adds the k-th count sketch of a row to zeros; `constant`: with the constant coordinate.
  void count(const InputView& x, Index row, Index k, double* out, bool constant = true) const {
    std::fill(out, out + hashes_->sketch(), 0.0);
    const std::int32_t* bucket = hashes_->buckets(k);
    const double* weight = weights_.col(k).data();
    x.for_each_entry(row, [&](Index j, double value) { out[bucket[j]] += weight[j] * value; });
    if (constant && coordinates() > inputs_) out[bucket[inputs_]] += weight[inputs_];
  }

  /// Computes D times the convolution of a row's sketches; a single sketch is itself.
  void convolve(const InputView& x, Index row, const SketchWork& work, double* out) const {
    if (hashes_->degree() == 1) return count(x, row, 0, out);
    Complex *product = work.at(0), *factor = work.at(1);
    for (Index k = 0; k < hashes_->degree(); ++k) {
      count(x, row, k, work.count);
      fourier_->forward(work.count, k == 0 ? product : factor);
      if (k > 0) multiply(product, factor, product);
    }
    fourier_->backward(product, out);
  }

  /// Computes the derivative of convolve() along a row of x_dot.
  void convolve_tangent(const InputView& x, const InputView& x_dot, Index row, const SketchWork& work,
                        double* out) const {
    if (hashes_->degree() == 1) return count(x_dot, row, 0, out, false);
    Complex *product = work.at(0), *product_dot = work.at(1), *factor = work.at(2), *factor_dot = work.at(3);
    Complex* added = work.at(4);
    for (Index k = 0; k < hashes_->degree(); ++k) {
      count(x, row, k, work.count);
      fourier_->forward(work.count, k == 0 ? product : factor);
      count(x_dot, row, k, work.count, false);
      fourier_->forward(work.count, k == 0 ? product_dot : factor_dot);
      if (k == 0) continue;
      multiply(product, factor_dot, added);
      multiply(product_dot, factor, product_dot);
      for (Index i = 0; i < fourier_->spectrum_size(); ++i) product_dot[i] += added[i];
      multiply(product, factor, product);
    }
    fourier_->backward(product_dot, out);
  }

  // Uses spectra: one of each sketch; that of psi_bar, times the sketches before the k-th; the result.
  void pull_back(const InputView& x, Index row, const double* psi_bar, const SketchWork& work, VecRef sums) const {
    const Index degree = hashes_->degree();
    if (degree == 1) return collect(x, row, 0, psi_bar, 1, sums);
    for (Index k = 0; k < degree; ++k) {
      count(x, row, k, work.count);
      fourier_->forward(work.count, work.at(k));
    }
    Complex *before = work.at(degree), *back = work.at(degree + 1);
    fourier_->forward(psi_bar, before);
    for (Index k = 0; k < degree; ++k) {
      std::copy(before, before + fourier_->spectrum_size(), back);
      for (Index other = k + 1; other < degree; ++other) multiply_conjugate(back, work.at(other), back);
      fourier_->backward(back, work.count);
      collect(x, row, k, work.count, 1 / static_cast<double>(hashes_->sketch()), sums);
      multiply_conjugate(before, work.at(k), before);
    }
  }

  /// Adds count_bar of the k-th sketch of a row, times `factor`, to the sums of the coordinates.
  void collect(const InputView& x, Index row, Index k, const double* count_bar, double factor, VecRef sums) const {
    const std::int32_t* bucket = hashes_->buckets(k);
    const double* weight = weights_.col(k).data();
    x.for_each_entry(row, [&](Index j, double value) { sums[j] += factor * weight[j] * value * count_bar[bucket[j]]; });
    if (coordinates() > inputs_) sums[inputs_] += factor * weight[inputs_] * count_bar[bucket[inputs_]];
  }

  // Multiplies by parts: the library's product of complex numbers checks for infinities.
  void multiply(const Complex* a, const Complex* b, Complex* out) const {
    for (Index i = 0; i < fourier_->spectrum_size(); ++i)
      out[i] = {a[i].real() * b[i].real() - a[i].imag() * b[i].imag(),
                a[i].real() * b[i].imag() + a[i].imag() * b[i].real()};
  }
  void multiply_conjugate(const Complex* a, const Complex* b, Complex* out) const {
    for (Index i = 0; i < fourier_->spectrum_size(); ++i)
      out[i] = {a[i].real() * b[i].real() + a[i].imag() * b[i].imag(),
                a[i].imag() * b[i].real() - a[i].real() * b[i].imag()};
  }

  std::shared_ptr<const SketchHashes> hashes_;
  std::shared_ptr<const RealFourier> fourier_;
  SketchSlots slots_;
  Index inputs_;
  Matrix weights_;  // (coordinates, degree) sign times scale of the coordinate
  double amplitude_;
};

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
    return std::make_unique<PreparedSketch>(hashes_, fourier_, at_, scale(theta), std::sqrt(offset(theta)),
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
