#pragma once
// Sources of bytes: a file, standard input or memory, decompressed if gzipped; and the window of one that text readers
// parse in place. Private to the data room.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace alacarte::data_detail {

/// What some programs write in front of UTF-8 text; it is no part of the text.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// A stream of bytes read front to back.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Reads at most `capacity` bytes (> 0); 0 only at the end. Throws IoError, or DataError for broken gzip data.
  std::size_t read(char* into, std::size_t capacity);
  /// Reads until `capacity` bytes are there or the source ends.
  std::size_t read_fully(char* into, std::size_t capacity);
  /// The next `count` bytes, fewer if the source ends before; they stay to be read.
  std::string peek(std::size_t count);
  /// Share of the bytes as stored that were read so far, 0 to 1; negative if unknown (a pipe).
  virtual double share_read() const = 0;

 protected:
  /// read() behind the bytes that were looked at.
  virtual std::size_t read_on(char* into, std::size_t capacity) = 0;

 private:
  std::string ahead_;  // looked at
};

/// A file or a block of memory that can be read more than once, and anywhere; a stream only once.
class Origin {
 public:
  static Origin file(const std::string& path);  ///< "-": standard input. Throws IoError if it cannot be opened.
  static Origin memory(const std::string& name, std::string bytes);
  static Origin descriptor(const std::string& name, int number);  ///< of a file, closed with the last copy

  const std::string& name() const { return name_; }
  bool is_file() const { return !stream_ && !bytes_; }  ///< name() is a path
  bool is_stream() const { return stream_; }            ///< standard input or a pipe: cannot be read twice
  /// The content with gzip undone (by its magic bytes; several members in a row included), from the start.
  std::unique_ptr<ByteSource> open() const;
  std::unique_ptr<ByteSource> open_raw() const;  ///< the content as stored

  /// Size in bytes as stored (not unpacked); 0 for pipes.
  std::uint64_t size() const;
  /// Reads exactly `count` bytes at `offset` as stored; throws IoError if they are not there. Not for streams.
  void read_at(std::uint64_t offset, void* into, std::size_t count) const;

 private:
  class Source;
  std::size_t read_some(std::uint64_t offset, char* into, std::size_t count) const;

  std::string name_;
  bool stream_ = false;
  std::shared_ptr<const std::string> bytes_;
  std::shared_ptr<const int> descriptor_;
};

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

}  // namespace alacarte::data_detail
