// The first byte chooses the config, the rest is the file (gzip included, by its magic).
#include "read_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  alacarte::DataConfig config;
  const unsigned choice = data[0];
  using alacarte::MissingCells;
  const MissingCells policies[] = {MissingCells::error, MissingCells::drop, MissingCells::automatic,
                                   MissingCells::drop};
  config.missing = policies[choice & 3];
  config.strict = (choice & 3) == 3;
  config.unseen = (choice & 4) != 0 ? alacarte::UnseenCategory::zero : alacarte::UnseenCategory::error;
  if ((choice & 8) != 0) config.categorical = {"0"};
  if ((choice & 16) != 0) config.key = "1";
  using alacarte::HeaderLine;
  const HeaderLine headers[] = {HeaderLine::automatic, HeaderLine::yes, HeaderLine::no, HeaderLine::automatic};
  config.header = headers[(choice >> 5) & 3];
  if ((choice & 128) != 0) config.separator = alacarte::Separator::space;
  alacarte::fuzz::read_table("fuzz.csv", {reinterpret_cast<const char*>(data) + 1, size - 1}, config);
  return 0;
}
