#include "data/byte_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "alacarte/core/error.hpp"
#include "core/pipes.hpp"

namespace alacarte::data_detail {
namespace {

constexpr std::size_t kPackedBytes = 1 << 15;
constexpr int kGzipWindow = 15 + 16;  // the largest window, gzip framing only
constexpr std::size_t kFirstBytes = std::size_t{1} << 17;
constexpr std::size_t kLongestRecord = std::size_t{1} << 26;

[[noreturn]] void fail_read(const std::string& name) {
  throw IoError(name, std::string("cannot be read: ") + std::strerror(errno));
}

struct stat status_of(const std::string& name, int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) fail_read(name);
  return status;
}

class GunzipSource : public ByteSource {
 public:
  GunzipSource(std::string name, std::unique_ptr<ByteSource> packed)
      : name_(std::move(name)), packed_(std::move(packed)), input_(kPackedBytes) {
    if (inflateInit2(&state_, kGzipWindow) != Z_OK) throw IoError(name_, "zlib cannot be started");
  }
  ~GunzipSource() override { inflateEnd(&state_); }
  GunzipSource(const GunzipSource&) = delete;
  GunzipSource& operator=(const GunzipSource&) = delete;
  double share_read() const override { return packed_->share_read(); }

 protected:
  std::size_t read_on(char* into, std::size_t capacity) override {
    state_.next_out = reinterpret_cast<Bytef*>(into);
    state_.avail_out = static_cast<uInt>(std::min<std::size_t>(capacity, 1u << 30));
    const uInt room = state_.avail_out;
    while (state_.avail_out == room) {
      if (between_members_ && !start_member()) return 0;
      if (state_.avail_in == 0 && !refill()) throw DataError(name_, "the gzip data are cut short");
      const int status = inflate(&state_, Z_NO_FLUSH);
      between_members_ = status == Z_STREAM_END;
      if (between_members_ || status == Z_OK || status == Z_BUF_ERROR) continue;
      const std::string detail = state_.msg != nullptr ? std::string(" (") + state_.msg + ")" : "";
      throw DataError(name_, "the gzip data are damaged" + detail);
    }
    return room - state_.avail_out;
  }

 private:
  bool refill() {
    state_.avail_in = static_cast<uInt>(packed_->read(input_.data(), input_.size()));
    state_.next_in = reinterpret_cast<Bytef*>(input_.data());
    return state_.avail_in > 0;
  }

  /// Skips zero padding (tapes, some servers) and starts the next member, if there is one.
  bool start_member() {
    for (;; ++state_.next_in, --state_.avail_in) {
      if (state_.avail_in == 0 && !refill()) return false;
      if (*state_.next_in != 0) break;
    }
    if (*state_.next_in != 0x1f) throw DataError(name_, "other bytes follow the gzip data");
    inflateReset(&state_);
    return true;
  }

  std::string name_;
  std::unique_ptr<ByteSource> packed_;
  std::vector<char> input_;
  z_stream state_{};
  bool between_members_ = false;
};

}  // namespace

std::size_t ByteSource::read(char* into, std::size_t capacity) {
  if (ahead_.empty()) return read_on(into, capacity);
  const std::size_t count = ahead_.copy(into, capacity);
  ahead_.erase(0, count);
  return count;
}

std::size_t ByteSource::read_fully(char* into, std::size_t capacity) {
  std::size_t total = 0, count = 1;
  for (; total < capacity && count > 0; total += count) count = read(into + total, capacity - total);
  return total;
}

std::string ByteSource::peek(std::size_t count) {
  std::string bytes(count, '\0');
  bytes.resize(read_fully(bytes.data(), count));
  ahead_.insert(0, bytes);
  return bytes;
}

class Origin::Source : public ByteSource {
 public:
  explicit Source(const Origin& origin) : origin_(origin), size_(static_cast<double>(origin.size())) {}
  double share_read() const override { return size_ > 0 ? std::min(1.0, static_cast<double>(position_) / size_) : -1; }

