#pragma once
// Names of parameters of tests.
#include <algorithm>
#include <string>

namespace alacarte {

/// GoogleTest takes letters, digits and underscores alone.
inline std::string test_name(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace alacarte
