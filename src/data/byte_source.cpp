#include "data/byte_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "alacarte/core/error.hpp"
#include "alacarte/core/pipes.hpp"

namespace alacarte::data_detail {

void fail_read(const std::string& name, int error) {
  throw IoError(name, std::string("cannot be read: ") + std::strerror(error));
}

namespace {

class DescriptorSource : public ByteSource {
 public:
  DescriptorSource(std::string name, int descriptor, bool owned)
      : name_(std::move(name)), descriptor_(descriptor), owned_(owned), may_wait_(is_stream(descriptor)) {}
  ~DescriptorSource() override {
    if (owned_) ::close(descriptor_);
  }
  DescriptorSource(const DescriptorSource&) = delete;
  DescriptorSource& operator=(const DescriptorSource&) = delete;

  std::size_t read(char* into, std::size_t capacity) override {
    const PipeWait wait(PipeWait::reading, may_wait_);
    for (;;) {
      const ssize_t count = ::read(descriptor_, into, capacity);
      if (count >= 0) done_ += static_cast<double>(count);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) fail_read(name_, errno);
    }
  }

  double share_read() const override {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) return -1;
    return std::min(1.0, done_ / static_cast<double>(status.st_size));
  }

 private:
  std::string name_;
  int descriptor_;
  bool owned_;
  bool may_wait_;
  double done_ = 0;
};

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::shared_ptr<const std::string> bytes) : bytes_(std::move(bytes)) {}
  std::size_t read(char* into, std::size_t capacity) override {
    const std::size_t count = std::min(capacity, bytes_->size() - position_);
    std::copy_n(bytes_->data() + position_, count, into);
    position_ += count;
    return count;
  }
  double share_read() const override {
    return bytes_->empty() ? 1 : static_cast<double>(position_) / static_cast<double>(bytes_->size());
  }

 private:
  std::shared_ptr<const std::string> bytes_;
  std::size_t position_ = 0;
};

class PrefixSource : public ByteSource {
 public:
  PrefixSource(std::string prefix, std::unique_ptr<ByteSource> rest)
      : prefix_(std::move(prefix)), rest_(std::move(rest)) {}
  std::size_t read(char* into, std::size_t capacity) override {
    if (position_ == prefix_.size()) return rest_->read(into, capacity);
    const std::size_t count = std::min(capacity, prefix_.size() - position_);
    std::copy_n(prefix_.data() + position_, count, into);
    position_ += count;
    return count;
  }
  double share_read() const override { return rest_->share_read(); }

 private:
  std::string prefix_;
  std::unique_ptr<ByteSource> rest_;
  std::size_t position_ = 0;
};

}  // namespace

/// The descriptor for random access, shared by copies of an Origin.
class Origin::Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { ::close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

Origin Origin::file(const std::string& path) {
  Origin origin;
  origin.name_ = path == "-" ? "standard input" : path;
  if (path == "-") {
    origin.stream_ = true;
    return origin;
  }
  const PipeWait wait(PipeWait::reading, alacarte::is_stream(path));
  const int number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0) fail_read(path, errno);
  origin.descriptor_ = std::make_shared<Descriptor>(number);
  struct stat status {};
  if (::fstat(number, &status) != 0) fail_read(path, errno);
  if (S_ISDIR(status.st_mode)) throw IoError(path, "is a folder, not a file");
  origin.stream_ = !S_ISREG(status.st_mode);
  return origin;
}

Origin Origin::memory(const std::string& name, std::string bytes) {
  Origin origin;
  origin.name_ = name;
  origin.bytes_ = std::make_shared<const std::string>(std::move(bytes));
  return origin;
}

std::unique_ptr<ByteSource> Origin::open_raw() const {
  if (bytes_) return std::make_unique<MemorySource>(bytes_);
  if (!descriptor_) return std::make_unique<DescriptorSource>(name_, STDIN_FILENO, false);
  // A second open() of a pipe would wait for a second writer; a file needs its own position.
  const int number = stream_ ? ::dup(descriptor_->number()) : ::open(name_.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0) fail_read(name_, errno);
  return std::make_unique<DescriptorSource>(name_, number, true);
}

std::unique_ptr<ByteSource> Origin::open() const {
  std::unique_ptr<ByteSource> raw = open_raw();
  std::string magic(2, '\0');
  magic.resize(read_fully(*raw, magic.data(), magic.size()));
  const bool packed = magic == "\x1f\x8b";
  raw = with_prefix(std::move(magic), std::move(raw));
  return packed ? gunzip(name_, std::move(raw)) : std::move(raw);
}

std::uint64_t Origin::size() const {
  if (bytes_) return bytes_->size();
  require(descriptor_ && !stream_, "Origin: size of a stream");
  struct stat status {};
  if (::fstat(descriptor_->number(), &status) != 0) fail_read(name_, errno);
  return static_cast<std::uint64_t>(status.st_size);
}

void Origin::read_at(std::uint64_t offset, void* into, std::size_t count) const {
  if (bytes_) {
    if (offset > bytes_->size() || count > bytes_->size() - offset) throw IoError(name_, "ends too early");
    std::copy_n(bytes_->data() + offset, count, static_cast<char*>(into));
    return;
  }
  require(descriptor_ && !stream_, "Origin: random access to a stream");
  char* target = static_cast<char*>(into);
  while (count > 0) {
    const ssize_t done = ::pread(descriptor_->number(), target, count, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail_read(name_, errno);
    if (done == 0) throw IoError(name_, "ends too early");
    target += done;
    offset += static_cast<std::uint64_t>(done);
    count -= static_cast<std::size_t>(done);
  }
}

std::unique_ptr<ByteSource> with_prefix(std::string prefix, std::unique_ptr<ByteSource> rest) {
  return std::make_unique<PrefixSource>(std::move(prefix), std::move(rest));
}

std::size_t read_fully(ByteSource& source, char* into, std::size_t capacity) {
  std::size_t total = 0;
  while (total < capacity) {
    const std::size_t count = source.read(into + total, capacity - total);
    if (count == 0) break;
    total += count;
  }
  return total;
}

}  // namespace alacarte::data_detail
