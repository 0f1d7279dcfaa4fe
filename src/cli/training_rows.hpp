#pragma once
// From a data file to encoded training rows, in memory or in a rows file.
#include <alacarte/data/encoded_rows.hpp>
#include <alacarte/data/sparse_dataset.hpp>
#include <memory>
#include <optional>
#include <string>

#include "split_options.hpp"

namespace alacarte::cli {

struct TrainingRows {
  Schema schema;
  Dataset rows;
  Index file_rows = 0;  ///< rows of the file, held-out ones included
};

/// Reads the file (a table or a rows file) whole, drops the held-out rows, learns the schema from the others and
/// encodes those. `split` is resolved. nothing as soon as it is clear that raw and standardised rows would take more
/// than `most_bytes` (0 = whatever it takes). Throws DataError, ConfigError, IoError.
std::optional<TrainingRows> load_training_rows(const std::string& path, const DataConfig& config,
                                               const SplitOptions& split, double most_bytes);

/// The rows of a LIBSVM file that stay sparse (takes_sparse_rows()). MemoryLimitError when they alone take more than
/// `most_bytes` (0 = whatever it takes): there is no reading them again for every pass.
SparseTraining load_sparse_rows(const std::string& path, const DataConfig& config, const SplitOptions& split,
                                double most_bytes);

/// The same rows of a file, to be read again for every pass.
struct StoredTrainingRows {
  Schema schema;
  std::unique_ptr<const EncodedRows> rows;
  Index file_rows = 0;
};

/// A rows file as it is; a table is first converted to one without a name in `folder`, which is gone when the rows are
/// (a line says so). Throws as load_training_rows, and DataError for standard input.
StoredTrainingRows store_training_rows(const std::string& path, const DataConfig& config, const SplitOptions& split,
                                       const std::string& folder);

/// Shows the progress of a conversion on the live line and obeys an interrupt.
void report_conversion(double share, Index rows);

}  // namespace alacarte::cli
