#pragma once
// From a data file to encoded training rows.
#include <alacarte/data/dataset.hpp>
#include <string>

#include "split_options.hpp"

namespace alacarte::cli {

struct TrainingRows {
  Schema schema;
  Dataset rows;
  Index file_rows = 0;  ///< rows of the file, held-out ones included
};

/// Reads the file whole, drops the held-out rows, learns the schema from the others and encodes those. `split` is
/// resolved. Throws DataError, ConfigError, IoError.
TrainingRows read_training_rows(const std::string& path, const DataConfig& config, const SplitOptions& split);

}  // namespace alacarte::cli
