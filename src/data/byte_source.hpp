#pragma once
// Sources of bytes: a file, standard input or memory, decompressed if gzipped; and their window, which text readers
// parse in place. Private to the data room.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace alacarte::data_detail {

/// Byte order mark, which some programs write in front of UTF-8 text.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// A stream of bytes read front to back.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Reads at most `capacity` bytes (> 0); 0 only at the end. Throws IoError, or DataError for broken gzip data.
  std::size_t read(char* into, std::size_t capacity);
  /// Reads until `capacity` bytes are read or the source ends.
  std::size_t read_fully(char* into, std::size_t capacity);
  /// Returns the next `count` bytes, fewer if the source ends first; they stay unread.
  std::string peek(std::size_t count);
  /// Returns the share of the stored bytes read so far, 0 to 1; negative if unknown (a pipe).
  virtual double share_read() const = 0;

 protected:
  /// Continues read() after the peeked bytes.
  virtual std::size_t read_on(char* into, std::size_t capacity) = 0;

 private:
  std::string ahead_;  // peeked bytes
};

/// A file or a block of memory that can be read repeatedly, at any offset; a stream only once.
class Origin {
 public:
  static Origin file(const std::string& path);  ///< "-": standard input. Throws IoError if it cannot be opened.
  static Origin memory(const std::string& name, std::string bytes);
  static Origin descriptor(const std::string& name, int number);  ///< descriptor of a file, closed with the last copy

  const std::string& name() const { return name_; }
  bool is_file() const { return !stream_ && !bytes_; }  ///< name() is a path
  bool is_stream() const { return stream_; }            ///< standard input or a pipe: cannot be read twice
  /// Opens the content without gzip (by its magic bytes; several members in a row included), from the start.
  std::unique_ptr<ByteSource> open() const;
  std::unique_ptr<ByteSource> open_raw() const;  ///< opens the content as stored

  /// Returns the size in bytes as stored (not unpacked); 0 for pipes.
  std::uint64_t size() const;
  /// Reads exactly `count` bytes at `offset` as stored; throws IoError if they are missing. Not for streams.
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

  /// Returns the unread bytes in memory.
  std::string_view window() const { return {bytes_.data() + begin_, end_ - begin_}; }
  bool at_end() const { return at_end_; }  ///< true if the window is the whole rest
  void consume(std::size_t count) { begin_ += count; }
  /// Reads more after the window (which moves); returns false at the end of the source. The capacity doubles when the
  /// window fills it, so scanning a long record again after each call stays linear. Throws DataError (at `line`) if the
  /// window has reached the longest record allowed.
  bool grow(std::int64_t line);
  /// Replaces each carriage return, with a line feed after it or not, by a line feed, in the window and all that
  /// follows.
  void replace_returns();
  double share_read() const { return source_->share_read(); }

 private:
  void replace_returns_from(std::size_t first);
  std::string name_;
  std::unique_ptr<ByteSource> source_;
  std::vector<char> bytes_;
  std::size_t begin_ = 0, end_ = 0;
  bool at_end_ = false;
  bool replaces_returns_ = false, ends_in_return_ = false;  // the latter: the last byte read was one
};

}  // namespace alacarte::data_detail
