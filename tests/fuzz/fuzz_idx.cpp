#include "read_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  alacarte::DataConfig config;
  config.missing = alacarte::MissingCells::drop;
  // Zeros are prepended; otherwise most inputs would not reach the reader.
  std::string bytes(2, '\0');
  bytes.append(reinterpret_cast<const char*>(data), size);
  alacarte::fuzz::read_table("fuzz-idx", std::move(bytes), config);
  return 0;
}
