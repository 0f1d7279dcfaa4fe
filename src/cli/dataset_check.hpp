#pragma once
// Whether the files of a data set are those the catalogue speaks of.
#include <alacarte/experiment/catalogue.hpp>
#include <string>

namespace alacarte::cli {

enum class DatasetState { ok, unverified, missing, wrong };

struct DatasetCheck {
  DatasetState state = DatasetState::ok;
  std::string text;  ///< one line, for people
};

/// Looks at the files below the folder `root`: sums first, then rows, columns and folds. "unverified": the catalogue
/// has no sum, and the rest agrees. Throws Interrupted.
DatasetCheck check_dataset(const DatasetEntry& entry, const std::string& root);

/// The catalogue that ships, or that of $ALACARTE_CONFIG_DIR.
Catalogue shipped_catalogue();

}  // namespace alacarte::cli
