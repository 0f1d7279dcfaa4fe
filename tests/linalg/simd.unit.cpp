#include "linalg/simd.hpp"

#include <stdexcept>

#include "alacarte/core/error.hpp"
#include "simd_scope.hpp"

namespace alacarte {
namespace {

TEST(Simd, PlainIsAlwaysThereAndNamesGoBothWays) {
  const std::vector<SimdPath> paths = simd_paths();
  ASSERT_FALSE(paths.empty());
  EXPECT_EQ(paths.front(), SimdPath::plain);
  const SimdPath before = simd_path();
  for (const SimdPath path : paths) {
    choose_simd_path(simd_path_name(path));
    EXPECT_EQ(simd_path(), path);
  }
  choose_simd_path("");
  EXPECT_EQ(simd_path(), paths.back());
  set_simd_path(before);
}

TEST(Simd, AnUnknownNameIsRefusedWithWhatThereIs) {
  try {
    choose_simd_path("sse9");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("plain"), std::string::npos) << error.what();
  }
  if (simd_paths().back() != SimdPath::avx512) {
    EXPECT_THROW(set_simd_path(SimdPath::avx512), std::invalid_argument);
  }
}

// Kernels are chosen for a processor newer than the BLAS; its choice for known ones stands.
TEST(Simd, TheBlasIsToldItsKernelsOnlyWhereItDoesNotKnowTheProcessor) {
  for (const char* fallback : {"Prescott", "Nehalem", "Barcelona"}) {
    EXPECT_STREQ(better_blas_kernels(fallback, SimdPath::avx512), "SkylakeX");
    EXPECT_STREQ(better_blas_kernels(fallback, SimdPath::avx2), "Haswell");
    EXPECT_STREQ(better_blas_kernels(fallback, SimdPath::sse42), "");
    EXPECT_STREQ(better_blas_kernels(fallback, SimdPath::plain), "");
  }
  for (const char* known : {"Haswell", "Zen", "SkylakeX", "Cooperlake", "Sapphirerapids", "armv8", ""})
    EXPECT_STREQ(better_blas_kernels(known, SimdPath::avx512), "");
}

}  // namespace
}  // namespace alacarte
