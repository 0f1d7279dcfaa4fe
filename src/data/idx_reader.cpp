#include "data/idx_reader.hpp"

#include <bit>
#include <cstring>

#include "alacarte/core/error.hpp"

namespace alacarte::data_detail {
namespace {

static_assert(std::endian::native == std::endian::little, "IDX numbers lie with their highest byte first");
constexpr std::uint64_t kMaxColumns = 1000000;
constexpr std::size_t kMaxDimensions = 16;

std::size_t bytes_of_type(unsigned type) {
  switch (type) {
    case 0x08:  // unsigned byte
    case 0x09:  // signed byte
      return 1;
    case 0x0B:  // 16-bit integer
      return 2;
    case 0x0C:  // 32-bit integer
    case 0x0D:  // float
      return 4;
    case 0x0E:  // double
      return 8;
    default:
      return 0;
  }
}

template <typename T>
double number_at(const char* bytes) {
  char turned[sizeof(T)];
  for (std::size_t i = 0; i < sizeof(T); ++i) turned[i] = bytes[sizeof(T) - 1 - i];
  T value;
  std::memcpy(&value, turned, sizeof(T));
  return static_cast<double>(value);
}

template <typename T>
void convert(const std::vector<char>& bytes, double* row) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) *row++ = number_at<T>(bytes.data() + at);
}

}  // namespace

bool looks_like_idx(std::string_view start) {
  return start.size() >= 4 && start[0] == '\0' && start[1] == '\0' &&
         bytes_of_type(static_cast<unsigned char>(start[2])) > 0;
}

std::string idx_labels_path(const std::string& images) {
  const std::size_t folder = images.find_last_of('/') + 1;  // npos + 1 is 0
  const std::size_t at = images.find("images", folder);
  if (at == std::string::npos) return "";
  std::string labels = images;
  labels.replace(at, 6, "labels");
  const std::size_t dimensions = labels.find("idx3", at);
  if (dimensions != std::string::npos) labels[dimensions + 3] = '1';
  return labels;
}

IdxStream::IdxStream(std::string name, std::unique_ptr<ByteSource> source)
    : name_(std::move(name)), source_(std::move(source)) {
  read_header();
  bytes_.resize(static_cast<std::size_t>(columns_) * item_bytes_);
  // A forged width is found out before anything is made for it.
  if (rows_ > 0) has_buffered_row_ = fill_row();
}

void IdxStream::read_header() {
  unsigned char start[4] = {};
  const auto read = [&](void* into, std::size_t bytes) {
    if (read_fully(*source_, static_cast<char*>(into), bytes) < bytes)
      throw DataError(name_, "the IDX header is cut short");
  };
  read(start, 4);
  type_ = start[2];
  item_bytes_ = bytes_of_type(type_);
  dimensions_ = start[3];
  if (start[0] != 0 || start[1] != 0 || item_bytes_ == 0) throw DataError(name_, "does not begin as an IDX file does");
  if (dimensions_ == 0 || dimensions_ > kMaxDimensions)
    throw DataError(name_, "an IDX array of " + std::to_string(dimensions_) + " dimensions is not a table");
  std::uint64_t columns = 1;
  for (std::size_t k = 0; k < dimensions_; ++k) {
    unsigned char extent[4] = {};
    read(extent, 4);
    const std::uint64_t size = (std::uint64_t{extent[0]} << 24) | (std::uint64_t{extent[1]} << 16) |
                               (std::uint64_t{extent[2]} << 8) | extent[3];
    if (k == 0) {
      rows_ = size;
      continue;
    }
    if (size == 0) throw DataError(name_, "the IDX array has no columns");
    if (size > kMaxColumns || columns * size > kMaxColumns)
      throw DataError(name_, "an IDX array of more than " + std::to_string(kMaxColumns) + " columns is not read");
    columns *= size;
  }
  columns_ = static_cast<Index>(columns);
}

bool IdxStream::fill_row() {
  if (read_fully(*source_, bytes_.data(), bytes_.size()) < bytes_.size())
    throw DataError(name_, "the IDX header promises " + std::to_string(rows_) + " rows, the file ends in row " +
                               std::to_string(next_row_ + 1));
  return true;
}

void IdxStream::read_row(double* row) {
  if (!has_buffered_row_) fill_row();
  has_buffered_row_ = false;
  ++next_row_;
  switch (type_) {
    case 0x08:
      return convert<std::uint8_t>(bytes_, row);
    case 0x09:
      return convert<std::int8_t>(bytes_, row);
    case 0x0B:
      return convert<std::int16_t>(bytes_, row);
    case 0x0C:
      return convert<std::int32_t>(bytes_, row);
    case 0x0D:
      return convert<float>(bytes_, row);
    default:
      return convert<double>(bytes_, row);
  }
}

void IdxStream::finish() {
  char more = 0;
  if (source_->read(&more, 1) > 0)
    throw DataError(name_, "the IDX header promises " + std::to_string(rows_) + " rows, the file goes on after them");
}

IdxReader::IdxReader(std::unique_ptr<IdxStream> values, std::unique_ptr<IdxStream> labels)
    : values_(std::move(values)), labels_(std::move(labels)) {
  path_ = values_->name();
  for (Index c = 0; c < values_->columns(); ++c) columns_.push_back(std::to_string(c));
  if (labels_) {
    if (labels_->dimensions() != 1)
      throw DataError(labels_->name(),
                      "an IDX array of " + std::to_string(labels_->dimensions()) + " dimensions is no list of labels");
    if (labels_->rows() != values_->rows())
      throw DataError(labels_->name(), "holds " + std::to_string(labels_->rows()) + " labels for the " +
                                           std::to_string(values_->rows()) + " rows of " + path_);
    columns_.emplace_back("label");
    label_last_ = true;
  } else if (const std::string beside = idx_labels_path(path_); !beside.empty()) {
    no_target_reason_ =
        "holds images alone, and their labels, " + beside + ", are not there; to learn a pixel, name it as the target";
  } else if (values_->dimensions() > 2) {
    no_target_reason_ =
        "holds images alone; their labels are looked for only beside a file with 'images' in its name; to learn a "
        "pixel, name it as the target";
  }
  kinds_.assign(columns_.size(), ColumnKind::number);
}

bool IdxReader::read(TableChunk& chunk, Index max_rows) {
  require(max_rows > 0, "TableReader::read: max_rows must be positive");
  builder_.start(chunk, static_cast<Index>(next_row_), columns_.size());
  const Index limit = ChunkBuilder::row_limit(max_rows, static_cast<Index>(columns_.size()));
  Index rows = 0;
  for (; rows < limit && next_row_ < values_->rows(); ++rows, ++next_row_) {
    double* const row = builder_.add_row(chunk, static_cast<std::int64_t>(next_row_ + 1));
    values_->read_row(row);
    if (labels_) labels_->read_row(row + values_->columns());
  }
  if (next_row_ == values_->rows() && !finished_) {
    finished_ = true;
    values_->finish();
    if (labels_) labels_->finish();
  }
  builder_.finish(chunk);
  for (std::size_t c = 0; c < kinds_.size(); ++c)
    if (kinds_[c] == ColumnKind::skipped) chunk.numbers.col(static_cast<Index>(c)).setZero();
  fill_text_from_numbers(chunk, kinds_);
  return rows > 0;
}

}  // namespace alacarte::data_detail
