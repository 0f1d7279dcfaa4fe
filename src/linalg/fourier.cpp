// The transforms by FFTW, or by Eigen's own, which is slower, but not under the GPL.
#include "linalg/fourier.hpp"

#include <vector>

#include "alacarte/core/error.hpp"

#ifdef ALACARTE_HAVE_FFTW
#include <fftw3.h>
#include <mutex>
#else
#include <unsupported/Eigen/FFT>
#endif

namespace alacarte {

#ifdef ALACARTE_HAVE_FFTW

namespace {

/// Guards all functions of FFTW except the execution of a plan, which is thread-safe.
std::mutex fftw_planner;

fftw_complex* as_fftw(std::complex<double>* values) { return reinterpret_cast<fftw_complex*>(values); }

}  // namespace

struct HartleyTransform::Plan {
  fftw_plan plan = nullptr;
};

bool has_fftw() { return true; }

// Plans by ESTIMATE, without timings: equal plans, and equal bits, on every run.
HartleyTransform::HartleyTransform(Index length) : length_(length), plan_(std::make_unique<Plan>()) {
  require(length >= 1 && length <= (Index{1} << 30), "a Hartley transform of that length");
  std::vector<double> in(static_cast<std::size_t>(length)), out(in.size());
  const std::lock_guard lock(fftw_planner);
  plan_->plan = fftw_plan_r2r_1d(static_cast<int>(length), in.data(), out.data(), FFTW_DHT,
                                 FFTW_ESTIMATE | FFTW_UNALIGNED | FFTW_PRESERVE_INPUT);
  require(plan_->plan != nullptr, "FFTW makes a plan");
}

HartleyTransform::~HartleyTransform() {
  const std::lock_guard lock(fftw_planner);
  fftw_destroy_plan(plan_->plan);
}

void HartleyTransform::apply(double* in, double* out) const { fftw_execute_r2r(plan_->plan, in, out); }

struct RealFourier::Plans {
  fftw_plan forward = nullptr, backward = nullptr;
};

// Plans by ESTIMATE, without timings: equal plans, and equal bits, on every run. A real-to-complex plan in one
// dimension leaves its input alone.
RealFourier::RealFourier(Index length) : length_(length), plans_(std::make_unique<Plans>()) {
  require(length >= 1 && length <= (Index{1} << 30), "a Fourier transform of that length");
  const int l = static_cast<int>(length);
  const std::lock_guard lock(fftw_planner);
  double* real = fftw_alloc_real(static_cast<std::size_t>(length));
  fftw_complex* spectrum = fftw_alloc_complex(static_cast<std::size_t>(spectrum_size()));
  plans_->forward = fftw_plan_dft_r2c_1d(l, real, spectrum, FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);
  plans_->backward = fftw_plan_dft_c2r_1d(l, spectrum, real, FFTW_ESTIMATE | FFTW_DESTROY_INPUT);
  fftw_free(real);
  fftw_free(spectrum);
  require(plans_->forward != nullptr && plans_->backward != nullptr, "FFTW makes a plan");
}

RealFourier::~RealFourier() {
  const std::lock_guard lock(fftw_planner);
  fftw_destroy_plan(plans_->forward);
  fftw_destroy_plan(plans_->backward);
}

void RealFourier::forward(const double* in, std::complex<double>* spectrum) const {
  fftw_execute_dft_r2c(plans_->forward, const_cast<double*>(in), as_fftw(spectrum));
}
void RealFourier::backward(std::complex<double>* spectrum, double* out) const {
  fftw_execute_dft_c2r(plans_->backward, as_fftw(spectrum), out);
}

#else

namespace {

/// Returns the transform of this thread, which keeps plans and scratch between calls.
Eigen::FFT<double>& own_transform() {
  using Transform = Eigen::FFT<double>;
  thread_local Transform transform(Transform::impl_type(),
                                   Transform::Flag(Transform::HalfSpectrum | Transform::Unscaled));
  return transform;
}

/// Computes RealFourier::forward(). Eigen 3.4 has no plan for one number.
void half_spectrum(const double* in, Index length, std::complex<double>* spectrum) {
  if (length == 1)
    spectrum[0] = in[0];
  else
    own_transform().fwd(spectrum, in, length);
}

}  // namespace

struct HartleyTransform::Plan {};
struct RealFourier::Plans {};

bool has_fftw() { return false; }

HartleyTransform::HartleyTransform(Index length) : length_(length) {
  require(length >= 1 && length <= (Index{1} << 30), "a Hartley transform of that length");
}
HartleyTransform::~HartleyTransform() = default;
void HartleyTransform::apply(double* in, double* out) const {
  thread_local std::vector<std::complex<double> > spectrum;
  spectrum.resize(static_cast<std::size_t>(length_ / 2 + 1));
  half_spectrum(in, length_, spectrum.data());
  // The missing half is the complex conjugate.
  for (Index k = 0; k <= length_ / 2; ++k) {
    const std::complex<double> y = spectrum[static_cast<std::size_t>(k)];
    if (k > 0) out[length_ - k] = y.real() + y.imag();
    out[k] = y.real() - y.imag();
  }
}

RealFourier::RealFourier(Index length) : length_(length) {
  require(length >= 1 && length <= (Index{1} << 30), "a Fourier transform of that length");
}
RealFourier::~RealFourier() = default;
void RealFourier::forward(const double* in, std::complex<double>* spectrum) const {
  half_spectrum(in, length_, spectrum);
}
void RealFourier::backward(std::complex<double>* spectrum, double* out) const {
  if (length_ == 1)
    out[0] = spectrum[0].real();
  else
    own_transform().inv(out, spectrum, length_);
}

#endif

}  // namespace alacarte
