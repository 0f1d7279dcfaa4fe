// NPY arrays (numpy.lib.format, versions 1 to 3), read in blocks of rows in either memory order.
#include <bit>
#include <charconv>
#include <limits>
#include <map>
#include <numeric>

#include "data/cells.hpp"
#include "data/chunk_builder.hpp"
#include "data/formats.hpp"

namespace alacarte::data_detail {
namespace {

/// A value of such a literal.
struct PythonValue {
  enum class Kind { text, truth, whole, other_number, sequence, dictionary };
  Kind kind = Kind::text;
  std::string text = {};      ///< between quotes
  bool truth = false;         ///< True or False
  std::uint64_t whole = 0;    ///< unsigned
  bool is_too_large = false;  ///< other_number: true beyond 64 bits or if not whole, else negative
  std::vector<PythonValue> items = {};
  std::map<std::string, PythonValue> entries = {};
};

constexpr int kMaxNesting = 8;

/// A recursive-descent parser, whose functions return false for literals of another form.
class PythonParser {
 public:
  explicit PythonParser(std::string_view rest) : rest_(rest) {}

  bool read_all(PythonValue& value) {
    if (!read_value(value, 0)) return false;
    pass_blanks();
    return rest_.empty();
  }

 private:
  void pass_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }

  bool take(char mark) {
    pass_blanks();
    if (rest_.empty() || rest_.front() != mark) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  bool read_value(PythonValue& value, int nesting) {
    using Kind = PythonValue::Kind;
    if (nesting > kMaxNesting) return false;
    pass_blanks();
    if (rest_.empty()) return false;
    if (rest_.front() == '\'' || rest_.front() == '"') return value.kind = Kind::text, read_text(value.text);
    value.kind = Kind::truth;
    if (take("True")) return value.truth = true;
    if (take("False")) return true;
    value.kind = Kind::sequence;
    if (take('(')) return read_items(value, ')', nesting);
    if (take('[')) return read_items(value, ']', nesting);
    value.kind = Kind::dictionary;
    return take('{') ? read_entries(value, nesting) : read_number(value);
  }

  bool read_text(std::string& text) {
    const char quote = rest_.front();
    const auto end = rest_.find(quote, 1);
    if (end == std::string_view::npos) return false;
    text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return true;
  }

  bool read_number(PythonValue& value) {
    const std::string_view number = rest_.substr(0, rest_.find_first_not_of("+-.0123456789eE"));
    if (number.empty()) return false;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value.whole);
    const bool is_whole = error == std::errc() && end == number.data() + number.size();
    value.kind = is_whole ? PythonValue::Kind::whole : PythonValue::Kind::other_number;
    value.is_too_large = number.front() != '-' || number.find_first_of(".eE") != std::string_view::npos;
    rest_.remove_prefix(number.size());
    return true;
  }

  bool read_items(PythonValue& value, char close, int nesting) {
    while (!take(close)) {
      if (!read_value(value.items.emplace_back(), nesting + 1)) return false;
      if (!take(',')) return take(close);
    }
    return true;
  }

  bool read_entries(PythonValue& value, int nesting) {
    while (!take('}')) {
      std::string key;
      if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"') || !read_text(key) || !take(':'))
        return false;
      PythonValue entry;
      if (!read_value(entry, nesting + 1)) return false;
      value.entries[key] = std::move(entry);
      if (!take(',')) return take('}');
    }
    return true;
  }

