#pragma once
// All results of an experiment in one small file: enough to make its report again and to go on from it, without the
// days of computing. JSON: {"format": 1, "experiment", "shared": {KEY: [value, ...]}, "units": [result, ...]}, one run
// a line. A run is a result document (results.hpp) with six significant digits, whose larger parts that repeat
// ("recipe", "program", "machine", "data") are indices into "shared". Fits (hyperparameters, traces) and predictions
// are kept of the first fold and seed of each data set and method, which is what reports show.
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <string>
#include <vector>
#include "experiment.hpp"

namespace alacarte {

/// Writes the readable results of FOLDER/results, and FOLDER/experiment.json when it is there. Throws IoError when
/// there are none.
void store_results(const std::string& folder, std::ostream& out);

/// Results of an experiment that were kept in one file.
struct StoredResults {
  nlohmann::json experiment;         ///< the experiment's document, or null
  std::vector<nlohmann::json> runs;  ///< result documents, whole again
};

/// Throws IoError when `path` cannot be read, ConfigError when it is not what store_results() writes.
StoredResults read_stored(const std::string& path);

/// What came of stored results. by_other: of the taken ones, and refused: how many by a trainer of another version than
/// this program's, by version.
struct RestoredResults {
  std::set<std::string> taken;                  ///< Run::id of those written to the folder, or to be written
  std::map<std::string, std::size_t> by_other;  ///< of those
  std::map<std::string, std::size_t> refused;   ///< and not written
};

/// Writes to FOLDER/results each stored result that is done, that its run accepts (Run::accepts) and that is not done
/// there yet. Refused are those that differ in the trainer alone where the experiment does not name it. Throws as
/// read_stored(), and IoError when the folder cannot be written to.
RestoredResults restore_results(const std::string& path, const std::vector<Run>& runs, const std::string& folder);
/// What restore_results() would write; nothing is written.
RestoredResults find_results(const std::string& path, const std::vector<Run>& runs, const std::string& folder);

}  // namespace alacarte
