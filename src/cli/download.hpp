#pragma once
// Downloads a file, resuming an earlier attempt.
#include <functional>
#include <string>

namespace alacarte::cli {

/// Callback with the bytes present and in all (0 = unknown).
using DownloadProgress = std::function<void(double here, double whole)>;

/// Appends the missing part of `url` (http or https) to the file `path` and flushes it to the disk. Existing bytes are
/// not requested again; a server that cannot resume sends everything anew. Redirects are followed, from https only to
/// https; proxies come from the usual environment variables. Gives up if hardly anything arrives for `stall_seconds`.
/// Throws IoError if the download is incomplete (received bytes are kept, an empty file is not) or another download
/// holds `path`; throws Interrupted.
void download(const std::string& url, const std::string& path, int stall_seconds, const DownloadProgress& on_progress);

}  // namespace alacarte::cli
