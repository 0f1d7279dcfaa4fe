#pragma once
// The discrete Hartley transform, the real form of Fourier's: F_jk = cos(2 pi jk / l) + sin(2 pi jk / l), F F = l I,
// symmetric, hence self-adjoint like the Hadamard matrix; and the discrete Fourier transform of real numbers, without
// its redundant half: y_k = sum_j x_j exp(-2 pi i jk / l), k = 0 .. floor(l / 2), and back. FFTW computes them if the
// build has it (ALACARTE_FFTW), otherwise Eigen.
#include <alacarte/core/types.hpp>
#include <complex>
#include <memory>

namespace alacarte {

/// Returns true if this build has FFTW.
bool has_fftw();

/// A Hartley transform of one length. Const and shared by threads.
class HartleyTransform {
 public:
  /// Takes any length >= 1; powers of two are fastest.
  explicit HartleyTransform(Index length);
  ~HartleyTransform();
  HartleyTransform(const HartleyTransform&) = delete;
  HartleyTransform& operator=(const HartleyTransform&) = delete;

  Index length() const { return length_; }  ///< l
  /// Computes out = F in; both have length() numbers and do not overlap. Cost O(l log l). Allocates nothing; without
  /// FFTW, only in the first call of a thread.
  void apply(double* in, double* out) const;

 private:
  struct Plan;
  Index length_;
  std::unique_ptr<Plan> plan_;
};

/// A Fourier transform of one length. Const and shared by threads. Arrays are 16-byte aligned and do not overlap.
class RealFourier {
 public:
  /// Takes any length >= 1; powers of two are fastest.
  explicit RealFourier(Index length);
  ~RealFourier();
  RealFourier(const RealFourier&) = delete;
  RealFourier& operator=(const RealFourier&) = delete;

  Index length() const { return length_; }                 ///< l
  Index spectrum_size() const { return length_ / 2 + 1; }  ///< complex numbers of a spectrum
  /// Transforms in (length()), which is kept, into spectrum (spectrum_size()). Cost O(l log l). Allocates nothing;
  /// without FFTW, only in the first call of a thread.
  void forward(const double* in, std::complex<double>* spectrum) const;
  /// Computes out (length()) = length() times the inverse; destroys the spectrum.
  void backward(std::complex<double>* spectrum, double* out) const;

 private:
  struct Plans;
  Index length_;
  std::unique_ptr<Plans> plans_;
};

}  // namespace alacarte
