#pragma once
// The window of a byte source that text readers parse in place. Private to the data room.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_source.hpp"

namespace alacarte::data_detail {

class RecordBuffer {
 public:
  RecordBuffer(std::string name, std::unique_ptr<ByteSource> source);

  /// The unread bytes at hand.
  std::string_view window() const { return {bytes_.data() + begin_, end_ - begin_}; }
  bool at_end() const { return at_end_; }  ///< the window is all that is left
  void consume(std::size_t count) { begin_ += count; }
  /// Reads more behind the window (which moves); false at the end of the source. The capacity doubles when the window
  /// fills it, so scanning a long record again after each call stays linear. Throws DataError (at `line`) when the
  /// window has reached the longest record allowed.
  bool grow(std::int64_t line);
  double share_read() const { return source_->share_read(); }

 private:
  std::string name_;
  std::unique_ptr<ByteSource> source_;
  std::vector<char> bytes_;
  std::size_t begin_ = 0, end_ = 0;
  bool at_end_ = false;
};

/// One line without its end ("\n" or "\r\n"); false at the end. Used where quotes have no meaning.
bool next_line(RecordBuffer& buffer, std::int64_t line_number, std::string_view& line, std::size_t& length);

}  // namespace alacarte::data_detail
