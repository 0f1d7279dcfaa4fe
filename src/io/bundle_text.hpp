#pragma once
// The model file before its checksum, shared by parse_bundle and the fuzzer, which cannot guess SHA-256.
#include <string>

#include "alacarte/io/model_file.hpp"

namespace alacarte {

/// Parses a bundle and checks all except the checksum; `digest` receives the one in the file.
ModelFile parse_bundle_unchecked(const std::string& bytes, const std::string& name, std::string& digest);

}  // namespace alacarte
