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

DatasetCheck wrong(const std::string& what) { return {DatasetState::wrong, what}; }

/// Compares the sum of a file with the catalogue's; an empty text when it agrees or there is nothing to compare with.
std::string sum_complaint(const std::string& name, const std::string& sum, const std::optional<std::string>& expected) {
  if (!expected || sum == *expected) return {};
  return fmt::format("wrong checksum: {} has sha256 {}, the catalogue says {}", name, sum, *expected);
}

/// Rows, columns and folds; an empty text when they agree.
std::string shape_complaint(const DatasetEntry& entry, const std::string& data, const std::string& mask) {
  const Shape shape = shape_of(data);
  if (shape.rows != entry.rows || shape.columns != entry.inputs + 1)
    return fmt::format("wrong size: {} rows of {} columns, the catalogue says {} rows of {}", shape.rows, shape.columns,
                       entry.rows, entry.inputs + 1);
  if (mask.empty()) return {};
  const Index folds = count_mask_folds(mask);
  if (folds != entry.split.folds)
    return fmt::format("wrong folds: {} in the mask, the catalogue says {}", folds, entry.split.folds);
  read_mask(mask, 0, entry.rows);
  return {};
}

}  // namespace

DatasetCheck check_dataset(const DatasetEntry& entry, const std::string& root) {
  namespace fs = std::filesystem;
  const fs::path data = fs::path(root) / entry.data_file();
  const fs::path mask = entry.mask_file().empty() ? fs::path() : fs::path(root) / entry.mask_file();
  std::string sums;
  for (const fs::path& file : {data, mask}) {
    std::error_code error;
    if (file.empty()) continue;
    if (!fs::exists(file, error)) return {DatasetState::missing, "missing: " + file.string()};
  }
  try {
    for (const fs::path& file : {data, mask}) {
      if (file.empty()) continue;
      const std::string sum = file_sha256(file.string());
      const std::string complaint =
          sum_complaint(file.filename().string(), sum, file == data ? entry.sha256 : entry.mask_sha256);
      if (!complaint.empty()) return wrong(complaint);
      sums += fmt::format("{}{} {}", sums.empty() ? "" : ", ", file.filename().string(), sum);
    }
    const std::string complaint = shape_complaint(entry, data.string(), mask.string());
    if (!complaint.empty()) return wrong(complaint);
  } catch (const Error& error) {
    return wrong(error.what());
  }
  if (entry.verified) return {DatasetState::ok, "ok"};
  return {DatasetState::unverified, "size as expected, but not verified: the catalogue has no sum; sha256 " + sums};
}

Catalogue shipped_catalogue() { return read_catalogue(find_config("datasets.json")); }

}  // namespace alacarte::cli
