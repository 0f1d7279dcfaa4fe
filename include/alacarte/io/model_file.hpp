#pragma once
// A model file: safetensors layout (8-byte little-endian header length, JSON header, tensors), so that any safetensors
// reader opens it. The document is a JSON string under "__metadata__"/"alacarte"; "__metadata__"/"sha256" is the
// SHA-256 of the whole file with that digest's own 64 characters taken as '0'.
#include <alacarte/core/tensor_bundle.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace alacarte {

/// Contents of a model file: named tensors and one JSON document, an object.
struct ModelFile : TensorBundle {
  nlohmann::json document = nlohmann::json::object();  ///< recipe, schema, scales and summaries
};

inline constexpr int kModelFormatVersion = 1;  ///< version written into every file; readers refuse larger ones
/// Largest model read from a pipe or device, in bytes; a file may have any size.
inline constexpr std::uint64_t kMaxStreamedModelBytes = std::uint64_t{256} << 20;

/// Writes the file atomically. Throws IoError.
void write_bundle(const std::string& path, const ModelFile& bundle);
/// Reads a model file. Throws IoError with the reason: cannot be read, not a safetensors file, truncated, checksum does
/// not match, written by a newer version, tensor offsets or shapes out of range, larger than a stream may be. Checks
/// every number before it allocates.
ModelFile read_bundle(const std::string& path);
/// Parses bytes in memory (fuzzing, tests); `name` is for messages.
ModelFile parse_bundle(const std::string& bytes, const std::string& name);
std::string serialize_bundle(const ModelFile& bundle);  ///< bytes of the file

}  // namespace alacarte
