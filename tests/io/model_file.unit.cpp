#include "alacarte/io/model_file.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "alacarte/core/error.hpp"
#include "alacarte/core/random.hpp"
#include "io/bundle_text.hpp"
#include "support/program.hpp"

namespace alacarte {
namespace {

ModelFile sample() {
  ModelFile bundle;
  bundle.document = {{"kind", "sample"}, {"pi", 3.141592653589793}, {"sha256", "\"sha256\":\"x\""}};
  bundle.put("a", Matrix::Random(5, 3));
  bundle.put("none", Matrix(0, 4));
  bundle.put_vector("v", Vector::LinSpaced(7, 0, 1));
  bundle.put_integers("permutation", {2, 0, 1});
  return bundle;
}

std::string load_error_of(const std::string& bytes) {
  try {
    std::string digest;
    parse_bundle_unchecked(bytes, "m", digest);
  } catch (const IoError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "no error";
}

/// Returns a file with the given tensors part of the header, followed by `data` bytes.
std::string file_of(const std::string& tensors, std::size_t data, const std::string& format = "1",
                    const std::string& document = "{}") {
  const std::string header = R"({"__metadata__":{"alacarte":")" + document + R"(","format":")" + format +
                             R"(","sha256":")" + std::string(64, '0') + R"("})" + tensors + "}";
  const std::uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + std::string(data, '\0');
}

TEST(ModelFile, RoundTripIsExact) {
  const ModelFile bundle = sample();
  const std::string bytes = serialize_bundle(bundle);
  const ModelFile again = parse_bundle(bytes, "m");
  EXPECT_EQ(again.document, bundle.document);
  EXPECT_EQ(again.matrix("a"), bundle.matrix("a"));
  EXPECT_EQ(again.matrix("none", 0, 4).size(), 0);
  EXPECT_EQ(again.vector("v"), bundle.vector("v"));
  EXPECT_EQ(again.integers("permutation"), bundle.integers("permutation"));
  EXPECT_EQ(serialize_bundle(again), bytes);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0u);
}

TEST(ModelFile, FilesOnDisk) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "model.safetensors";
  write_bundle(path, sample());
  EXPECT_EQ(read_bundle(path).document, sample().document);
  std::filesystem::remove(path);
  EXPECT_THROW(read_bundle(path), IoError);
  EXPECT_THROW(read_bundle(std::filesystem::temp_directory_path().string()), IoError);
}

TEST(ModelFile, EveryCutIsRefused) {
  const std::string bytes = serialize_bundle(sample());
  for (std::size_t percent = 0; percent < 100; ++percent)
    EXPECT_THROW(parse_bundle(bytes.substr(0, bytes.size() * percent / 100), "m"), IoError) << percent;
  EXPECT_THROW(parse_bundle(bytes + '\0', "m"), IoError);
}

TEST(ModelFile, EveryFlippedByteIsRefused) {
  const std::string bytes = serialize_bundle(sample());
  RandomStream stream(7);
  for (int flip = 0; flip < 200; ++flip) {
    std::string damaged = bytes;
    const auto at = static_cast<std::size_t>(stream.below(static_cast<std::int64_t>(bytes.size())));
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << stream.below(8)));
    EXPECT_THROW(parse_bundle(damaged, "m"), IoError) << at;
  }
}

