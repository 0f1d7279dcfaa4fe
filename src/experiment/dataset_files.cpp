#include "dataset_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "alacarte/core/error.hpp"
#include "alacarte/data/table.hpp"
#include "core/atomic_file.hpp"
#include "core/text_file.hpp"
#include "data/fingerprint.hpp"
#include "data/splits.hpp"

namespace alacarte {
namespace {

namespace fs = std::filesystem;

constexpr Index kRowsAtATime = 8192;

std::string data_complaint(const DatasetEntry& entry, const std::string& path, const BetweenChunks& between) {
  const auto reader = open_table(path, DataConfig{});
  const auto columns = static_cast<Index>(reader->columns().size());
  Index rows = 0;
  for (TableChunk chunk; reader->read(chunk, kRowsAtATime); between()) rows += chunk.rows();
  if (rows == entry.rows && columns == entry.inputs + 1) return {};
  return fmt::format("wrong size: {} rows of {} columns, the catalogue says {} rows of {}", rows, columns, entry.rows,
                     entry.inputs + 1);
}

std::string mask_complaint(const DatasetEntry& entry, const std::string& path) {
  const Index folds = count_mask_folds(path);
  if (folds != entry.split.folds)
    return fmt::format("wrong folds: {} in the mask, the catalogue says {}", folds, entry.split.folds);
  read_mask(path, 0, entry.rows);
  return {};
}

std::string split_text(const DatasetEntry& entry) {
  if (entry.split.kind == "split") return "one given split into training and test rows";
  if (entry.split.kind == "mask") return fmt::format("{} given folds", entry.split.folds);
  return fmt::format("no given folds; {} seeded random ones", entry.split.folds);
}

void remove_files(const std::vector<fs::path>& paths) {
  std::error_code error;
  for (const fs::path& path : paths) fs::remove(path, error);
}

/// Concatenates the parts: gzip members in sequence are one gzip file.
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

/// Makes a folder, and removes it at the end if it is empty.
class Folder {
 public:
  explicit Folder(fs::path path) : path_(std::move(path)) { make_folders(path_.string()); }
  ~Folder() {
    std::error_code error;
    fs::remove(path_, error);  // fails without effect if the folder is not empty
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

 private:
  fs::path path_;
};

/// Moves the file to its place and returns its sum.
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

bool is_present(const DatasetEntry& entry) {
  const char* root = std::getenv("ALACARTE_DATA_DIR");
  std::error_code error;
  return root != nullptr && std::filesystem::exists(std::filesystem::path(root) / entry.data_file(), error);
}

std::string target_text(const DatasetEntry& entry) {
  const bool plain = entry.transform == "none" || entry.transform == "unknown";
  return plain ? entry.target : fmt::format("{} of {}", entry.transform, entry.target);
}

std::vector<std::pair<std::string, std::string>> describe(const DatasetEntry& e) {
  std::vector<std::pair<std::string, std::string>> lines;
  const auto line = [&](const char* name, const std::string& value) {
    if (!value.empty()) lines.emplace_back(name, value);
  };
  const char* const unknown = "not known (not verified)";
  line("name", e.name == e.title ? e.name : fmt::format("{} ({})", e.name, e.title));
  line("group", e.group + (e.group == e.task ? "" : ", " + e.task));
  line("size", fmt::format("{} rows, {} inputs", e.rows, e.inputs));
  line("inputs", fmt::format("{}", fmt::join(e.columns, "; ")));
  line("target", target_text(e));
  line("identified", e.identified);
  line("target sd", e.target_sd ? fmt::format("{:.5g}", *e.target_sd) : "");
  line("split", split_text(e));
  line("file", e.data_file() + (is_present(e) ? " (here)" : " (not here)"));
  line("sha256", e.sha256.value_or(unknown));
  line("split file", e.mask_file());
  line("sha256", e.mask_file().empty() ? "" : e.mask_sha256.value_or(unknown));
  line("source", e.source);
  for (const std::string& url : e.data_urls) line("address", url);
  line("address", e.mask_url.value_or(""));
  line("original", e.original);
  line("conversion", e.conversion);
  line("licence", e.licence);
  for (const std::string& note : e.notes) line("note", note);
  return lines;
}

std::vector<DatasetFile> files_of(const DatasetEntry& entry) {
  std::vector<DatasetFile> files{{entry.data_file(), false, entry.sha256, entry.data_urls}};
  if (entry.mask_file().empty()) return files;
  files.push_back({entry.mask_file(), true, entry.mask_sha256, {}});
  if (entry.mask_url) files.back().urls.push_back(*entry.mask_url);
  return files;
}

FileCheck check_file(const DatasetEntry& entry, const DatasetFile& file, const std::string& path,
                     const BetweenChunks& between) {
  FileCheck check{{}, file_sha256(path)};
  if (file.sha256 && check.sha256 != *file.sha256) {
    check.complaint = fmt::format("wrong checksum: {} has sha256 {}, the catalogue says {}",
                                  fs::path(file.name).filename().string(), check.sha256, *file.sha256);
    return check;
  }
  try {
    check.complaint = file.is_mask ? mask_complaint(entry, path) : data_complaint(entry, path, between);
  } catch (const DataError& error) {
    check.complaint = error.what();
  }
  return check;
}

DatasetCheck check_dataset(const DatasetEntry& entry, const std::string& root, const BetweenChunks& between) {
  const auto files = files_of(entry);
  for (const DatasetFile& file : files) {
    std::error_code error;
    const fs::path path = fs::path(root) / file.name;
    if (!fs::exists(path, error)) return {DatasetState::missing, "missing: " + path.string()};
  }
  std::string sums;
  for (const DatasetFile& file : files) {
    const FileCheck check = check_file(entry, file, (fs::path(root) / file.name).string(), between);
    if (!check.complaint.empty()) return {DatasetState::wrong, check.complaint};
    sums += fmt::format(" {} {}", fs::path(file.name).filename().string(), check.sha256);
  }
  if (entry.verified) return {DatasetState::ok, "ok"};
  return {DatasetState::unverified,
          "sizes as expected, but not verified: the catalogue has no sums to compare with; sha256" + sums};
}

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
