#include "data/npy_reader.hpp"

#include <bit>
#include <cstring>

#include "alacarte/core/error.hpp"
#include "data/chunk_builder.hpp"

namespace alacarte::data_detail {
namespace {

static_assert(std::endian::native == std::endian::little, "NPY data are read as they lie in memory");
constexpr std::uint64_t kMaxNpyColumns = 10000000;

}  // namespace

NpyReader::NpyReader(Origin origin) : origin_(std::move(origin)), header_(read_npy_header(origin_)) {
  path_ = origin_.name();
  // With no rows the file size puts no bound on the width.
  if (header_.columns > kMaxNpyColumns)
    throw DataError(path_, "an NPY array of " + std::to_string(header_.columns) + " columns is not read");
  for (std::uint64_t c = 0; c < header_.columns; ++c) columns_.push_back(std::to_string(c));
  kinds_.assign(columns_.size(), ColumnKind::number);
}

template <typename Store>
void NpyReader::elements(std::uint64_t first, std::size_t count, Store store) {
  bytes_.resize(count * header_.item_bytes);
  origin_.read_at(header_.data_offset + first * header_.item_bytes, bytes_.data(), bytes_.size());
  for (std::size_t i = 0; i < count; ++i) {
    double wide = 0;
    if (header_.item_bytes == 8) {
      std::memcpy(&wide, bytes_.data() + 8 * i, 8);
    } else {
      float narrow = 0;
      std::memcpy(&narrow, bytes_.data() + 4 * i, 4);
      wide = narrow;
    }
    store(static_cast<Index>(i), wide);
  }
}

bool NpyReader::read(TableChunk& chunk, Index max_rows) {
  require(max_rows > 0, "TableReader::read: max_rows must be positive");
  const auto columns = static_cast<Index>(header_.columns), all = static_cast<Index>(header_.rows);
  const Index rows = std::min(ChunkBuilder::row_limit(max_rows, columns), all - next_row_);
  chunk.first_row = next_row_;
  chunk.numbers.resize(rows, columns);
  chunk.text.assign(static_cast<std::size_t>(columns), {});
  chunk.line_numbers.resize(static_cast<std::size_t>(rows));
  for (Index i = 0; i < rows; ++i) chunk.line_numbers[static_cast<std::size_t>(i)] = next_row_ + i + 1;
  if (header_.fortran_order) {
    for (Index c = 0; c < columns && rows > 0; ++c)
      elements(static_cast<std::uint64_t>(c * all + next_row_), static_cast<std::size_t>(rows),
               [&](Index i, double value) { chunk.numbers(i, c) = value; });
  } else if (rows > 0) {
    elements(static_cast<std::uint64_t>(next_row_ * columns), static_cast<std::size_t>(rows * columns),
             [&](Index i, double value) { chunk.numbers(i / columns, i % columns) = value; });
  }
  for (Index c = 0; c < columns; ++c)
    if (kind(c) == ColumnKind::skipped) chunk.numbers.col(c).setZero();
  fill_text_from_numbers(chunk, kinds_);
  next_row_ += rows;
  return rows > 0;
}

}  // namespace alacarte::data_detail
