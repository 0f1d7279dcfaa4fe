#include "npy_writer.hpp"

#include <bit>

#include "alacarte/core/error.hpp"

namespace alacarte {
namespace {

static_assert(std::endian::native == std::endian::little, "NPY data are written as they lie in memory");

// Bytes of the preamble and the header. The format puts the data at a multiple of 64 bytes, after a newline. A fixed
// length allows the header to be written again once the number of rows is known.
constexpr std::size_t kPreamble = 10, kHeader = 128 - kPreamble;

}  // namespace

NpyWriter::NpyWriter(const std::string& path, Index columns, Index expected_rows)
    : file_(path), columns_(columns), expected_rows_(expected_rows) {
  write_header(expected_rows);
}

void NpyWriter::write_header(Index rows) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                       std::to_string(columns_) + "), }";
  header.resize(kHeader - 1, ' ');
  header += '\n';
  std::ostream& out = file_.stream();
  out.write("\x93NUMPY\x01\x00", 8);
  out.put(static_cast<char>(kHeader)).put(0);
  out << header;
}

void NpyWriter::add(ConstMat rows) {
  require(rows.cols() == columns_, "NpyWriter: another number of columns");
  constexpr Index kBlock = 1024;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> block;
  for (Index first = 0; first < rows.rows(); first += kBlock) {
    block = rows.middleRows(first, std::min(kBlock, rows.rows() - first));
    file_.write(block.data(), static_cast<std::size_t>(block.size()) * sizeof(double));
  }
  rows_ += rows.rows();
}

void NpyWriter::commit() {
  if (rows_ != expected_rows_) {
    file_.stream().seekp(0);
    write_header(rows_);
  }
  file_.commit();
}

void write_npy(const std::string& path, ConstMat values) {
  NpyWriter writer(path, values.cols(), values.rows());
  writer.add(values);
  writer.commit();
}

}  // namespace alacarte
