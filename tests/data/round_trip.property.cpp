// Readers read what writers write, to the bit.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "alacarte/core/random.hpp"
#include "data/csv_writer.hpp"
#include "data/feature_writer.hpp"
#include "data/support.hpp"

namespace alacarte {
namespace {

using data_test::TemporaryFolder;

/// Draws doubles of every exponent and both signs, with some zeros and gaps.
double any_double(RandomStream& stream) {
  const auto kind = stream.below(10);
  if (kind == 0) return stream.sign() * 0.0;
  if (kind == 1) return std::numeric_limits<double>::quiet_NaN();
  if (kind == 2) return static_cast<double>(stream.below(1000)) * stream.sign();
  for (;;) {
    const auto high = static_cast<std::uint64_t>(stream.below(std::int64_t{1} << 32));
    const auto low = static_cast<std::uint64_t>(stream.below(std::int64_t{1} << 32));
    const double value = std::bit_cast<double>((high << 32) | low);
    if (std::isfinite(value)) return value;
  }
}

/// Draws text full of characters that CSV must protect, without the words for gaps.
std::string any_text(RandomStream& stream) {
  static const std::string kLetters = "ab,;\t\"\n\r ?1.x";
  std::string text;
  for (auto count = stream.below(8); count > 0; --count)
    text += kLetters[static_cast<std::size_t>(stream.below(static_cast<std::int64_t>(kLetters.size())))];
  return text;
}

void expect_same_bits(const Matrix& a, const Matrix& b) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  for (Index i = 0; i < a.size(); ++i) {
    if (std::isnan(a.data()[i]) && std::isnan(b.data()[i])) continue;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(a.data()[i]), std::bit_cast<std::uint64_t>(b.data()[i])) << a.data()[i];
  }
}

TEST(RoundTrip, TablesOfNumbersThroughEveryFormat) {
  TemporaryFolder folder;
  RandomStream stream(20);
  for (int trial = 0; trial < 20; ++trial) {
    Matrix values(1 + stream.below(40), 1 + stream.below(12));
    for (double& value : values.reshaped()) value = any_double(stream);
    std::vector<std::string> names;
    if (stream.below(2) == 0)
      for (Index j = 0; j < values.cols(); ++j) names.push_back(std::string(1, 'c').append(std::to_string(j)));
    for (const char* name : {"t.csv", "t.csv.gz"}) {
      write_csv(folder.file(name), names, values);
      const auto reader = open_table(folder.file(name), {});
      EXPECT_EQ(reader->has_names(), !names.empty());
      expect_same_bits(read_all(*reader).numbers, values);
    }
    write_npy(folder.file("t.npy"), values);
    expect_same_bits(read_all(*open_table(folder.file("t.npy"), {})).numbers, values);
  }
}

TEST(RoundTrip, TextSurvivesQuoting) {
  TemporaryFolder folder;
  RandomStream stream(21);
  DataConfig config;
  config.header = HeaderLine::yes;
  config.separator = Separator::comma;
  for (int trial = 0; trial < 20; ++trial) {
    CsvWriter writer(folder.file("t.csv"));
    writer.header({"a", "b"});
    std::vector<std::string> first, second;
    for (auto rows = 1 + stream.below(30); rows > 0; --rows) {
      first.push_back(any_text(stream));
      second.push_back(any_text(stream));
      writer.cell(first.back());
      writer.cell(second.back());
      writer.end_row();
    }
    writer.commit();
    const auto reader = open_table(folder.file("t.csv"), config);
    reader->set_kind({0, 1}, ColumnKind::text);
    const TableChunk table = read_all(*reader);
    EXPECT_EQ(table.text[0], first);
    EXPECT_EQ(table.text[1], second);
  }
}

TEST(RoundTrip, ChunkSizeDoesNotMatter) {
  RandomStream stream(22);
  std::string bytes;
  for (int i = 0; i < 500; ++i)
    bytes += std::to_string(stream.normal()) + ",\"" + std::to_string(stream.below(9)) + "\"\r\n";
  const Matrix whole = data_test::table_of(bytes).numbers;
  for (const Index size : {Index{1}, Index{3}, Index{499}, Index{500}, Index{1000}}) {
    const auto reader = open_table_from_memory("t", bytes, {});
    TableChunk chunk;
    Index at = 0;
    while (reader->read(chunk, size)) {
      EXPECT_EQ(chunk.numbers, whole.middleRows(at, chunk.rows()));
      at += chunk.rows();
    }
    EXPECT_EQ(at, whole.rows());
  }
}

}  // namespace
}  // namespace alacarte
