#include "alacarte/data/rows_file.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "alacarte/core/error.hpp"
#include "alacarte/data/dataset.hpp"
#include "core/ranks.hpp"
#include "data/row_parts.hpp"
#include "data/schema_learner.hpp"

namespace alacarte {
namespace {

// The fields of each record for both directions: a Writer appends them, a Reader fills them.

class SeenWriter {
 public:
  template <class Number>
  void number(Number value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    bytes_.append(bytes, sizeof value);
  }
  void operator()(double value) { number(value); }
  void operator()(Index value) { number(value); }
  void operator()(const std::string& text) {
    number(static_cast<Index>(text.size()));
    bytes_ += text;
  }
  template <class List>
  void list(const List& values) {
    number(static_cast<Index>(values.size()));
    for (const auto& value : values) (*this)(value);
  }
  void operator()(const std::vector<std::string>& texts) { list(texts); }
  void operator()(const std::set<std::string>& texts) { list(texts); }
  void operator()(bool value) { number(value); }
  template <class Key>
  void operator()(const std::unordered_map<Key, Index>& counts) {
    number(static_cast<Index>(counts.size()));
    for (const auto& [key, count] : counts) {
      (*this)(key);
      number(count);
    }
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class SeenReader {
 public:
  explicit SeenReader(const std::string& bytes) : bytes_(bytes) {}
  template <class Number>
  Number number() {
    Number value;
    require(at_ + sizeof value <= bytes_.size(), "seen_of_bytes: cut short");
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::string text() {
    const auto size = static_cast<std::size_t>(number<Index>());
    require(size <= bytes_.size() - at_, "seen_of_bytes: cut short");
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  void operator()(double& value) { value = number<double>(); }
  void operator()(Index& value) { value = number<Index>(); }
  void operator()(std::vector<std::string>& texts) {
    for (Index count = number<Index>(); count > 0; --count) texts.push_back(text());
  }
  void operator()(std::set<std::string>& texts) {
    for (Index count = number<Index>(); count > 0; --count) texts.insert(texts.end(), text());
  }
  void operator()(bool& value) { value = number<bool>(); }
  void operator()(std::string& value) { value = text(); }
  template <class Key>
  void operator()(std::unordered_map<Key, Index>& counts) {
    for (Index count = number<Index>(); count > 0; --count) {
      Key key{};
      (*this)(key);
      counts[key] = number<Index>();
    }
  }

 private:
  const std::string& bytes_;
  std::size_t at_ = 0;
};

template <class Table, class Visit>
void visit_table(Table& table, Visit& visit) {
  visit(table.columns);
  visit(table.table_rows);
  visit(table.rows);
  visit(table.labels);
  visit(table.rows_without_target);
  for (auto& input : table.inputs) data_detail::ColumnCensus::visit_members(input, visit);
}

/// Returns bytes for seen_of_bytes(), which are not stored.
std::string bytes_of(const std::vector<SeenTable>& tables) {
  SeenWriter writer;
  writer(static_cast<Index>(tables.size()));
  for (const SeenTable& table : tables) {
    writer(static_cast<Index>(table.inputs.size()));
    visit_table(table, writer);
  }
  return writer.take();
}

std::vector<SeenTable> seen_of_bytes(const std::string& bytes) {
  SeenReader reader(bytes);
  std::vector<SeenTable> tables(static_cast<std::size_t>(reader.number<Index>()));
  for (SeenTable& table : tables) {
    table.inputs.resize(static_cast<std::size_t>(reader.number<Index>()));
    visit_table(table, reader);
  }
  return tables;
}

constexpr Index kConversionRows = 2048;

class Converter {
 public:
  Converter(const std::string& table, const DataConfig& config, const Conversion& conversion)
      : table_(table), config_(config), conversion_(conversion) {}

  std::unique_ptr<RowsFile> run() {
    if (conversion_.schema != nullptr) {
      encode(*open(), *conversion_.schema, nullptr, 0);
      return writer_->finish_and_open(*conversion_.schema, rows_read_);
    }
    auto reader = open();
    SchemaLearner learner(*reader, config_);
    const bool at_once = learner.encodes_at_once();
    if (at_once)
      encode(*reader, learner.schema(), &learner, 0);
    else if (reader->share_read() >= 0)
      learn(*reader, learner, 0.5);
    const bool is_file = reader->share_read() >= 0;
    const Schema expected = learner.schema();
    Schema schema = at_once || is_file ? learner.finish() : Schema();
    if (at_once && schema.encodes_like(expected) && schema.rows_without_target() == 0)
      return writer_->finish_and_open(schema, rows_read_);
    if (!is_file)
      throw DataError(reader->path(),
                      "text, constant columns and filled gaps need two passes over the table; give a file");
    reader = open();
    encode(*reader, schema, nullptr, 0.5);
    return writer_->finish_and_open(schema, rows_read_);
  }

  Schema schema() {
    const auto reader = open();
    SchemaLearner learner(*reader, config_);
    learn(*reader, learner, 1);
    return learner.finish();
  }

  /// Returns what this table contributes to the schema.
  SeenTable seen() {
    const auto reader = open();
    SchemaLearner learner(*reader, config_);
    if (reader->share_read() < 0) throw DataError(reader->path(), "is one of several tables; give a file");
    learn(*reader, learner, 1);
    return learner.seen();
  }
  /// Returns true if the files of a table need a common schema.
  bool learns() const { return !config_.strict || !SchemaLearner(*open(), config_).encodes_at_once(); }

 private:
  void learn(TableReader& reader, SchemaLearner& learner, double length) {
    pass(reader, 0, length, [&](const TableChunk& chunk) { learner.add(chunk, considered(chunk)); });
  }

  std::unique_ptr<TableReader> open() const {
    auto reader = open_table(table_, config_);
    if (conversion_.schema != nullptr)
      conversion_.schema->prepare(*reader);
    else
      Schema::prepare(*reader, config_);
    return reader;
  }

  /// Calls body(chunk) for every chunk; the pass is the work from share `begin` on.
  template <class Body>
  void pass(TableReader& reader, double begin, double length, const Body& body) {
    TableChunk chunk;
    for (rows_read_ = 0; reader.read(chunk, kConversionRows);) {
      rows_read_ += chunk.rows();
      if (!conversion_.left_out.empty() && rows_read_ > static_cast<Index>(conversion_.left_out.size()))
        throw DataError(reader.path(), "has more rows than it had when they were counted");
      body(chunk);
      const double share = reader.share_read();
      if (conversion_.progress) conversion_.progress(share < 0 ? share : begin + length * share, rows_read_);
    }
  }

  std::vector<bool> considered(const TableChunk& chunk) const {
    std::vector<bool> result;
    if (conversion_.left_out.empty()) return result;
    for (Index i = 0; i < chunk.rows(); ++i)
      result.push_back(!conversion_.left_out[static_cast<std::size_t>(chunk.first_row + i)]);
    return result;
  }

  /// Encodes; `learner` also learns, unless it is nullptr.
  void encode(TableReader& reader, const Schema& schema, SchemaLearner* learner, double begin) {
    // Nobody knows of a given schema whether each row here has a target.
    const bool may_lack_target =
        schema.rows_without_target() > 0 || (conversion_.schema != nullptr && !schema.config().strict);
    const bool not_all = config_.missing == MissingCells::drop || schema.has_weights() || schema.has_exposure() ||
                         may_lack_target || !conversion_.left_out.empty();
    const RowExtras extras{not_all, schema.has_weights(), schema.has_exposure()};
    writer_.emplace(conversion_.path.empty()
                        ? RowsFileWriter::without_name(conversion_.folder, schema.input_count(), extras)
                        : RowsFileWriter(conversion_.path, schema.input_count(), extras));
    pass(reader, begin, 1 - begin, [&](const TableChunk& chunk) {
      const std::vector<bool> marked = considered(chunk);
      if (learner != nullptr) learner->add(chunk, marked);
      writer_->add(schema.encode(reader, chunk, true, marked));
    });
    if (writer_->rows() == 0 && rows_read_ > 0) throw DataError(reader.path(), "no training row is left");
  }

  const std::string& table_;
  const DataConfig& config_;
  const Conversion& conversion_;
  std::optional<RowsFileWriter> writer_;
  Index rows_read_ = 0;
};

}  // namespace

std::unique_ptr<RowsFile> convert_table(const std::string& table, const DataConfig& config,
                                        const Conversion& conversion) {
  return Converter(table, config, conversion).run();
}

Schema schema_of_table(const std::string& table, const DataConfig& config,
                       const std::function<void(double share, Index rows)>& progress) {
  Conversion conversion;
  conversion.progress = progress;
  return Converter(table, config, conversion).schema();
}

std::optional<Schema> common_schema(const std::vector<std::string>& tables, const DataConfig& config,
                                    const std::function<void(double share, Index rows)>& progress) {
  Conversion conversion;
  conversion.progress = progress;
  bool learns = false;
  std::vector<std::size_t> own;
  for (std::size_t k = 0; k < tables.size(); ++k)
    if (has_file(k)) own.push_back(k);
  for (const std::size_t k : own) learns = Converter(tables[k], config, conversion).learns() || learns;
  if (!ranks::any(learns)) return std::nullopt;
  std::vector<SeenTable> seen;
  for (const std::size_t k : own) seen.push_back(Converter(tables[k], config, conversion).seen());
  std::vector<std::vector<SeenTable>> of_ranks;
  for (const std::string& bytes : ranks::of_each(bytes_of(seen))) of_ranks.push_back(seen_of_bytes(bytes));
  // In the order of the tables, whichever rank read them: sums have the same bits for any number of ranks.
  const auto reader = open_table(tables.front(), config);
  Schema::prepare(*reader, config);
  SchemaLearner learner(*reader, config);
  for (std::size_t k = 0; k < tables.size(); ++k)
    learner.add_seen(of_ranks[k % of_ranks.size()].at(k / of_ranks.size()), tables[k]);
  return learner.finish();
}

void split_rows_file(const RowsFile& file, const std::vector<std::string>& paths) {
  const auto parts = static_cast<Index>(paths.size());
  require(parts > 0, "split_rows_file: no part");
  const bool numbered = file.table_rows() > file.rows();
  const auto border = [&](Index part) { return file.rows() / parts * part + file.rows() % parts * part / parts; };
  // Rows of a part are numbered from its beginning in the table.
  const auto source_of = [&](Index row) {
    return row == 0 ? 0 : row == file.rows() ? file.table_rows() : file.source_rows(row, 1).front();
  };
  std::vector<RowsFileWriter> writers;
  RowScratch scratch;
  for (Index k = 0; k < parts; ++k) {
    writers.emplace_back(paths[static_cast<std::size_t>(k)], file.inputs(),
                         RowExtras{numbered, file.has_weights(), file.has_offsets()});
    for (Index first = border(k); first < border(k + 1); first += kConversionRows) {
      const Index count = std::min(kConversionRows, border(k + 1) - first);
      const RowBlock block = file.read(first, count, scratch);
      Dataset rows;
      rows.inputs = block.x.dense();
      rows.target = block.y;
      rows.weights = block.weights;
      rows.offsets = block.offsets;
      rows.source_rows = file.source_rows(first, count);
      for (Index& row : rows.source_rows) row -= source_of(border(k));
      writers.back().add(rows);
    }
    writers.back().finish(file.schema(), source_of(border(k + 1)) - source_of(border(k)), {k + 1, parts, file.rows()});
  }
  for (RowsFileWriter& writer : writers) writer.commit();
}

}  // namespace alacarte