  std::string_view rest_;
};

/// Parses text, truth values, numbers, tuples, lists and dictionaries with text keys. Returns nothing for other
/// literals and for deep nesting.
std::optional<PythonValue> parse_python(std::string_view literal) {
  PythonValue value;
  if (!PythonParser(literal).read_all(value)) return std::nullopt;
  return value;
}

static_assert(std::endian::native == std::endian::little, "NPY data are read as they lie in memory");
constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr std::uint64_t kLongestHeader = 1 << 16, kMaxNpyColumns = 10000000;

struct NpyHeader {
  std::uint64_t data_offset = 0;
  std::uint64_t rows = 0, columns = 1;
  char kind = 'f';          ///< f, i, u or b: floating point, signed, unsigned, boolean
  unsigned item_bytes = 8;  ///< little-endian
  bool fortran_order = false;
};

/// Returns the text of the header; sets the offset of the data.
std::string header_text(const Origin& origin, std::uint64_t size, std::uint64_t& data_offset) {
  const auto refuse = [&](const std::string& what) { throw DataError(origin.name(), what); };
  unsigned char start[12] = {};
  if (size < 10) refuse("the NPY header is cut short");
  origin.read_at(0, start, std::min<std::uint64_t>(size, sizeof start));
  const unsigned version = start[6];
  if (version < 1 || version > 3) refuse("NPY version " + std::to_string(version) + " is not read");
  data_offset = version == 1 ? 10 : 12;
  std::uint64_t length = start[8] + 256u * start[9];
  if (version > 1) length += (std::uint64_t{start[10]} << 16) + (std::uint64_t{start[11]} << 24);
  if (length > kLongestHeader) refuse("the NPY header is longer than 64 KiB");
  if (length + data_offset > size) refuse("the NPY header is cut short");
  std::string text(length, '\0');
  origin.read_at(data_offset, text.data(), text.size());
  data_offset += length;
  return text;
}

void read_description(const std::string& text, const std::string& name, NpyHeader& header) {
  const auto refuse = [&](const std::string& what) { throw DataError(name, what); };
  const auto broken = [&](const std::string& what) { refuse("broken NPY header: " + what); };
  using Kind = PythonValue::Kind;
  const auto description = parse_python(text);
  if (!description || description->kind != Kind::dictionary) broken("no description of an array");
  const auto& entries = description->entries;
  for (const char* key : {"descr", "fortran_order", "shape"})
    if (!entries.contains(key)) broken("descr, fortran_order or shape is missing");
  if (entries.size() > 3) broken("unexpected key");
  const PythonValue &type = entries.at("descr"), &order = entries.at("fortran_order"), &shape = entries.at("shape");
  if (type.kind == Kind::sequence) refuse("records (structured arrays) are not read");
  if (type.kind != Kind::text) broken("a quoted word expected");
  const std::string& word = type.text;
  constexpr std::string_view kTypes[] = {"<f8", "<f4", "<i8", "<i4", "<i2", "|i1", "<u8", "<u4", "<u2", "|u1", "|b1"};
  if (std::find(std::begin(kTypes), std::end(kTypes), word) == std::end(kTypes))
    refuse("NPY elements of type '" + printable(word) +
           "' are not read, only little-endian numbers of 32 and 64 bits, whole numbers and truth values");
  if (order.kind != Kind::truth) broken("True or False expected");
  if (shape.kind != Kind::sequence) broken("'(' expected");
  if (shape.items.empty() || shape.items.size() > 2)
    refuse("an NPY array of " + std::to_string(shape.items.size()) + " dimensions is not a table; 1 or 2 are read");
  for (const PythonValue& extent : shape.items) {
    if (extent.kind == Kind::other_number && extent.is_too_large) broken("the shape is beyond any file");
    if (extent.kind != Kind::whole) broken("a whole number expected in the shape");
  }
  header.kind = word[1];
  header.item_bytes = static_cast<unsigned>(word[2] - '0');
  header.fortran_order = order.truth;
  header.rows = shape.items[0].whole;
  header.columns = shape.items.size() == 2 ? shape.items[1].whole : 1;
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (header.columns == 0) refuse("the NPY array has no columns");
  if (header.columns > kMax / header.item_bytes ||
      (header.rows > 0 && header.columns * header.item_bytes > kMax / header.rows))
    broken("the shape is beyond any file");
}

class NpyReader : public TableReader {
 public:
  /// Reads the header and checks it against the size of the file. Throws DataError for other element types, shapes and
  /// versions, and for files shorter or longer than the shape.
  explicit NpyReader(Origin origin) : origin_(std::move(origin)) {
    path_ = origin_.name();
    const std::uint64_t size = origin_.size();
    read_description(header_text(origin_, size, header_.data_offset), path_, header_);
    const std::uint64_t promised = header_.rows * header_.columns * header_.item_bytes,
                        there = size - header_.data_offset;
    if (promised != there)
      throw DataError(path_, "the NPY header promises " + std::to_string(promised) + " bytes of data, the file has " +
                                 std::to_string(there));
    // Without rows the file size does not bound the width.
    if (header_.columns > kMaxNpyColumns)
      throw DataError(path_, "an NPY array of " + std::to_string(header_.columns) + " columns is not read");
    for (std::uint64_t c = 0; c < header_.columns; ++c) columns_.push_back(std::to_string(c));
    kinds_.assign(columns_.size(), ColumnKind::number);
  }

