#include "data/python_literal.hpp"

#include <charconv>

namespace alacarte::data_detail {
namespace {

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

}  // namespace

std::optional<PythonValue> parse_python(std::string_view literal) {
  PythonValue value;
  if (!PythonParser(literal).read_all(value)) return std::nullopt;
  return value;
}

}  // namespace alacarte::data_detail
