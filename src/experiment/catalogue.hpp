#pragma once
// The data sets that experiments may name: contents, source, split and checksums of each file. The catalogue that ships
// is configs/datasets.json.
#include <alacarte/core/types.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace alacarte {

/// How test rows are chosen. "mask": test_mask.csv.gz beside the data, one column for each fold, 1 = test row.
/// "split": split.csv.gz beside the data, one column, 1 = test row. "folds": no file, a seeded random partition.
struct DatasetSplit {
  std::string kind;  ///< "mask", "split" or "folds"
  Index folds = 0;   ///< how many; 1 of "split"
};

/// One data set. Its rows lie in FOLDER/data.csv.gz: no header, comma separated, target last.
struct DatasetEntry {
  std::string name;            ///< what experiments call it
  std::string title;           ///< what tables print; for the data sets of the paper, its name there
  std::string folder;          ///< below the data folder
  std::string group;           ///< "small", "medium", "large" (the paper's classes), "regression" or "classification"
  std::string task;            ///< "regression" or "classification"
  Index rows = 0, inputs = 0;  ///< of the stored file
  std::vector<std::string> columns;  ///< names of the inputs; empty where they are not known
  std::string target;                ///< what was stored as the target, in words
  std::string transform;             ///< of the stored target: "none", "log", "log1p", "standardised" or "unknown"
  /// How sure that is. "known": converted from the original by name; "compared": equal to an independent copy of the
  /// original; "range": only the range of values fits; "unknown".
  std::string identified;
  std::optional<double> target_sd;                    ///< standard deviation (over n) of the stored target
  std::optional<std::string> sha256, mask_sha256;     ///< of data.csv.gz, and of the file of the split; none: not known
  bool verified = false;                              ///< the files were looked at and their sums are above
  DatasetSplit split;                                 ///< how its test rows are chosen
  std::string licence, source, original, conversion;  ///< where it comes from, in words
  std::vector<std::string> data_urls;   ///< bodies that joined make data.csv.gz; empty: cannot be fetched in this form
  std::optional<std::string> mask_url;  ///< of the file that `split` needs
  std::vector<std::string> notes;       ///< caveats for readers of results

  std::string data_file() const { return folder + "/data.csv.gz"; }  ///< below the data folder
  /// The file that `split` needs; "" for "folds".
  std::string mask_file() const;
};

/// The data sets that experiments and `alacarte datasets` know by name.
class Catalogue {
 public:
  /// Entries: names that differ.
  explicit Catalogue(std::vector<DatasetEntry> entries) : entries_(std::move(entries)) {}
  const std::vector<DatasetEntry>& entries() const { return entries_; }  ///< in the order of the catalogue
  /// Throws ConfigError(pointer) with the nearest spelling. `pointer`: where the name was given.
  const DatasetEntry& find(const std::string& name, const std::string& pointer = "data set") const;
  /// In catalogue order. Throws ConfigError(pointer) listing the groups when there is no such group.
  std::vector<DatasetEntry> of_group(const std::string& group, const std::string& pointer = "group") const;

 private:
  std::vector<DatasetEntry> entries_;
};

/// Throws ConfigError with the JSON pointer for an unknown or missing key, a wrong type or value, a name or folder used
/// twice, a folder that leads out of the data folder, and an entry that is verified without sums or the reverse.
Catalogue parse_catalogue(const nlohmann::json& json);
/// Reads a file. Throws IoError if it cannot be read, and ConfigError as above, naming the file.
Catalogue read_catalogue(const std::string& path);
/// The catalogue that ships, or that of $ALACARTE_CONFIG_DIR (app/find_files.hpp). Throws as read_catalogue().
Catalogue shipped_catalogue();
/// The entry in the form the catalogue has it.
nlohmann::json to_json(const DatasetEntry& entry);

}  // namespace alacarte
