#pragma once
// Whether the files of a data set are those the catalogue speaks of.
#include <alacarte/experiment/catalogue.hpp>
#include <string>

namespace alacarte::cli {

/// One of the files of a data set, relative to the data folder.
struct DatasetFile {
  std::string name;
  bool is_mask = false;
  std::optional<std::string> sha256;  ///< as the catalogue has it
  std::vector<std::string> urls;      ///< bodies that joined make the file
};

/// The data, and the file of the split if it has one.
std::vector<DatasetFile> files_of(const DatasetEntry& entry);

struct FileCheck {
  std::string complaint;  ///< empty when nothing is wrong
  std::string sha256;     ///< of the file
};

/// Looks at a file of the data set, wherever it lies: its sum first, then rows and columns or folds. Throws IoError if
/// it cannot be read, and Interrupted.
FileCheck check_file(const DatasetEntry& entry, const DatasetFile& file, const std::string& path);

enum class DatasetState { ok, unverified, missing, wrong };

struct DatasetCheck {
  DatasetState state = DatasetState::ok;
  std::string text;  ///< one line, for people
};

/// Looks at the files below the folder `root`. "unverified": the catalogue has no sum, and the rest agrees. Throws
/// Interrupted.
DatasetCheck check_dataset(const DatasetEntry& entry, const std::string& root);

/// The catalogue that ships, or that of $ALACARTE_CONFIG_DIR.
Catalogue shipped_catalogue();

}  // namespace alacarte::cli
