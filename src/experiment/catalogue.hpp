#pragma once
// Catalogue of the data sets that experiments may name: contents, source, split and checksums of each file. The shipped
// catalogue is configs/datasets.json.
#include <alacarte/core/types.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace alacarte {

/// Choice of the test rows. "mask": test_mask.csv.gz beside the data, one column per fold, 1 = test row. "split":
/// split.csv.gz beside the data, one column, 1 = test row. "folds": no file, a seeded random partition.
struct DatasetSplit {
  std::string kind;  ///< "mask", "split" or "folds"
  Index folds = 0;   ///< number of folds; 1 for "split"
};

/// One data set. Its rows are in FOLDER/data.csv.gz: no header, comma separated, target last.
struct DatasetEntry {
  std::string name;            ///< name in experiments
  std::string title;           ///< name in tables; for the data sets of the paper, its name there
  std::string folder;          ///< below the data folder
  std::string group;           ///< "small", "medium", "large" (the paper's classes), "regression" or "classification"
  std::string task;            ///< "regression" or "classification"
  Index rows = 0, inputs = 0;  ///< size of the stored file
  std::vector<std::string> columns;  ///< names of the inputs; empty if unknown
  std::string target;                ///< description of the stored target
  std::string transform;  ///< transform of the stored target: "none", "log", "log1p", "standardised" or "unknown"
  /// Certainty of the source. "known": converted from the original by name; "compared": equal to an independent copy of
  /// the original; "range": only the range of values fits; "unknown".
  std::string identified;
  std::optional<double> target_sd;                    ///< standard deviation (over n) of the stored target
  std::optional<std::string> sha256, mask_sha256;     ///< sums of data.csv.gz and of the split's file; empty if unknown
  bool verified = false;                              ///< true if the files were inspected and their sums are above
  DatasetSplit split;                                 ///< choice of the test rows
  std::string licence, source, original, conversion;  ///< description of the origin
  /// downloads that joined make data.csv.gz; empty: cannot be fetched in this form
  std::vector<std::string> data_urls;
  std::optional<std::string> mask_url;  ///< download of the file that `split` needs
  std::vector<std::string> notes;       ///< caveats for readers of results

  std::string data_file() const { return folder + "/data.csv.gz"; }  ///< returns the path below the data folder
  /// Returns the file that `split` needs; "" for "folds".
  std::string mask_file() const;
};

/// Data sets that experiments and `alacarte datasets` know by name.
class Catalogue {
 public:
  /// Stores the entries, whose names must differ.
  explicit Catalogue(std::vector<DatasetEntry> entries) : entries_(std::move(entries)) {}
  const std::vector<DatasetEntry>& entries() const { return entries_; }  ///< returns the entries in catalogue order
  /// Finds an entry. Throws ConfigError(pointer) with the nearest spelling. `pointer`: place of the name.
  const DatasetEntry& find(const std::string& name, const std::string& pointer = "data set") const;
  /// Returns the entries of a group in catalogue order. Throws ConfigError(pointer) listing the groups for an unknown
  /// one.
  std::vector<DatasetEntry> of_group(const std::string& group, const std::string& pointer = "group") const;

 private:
  std::vector<DatasetEntry> entries_;
};

/// Parses a catalogue. Throws ConfigError with the JSON pointer for an unknown or missing key, a wrong type or value, a
/// repeated name or folder, a folder outside the data folder, and an entry that is verified without sums or the
/// reverse.
Catalogue parse_catalogue(const nlohmann::json& json);
/// Reads a file. Throws IoError if it cannot be read, and ConfigError as above, naming the file.
Catalogue read_catalogue(const std::string& path);
/// Returns the shipped catalogue, or that of $ALACARTE_CONFIG_DIR (app/find_files.hpp). Throws as read_catalogue().
Catalogue shipped_catalogue();
/// Returns the entry as the catalogue file has it.
nlohmann::json to_json(const DatasetEntry& entry);

}  // namespace alacarte
