#include "alacarte/data/rows_file.hpp"

#include <cstring>
#include <fstream>
#include <numeric>

#include "core/atomic_file.hpp"
#include "core/pipes.hpp"
#include "data/byte_source.hpp"
#include "data/rows_format.hpp"

namespace alacarte {

using namespace data_detail;

namespace {

// Values of a chunk: small for a second-level cache, so that checking a chunk costs one trip to memory.
constexpr Index kChunkValues = Index{1} << 15;

RowsFooter parse_footer(const std::string& path, const char* bytes) {
  RowsFooter footer;
  std::memcpy(&footer, bytes, sizeof footer);
  if (std::memcmp(footer.magic, kRowsMagic, sizeof footer.magic) != 0)
    throw DataError(path, "is cut short or still being written: a rows file ends with its own mark");
  if (footer.own_sum != checksum(bytes, offsetof(RowsFooter, own_sum)))
    throw DataError(path, "its last bytes are damaged; convert the table again");
  return footer;
}

}  // namespace

bool is_rows_file(const std::string& path) {
  if (is_stream(path)) return false;
  std::ifstream file(path, std::ios::binary);
  char start[kRowsWord.size()];
  return file.read(start, sizeof start) && kRowsWord == std::string_view(start, sizeof start);
}

RowsFile::RowsFile(const std::string& path) : RowsFile(std::make_shared<const Origin>(Origin::file(path))) {}

RowsFile::RowsFile(std::shared_ptr<const Origin> origin) : origin_(std::move(origin)), path_(origin_->name()) {
  const std::uint64_t size = origin_->is_stream() ? 0 : origin_->size();
  char start[sizeof kRowsMagic] = {};
  if (size > 0) origin_->read_at(0, start, std::min<std::size_t>(size, sizeof start));
  if (std::memcmp(start, kRowsWord.data(), kRowsWord.size()) != 0) throw DataError(path_, "is no rows file");
  if (std::memcmp(start, kRowsMagic, sizeof start) != 0)
    throw DataError(path_, "is a rows file of a version that this program does not read; convert the table again");
  char end[sizeof(RowsFooter)];
  if (size < sizeof start + sizeof end) throw DataError(path_, "is cut short");
  origin_->read_at(size - sizeof end, end, sizeof end);
  const RowsFooter footer = parse_footer(path_, end);
  const auto layout = [&](bool good) {
    if (!good) throw DataError(path_, "its end does not fit its length; convert the table again");
  };
  layout(footer.values > 1 && footer.chunk_rows > 0 && footer.chunk_rows <= kMaxChunkRows &&
         footer.rows <= size / 8 / footer.values);
  const std::uint64_t chunks = (footer.rows + footer.chunk_rows - 1) / footer.chunk_rows;
  const std::uint64_t rows_end = sizeof start + footer.rows * footer.values * 8;
  layout(footer.description_bytes <= size && rows_end + footer.description_bytes + 4 * chunks + sizeof end == size);
  rows_ = static_cast<Index>(footer.rows);
  values_ = static_cast<Index>(footer.values);
  chunk_rows_ = std::max<Index>(1, static_cast<Index>(std::min(footer.chunk_rows, footer.rows)));

  std::string description(footer.description_bytes, '\0');
  origin_->read_at(rows_end, description.data(), description.size());
  sums_.resize(chunks);
  origin_->read_at(rows_end + description.size(), sums_.data(), 4 * chunks);
  if (checksum(description.data(), description.size()) != footer.description_sum ||
      checksum(sums_.data(), 4 * chunks) != footer.sums_sum)
    throw DataError(path_, "its description is damaged; convert the table again");
  auto parsed = parse_rows_description(description);
  layout(parsed.has_value());
  schema_ = std::move(parsed->schema);
  level_counts_ = schema_.level_counts();
  table_rows_ = parsed->table_rows;
  part_ = parsed->part;
  layout(part_.number == 0 || (part_.number <= part_.of && part_.all_rows >= rows_));
  layout(rows_ > 0 || part_.of > 0);
  layout(table_rows_ >= rows_ && values_ >= own_values() && values_ <= own_values() + 1);
  checked_ = std::make_unique<std::atomic<bool>[]>(chunks);
}

std::uint64_t RowsFile::row_offset(Index row) const {
  return sizeof kRowsMagic + static_cast<std::uint64_t>(row) * static_cast<std::uint64_t>(values_) * 8;
}

void RowsFile::check_chunk(Index chunk, std::vector<double>& values) const {
  const Index first = chunk * chunk_rows_, count = std::min(chunk_rows_, rows_ - first);
  values.resize(std::max(values.size(), static_cast<std::size_t>(chunk_rows_ * values_)));
  const std::size_t bytes = static_cast<std::size_t>(count * values_) * 8;
  origin_->read_at(row_offset(first), values.data(), bytes);
  if (checksum(values.data(), bytes) != sums_[static_cast<std::size_t>(chunk)])
    throw DataError(path_, "chunk " + std::to_string(chunk + 1) + " (rows " + std::to_string(first + 1) + " to " +
                               std::to_string(first + count) +
                               ") is damaged: its checksum does not fit; convert the table again");
  checked_[static_cast<std::size_t>(chunk)].store(true, std::memory_order_relaxed);
}

void RowsFile::read_values(Index first, Index count, std::vector<double>& values) const {
  require(first >= 0 && count >= 0 && first + count <= rows_, "RowsFile: read outside of it");
  if (count == 0) return;
  for (Index chunk = first / chunk_rows_; chunk <= (first + count - 1) / chunk_rows_; ++chunk)
    if (!checked_[static_cast<std::size_t>(chunk)].load(std::memory_order_relaxed)) check_chunk(chunk, values);
  values.resize(std::max(values.size(), static_cast<std::size_t>(count * values_)));
  origin_->read_at(row_offset(first), values.data(), static_cast<std::size_t>(count * values_) * 8);
}

RowBlock RowsFile::read(Index first, Index count, RowScratch& scratch) const {
  read_values(first, count, scratch.raw);
  scratch.reserve(count, inputs());
  const Eigen::Map<const RowMajorMatrix> values(scratch.raw.data(), count, values_);
  scratch.x.topRows(count) = values.leftCols(inputs());
  scratch.y.head(count) = values.col(inputs());
  if (has_weights()) scratch.weights = values.col(inputs() + 1);
  if (has_offsets()) scratch.offsets = values.col(offset_place());
  return scratch.block(count);
}

std::vector<Index> RowsFile::source_rows(Index first, Index count) const {
  std::vector<Index> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), first);
  if (values_ == own_values()) return rows;
  std::vector<double> values;
  read_values(first, count, values);
  for (Index i = 0; i < count; ++i) {
    const double row = values[static_cast<std::size_t>((i + 1) * values_ - 1)];
    if (!(row >= 0 && row < static_cast<double>(table_rows_)))
      throw DataError(path_, "row " + std::to_string(first + i + 1) + " came from no row of the table");
    rows[static_cast<std::size_t>(i)] = static_cast<Index>(row);
  }
  return rows;
}

