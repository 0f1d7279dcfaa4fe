#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "alacarte/core/atomic_file.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/data/rows_file.hpp"
#include "data/rows_format.hpp"

namespace alacarte {

using namespace data_detail;

namespace {

// Small beside a processor's second-level cache, so that checking a chunk costs one trip to memory.
constexpr Index kChunkValues = Index{1} << 15;

int open_without_name(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
  if (descriptor >= 0) return descriptor;
  // Some file systems know no nameless files: there it has a name for a moment. mkostemps() replaces the six X, which
  // it wants spelled so, by letters of its own.
  std::string name = folder + "/alacarte-" + std::string(6, 'X') + ".rows.tmp";
  const int named = ::mkostemps(name.data(), 9, O_CLOEXEC);
  if (named < 0) throw IoError(folder, std::string("no file can be made there: ") + std::strerror(errno));
  ::unlink(name.c_str());
  return named;
}

}  // namespace

/// A file that will get its name at the end, or one that never gets any.
struct RowsFileWriter::Sink {
  std::string name;
  std::optional<AtomicFile> file;
  int descriptor = -1;

  ~Sink() {
    if (descriptor >= 0) ::close(descriptor);
  }
  void write(const void* bytes, std::size_t count) {
    if (file) {
      file->stream().write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
      if (!file->stream()) file->commit();  // says why
      return;
    }
    const char* at = static_cast<const char*>(bytes);
    while (count > 0) {
      const ssize_t done = ::write(descriptor, at, count);
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) throw IoError(name, std::string("cannot be written: ") + std::strerror(errno));
      at += done;
      count -= static_cast<std::size_t>(done);
    }
  }
};

RowsFileWriter::RowsFileWriter(const std::string& path, Index inputs, bool with_source_rows)
    : RowsFileWriter(
          [&] {
            auto sink = std::make_unique<Sink>();
            sink->name = path;
            sink->file.emplace(path);
            return sink;
          }(),
          inputs, with_source_rows) {}

RowsFileWriter RowsFileWriter::without_name(const std::string& folder, Index inputs, bool with_source_rows) {
  auto sink = std::make_unique<Sink>();
  sink->name = "temporary rows in " + folder;
  sink->descriptor = open_without_name(folder);
  return {std::move(sink), inputs, with_source_rows};
}

RowsFileWriter::RowsFileWriter(std::unique_ptr<Sink> sink, Index inputs, bool with_source_rows)
    : sink_(std::move(sink)),
      inputs_(inputs),
      values_(inputs + 1 + (with_source_rows ? 1 : 0)),
      chunk_rows_(std::clamp<Index>(kChunkValues / values_, 16, 4096)) {
  require(inputs > 0, "a rows file needs inputs");
  sink_->write(kRowsMagic, sizeof kRowsMagic);
  chunk_.reserve(static_cast<std::size_t>(chunk_rows_ * values_));
}

RowsFileWriter::~RowsFileWriter() = default;
RowsFileWriter::RowsFileWriter(RowsFileWriter&&) noexcept = default;

Index RowsFileWriter::rows() const { return rows_; }

void RowsFileWriter::add(const Dataset& rows) {
  require(rows.inputs.cols() == inputs_ && rows.target.size() == rows.rows(), "RowsFileWriter: rows of another shape");
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < inputs_; ++j) chunk_.push_back(rows.inputs(i, j));
    chunk_.push_back(rows.target[i]);
    if (values_ > inputs_ + 1) chunk_.push_back(static_cast<double>(rows.source_rows[static_cast<std::size_t>(i)]));
    if (static_cast<Index>(chunk_.size()) == chunk_rows_ * values_) flush_chunk();
  }
  rows_ += rows.rows();
}

void RowsFileWriter::flush_chunk() {
  if (chunk_.empty()) return;
  const std::size_t bytes = chunk_.size() * sizeof(double);
  sums_.push_back(checksum(chunk_.data(), bytes));
  sink_->write(chunk_.data(), bytes);
  chunk_.clear();
}

void RowsFileWriter::finish(const Schema& schema, Index table_rows) {
  require(schema.input_count() == inputs_ && table_rows >= rows_, "RowsFileWriter: another schema");
  if (rows_ == 0) throw DataError(sink_->name, "there are no rows to write");
  flush_chunk();
  const std::string description = nlohmann::json{{"schema", schema.to_json()}, {"table_rows", table_rows}}.dump();
  const std::size_t sum_bytes = sums_.size() * sizeof(std::uint32_t);
  sink_->write(description.data(), description.size());
  sink_->write(sums_.data(), sum_bytes);
  RowsFooter footer{};
  footer.rows = static_cast<std::uint64_t>(rows_);
  footer.values = static_cast<std::uint64_t>(values_);
  footer.chunk_rows = static_cast<std::uint64_t>(chunk_rows_);
  footer.description_bytes = description.size();
  footer.description_sum = checksum(description.data(), description.size());
  footer.sums_sum = checksum(sums_.data(), sum_bytes);
  footer.own_sum = checksum(&footer, offsetof(RowsFooter, own_sum));
  std::memcpy(footer.magic, kRowsMagic, sizeof kRowsMagic);
  sink_->write(&footer, sizeof footer);
  if (sink_->file) sink_->file->commit();
}

std::unique_ptr<RowsFile> RowsFileWriter::finish_and_open(const Schema& schema, Index table_rows) {
  finish(schema, table_rows);
  if (sink_->file) return std::make_unique<RowsFile>(sink_->name);
  const int descriptor = std::exchange(sink_->descriptor, -1);
  return std::unique_ptr<RowsFile>(new RowsFile(sink_->name, descriptor));
}

}  // namespace alacarte
