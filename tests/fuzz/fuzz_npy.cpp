#include "read_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  alacarte::DataConfig config;
  config.missing = alacarte::MissingCells::drop;
  // The magic is prepended; otherwise most inputs would not reach the reader.
  std::string bytes("\x93NUMPY", 6);
  bytes.append(reinterpret_cast<const char*>(data), size);
  alacarte::fuzz::read_table("fuzz.npy", std::move(bytes), config);
  return 0;
}
