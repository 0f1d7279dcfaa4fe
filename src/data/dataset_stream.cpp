#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/data/rows_file.hpp"
#include "core/pipes.hpp"
#include "core/spelling.hpp"
#include "data/cells.hpp"
#include "sparse_dataset.hpp"

namespace alacarte {

using data_detail::in_quotes;

namespace {

/// Opens a table for a model. A first row with the name of an input is the header, whatever the next row holds.
std::unique_ptr<TableReader> open_for(const std::string& path, const Schema& schema) {
  auto reader = open_table(path, schema.config(), schema.libsvm_inputs());
  if (schema.config().strict || !schema.has_names() || reader->has_names() || !reader->holds_text() || is_stream(path))
    return reader;
  DataConfig named = schema.config();
  named.header = HeaderLine::yes;
  auto again = open_table(path, named, schema.libsvm_inputs());
  const auto& columns = again->columns();
  const auto& inputs = schema.input_columns();
  const bool has_name = std::any_of(inputs.begin(), inputs.end(), [&](const InputColumn& input) {
    return std::find(columns.begin(), columns.end(), input.name) != columns.end();
  });
  return has_name ? std::move(again) : std::move(reader);
}

}  // namespace

DatasetStream::DatasetStream(const std::string& path, const Schema& schema, bool need_target, RowWeights weights)
    : schema_(schema), need_target_(need_target), weights_(weights) {
  if (is_rows_file(path)) {
    open_rows(path);
    return;
  }
  if (schema.is_sparse()) {
    if (!is_libsvm_file(path)) throw DataError(path, "the model was trained on sparse rows; give a LIBSVM file");
    sparse_ = std::make_unique<SparseReader>(path, schema.input_count());
    return;
  }
  reader_ = open_for(path, schema);
  schema_.prepare(*reader_);
}

DatasetStream::~DatasetStream() = default;

void DatasetStream::open_rows(const std::string& path) {
  if (schema_.is_sparse()) throw DataError(path, "the model was trained on sparse rows; give a LIBSVM file");
  file_ = std::make_shared<RowsFile>(path);
  if (!schema_.config().key.empty())
    throw DataError(path,
                    "holds no keys, and the model copies " + in_quotes(schema_.config().key) + "; give the table");
  match_columns();
  const std::vector<std::string>& names = file_->schema().input_names();
  for (const std::string& name : schema_.input_names()) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw DataError(path, "the model's input " + in_quotes(name) + " is missing" + did_you_mean(name, names));
    places_.push_back(found - names.begin());
  }
  if (need_target_ && file_->schema().target_name() != schema_.target_name())
    throw DataError(path, "its target is " + in_quotes(file_->schema().target_name()) + ", the model's " +
                              in_quotes(schema_.target_name()));
  if (schema_.knows_noise() && file_->has_weights() && !file_->schema().knows_noise())
    throw DataError(path, "holds weights, and the model knows the noise of rows; convert the table with --noise-sd");
  if (need_target_ && schema_.knows_noise() && !file_->has_weights())
    throw DataError(path, "holds no noise of rows, which the model needs; convert the table with --noise-sd");
  if (need_target_ && schema_.has_exposure() && !file_->has_offsets())
    throw DataError(path, "holds no exposures, which the model needs; convert the table with --exposure");
  match_levels();
  match_classes();
}

/// Refuses a file that was converted by itself and took a column for something else.
void DatasetStream::match_columns() const {
  const auto kind = [](const InputColumn& input) {
    return word(input.form == InputForm::styled ? InputForm::number : input.form);
  };
  for (const InputColumn& own : schema_.input_columns())
    for (const InputColumn& other : file_->schema().input_columns())
      if (other.name == own.name && kind(other) != kind(own))
        throw DataError(file_->path(), "its column " + in_quotes(own.name) + " was taken for " + kind(other) +
                                           ", and the model's is " + kind(own) + "; give the table");
}

