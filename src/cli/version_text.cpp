#include "version_text.hpp"

#include <fmt/format.h>

#include <Eigen/Core>

#include "alacarte/core/threads.hpp"
#include "alacarte/core/version.hpp"
#include "alacarte/linalg/hartley.hpp"
#include "alacarte/linalg/simd.hpp"
#ifdef ALACARTE_HAVE_OPENBLAS
#include <cblas.h>
#endif

namespace alacarte::cli {
namespace {

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

std::string blas() {
#ifdef ALACARTE_HAVE_OPENBLAS
  return ::openblas_get_config();
#else
  return fmt::format("Eigen {}.{}.{} (no external BLAS)", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
                     EIGEN_MINOR_VERSION);
#endif
}

}  // namespace

std::string version_text(const std::string& program) {
  return fmt::format("{} {}\ncompiler {}\nBLAS {}\nFourier draws {}\nkernels {}\nthreads {}", program,
                     alacarte::version(), compiler(), blas(), has_fftw() ? "FFTW (GPL)" : "none",
                     simd_path_name(simd_path()), hardware_threads());
}

}  // namespace alacarte::cli
