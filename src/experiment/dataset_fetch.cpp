#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "alacarte/core/atomic_file.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/experiment/dataset_files.hpp"

namespace alacarte {
namespace {

namespace fs = std::filesystem;
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
                                      const Download& download) {
  std::vector<fs::path> parts;
  for (std::size_t i = 0; i < file.urls.size(); ++i) {
    const std::string number = file.urls.size() == 1 ? "" : std::to_string(i + 1);
    parts.emplace_back(place.string() + ".part" + number);
    download(file.urls[i], parts.back().string(),
             fmt::format("{} {}{}", entry.name, place.filename().string(),
                         number.empty() ? "" : fmt::format(" ({} of {})", number, file.urls.size())));
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
std::string install(const DatasetEntry& entry, const DatasetFile& file, const fs::path& place, const Download& download,
                    const BetweenChunks& between) {
  const Folder folder(place.parent_path());
  const std::vector<fs::path> parts = download_beside(entry, file, place, download);
  const FileCheck check = check_file(entry, file, parts.front().string(), between);
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

std::string fetch_dataset(const DatasetEntry& entry, const std::string& root, const Download& download,
                          const BetweenChunks& between) {
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
    sums += fmt::format(" {} {}", place.filename().string(), install(entry, file, place, download, between));
  }
  if (some_were_here) {
    const DatasetCheck check = check_dataset(entry, root, between);
    if (check.state == DatasetState::wrong)
      throw DataError((fs::path(root) / entry.folder).string(), check.text + "; remove the file to fetch it anew");
    if (sums.empty()) return "already here: " + check.text;
  }
  if (entry.verified) return "fetched, sums as in the catalogue";
  return "fetched, sizes as expected, but NOT VERIFIED: the catalogue has no sums to compare with; sha256" + sums;
}

}  // namespace alacarte
