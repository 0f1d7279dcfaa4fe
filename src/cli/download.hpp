#pragma once
// One file from the web, resumed where an earlier attempt ended.
#include <cstdint>
#include <functional>
#include <string>

namespace alacarte::cli {

struct DownloadOptions {
  int stall_seconds = 30;  ///< give up when hardly anything came for so long
  /// Called now and then: bytes here so far, bytes of the whole (0 = not known).
  std::function<void(std::int64_t here, std::int64_t whole)> on_progress = [](std::int64_t, std::int64_t) {};
};

/// Appends what is missing of `url` (http or https) to the file `path` and flushes it to the disk. Bytes that are there
/// already are asked for no more; a server that cannot resume sends everything anew. Redirects are followed, from https
/// only to https; proxies come from the usual environment variables. Throws IoError when the whole did not come (what
/// came is kept, an empty file is not) or another download holds `path`; throws Interrupted.
void download(const std::string& url, const std::string& path, const DownloadOptions& options);

}  // namespace alacarte::cli