TEST(ModelFile, ErrorsSayWhich) {
  EXPECT_EQ(load_error_of("abc"), "m: model file is truncated: it has no header");
  EXPECT_EQ(load_error_of("{\"model\": \"ard\"}"), "m: not a model file: it is text; rows are given by --data");
  EXPECT_EQ(load_error_of(std::string("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10)),
            "m: not a model file: it does not begin as a safetensors file");
  EXPECT_EQ(load_error_of(std::string("\x63\0\0\0\0\0\0\0{}", 10)),
            "m: model file is truncated: it has 10 bytes, its header claims 107");
  EXPECT_EQ(load_error_of(std::string("\2\0\0\0\0\0\0\0{}", 10)),
            "m: not a model file: a safetensors file without alacarte's metadata 'format'");
  EXPECT_EQ(load_error_of(file_of("", 0, "2")),
            "m: model file of format 2 was written by a newer program; this one reads up to 1");
  EXPECT_EQ(load_error_of(file_of("", 0, "x")), "m: not a model file: its format version is not a number");
  EXPECT_EQ(load_error_of(file_of("", 0, "1", "[]")), "m: not a model file: its document is not a JSON object");
  EXPECT_EQ(load_error_of(file_of("", 3)), "m: not a model file: bytes follow its last tensor");
  EXPECT_EQ(load_error_of(file_of(R"(,"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]})", 7)),
            "m: model file is truncated: it has 191 bytes, its header claims 192");
  EXPECT_EQ(load_error_of(file_of(R"(,"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})", 8)),
            "m: not a model file: tensor 'a' is neither F64 nor I32");
  EXPECT_EQ(load_error_of(file_of(R"(,"a":{"dtype":"F64","shape":[2],"data_offsets":[0,8]})", 8)),
            "m: not a model file: tensor 'a' has offsets that do not fit its shape");
  EXPECT_EQ(load_error_of(file_of(R"(,"a":{"dtype":"F64","shape":[-1],"data_offsets":[0,8]})", 8)),
            "m: not a model file: tensor 'a' has a number out of range");
  EXPECT_EQ(load_error_of(
                file_of(R"(,"a":{"dtype":"F64","shape":[2147483647,2147483647,2147483647],"data_offsets":[0,8]})", 8)),
            "m: not a model file: tensor 'a' is larger than any file");
  EXPECT_EQ(load_error_of(file_of(R"(,"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},)"
                                  R"("b":{"dtype":"F64","shape":[1],"data_offsets":[4,12]})",
                                  12)),
            "m: not a model file: tensor 'b' overlaps another or leaves a hole");
  EXPECT_EQ(load_error_of(file_of(R"(,"a":{"dtype":"F64","shape":[1],"data_offsets":[8,16]})", 16)),
            "m: not a model file: tensor 'a' overlaps another or leaves a hole");
  EXPECT_EQ(load_error_of(file_of(R"(,"a":{"dtype":"F64","shape":[1]})", 8)),
            "m: not a model file: tensor 'a' needs exactly dtype, shape and two data_offsets");
  EXPECT_NE(load_error_of(file_of(",\"\xff\":{}", 0)).find("invalid string"), std::string::npos);
  EXPECT_NE(load_error_of(file_of("", 0, "1", std::string(1000, '['))).find("nested deeper"), std::string::npos);
}

// Invalid text, such as a data file's name, must not lose a finished training.
TEST(ModelFile, TextThatIsNotUtf8IsReplaced) {
  ModelFile bundle;
  bundle.document["name"] = "a\xff";
  EXPECT_NE(serialize_bundle(bundle).find("a\xef\xbf\xbd"), std::string::npos);
}

TEST(ModelFile, WhatCannotBeWrittenIsAnError) {
  ModelFile named;
  named.put_vector("__metadata__", Vector::Zero(1));
  EXPECT_THROW(serialize_bundle(named), std::invalid_argument);
}

// tests/io/golden/v1.safetensors was written independently, by Python's json, struct and hashlib.
TEST(ModelFile, VersionOneStaysReadable) {
  const ModelFile bundle = read_bundle(ALACARTE_SOURCE_DIR "/tests/io/golden/v1.safetensors");
  EXPECT_EQ(bundle.document["note"], "na\xc3\xafve");
  EXPECT_EQ(bundle.matrix("matrix", 2, 3), (Matrix(2, 3) << 1, 2, 3, 4, 5, -6.25).finished());
  EXPECT_EQ(bundle.vector("vector"), (Vector(2) << 0.1, 1e-300).finished());
  EXPECT_EQ(bundle.matrix("empty", 0, 4).size(), 0);
  EXPECT_EQ(bundle.integers("signs"), (std::vector<std::int32_t>{1, -1, std::numeric_limits<std::int32_t>::max()}));
}

}  // namespace
}  // namespace alacarte
