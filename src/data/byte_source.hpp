#pragma once
// Sources of bytes: a file, standard input or memory, decompressed if gzipped. Private to the data room.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace alacarte::data_detail {

/// Throws IoError: `name` cannot be read, with the text of errno value `error`.
[[noreturn]] void fail_read(const std::string& name, int error);

/// A stream of bytes read front to back.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Reads at most `capacity` bytes (> 0); 0 only at the end. Throws IoError, or DataError for broken gzip data.
  virtual std::size_t read(char* into, std::size_t capacity) = 0;
  /// Share of the bytes as stored that were read so far, 0 to 1; negative if unknown (a pipe).
  virtual double share_read() const = 0;
};

/// A file or a block of memory that can be opened more than once; standard input ("-") only once.
class Origin {
 public:
  static Origin file(const std::string& path);
  static Origin memory(const std::string& name, std::string bytes);

  const std::string& name() const { return name_; }
  bool is_file() const { return !stream_ && !bytes_; }  ///< name() is a path
  bool is_stream() const { return stream_; }            ///< standard input or a pipe: cannot be read twice
  /// The content with gzip undone (by its magic bytes). Throws IoError if it cannot be opened.
  std::unique_ptr<ByteSource> open() const;

  std::unique_ptr<ByteSource> open_raw() const;  ///< the content as stored

  /// Size in bytes as stored (not unpacked); not for streams.
  std::uint64_t size() const;
  /// Reads exactly `count` bytes at `offset` as stored; throws IoError if they are not there. Not for streams.
  void read_at(std::uint64_t offset, void* into, std::size_t count) const;

 private:
  class Descriptor;
  std::string name_;
  bool stream_ = false;
  std::shared_ptr<const std::string> bytes_;
  std::shared_ptr<Descriptor> descriptor_;
};

/// Puts bytes that were looked at back in front of the rest.
std::unique_ptr<ByteSource> with_prefix(std::string prefix, std::unique_ptr<ByteSource> rest);

/// Undoes gzip (several members in a row included). Throws DataError when the data are damaged or cut short.
std::unique_ptr<ByteSource> gunzip(std::string name, std::unique_ptr<ByteSource> packed);

/// Reads until `capacity` bytes are there or the source ends.
std::size_t read_fully(ByteSource& source, char* into, std::size_t capacity);

}  // namespace alacarte::data_detail
