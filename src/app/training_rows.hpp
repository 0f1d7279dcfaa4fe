#pragma once
// Reads a data file into encoded rows: those of a training, in memory or in a rows file, or all rows of a stream.
#include <alacarte/data/dataset.hpp>
#include <functional>
#include <optional>
#include <string>

#include "alacarte/app/job.hpp"
#include "alacarte/app/train_file.hpp"

namespace alacarte {

/// Returns the bytes that rows may take of `max_bytes` (0 = no limit: infinite), besides the program.
double limit_of_rows(double max_bytes);
/// Reads all rows and returns the memory of the chunks to the system.
TableChunk read_table(TableReader& reader, const std::function<void(Index rows)>& watch);
/// Bounds the bytes of a table of `rows` rows while it is read, then encoded together with `copies` of the encoded rows
/// of `inputs` numbers each. Its text columns are marked.
double table_bytes(const TableReader& reader, const DataConfig& config, double rows, double inputs, double copies = 1);

/// Reads the whole file (a table or a rows file) into memory, drops the held-out rows, learns the schema from the
/// others and encodes those. Returns nullopt as soon as table_bytes(), or for a rows file the raw and standardised
/// rows, are known to exceed `max_bytes` (0 = no limit). Throws DataError, ConfigError, IoError, Interrupted.
std::optional<EncodedFile> load_training_rows(const std::string& path, const DataConfig& config, const Split& split,
                                              double max_bytes, const Job& job);

/// Returns true if training rows are read as parts: several ranks share them, or the path is a pattern of rows files.
bool takes_parts(const std::string& path);

/// Opens rows files that form one table, by a pattern or one name; with several ranks each has a range of the rows.
/// Returns nullopt if `in_memory` and the raw and standardised rows of a rank exceed `max_bytes` (0 = no limit);
/// otherwise they are read from the files in every pass. Throws DataError for a file that is no rows file, and as
/// load_training_rows().
std::optional<EncodedFile> open_training_parts(const std::string& path, const DataConfig& config, const Split& split,
                                               double max_bytes, bool in_memory);

/// Loads the rows of a LIBSVM file that stay sparse (takes_sparse_rows()). Throws MemoryLimitError if they alone exceed
/// `max_bytes` (0 = no limit): sparse rows cannot be streamed from disk.
EncodedFile load_sparse_rows(const std::string& path, const DataConfig& config, const Split& split, double max_bytes,
                             const Job& job);

/// Opens training rows that are read from disk in every pass: opens a rows file, or converts a table to an unnamed rows
/// file in `folder`, which is deleted with the result. Throws as load_training_rows().
EncodedFile store_training_rows(const std::string& path, const DataConfig& config, const Split& split,
                                const std::string& folder, const Job& job);

/// Returns the `count` rows of all chunks, each of `inputs` inputs, one after the other.
Dataset join_rows(const std::vector<Dataset>& chunks, Index count, Index inputs);

/// Reads what is left of a stream whose rows have `inputs` encoded inputs. The target is NaN in gaps and empty if no
/// chunk has one; weights are 1 where a chunk has none. between_chunks may throw to stop.
Dataset read_all_rows(DatasetStream& stream, Index inputs, const std::function<void()>& between_chunks = {});

}  // namespace alacarte
