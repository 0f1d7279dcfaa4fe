#include "data/text_encoding.hpp"

#include <algorithm>
#include <boost/locale/utf.hpp>
#include <iterator>
#include <optional>

#include "alacarte/core/error.hpp"
#include "data/cells.hpp"

namespace alacarte::data_detail {
namespace {

using Utf8 = boost::locale::utf::utf_traits<char>;

/// Characters of the bytes 0x80 to 0x9F, which Latin-1 leaves to control characters.
constexpr char32_t kWindowsCharacters[] = {0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                           0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,   0x017D, 0x8F,
                                           0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                           0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};

constexpr std::string_view kMarkOfLittleEndian = "\xff\xfe", kMarkOfBigEndian = "\xfe\xff";
constexpr std::size_t kUtf16Bytes = 1 << 14;

enum class ByteOrder { little, big };

/// Returns the order of the bytes of UTF-16 text without a mark: only high bytes are zero, most of them are, and no low
/// byte is a control character, as in numbers of two bytes.
std::optional<ByteOrder> order_by_zeros(std::string_view start) {
  const std::size_t units = start.size() / 2;
  const auto are_high_bytes = [&](std::size_t place) {
    std::size_t zeros = 0;
    for (std::size_t i = 0; i < 2 * units; i += 2) {
      const auto low = static_cast<unsigned char>(start[i + 1 - place]);
      if (low < 0x20 && low != '\t' && low != '\r' && low != '\n') return false;
      zeros += start[i + place] == '\0';
    }
    return units > 1 && 10 * zeros >= 7 * units;
  };
  if (are_high_bytes(1)) return ByteOrder::little;
  return are_high_bytes(0) ? std::optional(ByteOrder::big) : std::nullopt;
}

std::optional<ByteOrder> utf16_order(std::string_view start) {
  if (start.starts_with(kMarkOfLittleEndian)) return ByteOrder::little;
  if (start.starts_with(kMarkOfBigEndian)) return ByteOrder::big;
  return order_by_zeros(start);
}

class Utf16Source : public ByteSource {
 public:
  Utf16Source(std::string name, std::unique_ptr<ByteSource> source, ByteOrder order)
      : name_(std::move(name)), source_(std::move(source)), is_little_(order == ByteOrder::little) {}
  double share_read() const override { return source_->share_read(); }

 protected:
  std::size_t read_on(char* into, std::size_t capacity) override {
    while (given_ == text_.size() && refill_text()) continue;
    const std::size_t count = text_.copy(into, capacity, given_);
    given_ += count;
    return count;
  }

 private:
  static constexpr char32_t kReplacement = 0xFFFD, kMark = 0xFEFF;

  /// Converts the next units; returns false at the end.
  bool refill_text() {
    std::string bytes(kUtf16Bytes, '\0');
    bytes.resize(source_->read_fully(bytes.data(), bytes.size()));
    text_.clear();
    given_ = 0;
    if (bytes.size() % 2 != 0) throw DataError(name_, "is cut short: its UTF-16 text ends in half a character");
    for (std::size_t i = 0; i < bytes.size(); i += 2) add_unit(unit(bytes[i], bytes[i + 1]));
    if (bytes.empty() && high_ != 0) {
      append(kReplacement);
      high_ = 0;
    }
    return !bytes.empty();
  }

  char32_t unit(char first, char second) const {
    const auto low = static_cast<unsigned char>(is_little_ ? first : second);
    const auto high = static_cast<unsigned char>(is_little_ ? second : first);
    return static_cast<char32_t>(high << 8 | low);
  }

  /// Adds a character, or keeps its first half until the second.
  void add_unit(char32_t unit) {
    const bool is_first_half = unit >= 0xD800 && unit < 0xDC00, is_second_half = unit >= 0xDC00 && unit < 0xE000;
    if (high_ != 0 && is_second_half) {
      append(0x10000 + ((high_ - 0xD800) << 10) + (unit - 0xDC00));
      high_ = 0;
      return;
    }
    if (high_ != 0) append(kReplacement);
    high_ = is_first_half ? unit : 0;
    if (is_first_half || (is_start_ && unit == kMark)) return;
    append(is_second_half ? kReplacement : unit);
  }

  void append(char32_t character) {
    is_start_ = false;
    Utf8::encode(static_cast<boost::locale::utf::code_point>(character), std::back_inserter(text_));
  }

  std::string name_;
  std::unique_ptr<ByteSource> source_;
  bool is_little_ = true;
  bool is_start_ = true;   // nothing was converted so far
  char32_t high_ = 0;      // first half of a character, or 0
  std::string text_;       // converted
  std::size_t given_ = 0;  // bytes of text_ that were read
};

}  // namespace

std::string from_windows_1252(std::string_view text) {
  std::string converted;
  converted.reserve(2 * text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const char32_t character = byte >= 0x80 && byte < 0xA0 ? kWindowsCharacters[byte - 0x80] : byte;
    Utf8::encode(static_cast<boost::locale::utf::code_point>(character), std::back_inserter(converted));
  }
  return converted;
}

std::string to_utf8(std::string_view text, bool& converted) {
  if (is_utf8(text)) return std::string(text);
  converted = true;
  return from_windows_1252(text);
}

bool looks_like_utf16(std::string_view start) { return utf16_order(start).has_value(); }

std::unique_ptr<ByteSource> make_utf16_source(const std::string& name, std::unique_ptr<ByteSource> source) {
  const auto order = utf16_order(source->peek(kUtf16LookBytes));
  require(order.has_value(), "make_utf16_source: other text");
  return std::make_unique<Utf16Source>(name, std::move(source), *order);
}

}  // namespace alacarte::data_detail