  bool read(TableChunk& chunk, Index max_rows) override {
    const auto columns = static_cast<Index>(header_.columns);
    const Index rows = std::min(row_limit(max_rows, columns), static_cast<Index>(header_.rows) - next_row_);
    chunk.first_row = next_row_;
    chunk.numbers.resize(rows, columns);
    chunk.text.assign(static_cast<std::size_t>(columns), {});
    chunk.line_numbers.resize(static_cast<std::size_t>(rows));
    std::iota(chunk.line_numbers.begin(), chunk.line_numbers.end(), next_row_ + 1);
    if (rows > 0) read_items(chunk.numbers);
    apply_kinds(chunk, kinds_);
    next_row_ += rows;
    return rows > 0;
  }

  double share_read() const override {
    return header_.rows == 0 ? 1 : static_cast<double>(next_row_) / static_cast<double>(header_.rows);
  }

 private:
  /// Reads the rows from next_row_ on.
  template <typename Number>
  void read_numbers(Matrix& numbers) {
    using Numbers = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const auto read = [&](Index first, Index rows, Index columns) {
      Numbers block(rows, columns);
      origin_.read_at(header_.data_offset + static_cast<std::uint64_t>(first) * sizeof(Number), block.data(),
                      static_cast<std::size_t>(block.size()) * sizeof(Number));
      if constexpr (sizeof(Number) == 8 && std::is_integral_v<Number>) require_exact(block);
      return block;
    };
    if (!header_.fortran_order) {
      numbers = read(next_row_ * numbers.cols(), numbers.rows(), numbers.cols()).template cast<double>();
      return;
    }
    for (Index c = 0; c < numbers.cols(); ++c)
      numbers.col(c) =
          read(c * static_cast<Index>(header_.rows) + next_row_, numbers.rows(), 1).template cast<double>();
  }

  /// Refuses whole numbers that a double would round.
  template <class Block>
  void require_exact(const Block& block) const {
    if ((block.template cast<double>().array().abs() >= 0x1p53).any())
      throw DataError(path_, "holds whole numbers of 2^53 and beyond, which doubles do not tell apart");
  }

  void read_items(Matrix& numbers) {
    const auto is = [&](char kind, unsigned bytes) { return header_.kind == kind && header_.item_bytes == bytes; };
    if (is('f', 8)) return read_numbers<double>(numbers);
    if (is('f', 4)) return read_numbers<float>(numbers);
    if (is('i', 8)) return read_numbers<std::int64_t>(numbers);
    if (is('i', 4)) return read_numbers<std::int32_t>(numbers);
    if (is('i', 2)) return read_numbers<std::int16_t>(numbers);
    if (is('i', 1)) return read_numbers<std::int8_t>(numbers);
    if (is('u', 8)) return read_numbers<std::uint64_t>(numbers);
    if (is('u', 4)) return read_numbers<std::uint32_t>(numbers);
    if (is('u', 2)) return read_numbers<std::uint16_t>(numbers);
    read_numbers<std::uint8_t>(numbers);
    // numpy takes any byte but 0 for true.
    if (header_.kind == 'b') numbers = (numbers.array() != 0).cast<double>();
  }

  Origin origin_;
  NpyHeader header_;
  Index next_row_ = 0;
};

}  // namespace

bool looks_like_npy(std::string_view start) { return start.starts_with(kMagic); }

std::unique_ptr<TableReader> make_npy_reader(Origin origin) { return std::make_unique<NpyReader>(std::move(origin)); }

}  // namespace alacarte::data_detail
