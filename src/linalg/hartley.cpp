#include "alacarte/linalg/hartley.hpp"

#include "alacarte/core/error.hpp"

#ifdef ALACARTE_HAVE_FFTW
#include <fftw3.h>

#include <vector>

#include "linalg/fftw_planner.hpp"
#endif

namespace alacarte {

#ifdef ALACARTE_HAVE_FFTW

struct HartleyTransform::Plan {
  fftw_plan plan = nullptr;
};

bool has_fftw() { return true; }

// ESTIMATE: no timing, so the same plan, and the same bits, on every run.
HartleyTransform::HartleyTransform(Index length) : length_(length), plan_(std::make_unique<Plan>()) {
  require(length >= 1 && length <= (Index{1} << 30), "a Hartley transform of that length");
  std::vector<double> in(static_cast<std::size_t>(length)), out(in.size());
  const std::lock_guard lock(fftw_planner());
  plan_->plan = fftw_plan_r2r_1d(static_cast<int>(length), in.data(), out.data(), FFTW_DHT,
                                 FFTW_ESTIMATE | FFTW_UNALIGNED | FFTW_PRESERVE_INPUT);
  require(plan_->plan != nullptr, "FFTW makes a plan");
}

HartleyTransform::~HartleyTransform() {
  const std::lock_guard lock(fftw_planner());
  fftw_destroy_plan(plan_->plan);
}

void HartleyTransform::apply(double* in, double* out) const { fftw_execute_r2r(plan_->plan, in, out); }

#else

struct HartleyTransform::Plan {};

bool has_fftw() { return false; }

HartleyTransform::HartleyTransform(Index length) : length_(length) {
  throw ConfigError("/features/draws", "'fft' needs a build with FFTW (-DALACARTE_FFTW=ON)");
}
HartleyTransform::~HartleyTransform() = default;
void HartleyTransform::apply(double*, double*) const {}

#endif

}  // namespace alacarte
