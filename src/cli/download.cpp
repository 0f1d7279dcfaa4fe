#include "download.hpp"

#include <curl/curl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "alacarte/core/error.hpp"
#include "alacarte/core/version.hpp"
#include "guard.hpp"
#include "signals.hpp"

namespace alacarte::cli {
namespace {

constexpr long kSlowBytesPerSecond = 100, kMaxRedirects = 10, kRangeNotSatisfiable = 416;
constexpr const char* kKept = "; what came is kept, the same command goes on from there";

using Handle = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;

/// The unfinished file, removed at the end when it is empty. It is locked, so that two downloads cannot mix their
/// bytes.
class PartFile {
 public:
  explicit PartFile(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "abe"), &std::fclose) {
    if (!file_) fail(errno);
    if (::flock(descriptor(), LOCK_EX | LOCK_NB) != 0) throw IoError(path_, "another download is at work on it");
    std::setvbuf(file_.get(), nullptr, _IONBF, 0);
  }
  ~PartFile() {
    if (size() == 0) ::unlink(path_.c_str());
  }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  std::int64_t size() const {
    struct stat facts {};
    return ::fstat(descriptor(), &facts) == 0 ? facts.st_size : 0;
  }
  void clear() {
    if (::ftruncate(descriptor(), 0) != 0) fail(errno);
  }
  std::size_t append(const char* bytes, std::size_t count) {
    const std::size_t written = std::fwrite(bytes, 1, count, file_.get());
    if (written < count) error_ = errno;
    return written;
  }
  void flush_to_disk() {
    if (::fsync(descriptor()) != 0) fail(errno);
  }
  int error() const { return error_; }
  [[noreturn]] void fail(int error) const {
    throw IoError(path_, std::string("cannot be written: ") + std::strerror(error));
  }

 private:
  int descriptor() const { return ::fileno(file_.get()); }

  const std::string& path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  int error_ = 0;
};

/// One request for the bytes that are missing.
struct Transfer {
  const std::string& url;
  PartFile& part;
  const DownloadOptions& options;
  const std::int64_t start = part.size();
  Handle handle{curl_easy_init(), &curl_easy_cleanup};
  char words[CURL_ERROR_SIZE] = "";

  std::int64_t number(CURLINFO what) const {
    curl_off_t value = 0;
    curl_easy_getinfo(handle.get(), what, &value);
    return value;
  }
};

std::size_t on_bytes(char* bytes, std::size_t, std::size_t count, void* transfer) {
  return static_cast<Transfer*>(transfer)->part.append(bytes, count);
}

int on_progress(void* transfer, curl_off_t total, curl_off_t now, curl_off_t, curl_off_t) {
  const auto& of = *static_cast<Transfer*>(transfer);
  if (now > 0) of.options.on_progress(of.start + now, total > 0 ? of.start + total : 0);
  return interrupt_flag() ? 1 : 0;
}

void configure_transfer(Transfer& transfer) {
  const auto set = [&](CURLoption option, auto value) {
    if (!transfer.handle || curl_easy_setopt(transfer.handle.get(), option, value) != CURLE_OK)
      throw IoError(transfer.url, "libcurl cannot be started");
  };
  set(CURLOPT_URL, transfer.url.c_str());
  set(CURLOPT_USERAGENT, (std::string("alacarte/") + version()).c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_REDIR_PROTOCOLS_STR, transfer.url.rfind("https:", 0) == 0 ? "https" : "http,https");
  set(CURLOPT_FOLLOWLOCATION, 1L);
  set(CURLOPT_MAXREDIRS, kMaxRedirects);
  set(CURLOPT_FAILONERROR, 1L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_CONNECTTIMEOUT, static_cast<long>(transfer.options.stall_seconds));
  set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(transfer.options.stall_seconds));
  set(CURLOPT_LOW_SPEED_LIMIT, kSlowBytesPerSecond);
  set(CURLOPT_ERRORBUFFER, transfer.words);
  set(CURLOPT_WRITEFUNCTION, &on_bytes);
  set(CURLOPT_WRITEDATA, &transfer);
  set(CURLOPT_XFERINFOFUNCTION, &on_progress);
  set(CURLOPT_XFERINFODATA, &transfer);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_RESUME_FROM_LARGE, static_cast<curl_off_t>(transfer.start));
}

[[noreturn]] void complain(const Transfer& transfer, CURLcode code, long status) {
  const auto fail = [&](const std::string& text) { throw IoError(transfer.url, text); };
  const std::string detail = transfer.words[0] != '\0' ? transfer.words : curl_easy_strerror(code);
  const std::string kept = transfer.part.size() > 0 ? kKept : "";
  if (code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_COULDNT_CONNECT)
    fail("no connection: " + detail +
         ". Is this machine online? A proxy is taken from https_proxy, http_proxy and no_proxy");
  if (code == CURLE_HTTP_RETURNED_ERROR)
    fail(fmt::format("the server answers with status {}{}", status, status == 404 ? ": there is no such file" : ""));
  if (code == CURLE_OPERATION_TIMEDOUT && transfer.number(CURLINFO_SIZE_DOWNLOAD_T) == 0)
    fail(fmt::format("no answer within {} s", transfer.options.stall_seconds));
  if (code == CURLE_OPERATION_TIMEDOUT)
    fail(fmt::format("the server is too slow, less than {} bytes a second for {} s{}", kSlowBytesPerSecond,
                     transfer.options.stall_seconds, kept));
  if (code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR || code == CURLE_GOT_NOTHING)
    fail(fmt::format("the connection ended early, {} bytes are here{}", transfer.part.size(), kept));
  if (code == CURLE_WRITE_ERROR) transfer.part.fail(transfer.part.error());
  if (code == CURLE_UNSUPPORTED_PROTOCOL) fail("leads to an address that is not to be followed: " + detail);
  throw IoError(transfer.url, detail + kept);
}

/// "Content-Range: bytes */1000": the local bytes are complete, or belong to another file.
bool is_whole(const Transfer& transfer) {
  curl_header* range = nullptr;
  if (curl_easy_header(transfer.handle.get(), "Content-Range", 0, CURLH_HEADER, -1, &range) != CURLHE_OK) return false;
  const char* const slash = std::strchr(range->value, '/');
  return slash != nullptr && std::atoll(slash + 1) == transfer.start;
}

/// False when the bytes that are here cannot be gone on from: the server has another file, or sends no ranges.
bool perform(Transfer transfer) {
  configure_transfer(transfer);
  const CURLcode code = curl_easy_perform(transfer.handle.get());
  if (interrupt_flag()) throw Interrupted();
  if (code == CURLE_RANGE_ERROR) return false;
  long status = 0;
  curl_easy_getinfo(transfer.handle.get(), CURLINFO_RESPONSE_CODE, &status);
  if (transfer.start > 0 && status == kRangeNotSatisfiable) return is_whole(transfer);
  if (code != CURLE_OK) complain(transfer, code, status);
  return transfer.start == 0 || transfer.number(CURLINFO_SIZE_DOWNLOAD_T) > 0;
}

}  // namespace

void download(const std::string& url, const std::string& path, const DownloadOptions& options) {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (started != CURLE_OK) throw IoError(url, "libcurl cannot be started");
  PartFile part(path);
  if (!perform({url, part, options})) {
    part.clear();
    perform({url, part, options});
  }
  if (part.size() == 0) throw IoError(url, "the server sends an empty file");
  part.flush_to_disk();
}

}  // namespace alacarte::cli
