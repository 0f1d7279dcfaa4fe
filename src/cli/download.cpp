#include "download.hpp"

#include <curl/curl.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "alacarte/core/error.hpp"
#include "alacarte/core/version.hpp"
#include "guard.hpp"
#include "signals.hpp"

namespace alacarte::cli {
namespace {

constexpr long kSlowBytesPerSecond = 100;
constexpr long kMostRedirects = 10;
constexpr long kRangeNotSatisfiable = 416;
constexpr const char* kKept = "; what came is kept, the same command goes on from there";

/// The unfinished file. It is locked, so that two downloads cannot mix their bytes.
class PartFile {
 public:
  explicit PartFile(std::string path) : path_(std::move(path)) {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail(errno);
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) {
      size_ = ::lseek(descriptor_, 0, SEEK_END);
      return;
    }
    ::close(descriptor_);
    throw IoError(path_, "another download is at work on it");
  }
  ~PartFile() {
    if (size_ == 0) ::unlink(path_.c_str());
    ::close(descriptor_);
  }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  std::int64_t size() const { return size_; }

  void clear() {
    if (::ftruncate(descriptor_, 0) != 0 || ::lseek(descriptor_, 0, SEEK_SET) < 0) fail(errno);
    size_ = 0;
  }
  /// False when the disk took less; error() says why.
  bool append(const char* bytes, std::size_t count) {
    while (count > 0) {
      const ssize_t written = ::write(descriptor_, bytes, count);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        error_ = errno;
        return false;
      }
      bytes += written;
      count -= static_cast<std::size_t>(written);
      size_ += written;
    }
    return true;
  }
  void flush_to_disk() {
    if (::fsync(descriptor_) != 0) fail(errno);
  }
  int error() const { return error_; }
  [[noreturn]] void fail(int error) const {
    throw IoError(path_, std::string("cannot be written: ") + std::strerror(error));
  }

 private:
  std::string path_;
  int descriptor_ = -1;
  int error_ = 0;
  std::int64_t size_ = 0;
};

/// One request for the bytes from `start` on.
class Transfer {
 public:
  enum class Outcome { whole, start_anew };

  Transfer(const std::string& url, PartFile& part, const DownloadOptions& options)
      : url_(url), part_(part), options_(options), start_(part.size()), handle_(curl_easy_init()) {
    if (!handle_) throw IoError(url_, "libcurl cannot be started");
    configure();
  }

  Outcome run() {
    const CURLcode code = curl_easy_perform(handle_.get());
    long status = 0;
    curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
    if (interrupt_flag()) throw Interrupted();
    if (other_range_) return Outcome::start_anew;
    // Nothing lies beyond the bytes that are here: either they are all, or they are not of this file.
    if (start_ > 0 && status == kRangeNotSatisfiable)
      return whole_size() == start_ ? Outcome::whole : Outcome::start_anew;
    if (code != CURLE_OK) complain(code, status);
    if (!began_ && start_ > 0 && status != 206) part_.clear();
    return Outcome::whole;
  }

 private:
  struct Cleanup {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  };

  template <class Value>
  void set(CURLoption option, Value value) {
    if (curl_easy_setopt(handle_.get(), option, value) != CURLE_OK)
      throw IoError(url_, "libcurl does not know an option that is needed");
  }

