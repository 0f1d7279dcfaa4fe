#pragma once
// Names of test parameters.
#include <algorithm>
#include <string>

namespace alacarte {

/// Replaces characters that GoogleTest does not accept: it takes only letters, digits and underscores.
inline std::string test_name(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace alacarte
