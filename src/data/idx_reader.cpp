#include "data/idx_reader.hpp"

#include <boost/endian/conversion.hpp>
#include <filesystem>

#include "data/cells.hpp"

namespace alacarte::data_detail {
namespace {

constexpr std::uint64_t kMaxColumns = 1000000;
constexpr std::size_t kMaxDimensions = 16;

template <typename T>
void convert_row(const std::vector<unsigned char>& bytes, double* row) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(T))
    *row++ = static_cast<double>(boost::endian::endian_load<T, sizeof(T), boost::endian::order::big>(&bytes[at]));
}

}  // namespace

/// Layout of a number type, by its code.
struct IdxType {
  unsigned char code;
  std::size_t bytes;
  void (*convert)(const std::vector<unsigned char>& bytes, double* row);
};

namespace {

constexpr IdxType kTypes[] = {{0x08, 1, convert_row<std::uint8_t>}, {0x09, 1, convert_row<std::int8_t>},
                              {0x0B, 2, convert_row<std::int16_t>}, {0x0C, 4, convert_row<std::int32_t>},
                              {0x0D, 4, convert_row<float>},        {0x0E, 8, convert_row<double>}};

const IdxType* find_type(unsigned char code) {
  for (const IdxType& type : kTypes)
    if (type.code == code) return &type;
  return nullptr;
}

}  // namespace

bool looks_like_idx(std::string_view start) {
  return start.size() >= 4 && start[0] == '\0' && start[1] == '\0' &&
         find_type(static_cast<unsigned char>(start[2])) != nullptr;
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

std::string find_idx_labels(const std::string& images) {
  const std::string name = idx_labels_path(images), bare = without_gz(name);
  std::error_code error;
  for (const std::string& path : {name, bare, bare + ".gz"})
    if (!name.empty() && std::filesystem::is_regular_file(path, error)) return path;
  return "";
}

IdxStream::IdxStream(std::string name, std::unique_ptr<ByteSource> source)
    : name_(std::move(name)), source_(std::move(source)) {
  unsigned char start[4 + 4 * kMaxDimensions] = {};
  const auto read = [&](std::size_t at, std::size_t count) {
    if (source_->read_fully(reinterpret_cast<char*>(start) + at, count) < count)
      throw DataError(name_, "the IDX header is cut short");
  };
  read(0, 4);
  type_ = find_type(start[2]);
  dimensions_ = start[3];
  if (start[0] != 0 || start[1] != 0 || type_ == nullptr) throw DataError(name_, "does not begin as an IDX file does");
  if (dimensions_ == 0 || dimensions_ > kMaxDimensions)
    throw DataError(name_, "an IDX array of " + std::to_string(dimensions_) + " dimensions is not a table");
  read(4, 4 * dimensions_);
  rows_ = boost::endian::load_big_u32(start + 4);
  std::uint64_t columns = 1;
  for (std::size_t k = 1; k < dimensions_; ++k) {
    columns *= boost::endian::load_big_u32(start + 4 + 4 * k);
    if (columns == 0) throw DataError(name_, "the IDX array has no columns");
    if (columns > kMaxColumns)
      throw DataError(name_, "an IDX array of more than " + std::to_string(kMaxColumns) + " columns is not read");
  }
  columns_ = static_cast<Index>(columns);
  bytes_.resize(columns * type_->bytes);
  // Reads a row first, so that a forged width allocates nothing.
  if (rows_ > 0) fill_row();
}

void IdxStream::fill_row() {
  if (source_->read_fully(reinterpret_cast<char*>(bytes_.data()), bytes_.size()) < bytes_.size())
    throw DataError(name_, "the IDX header promises " + std::to_string(rows_) + " rows, the file ends in row " +
                               std::to_string(next_row_ + 1));
}

void IdxStream::read_row(double* row) {
  if (next_row_ > 0) fill_row();
  ++next_row_;
  type_->convert(bytes_, row);
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

bool IdxReader::find_row() {
  if (line_ < static_cast<std::int64_t>(values_->rows())) {
    ++line_;
    return true;
  }
  for (IdxStream* stream : {values_.get(), labels_.get()})
    if (stream != nullptr) stream->finish();
  return false;
}

void IdxReader::parse_row(double* row, TableChunk&) {
  values_->read_row(row);
  if (labels_) labels_->read_row(row + values_->columns());
}

}  // namespace alacarte::data_detail