  void configure() {
    set(CURLOPT_URL, url_.c_str());
    set(CURLOPT_USERAGENT, user_agent_.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_REDIR_PROTOCOLS_STR, url_.rfind("https:", 0) == 0 ? "https" : "http,https");
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, kMostRedirects);
    set(CURLOPT_FAILONERROR, 1L);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_CONNECTTIMEOUT, static_cast<long>(options_.stall_seconds));
    set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(options_.stall_seconds));
    set(CURLOPT_LOW_SPEED_LIMIT, kSlowBytesPerSecond);
    set(CURLOPT_ERRORBUFFER, words_);
    set(CURLOPT_HEADERFUNCTION, &Transfer::on_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, &Transfer::on_bytes);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_XFERINFOFUNCTION, &Transfer::on_progress);
    set(CURLOPT_XFERINFODATA, this);
    set(CURLOPT_NOPROGRESS, 0L);
    if (start_ > 0) set(CURLOPT_RANGE, fmt::format("{}-", start_).c_str());
  }

  static std::size_t on_header(char* text, std::size_t size, std::size_t count, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    const std::string line(text, size * count);
    const std::string name = "content-range:";
    if (line.rfind("HTTP/", 0) == 0) transfer.content_range_.clear();  // the answer after a redirect
    if (line.size() > name.size() && ::strncasecmp(line.c_str(), name.c_str(), name.size()) == 0)
      transfer.content_range_ = line.substr(name.size());
    return size * count;
  }

  static std::size_t on_bytes(char* bytes, std::size_t size, std::size_t count, void* self) {
    return static_cast<Transfer*>(self)->take(bytes, size * count) ? size * count : CURL_WRITEFUNC_ERROR;
  }

  static int on_progress(void* self, curl_off_t total, curl_off_t now, curl_off_t, curl_off_t) {
    auto& transfer = *static_cast<Transfer*>(self);
    const std::int64_t start = transfer.resumes_ ? transfer.start_ : 0;
    if (transfer.began_) transfer.options_.on_progress(start + now, total > 0 ? start + total : 0);
    return interrupt_flag() ? 1 : 0;
  }

  bool take(const char* bytes, std::size_t count) {
    if (!began_) {
      long status = 0;
      curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
      resumes_ = status == 206;
      other_range_ = resumes_ && first_byte() != start_;
      if (other_range_) return false;
      if (!resumes_ && start_ > 0) part_.clear();
      began_ = true;
    }
    return part_.append(bytes, count);
  }

  /// Of "bytes 400-999/1000"; -1 when it is not there.
  std::int64_t first_byte() const {
    const auto digits = content_range_.find_first_of("0123456789");
    return digits == std::string::npos ? -1 : std::atoll(content_range_.c_str() + digits);
  }
  /// Of "bytes */1000"; -1 when it is not there.
  std::int64_t whole_size() const {
    const auto slash = content_range_.find('/');
    return slash == std::string::npos ? -1 : std::atoll(content_range_.c_str() + slash + 1);
  }

  [[noreturn]] void complain(CURLcode code, long status) const {
    const std::string detail = words_[0] != '\0' ? words_ : curl_easy_strerror(code);
    const char* kept = part_.size() > 0 ? kKept : "";
    switch (code) {
      case CURLE_COULDNT_RESOLVE_HOST:
      case CURLE_COULDNT_RESOLVE_PROXY:
      case CURLE_COULDNT_CONNECT:
        throw IoError(url_, fmt::format("no connection: {}. Is this machine online? A proxy is taken from https_proxy, "
                                        "http_proxy and no_proxy",
                                        detail));
      case CURLE_HTTP_RETURNED_ERROR:
        throw IoError(url_, fmt::format("the server answers with status {}{}", status,
                                        status == 404 ? ": there is no such file" : ""));
      case CURLE_OPERATION_TIMEDOUT:
        if (!began_) throw IoError(url_, fmt::format("no answer within {} s", options_.stall_seconds));
        throw IoError(url_, fmt::format("the server is too slow, less than {} bytes a second for {} s{}",
                                        kSlowBytesPerSecond, options_.stall_seconds, kept));
      case CURLE_PARTIAL_FILE:
      case CURLE_RECV_ERROR:
      case CURLE_GOT_NOTHING:
        throw IoError(url_, fmt::format("the connection ended early, {} bytes are here{}", part_.size(), kept));
      case CURLE_WRITE_ERROR:
        part_.fail(part_.error());
      case CURLE_UNSUPPORTED_PROTOCOL:
        throw IoError(url_, "leads to an address that is not to be followed: " + detail);
      default:
        throw IoError(url_, detail + kept);
    }
  }

  const std::string& url_;
  PartFile& part_;
  const DownloadOptions& options_;
  const std::string user_agent_ = std::string("alacarte/") + version();
  std::int64_t start_;
  bool began_ = false, resumes_ = false, other_range_ = false;
  std::string content_range_;
  char words_[CURL_ERROR_SIZE] = "";
  std::unique_ptr<CURL, Cleanup> handle_;
};

}  // namespace

void download(const std::string& url, const std::string& path, const DownloadOptions& options) {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (started != CURLE_OK) throw IoError(url, "libcurl cannot be started");
  PartFile part(path);
  if (Transfer(url, part, options).run() == Transfer::Outcome::start_anew) {
    part.clear();
    if (Transfer(url, part, options).run() == Transfer::Outcome::start_anew)
      throw IoError(url, "the server sends another part of the file than it was asked for");
  }
  if (part.size() == 0) throw IoError(url, "the server sends an empty file");
  part.flush_to_disk();
}

}  // namespace alacarte::cli
