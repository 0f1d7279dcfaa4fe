#include "sparse_dataset.hpp"

#include <cmath>
#include <map>

#include "data/byte_source.hpp"
#include "data/cells.hpp"
#include "data/libsvm_reader.hpp"

namespace alacarte {
namespace {

/// Largest number of entries of a chunk, except for its last row, so that long rows do not fill the memory.
constexpr Index kMaxEntries = Index{1} << 22;

constexpr Index kSparseChunkRows = 4096;
constexpr double kEntryBytes = sizeof(Index) + sizeof(double);
constexpr double kReserve = 1.02;  // reserve over the estimate from the share read

/// Reserves the entries expected in all, unless `more` of them fit. Geometric growth would take up to twice the memory
/// of the rows, and three times while it copies.
void reserve(SparseRows& rows, std::size_t more, double expected) {
  const std::size_t needed = rows.values.size() + more;
  if (needed <= rows.values.capacity()) return;
  const auto room = std::max(needed, static_cast<std::size_t>(expected));
  rows.columns.reserve(room);
  rows.values.reserve(room);
}

/// Appends the rows of a chunk to `all`.
void append(SparseChunk& all, const SparseChunk& more) {
  all.inputs.append(more.inputs.view());
  all.line_numbers.insert(all.line_numbers.end(), more.line_numbers.begin(), more.line_numbers.end());
  const Index rows = all.labels.size();
  all.labels.conservativeResize(rows + more.rows());
  all.labels.tail(more.rows()) = more.labels;
}

/// Removes the marked rows in place.
void drop(SparseChunk& all, const std::vector<bool>& marked) {
  SparseRows& rows = all.inputs;
  std::size_t kept = 0, to = 0;
  for (std::size_t i = 0; i < marked.size(); ++i) {
    const auto first = static_cast<std::size_t>(rows.starts[i]), last = static_cast<std::size_t>(rows.starts[i + 1]);
    if (marked[i]) continue;
    for (std::size_t e = first; e < last; ++e, ++to) {
      rows.columns[to] = rows.columns[e];
      rows.values[to] = rows.values[e];
    }
    all.labels[static_cast<Index>(kept)] = all.labels[static_cast<Index>(i)];
    all.line_numbers[kept] = all.line_numbers[i];
    // Row `kept` begins no later than row i did, so unread entries are unchanged.
    rows.starts[++kept] = static_cast<Index>(to);
  }
  rows.starts.resize(kept + 1);
  rows.columns.resize(to);
  rows.values.resize(to);
  all.line_numbers.resize(kept);
  all.labels.conservativeResize(static_cast<Index>(kept));
}

/// Collects the classes of rows in chunks.
class Labels {
 public:
  explicit Labels(const std::string& path) : path_(path) {}

  void add(const SparseChunk& chunk) {
    rows_ += chunk.rows();
    for (Index i = 0; i < chunk.rows(); ++i) {
      const double label = chunk.labels[i];
      if (std::isnan(label))
        throw DataError(path_, chunk.line_numbers[static_cast<std::size_t>(i)], 0, "the label is missing");
      if (seen_.insert(label).second) labels_.insert(data_detail::label_of(label));
      if (labels_.size() > data_detail::kMaxClasses)
        throw DataError(path_, "has more than " + std::to_string(data_detail::kMaxClasses) + " classes");
    }
  }

  std::vector<std::string> finish() const {
    if (labels_.size() < 2) throw DataError(path_, "has one class only in the training rows");
    if (rows_ > 2 && static_cast<Index>(labels_.size()) == rows_)
      throw DataError(path_, "has another label in every row; is it a number to be learned (likelihood gaussian)?");
    return data_detail::sorted_labels(labels_);
  }

