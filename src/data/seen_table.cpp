#include "data/seen_table.hpp"

#include <cstring>

namespace alacarte::data_detail {
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

 private:
  const std::string& bytes_;
  std::size_t at_ = 0;
};

template <class Input, class Visit>
void visit_input(Input& input, Visit& visit) {
  visit(input.sum);
  visit(input.count);
  visit(input.categories);
}

template <class Table, class Visit>
void visit_table(Table& table, Visit& visit) {
  visit(table.columns);
  visit(table.table_rows);
  visit(table.rows);
  visit(table.labels);
  for (auto& input : table.inputs) visit_input(input, visit);
}

}  // namespace

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

}  // namespace alacarte::data_detail
