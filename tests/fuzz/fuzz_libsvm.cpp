#include "read_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  alacarte::DataConfig config;
  config.missing = "mean";
  alacarte::fuzz::read_table("fuzz.libsvm", {reinterpret_cast<const char*>(data), size}, config);
  return 0;
}