/// Matches levels, whose codes count those of the file.
void DatasetStream::match_levels() {
  Index column = 0, code = schema_.input_count() - static_cast<Index>(schema_.level_counts().size());
  for (const InputColumn& own : schema_.input_columns()) {
    if (own.form == InputForm::levels) {
      const auto& inputs = file_->schema().input_columns();
      const auto other =
          std::find_if(inputs.begin(), inputs.end(), [&](const auto& input) { return input.name == own.name; });
      require(other != inputs.end(), "DatasetStream: a level without a column");
      LevelPlaces places{{}, own.counts, code++, own.counts.empty() ? -1 : column};
      for (const std::string& level : other->categories) places.levels.push_back(own.place_of(level));
      levels_.push_back(std::move(places));
    }
    column += own.width();
  }
}

void DatasetStream::take_levels(Dataset& chunk) const {
  for (const LevelPlaces& places : levels_) {
    for (Index i = 0; i < chunk.inputs.rows(); ++i) {
      double& code = chunk.inputs(i, places.code);
      if (code >= static_cast<double>(places.levels.size()))
        throw DataError(file_->path(), "holds a level that is none of its own");
      const Index level = code < 0 ? -1 : places.levels[static_cast<std::size_t>(code)];
      code = static_cast<double>(level);
      if (places.frequency >= 0)
        chunk.inputs(i, places.frequency) =
            std::log1p(level < 0 ? 0.0 : static_cast<double>(places.counts[static_cast<std::size_t>(level)]));
    }
  }
}

// Matches classes; a rows file without labels holds numbers, which are the labels.
void DatasetStream::match_classes() {
  if (!schema_.config().labels) return;
  if (need_target_ && !file_->schema().config().labels)
    throw DataError(file_->path(), "was made without labels, and the model's target " +
                                       in_quotes(schema_.target_name()) +
                                       " is a class; convert the table again with the model's recipe");
  for (const std::string& name : file_->schema().classes()) classes_.push_back(schema_.class_place(name));
}

bool DatasetStream::next_rows(Dataset& chunk, Index max_rows) {
  const Index count = std::min(max_rows, file_->rows() - next_row_);
  chunk = Dataset();
  RowScratch scratch;
  const RowBlock rows = file_->read(next_row_, count, scratch);
  chunk.inputs = rows.x.dense()(Eigen::all, places_);
  take_levels(chunk);
  chunk.target = rows.y;
  chunk.level_counts = schema_.level_counts();
  if (file_->has_weights() && schema_.reads_weights(need_target_, weights_)) chunk.weights = rows.weights;
  if (file_->has_offsets() && schema_.has_exposure()) chunk.offsets = rows.offsets;
  chunk.source_rows = file_->source_rows(next_row_, count);
  if (schema_.config().labels && classes_.empty()) chunk.target.resize(0);
  for (double& target : chunk.target) {
    if (classes_.empty()) break;
    if (!(target >= 0 && target < static_cast<double>(classes_.size())))
      throw DataError(file_->path(), "holds a label that is none of its classes");
    const auto place = static_cast<std::size_t>(target);
    if (need_target_ && std::isnan(classes_[place]))
      throw DataError(file_->path(), "the label " + in_quotes(file_->schema().classes()[place]) + " is no class of " +
                                         in_quotes(schema_.target_name()) + " in the training rows");
    target = classes_[place];
  }
  next_row_ += count;
  return count > 0;
}

DatasetStream::DatasetStream(std::unique_ptr<TableReader> reader, const Schema& schema, bool need_target)
    : schema_(schema), need_target_(need_target), reader_(std::move(reader)) {
  schema_.prepare(*reader_);
}

bool DatasetStream::next_sparse(Dataset& chunk, Index max_rows) {
  SparseChunk rows;
  rows.inputs = std::move(chunk.sparse);  // reuses its memory
  const bool any = sparse_->read(rows, max_rows);
  chunk = schema_.encode(sparse_->path(), rows, need_target_);
  return any;
}

bool DatasetStream::next(Dataset& chunk, Index max_rows) {
  if (file_) return next_rows(chunk, max_rows);
  if (sparse_) return next_sparse(chunk, max_rows);
  while (reader_->read(table_, max_rows)) {
    chunk = schema_.encode(*reader_, table_, need_target_, {}, weights_);
    if (chunk.rows() > 0) return true;
  }
  chunk = Dataset();
  chunk.inputs.resize(0, schema_.input_count());
  return false;
}

}  // namespace alacarte
