#pragma once
// Version and build of the library; recorded in every model.

namespace alacarte {

/// Returns the version of the project at build time, "0.2.0".
const char* version();

/// Origin of a build, for results that must be traced: commit of the sources ("unknown" outside a checkout; "+"
/// appended when files differed), compiler with version, and its flags.
struct BuildInfo {
  const char *commit, *compiler, *flags;  ///< one line each, never null
};
BuildInfo build_info();  ///< build of this library

}  // namespace alacarte
