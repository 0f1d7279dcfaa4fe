#pragma once
// From a data file to encoded training rows, in memory or in a rows file.
#include <alacarte/data/encoded_rows.hpp>
#include <alacarte/data/sparse_dataset.hpp>
#include <memory>
#include <optional>
#include <string>

#include "alacarte/app/job.hpp"
#include "alacarte/app/split.hpp"

namespace alacarte {

struct LoadedRows {
  Schema schema;
  Dataset rows;
  Index file_rows = 0;  ///< rows of the file, held-out ones included
};

/// Reads the file (a table or a rows file) whole, drops the held-out rows, learns the schema from the others and
/// encodes those. Nothing as soon as it is clear that raw and standardised rows would take more
/// than `max_bytes` (0 = whatever it takes). Throws DataError, ConfigError, IoError, Interrupted.
std::optional<LoadedRows> load_training_rows(const std::string& path, const DataConfig& config, const Split& split,
                                             double max_bytes, const Job& job);

/// The rows of a LIBSVM file that stay sparse (takes_sparse_rows()). MemoryLimitError when they alone take more than
/// `max_bytes` (0 = whatever it takes): there is no reading them again for every pass.
SparseTraining load_sparse_rows(const std::string& path, const DataConfig& config, const Split& split, double max_bytes,
                                const Job& job);

/// The same rows of a file, to be read again for every pass.
struct StoredRows {
  Schema schema;
  std::unique_ptr<const EncodedRows> rows;
  Index file_rows = 0;
};

/// A rows file as it is; a table is first converted to one without a name in `folder`, which is gone when the rows
/// are. Throws as load_training_rows.
StoredRows store_training_rows(const std::string& path, const DataConfig& config, const Split& split,
                               const std::string& folder, const Job& job);

}  // namespace alacarte
