// Any bytes open as a readable rows file, or give a DataError or an IoError. The checksums are corrected first, as far
// as the lengths allow, since a fuzzer cannot guess them.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "alacarte/core/error.hpp"
#include "alacarte/data/rows_file.hpp"
#include "data/rows_format.hpp"

namespace {

using namespace alacarte;
using namespace alacarte::data_detail;

void mend(std::string& bytes) {
  constexpr std::size_t kStart = sizeof kRowsMagic, kEnd = sizeof(RowsFooter);
  if (bytes.size() < kStart + kEnd) return;
  std::memcpy(bytes.data(), kRowsMagic, kStart);
  RowsFooter footer;
  char* const end = bytes.data() + bytes.size() - kEnd;
  std::memcpy(&footer, end, kEnd);
  std::memcpy(footer.magic, kRowsMagic, sizeof footer.magic);
  const std::uint64_t room = bytes.size() - kStart - kEnd;
  if (footer.values > 0 && footer.chunk_rows > 0 && footer.rows <= room / 8 / footer.values) {
    const std::uint64_t data = footer.rows * footer.values * 8;
    const std::uint64_t chunks = (footer.rows + footer.chunk_rows - 1) / footer.chunk_rows;
    if (chunks <= (room - data) / 4) {
      const std::uint64_t sums = 4 * chunks;
      footer.description_bytes = room - data - sums;
      char* const description = bytes.data() + kStart + data;
      const std::uint64_t chunk = footer.chunk_rows * footer.values * 8;
      for (std::uint64_t c = 0; c < chunks; ++c) {
        const std::uint32_t sum =
            checksum(bytes.data() + kStart + c * chunk, chunks == 1 ? data : std::min(chunk, data - c * chunk));
        std::memcpy(description + room - data - sums + 4 * c, &sum, sizeof sum);
      }
      footer.description_sum = checksum(description, footer.description_bytes);
      footer.sums_sum = checksum(description + footer.description_bytes, sums);
    }
  }
  std::memcpy(end, &footer, kEnd);
  footer.own_sum = checksum(end, offsetof(RowsFooter, own_sum));
  std::memcpy(end, &footer, kEnd);
}

void read_rows(const std::string& path) {
  const RowsFile file(path);
  if (file.rows() > (1 << 20) || file.inputs() > 4096) return;
  constexpr Index kRows = 7;
  RowScratch scratch;
  for (Index first = 0; first < file.rows(); first += kRows) {
    const Index count = std::min(kRows, file.rows() - first);
    if (file.source_rows(first, count).size() != static_cast<std::size_t>(count)) std::abort();
    file.read(first, count, scratch);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if ((data[0] & 1) != 0) mend(bytes);
  const int descriptor = ::memfd_create("fuzz", MFD_CLOEXEC);
  if (descriptor < 0 || ::write(descriptor, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
    std::abort();
  try {
    read_rows("/proc/self/fd/" + std::to_string(descriptor));
  } catch (const DataError&) {
  } catch (const IoError&) {
  }
  ::close(descriptor);
  return 0;
}