 protected:
  std::size_t read_on(char* into, std::size_t capacity) override {
    const std::size_t count = origin_.read_some(position_, into, capacity);
    position_ += count;
    return count;
  }

 private:
  const Origin origin_;
  const double size_;
  std::uint64_t position_ = 0;
};

Origin Origin::file(const std::string& path) {
  if (path == "-") {
    Origin origin;
    origin.name_ = "standard input";
    origin.stream_ = true;
    origin.descriptor_ = std::make_shared<const int>(STDIN_FILENO);
    return origin;
  }
  const PipeWait wait(PipeWait::reading, alacarte::is_stream(path));
  const int number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0) fail_read(path);
  return descriptor(path, number);
}

Origin Origin::descriptor(const std::string& name, int number) {
  Origin origin;
  origin.name_ = name;
  origin.descriptor_ = {new int(number), [](const int* own) {
                          ::close(*own);
                          delete own;
                        }};
  const struct stat status = status_of(name, number);
  if (S_ISDIR(status.st_mode)) throw IoError(name, "is a folder, not a file");
  origin.stream_ = !S_ISREG(status.st_mode);
  return origin;
}

Origin Origin::memory(const std::string& name, std::string bytes) {
  Origin origin;
  origin.name_ = name;
  origin.bytes_ = std::make_shared<const std::string>(std::move(bytes));
  return origin;
}

std::unique_ptr<ByteSource> Origin::open_raw() const { return std::make_unique<Source>(*this); }

std::unique_ptr<ByteSource> Origin::open() const {
  auto raw = open_raw();
  if (raw->peek(2) != "\x1f\x8b") return raw;
  return std::make_unique<GunzipSource>(name_, std::move(raw));
}

std::uint64_t Origin::size() const {
  return bytes_ ? bytes_->size() : static_cast<std::uint64_t>(status_of(name_, *descriptor_).st_size);
}

/// Reads at most `count` bytes; returns 0 at the end. A stream has no offsets and continues where it is.
std::size_t Origin::read_some(std::uint64_t offset, char* into, std::size_t count) const {
  if (bytes_) return bytes_->copy(into, count, std::min<std::uint64_t>(offset, bytes_->size()));
  const PipeWait wait(PipeWait::reading, stream_ && alacarte::is_stream(*descriptor_));
  for (;;) {
    const ssize_t done =
        stream_ ? ::read(*descriptor_, into, count) : ::pread(*descriptor_, into, count, static_cast<off_t>(offset));
    if (done >= 0) return static_cast<std::size_t>(done);
    if (errno != EINTR) fail_read(name_);
  }
}

void Origin::read_at(std::uint64_t offset, void* into, std::size_t count) const {
  require(!stream_, "Origin: random access to a stream");
  for (char* target = static_cast<char*>(into); count > 0;) {
    const std::size_t done = read_some(offset, target, count);
    if (done == 0) throw IoError(name_, "ends too early: it was changed while it was read");
    target += done;
    offset += done;
    count -= done;
  }
}

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
  const std::size_t count = source_->read_fully(bytes_.data() + end_, bytes_.size() - end_);
  end_ += count;
  at_end_ = end_ < bytes_.size();
  if (replaces_returns_) replace_returns_from(end_ - count);
  return count > 0;
}

void RecordBuffer::replace_returns() {
  replaces_returns_ = true;
  replace_returns_from(begin_);
}

void RecordBuffer::replace_returns_from(std::size_t first) {
  std::size_t kept = first;
  for (std::size_t i = first; i < end_; ++i) {
    const bool is_return = bytes_[i] == '\r', is_second_half = bytes_[i] == '\n' && ends_in_return_;
    ends_in_return_ = is_return;
    if (!is_second_half) bytes_[kept++] = is_return ? '\n' : bytes_[i];
  }
  end_ = kept;
}

}  // namespace alacarte::data_detail
