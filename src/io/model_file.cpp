#include "alacarte/io/model_file.hpp"

#include <openssl/evp.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "alacarte/core/error.hpp"
#include "alacarte/core/pipes.hpp"
#include "alacarte/core/text_file.hpp"
#include "bundle_text.hpp"

static_assert(std::endian::native == std::endian::little, "safetensors data is little-endian");

namespace alacarte {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kDigestLength = 64;
constexpr std::size_t kAlignment = 8;

std::size_t element_size(const Tensor& tensor) { return tensor.type == Tensor::Type::f64 ? 8 : 4; }
std::size_t element_count(const Tensor& tensor) {
  return tensor.type == Tensor::Type::f64 ? tensor.f64.size() : tensor.i32.size();
}
const void* elements(const Tensor& tensor) {
  return tensor.type == Tensor::Type::f64 ? static_cast<const void*>(tensor.f64.data())
                                          : static_cast<const void*>(tensor.i32.data());
}

/// Doubles before integers, so that every tensor begins on a multiple of its element size.
std::vector<std::pair<std::string, const Tensor*>> in_file_order(const ModelFile& bundle) {
  std::vector<std::pair<std::string, const Tensor*>> order;
  for (const auto type : {Tensor::Type::f64, Tensor::Type::i32})
    for (const auto& [name, tensor] : bundle.tensors)
      if (tensor.type == type) order.emplace_back(name, &tensor);
  return order;
}

/// A path need not be UTF-8, and a training must not be lost for its name: bytes that are not become U+FFFD.
std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string header_of(const ModelFile& bundle) {
  Json header = Json::object();
  header["__metadata__"] = {{"alacarte", text_of(bundle.document)},
                            {"format", std::to_string(kModelFormatVersion)},
                            {"sha256", std::string(kDigestLength, '0')}};
  std::size_t offset = 0;
  for (const auto& [name, tensor] : in_file_order(bundle)) {
    require(name != "__metadata__", "a tensor cannot be named __metadata__");
    std::size_t count = 1;
    for (const Index extent : tensor->shape) count *= static_cast<std::size_t>(extent);
    require(count == element_count(*tensor), "a tensor's shape fits its elements");
    const std::size_t end = offset + count * element_size(*tensor);
    header[name] = {{"dtype", tensor->type == Tensor::Type::f64 ? "F64" : "I32"},
                    {"shape", tensor->shape},
                    {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = text_of(header);
  text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');
  return text;
}

/// A digest's place: our own writer puts it in `"sha256":"<hex>"`, which inside a JSON string would carry backslashes.
std::size_t digest_place(const std::string& bytes, const std::string& name, const std::string& digest) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  const std::string header = bytes.substr(8, length);
  const std::string field = "\"sha256\":\"" + digest + "\"";
  const auto at = header.find(field);
  if (at == std::string::npos || header.find(field, at + 1) != std::string::npos)
    throw IoError(name, "damaged model file: its checksum cannot be located");
  return 8 + at + field.size() - 1 - kDigestLength;
}

/// A file may be as large as it is; what comes from a pipe or device has its limit. Nothing more is read of what does
/// not begin as a model file: its ninth byte begins the header.
std::string read_whole(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::is_directory(path, error)) throw IoError(path, "is a folder, not a model file");
  const bool streamed = is_stream(path);
  const PipeWait wait(PipeWait::reading, streamed);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw IoError(path, "cannot be read: " + std::string(std::strerror(errno)));
  std::string bytes;
  std::array<char, 1 << 16> buffer;
  while (file.read(buffer.data(), buffer.size()) || file.gcount() > 0) {
    bytes.append(buffer.data(), static_cast<std::size_t>(file.gcount()));
    if (bytes.size() > 8 && bytes[8] != '{') break;
    if (streamed && bytes.size() > kMaxStreamedModelBytes)
      throw IoError(path, "is larger than 256 MiB, the most that is read of a model from a pipe or device");
  }
  if (file.bad()) throw IoError(path, "cannot be read to its end");
  return bytes;
}

}  // namespace

std::string sha256_hex(const std::string& bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
    throw IoError("SHA-256", "OpenSSL offers no such digest here");
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    text += "0123456789abcdef"[digest[i] >> 4];
    text += "0123456789abcdef"[digest[i] & 15];
  }
  return text;
}

std::string serialize_bundle(const ModelFile& bundle) {
  const std::string header = header_of(bundle);
  const std::uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  bytes += header;
  for (const auto& [name, tensor] : in_file_order(bundle))
    bytes.append(static_cast<const char*>(elements(*tensor)), element_count(*tensor) * element_size(*tensor));
  const std::string zeros(kDigestLength, '0');
  bytes.replace(digest_place(bytes, "model file", zeros), kDigestLength, sha256_hex(bytes));
  return bytes;
}

ModelFile parse_bundle(const std::string& bytes, const std::string& name) {
  std::string digest;
  ModelFile bundle = parse_bundle_unchecked(bytes, name, digest);
  std::string blank = bytes;
  blank.replace(digest_place(bytes, name, digest), kDigestLength, std::string(kDigestLength, '0'));
  if (sha256_hex(blank) != digest) throw IoError(name, "damaged model file: its checksum does not match");
  return bundle;
}

void write_bundle(const std::string& path, const ModelFile& bundle) { write_text_file(path, serialize_bundle(bundle)); }

ModelFile read_bundle(const std::string& path) { return parse_bundle(read_whole(path), path); }

}  // namespace alacarte
