#pragma once
// Files that appear whole or not at all, and temporary files.
#include <cstddef>
#include <memory>
#include <ostream>
#include <string>

namespace alacarte {

/// Largest number of temporary files that a signal handler removes; further ones are left behind.
inline constexpr std::size_t kMaxTemporaryFiles = 1024;

/// Writes to a temporary name in the folder of `path`; commit() flushes it to the disk (fsync) and renames it over
/// `path`, keeping the mode of a file that was there and following a symbolic link. Without a commit the temporary file
/// is removed and `path` stays as it was. A device or pipe ("/dev/null") cannot be replaced and is written directly;
/// the constructor waits for the reader of a named pipe. Keeps write errors (disk full) until commit(), which throws
/// IoError for the first of them.
class AtomicFile {
 public:
  /// Throws IoError if the folder cannot be written to or `path` is a folder.
  explicit AtomicFile(std::string path);
  /// Creates a file without a name in `folder`; it is gone when it is closed or the process ends. Throws IoError.
  static std::unique_ptr<AtomicFile> without_name(const std::string& folder);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  std::ostream& stream();  ///< binary, seekable from the start; valid until commit()
  /// Throws IoError at once for a full disk.
  void write(const void* bytes, std::size_t count);
  /// Ends the writing when many files appear together: all is on the disk under the temporary name, and neither
  /// descriptor nor memory is held until commit(), which throws any error.
  void close();
  void commit();  ///< once; throws IoError, and then nothing has changed at `path`
  /// Returns the descriptor of a file without a name, in place of commit(); the caller closes it. Throws IoError.
  int release();
  const std::string& path() const { return path_; }  ///< the name that commit() gives

 private:
  class Buffer;
  AtomicFile(std::string path, int descriptor);
  void discard() noexcept;
  void forget_temporary() noexcept;
  std::string path_, final_path_, temporary_;
  std::unique_ptr<Buffer> buffer_;
  std::unique_ptr<std::ostream> stream_;
};

/// The name of a file that other code writes: it is removed with this object, and by remove_temporary_files().
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string path);  ///< the file need not be there yet
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }  ///< path of the file

 private:
  std::string path_;
};

/// Removes the temporary files of all AtomicFiles and TemporaryFiles. Async-signal-safe, for a handler that ends the
/// process: no file may be written or committed after it.
void remove_temporary_files() noexcept;

}  // namespace alacarte
