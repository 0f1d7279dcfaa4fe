#pragma once
// Reads results of other programs, and published results, from CSV.
#include <alacarte/experiment/results.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace alacarte {

/// A printed number. The texts keep the digits as printed.
struct PaperNumber {
  std::string mean_text, sd_text, remark;
  double mean = 0, sd = 0;
};

struct PaperNumbers {
  std::string table;                                                ///< "1"
  std::vector<std::string> methods;                                 ///< in the order printed
  std::map<std::pair<std::string, std::string>, PaperNumber> rmse;  ///< by data set and method

  /// Null when the paper does not have it.
  const PaperNumber* find(const std::string& dataset, const std::string& method) const;
};

/// Adds the runs of a CSV with the columns dataset, method, fold, metric, value; metric is a name_of(Measure). Throws
/// IoError, DataError with the row, and ConfigError for a method that `results` already has.
void add_outside_results(const std::string& path, ResultSet& results);

/// Reads a CSV with the columns dataset, table, method, metric, mean, sd, remark; metric is "rmse". Throws IoError or
/// DataError with the row.
PaperNumbers read_paper(const std::string& path);

}  // namespace alacarte
