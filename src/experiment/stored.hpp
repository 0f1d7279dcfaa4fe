#pragma once
// All results of an experiment in one small file: enough to repeat its report and to continue it without days of
// computing. JSON: {"format": 1, "experiment", "shared": {KEY: [value, ...]}, "units": [result, ...]}, one run per
// line. A run is a result document (results.hpp) with six significant digits; its larger repeated parts ("recipe",
// "program", "machine", "data") are indices into "shared". Fits (hyperparameters, traces) and predictions are kept for
// the first fold and seed of each data set and method, which reports show.
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <string>
#include <vector>
#include "experiment.hpp"

namespace alacarte {

/// Writes the readable results of FOLDER/results, and FOLDER/experiment.json if present. Throws IoError if there are
/// none.
void store_results(const std::string& folder, std::ostream& out);

/// Results of an experiment read from one file.
struct StoredResults {
  nlohmann::json experiment;         ///< experiment document, or null
  std::vector<nlohmann::json> runs;  ///< complete result documents
};

/// Reads stored results. Throws IoError if `path` is unreadable, ConfigError if store_results() did not write it.
StoredResults read_stored(const std::string& path);

/// Outcome of restoring results. by_other and refused count, by version, the taken and the refused results of trainers
/// of other versions than this program's.
struct RestoredResults {
  std::set<std::string> taken;                  ///< Run::id of results written, or to be written, to the folder
  std::map<std::string, std::size_t> by_other;  ///< taken results of other trainers
  std::map<std::string, std::size_t> refused;   ///< refused results of other trainers
};

/// Writes to FOLDER/results each stored result that is done, that its run accepts (Run::accepts) and that is not done
/// there yet. Results that differ only in a trainer that the experiment does not name are refused. Throws as
/// read_stored(), and IoError if the folder cannot be written to.
RestoredResults restore_results(const std::string& path, const std::vector<Run>& runs, const std::string& folder);
/// Returns what restore_results() would write; writes nothing.
RestoredResults find_results(const std::string& path, const std::vector<Run>& runs, const std::string& folder);

}  // namespace alacarte
