#include <algorithm>
#include <cstring>

#include "alacarte/core/error.hpp"
#include "alacarte/data/rows_file.hpp"
#include "core/atomic_file.hpp"
#include "data/byte_source.hpp"
#include "data/rows_format.hpp"

namespace alacarte {

using namespace data_detail;

namespace {

// Values of a chunk: small for a second-level cache, so that checking a chunk costs one trip to memory.
constexpr Index kChunkValues = Index{1} << 15;

}  // namespace

RowsFileWriter::RowsFileWriter(const std::string& path, Index inputs, bool with_source_rows, bool with_weights)
    : RowsFileWriter(std::make_unique<AtomicFile>(path), true, inputs, with_source_rows, with_weights) {}

RowsFileWriter RowsFileWriter::without_name(const std::string& folder, Index inputs, bool with_source_rows,
                                            bool with_weights) {
  return {AtomicFile::without_name(folder), false, inputs, with_source_rows, with_weights};
}

RowsFileWriter::RowsFileWriter(std::unique_ptr<AtomicFile> file, bool has_name, Index inputs, bool with_source_rows,
                               bool with_weights)
    : file_(std::move(file)),
      has_name_(has_name),
      inputs_(inputs),
      with_weights_(with_weights),
      values_(inputs + 1 + (with_weights ? 1 : 0) + (with_source_rows ? 1 : 0)),
      chunk_rows_(std::clamp<Index>(kChunkValues / values_, 16, 4096)) {
  require(inputs > 0, "a rows file needs inputs");
  file_->write(kRowsMagic, sizeof kRowsMagic);
  chunk_.reserve(static_cast<std::size_t>(chunk_rows_ * values_));
}

RowsFileWriter::RowsFileWriter(RowsFileWriter&&) noexcept = default;
RowsFileWriter::~RowsFileWriter() = default;

void RowsFileWriter::add(const Dataset& rows) {
  require(rows.inputs.cols() == inputs_ && rows.target.size() == rows.rows() &&
              rows.weights.size() == (with_weights_ ? rows.rows() : 0),
          "RowsFileWriter: rows of another shape");
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < inputs_; ++j) chunk_.push_back(rows.inputs(i, j));
    chunk_.push_back(rows.target[i]);
    if (with_weights_) chunk_.push_back(rows.weights[i]);
    if (values_ > inputs_ + 1 + (with_weights_ ? 1 : 0))
      chunk_.push_back(static_cast<double>(rows.source_rows[static_cast<std::size_t>(i)]));
    if (static_cast<Index>(chunk_.size()) == chunk_rows_ * values_) flush_chunk();
  }
  rows_ += rows.rows();
}

void RowsFileWriter::flush_chunk() {
  if (chunk_.empty()) return;
  const std::size_t bytes = chunk_.size() * sizeof(double);
  sums_.push_back(checksum(chunk_.data(), bytes));
  file_->write(chunk_.data(), bytes);
  chunk_.clear();
}

void RowsFileWriter::finish(const Schema& schema, Index table_rows, const RowsPart& part) {
  require(schema.input_count() == inputs_ && schema.has_weights() == with_weights_ && table_rows >= rows_,
          "RowsFileWriter: another schema");
  if (rows_ == 0 && part.of == 0) throw DataError(file_->path(), "there are no rows to write");
  flush_chunk();
  const std::string description = rows_description_text({schema, table_rows, part});
  const std::size_t sum_bytes = sums_.size() * sizeof(std::uint32_t);
  file_->write(description.data(), description.size());
  file_->write(sums_.data(), sum_bytes);
  RowsFooter footer{};
  footer.rows = static_cast<std::uint64_t>(rows_);
  footer.values = static_cast<std::uint64_t>(values_);
  footer.chunk_rows = static_cast<std::uint64_t>(chunk_rows_);
  footer.description_bytes = description.size();
  footer.description_sum = checksum(description.data(), description.size());
  footer.sums_sum = checksum(sums_.data(), sum_bytes);
  footer.own_sum = checksum(&footer, offsetof(RowsFooter, own_sum));
  std::memcpy(footer.magic, kRowsMagic, sizeof kRowsMagic);
  file_->write(&footer, sizeof footer);
  std::vector<double>().swap(chunk_);
  std::vector<std::uint32_t>().swap(sums_);
  if (has_name_) file_->close();
}

void RowsFileWriter::commit() { file_->commit(); }

std::unique_ptr<RowsFile> RowsFileWriter::finish_and_open(const Schema& schema, Index table_rows) {
  finish(schema, table_rows);
  if (!has_name_)
    return std::unique_ptr<RowsFile>(
        new RowsFile(std::make_shared<const Origin>(Origin::descriptor(file_->path(), file_->release()))));
  commit();
  return std::make_unique<RowsFile>(file_->path());
}

}  // namespace alacarte
