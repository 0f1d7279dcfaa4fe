#include "alacarte/io/model_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string_view>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "bundle_text.hpp"
#include "core/pipes.hpp"
#include "core/text_file.hpp"
#include "data/fingerprint.hpp"

static_assert(std::endian::native == std::endian::little, "safetensors data is little-endian");

namespace alacarte {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLengthBytes = 8, kDigestLength = 64, kAlignment = 8, kMaxAxes = 8;

std::string_view bytes_of(const Tensor& tensor) {
  const auto bytes = [](const auto& values) {
    return std::string_view(reinterpret_cast<const char*>(values.data()), values.size() * sizeof values[0]);
  };
  return tensor.type == Tensor::Type::f64 ? bytes(tensor.f64) : bytes(tensor.i32);
}

/// Sorts doubles before integers, so that every tensor begins on a multiple of its element size.
std::vector<std::pair<std::string, const Tensor*>> in_file_order(const ModelFile& bundle) {
  std::vector<std::pair<std::string, const Tensor*>> order;
  for (const auto type : {Tensor::Type::f64, Tensor::Type::i32})
    for (const auto& [name, tensor] : bundle.tensors)
      if (tensor.type == type) order.emplace_back(name, &tensor);
  return order;
}

/// Replaces bytes that are not UTF-8, which a path may contain, by U+FFFD: a name must not lose a training.
std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string header_of(const ModelFile& bundle) {
  Json header = Json::object();
  header["__metadata__"] = {{"alacarte", text_of(bundle.document)},
                            {"format", std::to_string(kModelFormatVersion)},
                            {"sha256", std::string(kDigestLength, '0')}};
  std::size_t offset = 0;
  for (const auto& [name, tensor] : in_file_order(bundle)) {
    require(name != "__metadata__", "a tensor cannot be named __metadata__");
    const bool is_double = tensor->type == Tensor::Type::f64;
    std::size_t size = is_double ? 8 : 4;
    for (const Index extent : tensor->shape) size *= static_cast<std::size_t>(extent);
    require(size == bytes_of(*tensor).size(), "a tensor's shape fits its elements");
    const std::size_t end = offset + size;
    header[name] = {{"dtype", is_double ? "F64" : "I32"}, {"shape", tensor->shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = text_of(header);
  text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');
  return text;
}

/// Finds the digest: our writer puts it in `"sha256":"<hex>"`, which inside a JSON string would have backslashes.
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

constexpr std::uint64_t kLongestAxis = std::numeric_limits<std::int32_t>::max();
// Upper bound of file sizes in bytes. A declared size above that of the file means a truncated file; above this bound,
// a file of another format.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 53;

/// One tensor of the header, unchecked.
struct Claim {
  std::string name;
  Tensor::Type type;
  std::vector<Index> shape;
  std::uint64_t begin, end;
};

class BundleParser {
 public:
  BundleParser(const std::string& bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  ModelFile parse(std::string& digest) {
    const std::uint64_t length = header_length();
    const Json header = json_of(bytes_.substr(kLengthBytes, length), "its header");
    if (!header.is_object()) fail("its header is not a JSON object");
    ModelFile bundle;
    read_metadata(header, bundle, digest);
    std::vector<Claim> claims;
    for (const auto& [key, value] : header.items())
      if (key != "__metadata__") claims.push_back(claim_of(key, value));
    const std::size_t start = kLengthBytes + length;
    check_cover(claims, start);
    for (const Claim& claim : claims) bundle.tensors[claim.name] = take(claim, start);
    return bundle;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw IoError(name_, "not a model file: " + what); }

  [[noreturn]] void fail_truncated(std::uint64_t claimed) const {
    throw IoError(name_, "model file is truncated: it has " + std::to_string(bytes_.size()) +
                             " bytes, its header claims " + std::to_string(claimed));
  }

  std::uint64_t header_length() const {
    if (bytes_.size() < kLengthBytes) throw IoError(name_, "model file is truncated: it has no header");
    std::uint64_t length = 0;
    std::memcpy(&length, bytes_.data(), sizeof length);
    if (bytes_.size() == kLengthBytes || bytes_[kLengthBytes] != '{' || length > kMaxBytes) {
      const bool is_text = std::all_of(bytes_.begin(), bytes_.begin() + kLengthBytes, [](unsigned char byte) {
        return (byte >= ' ' && byte < 127) || byte == '\n' || byte == '\t';
      });
      fail(is_text ? "it is text; rows are given by --data" : "it does not begin as a safetensors file");
    }
    if (length > bytes_.size() - kLengthBytes) fail_truncated(kLengthBytes + length);
    return length;
  }

  Json json_of(const std::string& text, const std::string& what) const {
    try {
      return parse_json(text, what);
    } catch (const ConfigError& error) {
      std::string message = error.what();
      std::replace(message.begin(), message.end(), '\n', ' ');
      fail(message);
    }
  }

  std::string metadata(const Json& header, const char* key) const {
    const auto found = header.find("__metadata__");
    if (found == header.end() || !found->is_object() || !found->contains(key) || !(*found)[key].is_string())
      fail("a safetensors file without alacarte's metadata '" + std::string(key) + "'");
    return (*found)[key].get<std::string>();
  }

  void read_metadata(const Json& header, ModelFile& bundle, std::string& digest) const {
    const std::string format = metadata(header, "format");
    int version = 0;
    const auto parsed = std::from_chars(format.data(), format.data() + format.size(), version);
    if (parsed.ec != std::errc() || parsed.ptr != format.data() + format.size() || version < 1)
      fail("its format version is not a number");
    if (version > kModelFormatVersion)
      throw IoError(name_, "model file of format " + format + " was written by a newer program; this one reads up to " +
                               std::to_string(kModelFormatVersion));
    digest = metadata(header, "sha256");
    const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    if (digest.size() != 64 || !std::all_of(digest.begin(), digest.end(), is_hex)) fail("its checksum is malformed");
    bundle.document = json_of(metadata(header, "alacarte"), "its document");
    if (!bundle.document.is_object()) fail("its document is not a JSON object");
  }

  std::uint64_t count_of(const std::string& tensor, const Json& json, std::uint64_t maximum) const {
    if (!json.is_number_unsigned() || json.get<std::uint64_t>() > maximum)
      fail("tensor '" + tensor + "' has a number out of range");
    return json.get<std::uint64_t>();
  }

  Claim claim_of(const std::string& name, const Json& json) const {
    const bool complete = json.is_object() && json.size() == 3 && json.contains("dtype") && json.contains("shape") &&
                          json.contains("data_offsets");
    if (!complete || !json["shape"].is_array() || !json["data_offsets"].is_array() || json["data_offsets"].size() != 2)
      fail("tensor '" + name + "' needs exactly dtype, shape and two data_offsets");
    const bool is_double = json["dtype"] == "F64";
    if (!is_double && json["dtype"] != "I32") fail("tensor '" + name + "' is neither F64 nor I32");
    if (json["shape"].size() > kMaxAxes) fail("tensor '" + name + "' has too many axes");
    Claim claim{name, is_double ? Tensor::Type::f64 : Tensor::Type::i32, {}, 0, 0};
    claim.begin = count_of(name, json["data_offsets"][0], kMaxBytes);
    claim.end = count_of(name, json["data_offsets"][1], kMaxBytes);
    std::uint64_t size = is_double ? 8 : 4;
    for (const Json& json_extent : json["shape"]) {
      const std::uint64_t extent = count_of(name, json_extent, kLongestAxis);
      if (extent > 0 && size > kMaxBytes / extent) fail("tensor '" + name + "' is larger than any file");
      size *= extent;
      claim.shape.push_back(static_cast<Index>(extent));
    }
    if (claim.end < claim.begin || claim.end - claim.begin != size)
      fail("tensor '" + name + "' has offsets that do not fit its shape");
    return claim;
  }

  /// Checks that tensors tile the data: no overlap, no hole, nothing after the last.
  void check_cover(std::vector<Claim>& claims, std::uint64_t start) const {
    std::sort(claims.begin(), claims.end(),
              [](const Claim& a, const Claim& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
    std::uint64_t reached = 0;
    for (const Claim& claim : claims) {
      if (claim.begin != reached) fail("tensor '" + claim.name + "' overlaps another or leaves a hole");
      reached = claim.end;
    }
    if (start + reached > bytes_.size()) fail_truncated(start + reached);
    if (start + reached < bytes_.size()) fail("bytes follow its last tensor");
  }

  Tensor take(const Claim& claim, std::size_t start) const {
    Tensor tensor{claim.type, claim.shape, {}, {}};
    const char* from = bytes_.data() + start + claim.begin;
    const std::size_t size = claim.end - claim.begin;
    if (claim.type == Tensor::Type::f64) tensor.f64.resize(size / 8);
    if (claim.type == Tensor::Type::i32) tensor.i32.resize(size / 4);
    void* to = claim.type == Tensor::Type::f64 ? static_cast<void*>(tensor.f64.data()) : tensor.i32.data();
    if (size > 0) std::memcpy(to, from, size);
    return tensor;
  }

  const std::string& bytes_;
  const std::string& name_;
};

/// Reads a file of any size, or a limited amount from a pipe or device. Stops after the ninth byte, the first of the
/// header, if it is not that of a model file.
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

ModelFile parse_bundle_unchecked(const std::string& bytes, const std::string& name, std::string& digest) {
  return BundleParser(bytes, name).parse(digest);
}

std::string serialize_bundle(const ModelFile& bundle) {
  const std::string header = header_of(bundle);
  const std::uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  bytes += header;
  for (const auto& [name, tensor] : in_file_order(bundle)) bytes += bytes_of(*tensor);
  const std::string zeros(kDigestLength, '0');
  bytes.replace(digest_place(bytes, "model file", zeros), kDigestLength, text_sha256(bytes));
  return bytes;
}

ModelFile parse_bundle(const std::string& bytes, const std::string& name) {
  std::string digest;
  ModelFile bundle = parse_bundle_unchecked(bytes, name, digest);
  std::string blank = bytes;
  blank.replace(digest_place(bytes, name, digest), kDigestLength, std::string(kDigestLength, '0'));
  if (text_sha256(blank) != digest) throw IoError(name, "damaged model file: its checksum does not match");
  return bundle;
}

void write_bundle(const std::string& path, const ModelFile& bundle) { write_text_file(path, serialize_bundle(bundle)); }

ModelFile read_bundle(const std::string& path) { return parse_bundle(read_whole(path), path); }

}  // namespace alacarte
