#pragma once
// Verifies the files of a data set against the catalogue, and downloads them to the data folder.
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include "catalogue.hpp"

namespace alacarte {

/// File of a data set, relative to the data folder.
struct DatasetFile {
  std::string name;                   ///< path below the data folder
  bool is_mask = false;               ///< true for the file of the split, false for the rows
  std::optional<std::string> sha256;  ///< sum in the catalogue
  std::vector<std::string> urls;      ///< downloads that joined make the file
};

/// Returns the data file, and the file of the split if there is one.
std::vector<DatasetFile> files_of(const DatasetEntry& entry);

/// Returns true if the data file is below $ALACARTE_DATA_DIR; check_dataset() also checks its contents.
bool is_present(const DatasetEntry& entry);

/// Describes the stored target: "log of price".
std::string target_text(const DatasetEntry& entry);

/// Describes a data set for people: names and values, in reading order.
std::vector<std::pair<std::string, std::string>> describe(const DatasetEntry& entry);

/// Result of check_file().
struct FileCheck {
  std::string complaint;  ///< empty if nothing is wrong
  std::string sha256;     ///< sum of the file
};

/// Callback between chunks of rows; may throw to stop.
using BetweenChunks = std::function<void()>;

/// Checks a file of the data set at `path`: its checksum, then rows and columns or folds. Throws IoError if unreadable.
FileCheck check_file(const DatasetEntry& entry, const DatasetFile& file, const std::string& path,
                     const BetweenChunks& between);

/// ok: matches; unverified: no sum to compare with; missing; wrong: differs from the catalogue.
enum class DatasetState { ok, unverified, missing, wrong };

/// Result of check_dataset() for all files of a data set.
struct DatasetCheck {
  DatasetState state = DatasetState::ok;  ///< worst state of its files
  std::string text;                       ///< one line, for people
};

/// Checks the files below the folder `root`. "unverified": the catalogue has no sum, and the rest agrees.
DatasetCheck check_dataset(const DatasetEntry& entry, const std::string& root, const BetweenChunks& between);

/// Callback that downloads the body of `url` to the file `path`, or throws; may resume from existing contents. `label`:
/// file number and count, for people.
using Download = std::function<void(const std::string& url, const std::string& path, const std::string& label)>;

/// Downloads the files of a data set that are missing below `root`, compares them with the catalogue and moves them to
/// their places; returns a one-line summary. Existing files are left alone.
///
/// An unfinished download stays beside its place as *.part for the next call. A file that differs from the catalogue is
/// removed. Throws IoError if it cannot be downloaded (with manual instructions if the catalogue has no address),
/// DataError if it differs from the catalogue, and what its arguments throw.
std::string fetch_dataset(const DatasetEntry& entry, const std::string& root, const Download& download,
                          const BetweenChunks& between);

}  // namespace alacarte
