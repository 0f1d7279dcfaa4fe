#include "dataset_check.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "alacarte/core/error.hpp"
#include "alacarte/data/fingerprint.hpp"
#include "alacarte/data/splits.hpp"
#include "alacarte/data/table.hpp"
#include "paths.hpp"
#include "signals.hpp"

namespace alacarte::cli {
namespace {

namespace fs = std::filesystem;

constexpr Index kRowsAtATime = 8192;

struct Shape {
  Index rows = 0, columns = 0;
};

Shape shape_of(const std::string& path) {
  const auto reader = open_table(path, DataConfig{});
  Shape shape{0, static_cast<Index>(reader->columns().size())};
  TableChunk chunk;
  while (reader->read(chunk, kRowsAtATime)) {
    shape.rows += chunk.rows();
    stop_if_interrupted();
  }
  return shape;
}

std::string data_complaint(const DatasetEntry& entry, const std::string& path) {
  const Shape shape = shape_of(path);
  if (shape.rows == entry.rows && shape.columns == entry.inputs + 1) return {};
  return fmt::format("wrong size: {} rows of {} columns, the catalogue says {} rows of {}", shape.rows, shape.columns,
                     entry.rows, entry.inputs + 1);
}

std::string mask_complaint(const DatasetEntry& entry, const std::string& path) {
  const Index folds = count_mask_folds(path);
  if (folds != entry.split.folds)
    return fmt::format("wrong folds: {} in the mask, the catalogue says {}", folds, entry.split.folds);
  read_mask(path, 0, entry.rows);
  return {};
}

}  // namespace

std::vector<DatasetFile> files_of(const DatasetEntry& entry) {
  std::vector<DatasetFile> files{{entry.data_file(), false, entry.sha256, entry.data_urls}};
  if (entry.mask_file().empty()) return files;
  files.push_back({entry.mask_file(), true, entry.mask_sha256, {}});
  if (entry.mask_url) files.back().urls.push_back(*entry.mask_url);
  return files;
}

FileCheck check_file(const DatasetEntry& entry, const DatasetFile& file, const std::string& path) {
  FileCheck check{{}, file_sha256(path)};
  if (file.sha256 && check.sha256 != *file.sha256) {
    check.complaint = fmt::format("wrong checksum: {} has sha256 {}, the catalogue says {}",
                                  fs::path(file.name).filename().string(), check.sha256, *file.sha256);
    return check;
  }
  try {
    check.complaint = file.is_mask ? mask_complaint(entry, path) : data_complaint(entry, path);
  } catch (const DataError& error) {
    check.complaint = error.what();
  }
  return check;
}

DatasetCheck check_dataset(const DatasetEntry& entry, const std::string& root) {
  const auto files = files_of(entry);
  for (const DatasetFile& file : files) {
    std::error_code error;
    const fs::path path = fs::path(root) / file.name;
    if (!fs::exists(path, error)) return {DatasetState::missing, "missing: " + path.string()};
  }
  std::string sums;
  for (const DatasetFile& file : files) {
    const FileCheck check = check_file(entry, file, (fs::path(root) / file.name).string());
    if (!check.complaint.empty()) return {DatasetState::wrong, check.complaint};
    sums += fmt::format(" {} {}", fs::path(file.name).filename().string(), check.sha256);
  }
  if (entry.verified) return {DatasetState::ok, "ok"};
  return {DatasetState::unverified,
          "sizes as expected, but not verified: the catalogue has no sums to compare with; sha256" + sums};
}

Catalogue shipped_catalogue() { return read_catalogue(find_config("datasets.json")); }

}  // namespace alacarte::cli
