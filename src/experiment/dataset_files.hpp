#pragma once
// Verifies the files of a data set against the catalogue, and downloads them to the data folder.
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include "catalogue.hpp"

namespace alacarte {

/// One of the files of a data set, relative to the data folder.
struct DatasetFile {
  std::string name;                   ///< path below the data folder
  bool is_mask = false;               ///< the file of the split; otherwise the rows
  std::optional<std::string> sha256;  ///< as the catalogue has it
  std::vector<std::string> urls;      ///< bodies that joined make the file
};

/// The data, and the file of the split if it has one.
std::vector<DatasetFile> files_of(const DatasetEntry& entry);

/// Whether the data file is below $ALACARTE_DATA_DIR; check_dataset() says whether it is the right one.
bool is_present(const DatasetEntry& entry);

/// What is stored as the target, in words: "log of price".
std::string target_text(const DatasetEntry& entry);

/// All that is known of a data set, for people: names and values, in the order to read them.
std::vector<std::pair<std::string, std::string>> describe(const DatasetEntry& entry);

/// What check_file() found.
struct FileCheck {
  std::string complaint;  ///< empty when nothing is wrong
  std::string sha256;     ///< of the file
};

/// Called between chunks of rows; may throw to stop.
using BetweenChunks = std::function<void()>;

/// Checks a file of the data set at `path`: its checksum first, then rows and columns or folds. Throws IoError if it
/// cannot be read.
FileCheck check_file(const DatasetEntry& entry, const DatasetFile& file, const std::string& path,
                     const BetweenChunks& between);

/// Right; nothing to compare with; not there; not as the catalogue says.
enum class DatasetState { ok, unverified, missing, wrong };

/// What check_dataset() found of all files of a data set.
struct DatasetCheck {
  DatasetState state = DatasetState::ok;  ///< the worst of its files
  std::string text;                       ///< one line, for people
};

/// Looks at the files below the folder `root`. "unverified": the catalogue has no sum, and the rest agrees.
DatasetCheck check_dataset(const DatasetEntry& entry, const std::string& root, const BetweenChunks& between);

/// Downloads the body of `url` to the file `path`, or throws; may resume from existing contents. `label`: which file of
/// how many, for people.
using Download = std::function<void(const std::string& url, const std::string& path, const std::string& label)>;

/// Downloads the files of a data set that are not below `root` yet, compares them with the catalogue and moves them to
/// their places; returns one line that says what was done. Files that are there are left alone.
///
/// An unfinished download stays beside its place as *.part for the next call. A file that is not what the catalogue
/// says is removed. Throws IoError if it cannot be downloaded (with manual instructions if the catalogue has no
/// address), DataError when it is not what the catalogue says, and what its arguments throw.
std::string fetch_dataset(const DatasetEntry& entry, const std::string& root, const Download& download,
                          const BetweenChunks& between);

}  // namespace alacarte