double RowsFile::scratch_bytes(Index count) const {
  return 8.0 * static_cast<double>(std::max(count, chunk_rows_) * values_ + count * (inputs() + 1));
}

class RowsFile::Selected final : public RowSource {
 public:
  Selected(std::shared_ptr<const RowsFile> file, const std::vector<bool>& left_out) : file_(std::move(file)) {
    require(static_cast<Index>(left_out.size()) == file_->table_rows(), "select_rows: one entry for each row");
    kept_.resize(static_cast<std::size_t>(file_->rows()));
    before_ = {0};
    for (Index first = 0; first < file_->rows(); first += kSelectionBlock) {
      const Index count = std::min(kSelectionBlock, file_->rows() - first);
      Index selected = 0;
      auto kept = kept_.begin() + first;
      for (const Index source : file_->source_rows(first, count)) {
        *kept = !left_out.at(static_cast<std::size_t>(source));
        selected += *kept++;
      }
      before_.push_back(before_.back() + selected);
    }
    if (rows() == 0) throw DataError(file_->path(), "no training row is left");
  }

  Index rows() const override { return before_.back(); }
  Index inputs() const override { return file_->inputs(); }
  bool has_weights() const override { return file_->has_weights(); }
  bool has_offsets() const override { return file_->has_offsets(); }
  const std::vector<Index>& level_counts() const override { return file_->level_counts(); }

