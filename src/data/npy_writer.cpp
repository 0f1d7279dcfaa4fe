#include "alacarte/data/npy_writer.hpp"

#include <bit>

#include "alacarte/core/atomic_file.hpp"

namespace alacarte {

static_assert(std::endian::native == std::endian::little, "NPY data are written as they lie in memory");

void write_npy(const std::string& path, ConstMat values) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(values.rows()) + ", " +
                       std::to_string(values.cols()) + "), }";
  // The data start at a multiple of 64 bytes, behind a newline: the format asks for both.
  constexpr std::size_t kPreamble = 10, kAlignment = 64;
  while ((kPreamble + header.size() + 1) % kAlignment != 0) header += ' ';
  header += '\n';
  AtomicFile file(path);
  std::ostream& out = file.stream();
  out.write("\x93NUMPY\x01\x00", 8);
  out.put(static_cast<char>(header.size() & 0xff)).put(static_cast<char>(header.size() >> 8));
  out << header;
  constexpr Index kBlock = 1024;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> block;
  for (Index first = 0; first < values.rows(); first += kBlock) {
    block = values.middleRows(first, std::min(kBlock, values.rows() - first));
    out.write(reinterpret_cast<const char*>(block.data()), static_cast<std::streamsize>(block.size() * 8));
  }
  file.commit();
}

}  // namespace alacarte
