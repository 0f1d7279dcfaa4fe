// The first byte is the number of data rows, the second the fold, the rest the mask file.
#include "data/splits.hpp"
#include "read_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace alacarte;
  if (size < 2) return 0;
  try {
    const auto reader = open_table_from_memory("mask", {reinterpret_cast<const char*>(data) + 2, size - 2}, {});
    const auto test = read_mask(*reader, data[1], data[0]);
    fuzz::check(test.size() == data[0]);
  } catch (const Error& error) {
    fuzz::check(std::string(error.what()).find('\n') == std::string::npos);
  }
  return 0;
}
