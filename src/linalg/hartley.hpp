#pragma once
// The discrete Hartley transform, the real form of Fourier's: F_jk = cos(2 pi jk / l) + sin(2 pi jk / l), F F = l I,
// symmetric, hence self-adjoint like the Hadamard matrix. Computed by FFTW if the build has it (ALACARTE_FFTW), else by
// Eigen.
#include <alacarte/core/types.hpp>
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

}  // namespace alacarte
