#include "features/prepared_sketch.hpp"

#include "features/tiles.hpp"

namespace alacarte {
namespace {

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

class PreparedSketch final : public PreparedMap {
 public:
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

}  // namespace

std::unique_ptr<PreparedMap> prepare_sketch(std::shared_ptr<const SketchHashes> hashes,
                                            std::shared_ptr<const RealFourier> fourier, SketchSlots slots,
                                            const Vector& scale, double root_offset, double amplitude) {
  return std::make_unique<PreparedSketch>(std::move(hashes), std::move(fourier), slots, scale, root_offset, amplitude);
}

}  // namespace alacarte
