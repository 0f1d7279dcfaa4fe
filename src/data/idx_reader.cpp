// IDX arrays, the format of MNIST: one row for each entry along the first dimension, its numbers the columns.
#include <boost/endian/conversion.hpp>
#include <filesystem>

#include "data/cells.hpp"
#include "data/chunk_builder.hpp"
#include "data/formats.hpp"

namespace alacarte::data_detail {
namespace {

constexpr std::uint64_t kMaxColumns = 1000000;
constexpr std::size_t kMaxDimensions = 16;

template <typename T>
void convert_row(const std::vector<unsigned char>& bytes, double* row) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(T))
    *row++ = static_cast<double>(boost::endian::endian_load<T, sizeof(T), boost::endian::order::big>(&bytes[at]));
}

/// Layout of a number type, by its code.
struct IdxType {
  unsigned char code;
  std::size_t bytes;
  void (*convert)(const std::vector<unsigned char>& bytes, double* row);
};

constexpr IdxType kTypes[] = {{0x08, 1, convert_row<std::uint8_t>}, {0x09, 1, convert_row<std::int8_t>},
                              {0x0B, 2, convert_row<std::int16_t>}, {0x0C, 4, convert_row<std::int32_t>},
                              {0x0D, 4, convert_row<float>},        {0x0E, 8, convert_row<double>}};

const IdxType* find_type(unsigned char code) {
  for (const IdxType& type : kTypes)
    if (type.code == code) return &type;
  return nullptr;
}

/// One IDX file, read row by row. Throws DataError for an invalid header, and for a wrong number of rows.
class IdxStream {
 public:
  IdxStream(std::string name, std::unique_ptr<ByteSource> source) : name_(std::move(name)), source_(std::move(source)) {
    unsigned char start[4 + 4 * kMaxDimensions] = {};
    const auto read = [&](std::size_t at, std::size_t count) {
      if (source_->read_fully(reinterpret_cast<char*>(start) + at, count) < count)
        throw DataError(name_, "the IDX header is cut short");
    };
    read(0, 4);
    type_ = find_type(start[2]);
    dimensions_ = start[3];
    if (start[0] != 0 || start[1] != 0 || type_ == nullptr)
      throw DataError(name_, "does not begin as an IDX file does");
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

  const std::string& name() const { return name_; }
  std::uint64_t rows() const { return rows_; }
  Index columns() const { return columns_; }
  std::size_t dimensions() const { return dimensions_; }
  double share_read() const { return source_->share_read(); }
  /// Reads the next row (columns()), which must exist; a number that is not finite becomes NaN.
  void read_row(double* row) {
    if (next_row_ > 0) fill_row();
    ++next_row_;
    type_->convert(bytes_, row);
  }

  /// Checks that nothing follows the last row.
  void finish() {
    char more = 0;
    if (source_->read(&more, 1) > 0)
      throw DataError(name_, "the IDX header promises " + std::to_string(rows_) + " rows, the file goes on after them");
  }

 private:
  void fill_row() {
    if (source_->read_fully(reinterpret_cast<char*>(bytes_.data()), bytes_.size()) < bytes_.size())
      throw DataError(name_, "the IDX header promises " + std::to_string(rows_) + " rows, the file ends in row " +
                                 std::to_string(next_row_ + 1));
  }

  std::string name_;
  std::unique_ptr<ByteSource> source_;
  std::uint64_t rows_ = 0, next_row_ = 0;
  Index columns_ = 1;
  std::size_t dimensions_ = 0;
  const IdxType* type_ = nullptr;
  std::vector<unsigned char> bytes_;  // bytes of one row, which start with the first
};

/// Returns the path of the labels of an image file, by its name ("..images-idx3-ubyte.." has "..labels-idx1-ubyte..");
/// "" if the name does not contain "images".
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

class IdxReader : public RowReader {
 public:
  /// Takes the target column `labels`, put last; or nullptr.
  IdxReader(std::unique_ptr<IdxStream> values, std::unique_ptr<IdxStream> labels)
      : values_(std::move(values)), labels_(std::move(labels)) {
    path_ = values_->name();
    for (Index c = 0; c < values_->columns(); ++c) columns_.push_back(std::to_string(c));
    if (labels_) {
      if (labels_->dimensions() != 1)
        throw DataError(labels_->name(), "an IDX array of " + std::to_string(labels_->dimensions()) +
                                             " dimensions is no list of labels");
      if (labels_->rows() != values_->rows())
        throw DataError(labels_->name(), "holds " + std::to_string(labels_->rows()) + " labels for the " +
                                             std::to_string(values_->rows()) + " rows of " + path_);
      columns_.emplace_back("label");
      label_last_ = true;
    } else if (const std::string beside = idx_labels_path(path_); !beside.empty()) {
      no_target_reason_ = "holds images alone, and their labels, " + beside +
                          ", are not there; to learn a pixel, name it as the target";
    } else if (values_->dimensions() > 2) {
      no_target_reason_ =
          "holds images alone; their labels are looked for only beside a file with 'images' in its name; to learn a "
          "pixel, name it as the target";
    }
    kinds_.assign(columns_.size(), ColumnKind::number);
  }

  double share_read() const override { return values_->share_read(); }

 private:
  bool find_row() override {
    if (line_ < static_cast<std::int64_t>(values_->rows())) {
      ++line_;
      return true;
    }
    for (IdxStream* stream : {values_.get(), labels_.get()})
      if (stream != nullptr) stream->finish();
    return false;
  }

  void parse_row(double* row, TableChunk&) override {
    values_->read_row(row);
    if (labels_) labels_->read_row(row + values_->columns());
  }

  std::unique_ptr<IdxStream> values_, labels_;
};

/// Opens the labels beside an image file; nullptr if there are none.
std::unique_ptr<IdxStream> open_labels(const Origin& images) {
  const std::string path = images.is_file() ? find_idx_labels(images.name()) : "";
  return path.empty() ? nullptr : std::make_unique<IdxStream>(path, Origin::file(path).open());
}

}  // namespace

bool looks_like_idx(std::string_view start) {
  return start.size() >= 4 && start[0] == '\0' && start[1] == '\0' &&
         find_type(static_cast<unsigned char>(start[2])) != nullptr;
}

std::string find_idx_labels(const std::string& images) {
  const std::string name = idx_labels_path(images), bare = without_gz(name);
  std::error_code error;
  for (const std::string& path : {name, bare, bare + ".gz"})
    if (!name.empty() && std::filesystem::is_regular_file(path, error)) return path;
  return "";
}

std::unique_ptr<TableReader> make_idx_reader(const Origin& origin, std::unique_ptr<ByteSource> source) {
  return std::make_unique<IdxReader>(std::make_unique<IdxStream>(origin.name(), std::move(source)),
                                     open_labels(origin));
}

}  // namespace alacarte::data_detail
