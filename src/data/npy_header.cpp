#include "data/npy_header.hpp"

#include <charconv>
#include <limits>
#include <vector>

#include "alacarte/core/error.hpp"
#include "data/cells.hpp"

namespace alacarte::data_detail {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr std::uint64_t kLongestHeader = 1 << 16;

/// Reader of the Python literal that describes the array: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }.
class Literal {
 public:
  Literal(const std::string& file, std::string_view text) : file_(file), rest_(text) {}

  void parse(std::string& type, bool& fortran_order, std::vector<std::uint64_t>& shape) {
    bool seen[3] = {false, false, false};
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      const int which = key == "descr" ? 0 : key == "fortran_order" ? 1 : key == "shape" ? 2 : -1;
      if (which < 0 || seen[which]) refuse("unexpected key '" + printable(key) + "'");
      seen[which] = true;
      if (which == 0) type = quoted();
      if (which == 1) fortran_order = truth();
      if (which == 2) shape = tuple();
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip();
    if (!rest_.empty()) refuse("text follows the description");
    if (!seen[0] || !seen[1] || !seen[2]) refuse("descr, fortran_order or shape is missing");
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw DataError(file_, "broken NPY header: " + what); }
  void skip() {
    while (!rest_.empty() && (is_blank(rest_.front()) || rest_.front() == '\n')) rest_.remove_prefix(1);
  }
  bool accept(char c) {
    skip();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) refuse(std::string("'") + c + "' expected");
  }
  std::string quoted() {
    skip();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) {
      if (!rest_.empty() && rest_.front() == '[') throw DataError(file_, "records (structured arrays) are not read");
      refuse("a quoted word expected");
    }
    const auto end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) refuse("a quote is not closed");
    std::string word(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return word;
  }
  bool truth() {
    skip();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (rest_.substr(0, word.size()) != word) continue;
      rest_.remove_prefix(word.size());
      return value;
    }
    refuse("True or False expected");
  }
  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> extents;
    expect('(');
    while (!accept(')')) {
      skip();
      std::uint64_t extent = 0;
      const auto status = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (status.ec == std::errc::result_out_of_range) refuse("the shape is beyond any file");
      if (status.ec != std::errc()) refuse("a whole number expected in the shape");
      rest_.remove_prefix(static_cast<std::size_t>(status.ptr - rest_.data()));
      extents.push_back(extent);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return extents;
  }

  const std::string& file_;
  std::string_view rest_;
};

/// Text of the header; sets where the data begin.
std::string header_text(const Origin& origin, std::uint64_t size, std::uint64_t& data_offset) {
  unsigned char start[12] = {};
  const std::string& name = origin.name();
  if (size < 10) throw DataError(name, "the NPY header is cut short");
  origin.read_at(0, start, 10);
  const unsigned version = start[6];
  if (version < 1 || version > 3) throw DataError(name, "NPY version " + std::to_string(version) + " is not read");
  std::uint64_t length = start[8] + 256u * start[9];
  data_offset = 10;
  if (version > 1) {
    if (size < 12) throw DataError(name, "the NPY header is cut short");
    origin.read_at(10, start + 10, 2);
    length += (std::uint64_t{start[10]} << 16) + (std::uint64_t{start[11]} << 24);
    data_offset = 12;
  }
  if (length > kLongestHeader) throw DataError(name, "the NPY header is longer than 64 KiB");
  if (length > size - data_offset) throw DataError(name, "the NPY header is cut short");
  std::string text(length, '\0');
  origin.read_at(data_offset, text.data(), text.size());
  data_offset += length;
  return text;
}

/// Bytes the shape asks for; throws when the product leaves 64 bits.
std::uint64_t bytes_of(const std::string& file, const NpyHeader& header) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (header.columns > kMax / header.item_bytes ||
      (header.rows > 0 && header.columns * header.item_bytes > kMax / header.rows))
    throw DataError(file, "broken NPY header: the shape is beyond any file");
  return header.rows * header.columns * header.item_bytes;
}

}  // namespace

bool looks_like_npy(std::string_view start) { return start.substr(0, kMagic.size()) == kMagic; }

NpyHeader read_npy_header(const Origin& origin) {
  NpyHeader header;
  const std::uint64_t size = origin.size();
  const std::string text = header_text(origin, size, header.data_offset);
  std::string type;
  std::vector<std::uint64_t> shape;
  Literal(origin.name(), text).parse(type, header.fortran_order, shape);
  if (type != "<f8" && type != "<f4")
    throw DataError(origin.name(), "NPY elements of type '" + printable(type) + "' are not read, only '<f8' and '<f4'");
  header.item_bytes = type == "<f4" ? 4 : 8;
  if (shape.empty() || shape.size() > 2)
    throw DataError(origin.name(),
                    "an NPY array of " + std::to_string(shape.size()) + " dimensions is not a table; 1 or 2 are read");
  header.rows = shape[0];
  header.columns = shape.size() == 2 ? shape[1] : 1;
  if (header.columns == 0) throw DataError(origin.name(), "the NPY array has no columns");
  const std::uint64_t promised = bytes_of(origin.name(), header), there = size - header.data_offset;
  if (promised != there)
    throw DataError(origin.name(), "the NPY header promises " + std::to_string(promised) +
                                       " bytes of data, the file has " + std::to_string(there));
  return header;
}

}  // namespace alacarte::data_detail