 private:
  const std::string& path_;
  std::set<std::string> labels_;
  std::set<double> seen_;
  Index rows_ = 0;
};

/// Returns the indices among all sorted labels of the file; -1 without one.
std::vector<Index> places_of(const Vector& labels) {
  std::map<double, Index> places;
  for (const double label : labels)
    if (!std::isnan(label)) places.emplace(label, 0);
  Index next = 0;
  for (auto& [label, place] : places) place = next++;
  std::vector<Index> result;
  for (const double label : labels) result.push_back(std::isnan(label) ? -1 : places.at(label));
  return result;
}

}  // namespace

SparseReader::SparseReader(const std::string& path, Index inputs) : path_(path) {
  const auto origin = data_detail::Origin::file(path);
  lines_ = std::make_unique<data_detail::LibsvmLines>(origin, origin.open(), inputs);
}
SparseReader::~SparseReader() = default;

Index SparseReader::inputs() const { return lines_->inputs(); }
double SparseReader::share_read() const { return lines_->share_read(); }

bool SparseReader::read(SparseChunk& chunk, Index max_rows) {
  require(max_rows > 0, "SparseReader::read: max_rows must be positive");
  chunk.first_row = rows_;
  chunk.inputs.clear(inputs());
  chunk.line_numbers.clear();
  std::vector<double> labels;
  const auto full = [&] {
    return static_cast<Index>(labels.size()) == max_rows ||
           static_cast<Index>(chunk.inputs.values.size()) >= kMaxEntries;
  };
  while (!full() && lines_->find()) {
    labels.push_back(lines_->parse([&](Index place, double value) {
      if (!std::isfinite(value))
        throw DataError(path_, lines_->line(), 0,
                        "the value of index " + std::to_string(place + 1) +
                            " is missing or not finite, and the rows are read as sparse");
      if (value != 0) chunk.inputs.add(place, value);
    }));
    chunk.inputs.end_row();
    chunk.line_numbers.push_back(lines_->line());
  }
  rows_ += static_cast<Index>(labels.size());
  chunk.labels = Eigen::Map<const Vector>(labels.data(), static_cast<Index>(labels.size()));
  return chunk.rows() > 0;
}

EncodedFile load_sparse(const std::string& path, const DataConfig& config,
                        const std::function<std::vector<bool>(const std::vector<Index>& classes)>& held_out,
                        const std::function<void(Index rows, double bytes)>& watch) {
  SparseReader reader(path);
  SparseChunk all, chunk;
  all.inputs.clear(reader.inputs());
  while (reader.read(chunk, kSparseChunkRows)) {
    const auto entries = static_cast<double>(all.inputs.values.size() + chunk.inputs.values.size());
    if (watch) watch(all.rows() + chunk.rows(), kEntryBytes * entries);
    const double share = reader.share_read();
    reserve(all.inputs, chunk.inputs.values.size(), share > 0 ? kReserve * entries / share : 1.5 * entries);
    append(all, chunk);
  }
  EncodedFile training;
  training.file_rows = all.rows();
  if (training.file_rows == 0) throw DataError(path, "has no data rows");
  if (const std::vector<bool> marked = held_out(places_of(all.labels)); !marked.empty()) drop(all, marked);
  if (all.rows() == 0) throw DataError(path, "no training row is left");
  Labels labels(path);
  if (config.labels) labels.add(all);
  training.schema =
      Schema::sparse(reader.inputs(), config, config.labels ? labels.finish() : std::vector<std::string>());
  training.rows = training.schema.encode(path, all, true);
  return training;
}

SparseSurvey survey_sparse(const std::string& path, const DataConfig& config, RowScaling scaling,
                           const std::function<void(Index rows)>& watch) {
  SparseReader reader(path);
  SparseChunk chunk;
  Labels labels(path);
  Index rows = 0;
  double squares = 0;
  const Standardizer standardizer = Standardizer::sparse(reader.inputs(), scaling);
  while (reader.read(chunk, kSparseChunkRows)) {
    rows += chunk.rows();
    if (config.labels) labels.add(chunk);
    if (watch) watch(rows);
    standardizer.standardise(chunk.inputs);
    for (const double value : chunk.inputs.values) squares += value * value;
  }
  if (rows == 0) throw DataError(path, "has no data rows");
  return {Schema::sparse(reader.inputs(), config, config.labels ? labels.finish() : std::vector<std::string>()),
          sparse_training_statistics(rows, reader.inputs(), squares / static_cast<double>(rows))};
}

}  // namespace alacarte
