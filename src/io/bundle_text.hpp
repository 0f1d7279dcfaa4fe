#pragma once
// The model file before its checksum: shared by parse_bundle and by the fuzzer, which cannot guess SHA-256.
#include <string>

#include "alacarte/io/model_file.hpp"

namespace alacarte {

/// Everything parse_bundle checks but the checksum; `digest` receives the one that the file claims.
ModelFile parse_bundle_unchecked(const std::string& bytes, const std::string& name, std::string& digest);

/// SHA-256 in lower-case hex of `bytes`.
std::string sha256_hex(const std::string& bytes);

}  // namespace alacarte
