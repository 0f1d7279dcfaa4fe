#include "alacarte/experiment/dataset_files.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "alacarte/core/error.hpp"
#include "alacarte/data/fingerprint.hpp"
#include "alacarte/data/splits.hpp"
#include "alacarte/data/table.hpp"

namespace alacarte {
namespace {

namespace fs = std::filesystem;

constexpr Index kRowsAtATime = 8192;

struct TableShape {
  Index rows = 0, columns = 0;
};

TableShape shape_of(const std::string& path, const BetweenChunks& between) {
  const auto reader = open_table(path, DataConfig{});
  TableShape shape{0, static_cast<Index>(reader->columns().size())};
  TableChunk chunk;
  while (reader->read(chunk, kRowsAtATime)) {
    shape.rows += chunk.rows();
    between();
  }
  return shape;
}

std::string data_complaint(const DatasetEntry& entry, const std::string& path, const BetweenChunks& between) {
  const TableShape shape = shape_of(path, between);
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

}  // namespace alacarte
