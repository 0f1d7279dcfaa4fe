#pragma once
// A model file: safetensors layout (8-byte little-endian header length, JSON header, tensors), so that any safetensors
// reader opens it. The document is a JSON string under "__metadata__"/"alacarte"; "__metadata__"/"sha256" is the
// SHA-256 of the whole file with that digest's own 64 characters taken as '0'.
#include <alacarte/core/tensor_bundle.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace alacarte {

/// What a model file holds: named tensors and one JSON document, an object.
struct ModelFile : TensorBundle {
  nlohmann::json document = nlohmann::json::object();  ///< recipe, schema, scales and summaries
};

inline constexpr int kModelFormatVersion = 1;  ///< written into every file; a reader refuses a larger one
/// The largest model that is read from a pipe or device; a file may be of any size.
inline constexpr std::uint64_t kMaxStreamedModelBytes = std::uint64_t{256} << 20;

/// Writes to a temporary name and renames. Throws IoError.
void write_bundle(const std::string& path, const ModelFile& bundle);
/// Throws IoError saying which: cannot be read, not a safetensors file, truncated, checksum does not match, written by
/// a newer version, tensor offsets or shapes out of range, larger than a stream may be. Nothing is allocated on the
/// word of an unchecked number.
ModelFile read_bundle(const std::string& path);
/// read_bundle() of bytes in memory (fuzzing, tests); `name` is for messages.
ModelFile parse_bundle(const std::string& bytes, const std::string& name);
std::string serialize_bundle(const ModelFile& bundle);  ///< the bytes of the file

}  // namespace alacarte