  RowBlock read(Index first, Index count, RowScratch& scratch) const override {
    require(first >= 0 && count >= 0 && first + count <= rows(), "select_rows: read outside of them");
    scratch.reserve(count, inputs());
    if (has_weights()) scratch.weights.resize(count);
    if (has_offsets()) scratch.offsets.resize(count);
    Index block = std::upper_bound(before_.begin(), before_.end(), first) - before_.begin() - 1;
    Index skip = first - before_[static_cast<std::size_t>(block)];
    std::vector<Index> places;
    for (Index done = 0; done < count; ++block, skip = 0) {
      const Index begin = block * kSelectionBlock, end = std::min(begin + kSelectionBlock, file_->rows());
      places.clear();
      for (Index row = begin; row < end && done + static_cast<Index>(places.size()) < count; ++row)
        if (kept_[static_cast<std::size_t>(row)] && skip-- <= 0) places.push_back(row);
      if (places.empty()) continue;
      const Index lowest = places.front(), span = places.back() - lowest + 1;
      file_->read_values(lowest, span, scratch.raw);
      const Eigen::Map<const RowMajorMatrix> values(scratch.raw.data(), span, file_->values_);
      for (const Index row : places) {
        scratch.x.row(done) = values.row(row - lowest).head(inputs());
        if (has_weights()) scratch.weights[done] = values(row - lowest, inputs() + 1);
        if (has_offsets()) scratch.offsets[done] = values(row - lowest, file_->offset_place());
        scratch.y[done++] = values(row - lowest, inputs());
      }
    }
    return scratch.block(count);
  }

  double scratch_bytes(Index count) const override {
    return file_->scratch_bytes(kSelectionBlock) + 8.0 * static_cast<double>(count * (inputs() + 1));
  }

 private:
  static constexpr Index kSelectionBlock = 1024;  // rows counted together

  std::shared_ptr<const RowsFile> file_;
  std::vector<bool> kept_;     // for each row of the file
  std::vector<Index> before_;  // selected rows before each block of the file, and in total
};

std::shared_ptr<RowSource> select_rows(std::shared_ptr<const RowsFile> file, const std::vector<bool>& left_out) {
  return std::make_shared<RowsFile::Selected>(std::move(file), left_out);
}

RowsFileWriter::RowsFileWriter(const std::string& path, Index inputs, const RowExtras& extras)
    : RowsFileWriter(std::make_unique<AtomicFile>(path), true, inputs, extras) {}

RowsFileWriter RowsFileWriter::without_name(const std::string& folder, Index inputs, const RowExtras& extras) {
  return {AtomicFile::without_name(folder), false, inputs, extras};
}

RowsFileWriter::RowsFileWriter(std::unique_ptr<AtomicFile> file, bool has_name, Index inputs, const RowExtras& extras)
    : file_(std::move(file)),
      has_name_(has_name),
      inputs_(inputs),
      extras_(extras),
      values_(inputs + 1 + (extras.weights ? 1 : 0) + (extras.offsets ? 1 : 0) + (extras.source_rows ? 1 : 0)),
      chunk_rows_(std::clamp<Index>(kChunkValues / values_, 16, 4096)) {
  require(inputs > 0, "a rows file needs inputs");
  file_->write(kRowsMagic, sizeof kRowsMagic);
  chunk_.reserve(static_cast<std::size_t>(chunk_rows_ * values_));
}

RowsFileWriter::RowsFileWriter(RowsFileWriter&&) noexcept = default;
RowsFileWriter::~RowsFileWriter() = default;

void RowsFileWriter::add(const Dataset& rows) {
  require(rows.inputs.cols() == inputs_ && rows.target.size() == rows.rows() &&
              rows.weights.size() == (extras_.weights ? rows.rows() : 0) &&
              rows.offsets.size() == (extras_.offsets ? rows.rows() : 0),
          "RowsFileWriter: rows of another shape");
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < inputs_; ++j) chunk_.push_back(rows.inputs(i, j));
    chunk_.push_back(rows.target[i]);
    if (extras_.weights) chunk_.push_back(rows.weights[i]);
    if (extras_.offsets) chunk_.push_back(rows.offsets[i]);
    if (extras_.source_rows) chunk_.push_back(static_cast<double>(rows.source_rows[static_cast<std::size_t>(i)]));
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
  require(schema.input_count() == inputs_ && schema.has_weights() == extras_.weights &&
              schema.has_exposure() == extras_.offsets && table_rows >= rows_,
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
