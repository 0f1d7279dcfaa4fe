#pragma once
// Version and build of the library; recorded in every model.

namespace alacarte {

/// "0.2.0": the version of the project at the time the library was built.
const char* version();

/// Where a build came from, for results that must be traced: commit of the sources ("unknown" outside a checkout; "+"
/// behind it when files differed), compiler with version, and its flags.
struct BuildInfo {
  const char *commit, *compiler, *flags;  ///< as one line each, never null
};
BuildInfo build_info();  ///< of this library

}  // namespace alacarte
