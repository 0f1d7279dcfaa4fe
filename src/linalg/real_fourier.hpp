#pragma once
// The discrete Fourier transform of real numbers, the half of it that is not its own mirror image:
//   y_k = sum_j x_j exp(-2 pi i jk / l),  k = 0 .. floor(l / 2),
// and back. By FFTW, where the build has it (ALACARTE_FFTW; has_fftw() of hartley.hpp says), otherwise by Eigen.
#include <alacarte/core/types.hpp>
#include <complex>
#include <memory>

namespace alacarte {

/// Const and shared by threads. All arrays begin on a multiple of 16 bytes and lie apart.
class RealFourier {
 public:
  /// length >= 1, any; powers of two are fastest.
  explicit RealFourier(Index length);
  ~RealFourier();
  RealFourier(const RealFourier&) = delete;
  RealFourier& operator=(const RealFourier&) = delete;

  Index length() const { return length_; }                 ///< l
  Index spectrum_size() const { return length_ / 2 + 1; }  ///< complex numbers of a spectrum
  /// in (length()) stays; spectrum (spectrum_size()). Cost O(l log l). Allocates nothing; without FFTW, in the first
  /// call of a thread.
  void forward(const double* in, std::complex<double>* spectrum) const;
  /// out (length()) = length() times the inverse; the spectrum is destroyed.
  void backward(std::complex<double>* spectrum, double* out) const;

 private:
  struct Plans;
  Index length_;
  std::unique_ptr<Plans> plans_;
};

}  // namespace alacarte
