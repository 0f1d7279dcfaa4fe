#include "download.hpp"

#include <curl/curl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <memory>

#include "alacarte/core/error.hpp"
#include "alacarte/core/version.hpp"
#include "process.hpp"

namespace alacarte::cli {
namespace {

constexpr long kSlowBytes = 100, kMaxRedirects = 10, kRangeNotSatisfiable = 416;

off_t size_of(std::FILE* file) { return ::lseek(::fileno(file), 0, SEEK_END); }

std::string complaint(CURLcode code, const std::string& detail, long status, int seconds, off_t before, off_t after) {
  const std::string kept = after > 0 ? "; what came is kept, the same command goes on from there" : "";
  if (code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_COULDNT_CONNECT)
    return "no connection: " + detail +
           ". Is this machine online? A proxy is taken from https_proxy, http_proxy and no_proxy";
  if (code == CURLE_HTTP_RETURNED_ERROR)
    return fmt::format("the server answers with status {}{}", status, status == 404 ? ": there is no such file" : "");
  if (code == CURLE_OPERATION_TIMEDOUT && after == before) return fmt::format("no answer within {} s", seconds);
  if (code == CURLE_OPERATION_TIMEDOUT)
    return fmt::format("the server is too slow, less than {} bytes a second for {} s{}", kSlowBytes, seconds, kept);
  if (code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR || code == CURLE_GOT_NOTHING)
    return fmt::format("the connection ended early, {} bytes are here{}", after, kept);
  if (code == CURLE_UNSUPPORTED_PROTOCOL) return "leads to an address that is not to be followed: " + detail;
  return detail + kept;
}

/// Requests the missing part. Returns false if the reply cannot extend the local bytes: another file, or no ranges.
bool fetch_rest(const std::string& url, std::FILE* file, int stall_seconds, const DownloadProgress& on_progress) {
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(), &curl_easy_cleanup);
  const auto set = [&](CURLoption key, auto value) {
    if (!curl || curl_easy_setopt(curl.get(), key, value) != CURLE_OK) throw IoError(url, "libcurl cannot be started");
  };
  const curl_off_t start = size_of(file);
  const auto report = [&](curl_off_t now, curl_off_t all) {
    if (now > 0) on_progress(static_cast<double>(start + now), all > 0 ? static_cast<double>(start + all) : 0);
    return interrupt_flag() ? 1 : 0;
  };
  const curl_xferinfo_callback on_bytes = [](void* to, curl_off_t all, curl_off_t now, curl_off_t, curl_off_t) {
    return (*static_cast<decltype(&report)>(to))(now, all);
  };
  char words[CURL_ERROR_SIZE] = "";
  for (const auto key : {CURLOPT_FOLLOWLOCATION, CURLOPT_FAILONERROR, CURLOPT_NOSIGNAL}) set(key, 1L);
  for (const auto key : {CURLOPT_CONNECTTIMEOUT, CURLOPT_LOW_SPEED_TIME}) set(key, static_cast<long>(stall_seconds));
  set(CURLOPT_MAXREDIRS, kMaxRedirects);
  set(CURLOPT_LOW_SPEED_LIMIT, kSlowBytes);
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_USERAGENT, (std::string("alacarte/") + version()).c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_REDIR_PROTOCOLS_STR, url.starts_with("https:") ? "https" : "http,https");
  set(CURLOPT_ERRORBUFFER, words);
  set(CURLOPT_WRITEDATA, file);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFODATA, &report);
  set(CURLOPT_XFERINFOFUNCTION, on_bytes);
  set(CURLOPT_RESUME_FROM_LARGE, start);
  const CURLcode code = curl_easy_perform(curl.get());
  if (interrupt_flag()) throw Interrupted();
  long status = 0;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
  curl_header* range = nullptr;  // "bytes */1000": the local bytes are complete, or belong to another file
  if (start > 0 && (code == CURLE_RANGE_ERROR || status == kRangeNotSatisfiable))
    return curl_easy_header(curl.get(), "Content-Range", 0, CURLH_HEADER, -1, &range) == CURLHE_OK &&
           std::string(range->value).ends_with('/' + std::to_string(start));
  const std::string detail = words[0] != '\0' ? words : curl_easy_strerror(code);
  if (code != CURLE_OK) throw IoError(url, complaint(code, detail, status, stall_seconds, start, size_of(file)));
  return start == 0 || size_of(file) > start;
}

}  // namespace

void download(const std::string& url, const std::string& path, int stall_seconds, const DownloadProgress& on_progress) {
  // Opens unbuffered for appending, and locked, so that two downloads cannot mix their bytes.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "abe"), &std::fclose);
  if (!file) throw IoError(path, std::string("cannot be written: ") + std::strerror(errno));
  if (::flock(::fileno(file.get()), LOCK_EX | LOCK_NB) != 0) throw IoError(path, "another download is at work on it");
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
  const std::shared_ptr<void> at_end(nullptr, [&](void*) {
    if (size_of(file.get()) == 0) ::unlink(path.c_str());
  });
  while (!fetch_rest(url, file.get(), stall_seconds, on_progress))
    if (::ftruncate(::fileno(file.get()), 0) != 0) throw IoError(path, "cannot be emptied");
  if (size_of(file.get()) == 0) throw IoError(url, "the server sends an empty file");
  if (::fsync(::fileno(file.get())) != 0) throw IoError(path, "cannot be written");
}

}  // namespace alacarte::cli
