#include "data/record_buffer.hpp"

#include <cstring>

#include "alacarte/core/error.hpp"

namespace alacarte::data_detail {
namespace {

constexpr std::size_t kFirstBytes = std::size_t{1} << 17;
constexpr std::size_t kLongestRecord = std::size_t{1} << 26;

}  // namespace

RecordBuffer::RecordBuffer(std::string name, std::unique_ptr<ByteSource> source)
    : name_(std::move(name)), source_(std::move(source)), bytes_(kFirstBytes) {}

bool RecordBuffer::grow(std::int64_t line) {
  if (at_end_) return false;
  std::memmove(bytes_.data(), bytes_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ == bytes_.size()) {
    if (end_ >= kLongestRecord) throw DataError(name_, line, 0, "a row longer than 64 MiB: not a table of numbers?");
    bytes_.resize(2 * bytes_.size());
  }
  const std::size_t count = read_fully(*source_, bytes_.data() + end_, bytes_.size() - end_);
  end_ += count;
  at_end_ = end_ < bytes_.size();
  return count > 0;
}

bool next_line(RecordBuffer& buffer, std::int64_t line_number, std::string_view& line, std::size_t& length) {
  for (;;) {
    const std::string_view window = buffer.window();
    const void* found = window.empty() ? nullptr : std::memchr(window.data(), '\n', window.size());
    if (found == nullptr && !buffer.at_end()) {
      buffer.grow(line_number);
      continue;
    }
    if (window.empty()) return false;
    const std::size_t end =
        found == nullptr ? window.size() : static_cast<std::size_t>(static_cast<const char*>(found) - window.data());
    length = found == nullptr ? end : end + 1;
    line = window.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return true;
  }
}

}  // namespace alacarte::data_detail
