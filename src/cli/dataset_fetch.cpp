#include "dataset_fetch.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "alacarte/core/atomic_file.hpp"
#include "alacarte/core/error.hpp"
#include "dataset_check.hpp"
#include "download.hpp"
#include "log.hpp"
#include "progress.hpp"

namespace alacarte::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr double kLiveSeconds = 0.1;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The line a terminal shows during one download.
class LiveDownload {
 public:
  explicit LiveDownload(std::string name) : name_(std::move(name)) {}
  ~LiveDownload() { clear_live_line(); }
  LiveDownload(const LiveDownload&) = delete;
  LiveDownload& operator=(const LiveDownload&) = delete;

  void show(std::int64_t here, std::int64_t whole) {
    if (first_ < 0) first_ = here;
    if (!live_line_possible() || seconds_since(shown_) < kLiveSeconds) return;
    shown_ = Clock::now();
    const auto bytes = static_cast<double>(here);
    std::string text = fmt::format("{}  {}", name_, format_bytes(bytes));
    if (whole > 0)
      text += fmt::format(" of {}  {:.0f} %", format_bytes(static_cast<double>(whole)),
                          100 * bytes / static_cast<double>(whole));
    const double rate = static_cast<double>(here - first_) / std::max(seconds_since(start_), kLiveSeconds);
    show_live_line(text + fmt::format("  {}/s", format_bytes(rate)));
  }

 private:
  std::string name_;
  std::int64_t first_ = -1;
  Clock::time_point start_ = Clock::now(), shown_{};
};

void remove_files(const std::vector<fs::path>& paths) {
  std::error_code error;
  for (const fs::path& path : paths) fs::remove(path, error);
}

/// gzip members one after the other are one gzip file, and so are lines of CSV.
void join(const std::vector<fs::path>& parts, const fs::path& whole) {
  AtomicFile file(whole.string());
  for (const fs::path& part : parts) {
    std::ifstream bytes(part, std::ios::binary);
    if (!bytes) throw IoError(part.string(), "cannot be read");
    file.stream() << bytes.rdbuf();
  }
  file.commit();
}

/// Downloads one file to a name beside its place; returns that name and, last, every file that the download left there.
std::vector<fs::path> download_beside(const DatasetEntry& entry, const DatasetFile& file, const fs::path& place,
                                      int stall_seconds) {
  std::vector<fs::path> parts;
  for (std::size_t i = 0; i < file.urls.size(); ++i) {
    const std::string number = file.urls.size() == 1 ? "" : std::to_string(i + 1);
    parts.emplace_back(place.string() + ".part" + number);
    log_info(fmt::format("{}: {}", entry.name, file.urls[i]));
    LiveDownload live(fmt::format("{} {}{}", entry.name, place.filename().string(),
                                  number.empty() ? "" : fmt::format(" ({} of {})", number, file.urls.size())));
    DownloadOptions options;
    options.stall_seconds = stall_seconds;
    options.on_progress = [&](std::int64_t here, std::int64_t whole) { live.show(here, whole); };
    download(file.urls[i], parts.back().string(), options);
  }
  if (parts.size() == 1) return parts;
  const fs::path whole = place.string() + ".part";
  join(parts, whole);
  parts.insert(parts.begin(), whole);
  return parts;
}

/// Makes a folder, and removes it again at the end when nothing came into it.
class Folder {
 public:
  explicit Folder(fs::path path) : path_(std::move(path)) {
    std::error_code error;
    fs::create_directories(path_, error);
    if (error) throw IoError(path_.string(), "cannot be created: " + error.message());
  }
  ~Folder() {
    std::error_code error;
    fs::remove(path_, error);  // of a folder that is not empty this is an error, and changes nothing
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

 private:
  fs::path path_;
};

/// Returns the sum of the file.
std::string install(const DatasetEntry& entry, const DatasetFile& file, const fs::path& place, int stall_seconds) {
  const Folder folder(place.parent_path());
  const std::vector<fs::path> parts = download_beside(entry, file, place, stall_seconds);
  const FileCheck check = check_file(entry, file, parts.front().string());
  if (!check.complaint.empty()) {
    remove_files(parts);
    throw DataError(entry.name, check.complaint + "; what came was removed, nothing was installed");
  }
  std::error_code error;
  fs::rename(parts.front(), place, error);
  if (error) throw IoError(place.string(), "cannot be written: " + error.message());
  remove_files({parts.begin() + 1, parts.end()});
  return check.sha256;
}

}  // namespace

std::string fetch_dataset(const DatasetEntry& entry, const std::string& root, int stall_seconds) {
  std::string sums;
  bool some_were_here = false;
  for (const DatasetFile& file : files_of(entry)) {
    const fs::path place = fs::path(root) / file.name;
    std::error_code error;
    if (fs::exists(place, error)) {
      some_were_here = true;
      continue;
    }
    if (file.urls.empty())
      throw IoError(place.string(),
                    fmt::format("is not here and cannot be fetched in this form; make it by hand from {} "
                                "({}): {}",
                                entry.source, entry.original, entry.conversion));
    sums += fmt::format(" {} {}", place.filename().string(), install(entry, file, place, stall_seconds));
  }
  if (some_were_here) {
    const DatasetCheck check = check_dataset(entry, root);
    if (check.state == DatasetState::wrong)
      throw DataError((fs::path(root) / entry.folder).string(), check.text + "; remove the file to fetch it anew");
    if (sums.empty()) return "already here: " + check.text;
  }
  if (entry.verified) return "fetched, sums as in the catalogue";
  return "fetched, sizes as expected, but NOT VERIFIED: the catalogue has no sums to compare with; sha256" + sums;
}

}  // namespace alacarte::cli
