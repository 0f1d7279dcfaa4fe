// Any bytes either parse to a bundle or give an IoError. The checksum is skipped, since a fuzzer cannot guess it.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "alacarte/core/error.hpp"
#include "alacarte/io/model_file.hpp"
#include "io/bundle_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  alacarte::ModelFile bundle;
  try {
    std::string digest;
    bundle = alacarte::parse_bundle_unchecked(bytes, "input", digest);
  } catch (const alacarte::IoError&) {
    return 0;
  }
  const alacarte::ModelFile again = alacarte::parse_bundle(alacarte::serialize_bundle(bundle), "again");
  if (again.document != bundle.document || again.tensors.size() != bundle.tensors.size()) std::abort();
  return 0;
}
