#include "alacarte/core/version.hpp"

#include "alacarte_build_info.hpp"

namespace alacarte {

const char* version() { return ALACARTE_LIBRARY_VERSION; }

BuildInfo build_info() { return {ALACARTE_BUILD_COMMIT, ALACARTE_BUILD_COMPILER, ALACARTE_BUILD_FLAGS}; }

}  // namespace alacarte
