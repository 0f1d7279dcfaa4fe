// The lower six bits of the first byte are the number of inputs (0: the file's), the rest is the file.
#include "read_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  alacarte::DataConfig config;
  config.missing = alacarte::MissingCells::mean;
  alacarte::fuzz::read_table("fuzz.libsvm", {reinterpret_cast<const char*>(data) + 1, size - 1}, config, data[0] & 63);
  return 0;
}
