#include "alacarte/app/train_file.hpp"

#include "alacarte/core/error.hpp"

namespace alacarte {
namespace {

constexpr Index kLearnedRows = 4096;  // rows per chunk; sums are added by chunk, so it affects their rounding

}  // namespace

FittedModel update_from_file(const FittedModel& model, const std::string& path, UpdateOptions options, const Job& job) {
  options.threads = job.threads;
  if (options.data.empty()) options.data = path;
  ModelUpdate update(model, options);
  DatasetStream stream(path, model.schema, true);
  Dataset chunk;
  Index rows = 0;
  while (stream.next(chunk, kLearnedRows)) {
    job.report_rows("learning", -1, rows);
    if (model.schema.has_weights() && chunk.weights.size() == 0)
      throw DataError(path, "the column '" + model.schema.config().weights +
                                "' with the weights of rows is missing; 1 is that of a row that counts once");
    update.add(chunk);
    rows += chunk.rows();
  }
  if (rows == 0) throw DataError(path, "there are no rows to learn");
  job.stop_if_interrupted();
  return update.finish();
}

}  // namespace alacarte
