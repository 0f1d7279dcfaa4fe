#pragma once
// One file from the web, resumed where an earlier attempt ended.
#include <functional>
#include <string>

namespace alacarte::cli {

/// Bytes here so far, and of the whole (0 = not known).
using DownloadProgress = std::function<void(double here, double whole)>;

/// Appends what is missing of `url` (http or https) to the file `path` and flushes it to the disk. Bytes that are there
/// already are asked for no more; a server that cannot resume sends everything anew. Redirects are followed, from https
/// only to https; proxies come from the usual environment variables. Gives up when hardly anything came for
/// `stall_seconds`. Throws IoError when the whole did not come (what came is kept, an empty file is not) or another
/// download holds `path`; throws Interrupted.
void download(const std::string& url, const std::string& path, int stall_seconds, const DownloadProgress& on_progress);

}  // namespace alacarte::cli
