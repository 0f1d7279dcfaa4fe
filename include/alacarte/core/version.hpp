#pragma once
// Which library this is; every model says which one trained it.

namespace alacarte {

/// "0.1.0": the version of the project at the time the library was built.
const char* version();

}  // namespace alacarte
