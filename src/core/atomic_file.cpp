#include "atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <streambuf>
#include <utility>
#include <vector>

#include "alacarte/core/error.hpp"
#include "pipes.hpp"

namespace alacarte {
namespace {

constexpr std::size_t kStreamBytes = 1 << 16;

[[noreturn]] void fail(const std::string& path, const std::string& what, int error) {
  throw IoError(path, what + ": " + std::strerror(error));
}

/// Resolves symbolic links: rename() would replace the link itself.
std::string resolve_links(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const auto target = std::filesystem::weakly_canonical(path, error);
  return error ? path : target.string();
}

/// Repeats a call that a signal interrupted. Not for close(): Linux has closed the file then.
template <class Call>
int repeated(const Call& call) {
  int result = 0;
  do result = call();
  while (result < 0 && errno == EINTR);
  return result;
}

int open_without_name(const std::string& folder) {
  int descriptor = repeated([&] { return ::open(folder.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600); });
  if (descriptor >= 0) return descriptor;
  // Some file systems have no nameless files: there it has a name for a moment. mkostemps() replaces the six X.
  std::string name = folder + "/alacarte-" + std::string(6, 'X') + ".rows.tmp";
  descriptor = ::mkostemps(name.data(), 9, O_CLOEXEC);
  if (descriptor < 0) fail(folder, "no file can be made there", errno);
  ::unlink(name.c_str());
  return descriptor;
}

/// Names that a signal handler can read: in fixed places, each free, being filled, or complete. Names beyond these
/// places leave their files behind when the program is killed. Unused places cost no memory.
class TemporaryNames {
 public:
  void add(const std::string& name) {
    for (Place& place : places_) {
      int state = kFree;
      if (name.size() >= sizeof place.name || !place.state.compare_exchange_strong(state, kFilling)) continue;
      std::copy_n(name.c_str(), name.size() + 1, place.name);
      place.state = kWhole;
      return;
    }
  }
  void remove(const std::string& name) {
    for (Place& place : places_)
      if (place.state == kWhole && name == place.name) place.state = kFree;
  }
  void unlink_all() noexcept {
    for (Place& place : places_)
      if (place.state == kWhole) ::unlink(place.name);
  }

 private:
  enum State { kFree, kFilling, kWhole };
  struct Place {
    std::atomic<int> state{kFree};
    char name[PATH_MAX];
  };
  std::array<Place, kMaxTemporaryFiles> places_;
};
static_assert(std::atomic<int>::is_always_lock_free, "read by a signal handler");
TemporaryNames temporary_names;

}  // namespace

void remove_temporary_files() noexcept { temporary_names.unlink_all(); }

/// A buffer that can be fsynced and remembers why a write failed, unlike std::filebuf.
class AtomicFile::Buffer : public std::streambuf {
 public:
  explicit Buffer(int descriptor) : descriptor_(descriptor), may_wait_(is_stream(descriptor)), bytes_(kStreamBytes) {
    setp(bytes_.data(), bytes_.data() + bytes_.size());
  }
  ~Buffer() override { close(); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  int error() const { return error_; }
  void fail_with(int error) {
    if (error_ == 0) error_ = error;
  }
  void flush_to_disk() {
    // EINVAL and EROFS: pipes and devices have nothing to synchronise.
    if (sync() != 0 || repeated([&] { return ::fsync(descriptor_); }) == 0) return;
    if (errno != EINVAL && errno != EROFS) fail_with(errno);
  }
  void close() {
    if (descriptor_ < 0) return;
    if (::close(descriptor_) != 0 && errno != EINTR) fail_with(errno);
    descriptor_ = -1;
    setp(nullptr, nullptr);
    std::vector<char>().swap(bytes_);
  }
  int release() { return std::exchange(descriptor_, -1); }

 protected:
  int_type overflow(int_type character) override {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(character, traits_type::eof())) {
      *pptr() = traits_type::to_char_type(character);
      pbump(1);
    }
    return traits_type::not_eof(character);
  }

  int sync() override {
    const bool written = write_all(pbase(), static_cast<std::size_t>(pptr() - pbase()));
    setp(bytes_.data(), bytes_.data() + bytes_.size());
    return written ? 0 : -1;
  }

  pos_type seekpos(pos_type position, std::ios_base::openmode) override {
    const off_t offset = position;
    if (sync() != 0 || ::lseek(descriptor_, offset, SEEK_SET) != offset) return pos_type(off_type(-1));
    return position;
  }

