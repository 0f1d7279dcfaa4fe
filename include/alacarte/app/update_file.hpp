#pragma once
// Adds the rows of a file to a model, in constant memory for models of features.
#include <alacarte/app/job.hpp>
#include <alacarte/model/update.hpp>
#include <string>

namespace alacarte {

/// Returns the model of its rows and those of a table or rows file with the target column ("-" is standard input), read
/// once in chunks; options.threads and options.data come from the job and the path. Throws as ModelUpdate, DataError
/// for rows that do not fit the model or no rows, IoError, Interrupted.
FittedModel update_from_file(const FittedModel& model, const std::string& path, UpdateOptions options,
                             const Job& job = {});

}  // namespace alacarte
