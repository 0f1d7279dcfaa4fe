#include "csv_writer.hpp"

#include <zlib.h>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "alacarte/core/error.hpp"
#include "core/atomic_file.hpp"
#include "core/pipes.hpp"
#include "data/byte_source.hpp"

namespace alacarte {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 16;

bool needs_quotes(std::string_view text) {
  if (text.empty()) return false;
  const auto edge = [](char c) { return c == ' ' || c == '\t'; };
  return edge(text.front()) || edge(text.back()) || text.find_first_of(",\"\r\n;\t") != std::string_view::npos ||
         text.starts_with(data_detail::kByteOrderMark);
}

}  // namespace

/// Destination of the formatted bytes: a file.
class CsvWriter::Sink {
 public:
  explicit Sink(const std::string& path) : file_(path == "-" ? nullptr : std::make_unique<AtomicFile>(path)) {}
  virtual ~Sink() = default;
  virtual void write(std::string_view bytes) { file_->write(bytes.data(), bytes.size()); }
  virtual void commit() { file_->commit(); }

 protected:
  std::unique_ptr<AtomicFile> file_;
};

class CsvWriter::GzipSink : public Sink {
 public:
  explicit GzipSink(const std::string& path) : Sink(path), packed_(kFlushBytes) {
    constexpr int kGzipWindow = 15 + 16, kMemoryLevel = 8;
    if (deflateInit2(&state_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK)
      throw IoError(path, "zlib cannot be started");
  }
  ~GzipSink() override { deflateEnd(&state_); }
  GzipSink(const GzipSink&) = delete;
  GzipSink& operator=(const GzipSink&) = delete;
  void write(std::string_view bytes) override { pump(bytes, Z_NO_FLUSH); }
  void commit() override {
    pump({}, Z_FINISH);
    file_->commit();
  }

 private:
  void pump(std::string_view bytes, int flush) {
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    state_.avail_in = static_cast<uInt>(bytes.size());
    do {
      state_.next_out = reinterpret_cast<Bytef*>(packed_.data());
      state_.avail_out = static_cast<uInt>(packed_.size());
      deflate(&state_, flush);
      file_->write(packed_.data(), packed_.size() - state_.avail_out);
    } while (state_.avail_out == 0);
  }

  std::vector<char> packed_;
  z_stream state_{};
};

class CsvWriter::OutputSink : public Sink {
 public:
  OutputSink() : Sink("-") {}
  void write(std::string_view bytes) override {
    const PipeWait wait(PipeWait::writing);
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) fail();
  }
  void commit() override {
    const PipeWait wait(PipeWait::writing);
    if (std::fflush(stdout) != 0) fail();
  }

 private:
  [[noreturn]] static void fail() {
    if (errno == EPIPE) throw ClosedPipe();
    throw IoError("standard output", std::string("cannot be written: ") + std::strerror(errno));
  }
};

CsvWriter::CsvWriter(const std::string& path) {
  if (path == "-") {
    sink_ = std::make_unique<OutputSink>();
  } else if (path.size() > 3 && path.ends_with(".gz")) {
    sink_ = std::make_unique<GzipSink>(path);
  } else {
    sink_ = std::make_unique<Sink>(path);
  }
}

CsvWriter::~CsvWriter() = default;

void CsvWriter::header(const std::vector<std::string>& names) {
  require(columns_ < 0 && cells_ == 0, "CsvWriter: a header behind the first row");
  for (const std::string& name : names) cell(name);
  end_row();
}

void CsvWriter::row(ConstVec values) {
  for (const double value : values) cell(value);
  end_row();
}

void CsvWriter::append(std::string_view text) {
  require(sink_ != nullptr, "CsvWriter: used after commit");
  if (cells_++ > 0) buffer_ += ',';
  buffer_ += text;
}

void CsvWriter::cell(std::string_view text) {
  if (!needs_quotes(text)) return append(text);
  std::string quoted(1, '"');
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  append(quoted += '"');
}

void CsvWriter::end_row() {
  require(sink_ != nullptr, "CsvWriter: used after commit");
  require(cells_ > 0 && (columns_ < 0 || cells_ == columns_), "CsvWriter: a row of another width");
  columns_ = cells_;
  // An empty line would be no row.
  if (buffer_.size() == row_start_) buffer_ += "\"\"";
  cells_ = 0;
  end_line();
}

void CsvWriter::line(std::string_view text) {
  require(sink_ != nullptr && cells_ == 0, "CsvWriter: a line inside a row or after commit");
  buffer_ += text;
  end_line();
}

void CsvWriter::end_line() {
  buffer_ += '\n';
  row_start_ = buffer_.size();
  if (buffer_.size() < kFlushBytes) return;
  sink_->write(buffer_);
  buffer_.clear();
  row_start_ = 0;
}

void CsvWriter::commit() {
  require(sink_ != nullptr && cells_ == 0, "CsvWriter: committed twice or inside a row");
  sink_->write(buffer_);
  sink_->commit();
  sink_.reset();
}

void write_csv(const std::string& path, const std::vector<std::string>& names, ConstMat values) {
  require(names.empty() || static_cast<Index>(names.size()) == values.cols(), "write_csv: names and columns differ");
  CsvWriter writer(path);
  if (!names.empty()) writer.header(names);
  for (Index i = 0; i < values.rows(); ++i) writer.row(values.row(i).transpose());
  writer.commit();
}

}  // namespace alacarte