  std::streamsize xsputn(const char* data, std::streamsize count) override {
    if (count < static_cast<std::streamsize>(kStreamBytes)) return std::streambuf::xsputn(data, count);
    if (sync() != 0 || !write_all(data, static_cast<std::size_t>(count))) return 0;
    return count;
  }

 private:
  bool write_all(const char* data, std::size_t count) {
    const PipeWait wait(PipeWait::writing, may_wait_);
    while (error_ == 0 && count > 0) {
      const ssize_t written = ::write(descriptor_, data, count);
      if (written < 0) {
        if (errno != EINTR) error_ = errno;
        continue;
      }
      data += written;
      count -= static_cast<std::size_t>(written);
    }
    return error_ == 0;
  }

  int descriptor_;
  bool may_wait_;
  int error_ = 0;
  std::vector<char> bytes_;
};

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), final_path_(resolve_links(path_)) {
  static std::atomic<unsigned> counter{0};
  struct stat status {};
  const bool exists = ::stat(final_path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) throw IoError(path_, "is a folder, cannot be written as a file");
  int descriptor = -1;
  if (exists && !S_ISREG(status.st_mode)) {
    const PipeWait wait(PipeWait::opening);
    descriptor = repeated([&] { return ::open(final_path_.c_str(), O_WRONLY | O_CLOEXEC); });
  } else {
    do {
      temporary_ = final_path_ + "." + std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".alacarte.tmp";
      temporary_names.add(temporary_);
      descriptor = repeated([&] { return ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
      if (descriptor < 0) forget_temporary();
    } while (descriptor < 0 && errno == EEXIST);
  }
  if (descriptor < 0) fail(path_, "cannot be written", errno);
  try {
    buffer_ = std::make_unique<Buffer>(descriptor);
    stream_ = std::make_unique<std::ostream>(buffer_.get());
  } catch (...) {  // the destructor does not run
    if (!buffer_) ::close(descriptor);
    discard();
    throw;
  }
  if (exists && !temporary_.empty() && ::fchmod(descriptor, status.st_mode & 07777) != 0) {
    const int error = errno;
    discard();
    fail(path_, "cannot keep the file's mode", error);
  }
}

AtomicFile::AtomicFile(std::string path, int descriptor)
    : path_(std::move(path)),
      buffer_(std::make_unique<Buffer>(descriptor)),
      stream_(std::make_unique<std::ostream>(buffer_.get())) {}

std::unique_ptr<AtomicFile> AtomicFile::without_name(const std::string& folder) {
  return std::unique_ptr<AtomicFile>(new AtomicFile("temporary rows in " + folder, open_without_name(folder)));
}

AtomicFile::~AtomicFile() { discard(); }

std::ostream& AtomicFile::stream() {
  require(stream_ != nullptr, "AtomicFile: used after close or commit");
  return *stream_;
}

void AtomicFile::write(const void* bytes, std::size_t count) {
  if (!stream().write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count))) commit();  // throws
}

int AtomicFile::release() {
  if (!stream().flush()) commit();
  stream_.reset();
  return buffer_->release();
}

void AtomicFile::close() {
  require(stream_ != nullptr, "AtomicFile: closed twice");
  buffer_->flush_to_disk();
  buffer_->close();
  if (!stream_->good()) buffer_->fail_with(EIO);
  stream_.reset();
}

void AtomicFile::commit() {
  require(buffer_ != nullptr, "AtomicFile: committed twice");
  if (stream_) close();
  int error = buffer_->error();
  buffer_.reset();
  if (error == 0 && !temporary_.empty() &&
      repeated([&] { return ::rename(temporary_.c_str(), final_path_.c_str()); }) != 0)
    error = errno;
  if (error != 0) {
    discard();
    fail(path_, "cannot be written", error);
  }
  if (temporary_.empty()) return;
  forget_temporary();
  // The name reaches the disk only with its folder; a file system that cannot sync folders still has the file.
  const std::string folder = std::filesystem::path(final_path_).parent_path().string();
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  (void)::fsync(descriptor);
  (void)::close(descriptor);
}

void AtomicFile::discard() noexcept {
  if (buffer_) buffer_->close();
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  forget_temporary();
}

void AtomicFile::forget_temporary() noexcept {
  temporary_names.remove(temporary_);
  temporary_.clear();
}

TemporaryFile::TemporaryFile(std::string path) : path_(std::move(path)) { temporary_names.add(path_); }

TemporaryFile::~TemporaryFile() {
  ::unlink(path_.c_str());
  temporary_names.remove(path_);
}

}  // namespace alacarte
