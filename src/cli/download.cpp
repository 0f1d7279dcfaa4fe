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
#include "process.hpp"

namespace alacarte::cli {
namespace {

constexpr long kSlowBytesPerSecond = 100, kMaxRedirects = 10, kRangeNotSatisfiable = 416;
constexpr const char* kKept = "; what came is kept, the same command goes on from there";

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

/// Unbuffered, for appending, and locked, so that two downloads cannot mix their bytes.
File open_part(const std::string& path) {
  File file(std::fopen(path.c_str(), "abe"), &std::fclose);
  if (!file) throw IoError(path, std::string("cannot be written: ") + std::strerror(errno));
  if (::flock(::fileno(file.get()), LOCK_EX | LOCK_NB) != 0) throw IoError(path, "another download is at work on it");
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
  return file;
}

std::int64_t size_of(const File& file) {
  struct stat facts {};
  return ::fstat(::fileno(file.get()), &facts) == 0 ? facts.st_size : 0;
}

/// One request for the bytes that are missing.
struct Transfer {
  const std::string& url;
  const File& file;
  const int stall_seconds;
  const DownloadProgress& on_progress;
  const std::int64_t start = size_of(file);
  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> handle{curl_easy_init(), &curl_easy_cleanup};
  char words[CURL_ERROR_SIZE] = "";

  std::int64_t received() const {
    curl_off_t bytes = 0;
    curl_easy_getinfo(handle.get(), CURLINFO_SIZE_DOWNLOAD_T, &bytes);
    return bytes;
  }
};

int on_bytes(void* transfer, curl_off_t total, curl_off_t now, curl_off_t, curl_off_t) {
  const auto& of = *static_cast<Transfer*>(transfer);
  const auto bytes = [&](curl_off_t count) { return static_cast<double>(of.start + count); };
  if (now > 0) of.on_progress(bytes(now), total > 0 ? bytes(total) : 0);
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
  set(CURLOPT_CONNECTTIMEOUT, static_cast<long>(transfer.stall_seconds));
  set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(transfer.stall_seconds));
  set(CURLOPT_LOW_SPEED_LIMIT, kSlowBytesPerSecond);
  set(CURLOPT_ERRORBUFFER, transfer.words);
  set(CURLOPT_WRITEDATA, transfer.file.get());
  set(CURLOPT_XFERINFOFUNCTION, &on_bytes);
  set(CURLOPT_XFERINFODATA, &transfer);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_RESUME_FROM_LARGE, static_cast<curl_off_t>(transfer.start));
}

[[noreturn]] void complain(Transfer& transfer, CURLcode code, long status) {
  const auto fail = [&](const std::string& text) { throw IoError(transfer.url, text); };
  const std::string detail = transfer.words[0] != '\0' ? transfer.words : curl_easy_strerror(code);
  const std::string kept = size_of(transfer.file) > 0 ? kKept : "";
  if (code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_COULDNT_CONNECT)
    fail("no connection: " + detail +
         ". Is this machine online? A proxy is taken from https_proxy, http_proxy and no_proxy");
  if (code == CURLE_HTTP_RETURNED_ERROR)
    fail(fmt::format("the server answers with status {}{}", status, status == 404 ? ": there is no such file" : ""));
  if (code == CURLE_OPERATION_TIMEDOUT && transfer.received() == 0)
    fail(fmt::format("no answer within {} s", transfer.stall_seconds));
  if (code == CURLE_OPERATION_TIMEDOUT)
    fail(fmt::format("the server is too slow, less than {} bytes a second for {} s{}", kSlowBytesPerSecond,
                     transfer.stall_seconds, kept));
  if (code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR || code == CURLE_GOT_NOTHING)
    fail(fmt::format("the connection ended early, {} bytes are here{}", size_of(transfer.file), kept));
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
  return transfer.start == 0 || transfer.received() > 0;
}

}  // namespace

void download(const std::string& url, const std::string& path, int stall_seconds, const DownloadProgress& on_progress) {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (started != CURLE_OK) throw IoError(url, "libcurl cannot be started");
  const File file = open_part(path);
  try {
    if (!perform({url, file, stall_seconds, on_progress})) {
      if (::ftruncate(::fileno(file.get()), 0) != 0) throw IoError(path, "cannot be emptied");
      perform({url, file, stall_seconds, on_progress});
    }
    if (size_of(file) == 0) throw IoError(url, "the server sends an empty file");
    if (::fsync(::fileno(file.get())) != 0) throw IoError(path, "cannot be written");
  } catch (...) {
    if (size_of(file) == 0) ::unlink(path.c_str());
    throw;
  }
}

}  // namespace alacarte::cli
