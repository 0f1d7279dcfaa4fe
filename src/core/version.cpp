#include "alacarte/core/version.hpp"

namespace alacarte {

const char* version() { return ALACARTE_LIBRARY_VERSION; }

}  // namespace alacarte
