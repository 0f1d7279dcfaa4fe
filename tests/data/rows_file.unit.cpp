#include "alacarte/data/rows_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/core/random.hpp"
#include "data/fingerprint.hpp"
#include "data/support.hpp"
#include "io/documents.hpp"

namespace alacarte {
namespace {

using data_test::message_of;
using data_test::slurp;
using data_test::TemporaryFolder;

/// Returns a numeric table of a few thousand rows: more than one chunk of a rows file.
std::string table(Index rows, const std::string& gap = "") {
  std::string text = "a,b,colour,y\n";
  for (Index i = 0; i < rows; ++i) {
    const double t = static_cast<double>(i);
    text += std::to_string(std::sin(t)) + "," + (i % 7 == 3 && !gap.empty() ? gap : std::to_string(t / 3)) + "," +
            (i % 3 == 0 ? "red" : "blue") + "," + std::to_string(std::cos(t)) + "\n";
  }
  return text;
}

DataConfig numbers_only() {
  DataConfig config;
  config.strict = true;
  config.ignore = {"colour"};
  return config;
}

void expect_same(const Dataset& a, const Dataset& b) {
  EXPECT_EQ(a.inputs, b.inputs);
  EXPECT_EQ(a.target, b.target);
}

class RowsFiles : public testing::Test {
 protected:
  std::unique_ptr<RowsFile> convert(const std::string& text, const DataConfig& config,
                                    std::vector<bool> left_out = {}) const {
    Conversion conversion;
    conversion.path = folder_.file("t.rows");
    conversion.left_out = std::move(left_out);
    return convert_table(folder_.write("t.csv", text), config, conversion);
  }
  /// Returns the rows that a training run would hold in memory.
  static Dataset in_memory(const std::string& text, const DataConfig& config, const std::vector<bool>& training = {}) {
    const auto reader = open_table_from_memory("t.csv", text, config);
    Schema::prepare(*reader, config);
    const TableChunk chunk = read_all(*reader);
    return Schema::learn(*reader, chunk, config, training).encode(*reader, chunk, true, training);
  }
  TemporaryFolder folder_;
};

TEST_F(RowsFiles, HoldWhatTheTableHolds) {
  const std::string text = table(10000);
  for (const bool categorical : {false, true}) {
    DataConfig config = numbers_only();
    if (categorical) config.ignore.clear();
    if (categorical) config.categorical = {"colour"};
    const auto file = convert(text, config);
    const Dataset expected = in_memory(text, config);
    EXPECT_EQ(file->rows(), 10000);
    EXPECT_EQ(file->table_rows(), 10000);
    expect_same(load(*file), expected);
    EXPECT_EQ(rows_sha256(*file), rows_sha256(MemoryRows(expected)));
    EXPECT_EQ(to_json(file->schema()), to_json(data_test::load(text, config).schema));
  }
}

TEST_F(RowsFiles, AnyRangeReadsLikeAnyOther) {
  const auto file = convert(table(9000), numbers_only());
  const Dataset all = load(*file);
  RowScratch scratch;
  RandomStream stream(1);
  for (int trial = 0; trial < 200; ++trial) {
    const Index first = stream.below(9000), count = 1 + stream.below(std::min<Index>(3000, 9000 - first));
    const RowBlock block = file->read(first, count, scratch);
    ASSERT_EQ(block.x.dense(), all.inputs.middleRows(first, count));
    ASSERT_EQ(block.y, all.target.segment(first, count));
  }
}

TEST_F(RowsFiles, DroppedAndFilledRowsAreThoseOfTheTable) {
  const std::string text = table(5000, "NA");
  for (const char* missing : {"drop", "mean"}) {
    DataConfig config = numbers_only();
    config.missing = from_word<MissingCells>(missing).value();
    const auto file = convert(text, config);
    const Dataset expected = in_memory(text, config);
    expect_same(load(*file), expected);
    EXPECT_EQ(file->table_rows(), 5000);
    EXPECT_EQ(file->source_rows(0, file->rows()), expected.source_rows);
  }
}

TEST_F(RowsFiles, SelectionsAndLeftOutRowsAgree) {
  const std::string text = table(6000);
  std::vector<bool> left_out(6000), kept(6000);
  RandomStream stream(2);
  for (std::size_t i = 0; i < left_out.size(); ++i) {
    left_out[i] = i > 2000 && (i < 4500 || stream.below(3) == 0);  // one stretch without any row
    kept[i] = !left_out[i];
  }
  const Dataset expected = in_memory(text, numbers_only(), kept);
  expect_same(load(*convert(text, numbers_only(), left_out)), expected);
  const auto selected = select_rows(convert(text, numbers_only()), left_out);
  ASSERT_EQ(selected->rows(), expected.rows());
  expect_same(load(*selected), expected);
  RowScratch scratch;
  for (int trial = 0; trial < 200; ++trial) {
    const Index first = stream.below(selected->rows()), count = 1 + stream.below(selected->rows() - first);
    const RowBlock block = selected->read(first, count, scratch);
    ASSERT_EQ(block.x.dense(), expected.inputs.middleRows(first, count));
    ASSERT_EQ(block.y, expected.target.segment(first, count));
  }
}

TEST_F(RowsFiles, EveryDamagedByteIsFound) {
  convert(table(9000), numbers_only());
  const std::string path = folder_.file("t.rows"), whole = slurp(path);
  RandomStream stream(3);
  for (int trial = 0; trial < 300; ++trial) {
    std::string damaged = whole;
    const auto at = static_cast<std::size_t>(stream.below(static_cast<std::int64_t>(whole.size())));
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << stream.below(8)));
    folder_.write("d.rows", damaged);
    EXPECT_THROW(load(RowsFile(folder_.file("d.rows"))), DataError) << "byte " << at;
  }
}

TEST_F(RowsFiles, ADamagedChunkIsNamedWhenItIsReadAndTheOthersAreNot) {
  convert(table(9000), numbers_only());  // chunks of 4096 rows, 24 bytes per row
  std::string bytes = slurp(folder_.file("t.rows"));
  bytes[16 + 24 * 5000] ^= 1;
  const RowsFile file(folder_.write("d.rows", bytes));
  RowScratch scratch;
  EXPECT_NO_THROW(file.read(4095, 1, scratch));
  EXPECT_NO_THROW(file.read(8192, 1, scratch));
  const std::string message = message_of<DataError>([&] { file.read(8191, 1, scratch); });
  EXPECT_NE(message.find("chunk 2 (rows 4097 to 8192) is damaged"), std::string::npos) << message;
}

TEST_F(RowsFiles, CutFilesAreRefused) {
  convert(table(9000), numbers_only());
  const std::string whole = slurp(folder_.file("t.rows"));
  std::vector<std::size_t> cuts = {0, 1, 15, 16, 17, 40, 63, whole.size() - 64, whole.size() - 1};
  for (std::size_t chunk = 0; chunk <= 2; ++chunk) cuts.push_back(16 + 24 * std::min<std::size_t>(9000, 4096 * chunk));
  for (const std::size_t cut : cuts) {
    folder_.write("cut.rows", whole.substr(0, cut));
    EXPECT_THROW(RowsFile(folder_.file("cut.rows")), DataError) << "cut at " << cut;
  }
  EXPECT_THROW(RowsFile(folder_.write("long.rows", whole + whole)), DataError);
}

TEST_F(RowsFiles, AnotherVersionIsNamedAsSuch) {
  convert(table(100), numbers_only());
  std::string bytes = slurp(folder_.file("t.rows"));
  bytes[14] = '2';
  const std::string path = folder_.write("v.rows", bytes);
  EXPECT_TRUE(is_rows_file(path));
  const std::string message = message_of<DataError>([&] { RowsFile file(path); });
  EXPECT_NE(message.find("of a version that this program does not read"), std::string::npos) << message;
  EXPECT_FALSE(is_rows_file(folder_.write("t.csv", table(3))));
  EXPECT_FALSE(is_rows_file(folder_.file("none")));
}

TEST_F(RowsFiles, AStoppedConversionLeavesNothing) {
  const std::string text = folder_.write("t.csv", table(20000));
  Conversion conversion;
  conversion.path = folder_.file("t.rows");
  conversion.progress = [](double share, Index) {
    if (share > 0.5) throw std::runtime_error("stop");
  };
  EXPECT_THROW(convert_table(text, numbers_only(), conversion), std::runtime_error);
  EXPECT_EQ(folder_.entries(), 1u);
}

TEST_F(RowsFiles, AFileWithoutANameIsGoneWithItsReader) {
  const std::string text = table(5000);
  Conversion conversion;
  conversion.folder = folder_.file("");
  const auto file = convert_table(folder_.write("t.csv", text), numbers_only(), conversion);
  EXPECT_EQ(folder_.entries(), 1u);
  expect_same(load(*file), in_memory(text, numbers_only()));
}

TEST_F(RowsFiles, BadTablesFailAsTheyDoInMemory) {
  std::string text = table(3000);
  text.replace(text.find("\n", 40000) + 1, 3, "abc");
  EXPECT_EQ(message_of<DataError>([&] { convert(text, numbers_only()); }),
            message_of<DataError>([&] { in_memory(text, numbers_only()); }).replace(0, 5, folder_.file("t.csv")));
  EXPECT_EQ(folder_.entries(), 1u);
}

TEST(RowsFile, KeepsWeights) {
  const data_test::TemporaryFolder folder;
  DataConfig config;
  config.weights = "w";
  std::string text = "x,w,y\n";
  for (int i = 0; i < 5000; ++i)
    text += std::to_string(i) + "," + std::to_string(i % 3) + "," + std::to_string(2 * i) + "\n";
  Conversion conversion;
  conversion.path = folder.file("t.rows");
  const std::shared_ptr<RowsFile> file = convert_table(folder.write("t.csv", text), config, conversion);
  EXPECT_EQ(file->rows(), 3333);
  EXPECT_EQ(file->table_rows(), 5000);
  ASSERT_TRUE(file->has_weights());
  const Dataset all = load(*file);
  for (Index i = 0; i < all.rows(); ++i)
    EXPECT_EQ(all.weights[i], static_cast<double>(static_cast<Index>(all.inputs(i, 0)) % 3));
  std::vector<bool> left_out(5000, false);
  left_out[1] = left_out[4] = true;
  const auto selected = select_rows(file, left_out);
  RowScratch scratch;
  const RowBlock block = selected->read(0, 2, scratch);
  EXPECT_EQ(block.x.dense()(0, 0), 2);
  EXPECT_EQ(block.weights[0], 2);
  EXPECT_EQ(block.x.dense()(1, 0), 5);
  EXPECT_EQ(rows_sha256(*selected).size(), 64u);
  Dataset same = all;
  same.weights[0] = 7;
  EXPECT_NE(rows_sha256(MemoryRows(same)), rows_sha256(MemoryRows(all)));
  same.weights.resize(0);
  EXPECT_NE(rows_sha256(MemoryRows(same)), rows_sha256(MemoryRows(all)));
}

TEST(StreamedStandardizer, IsThatOfMemoryToRounding) {
  Dataset data;
  data.inputs = Matrix::Random(7000, 5);
  data.inputs.col(1) = data.inputs.col(1) * 1e200;
  data.inputs.col(2).setConstant(0.1);
  data.inputs.col(3) = data.inputs.col(3).array() * 1e-200;
  data.inputs.col(4) = data.inputs.col(4).array() + 1e8;
  data.target = Vector::Random(7000).array() + 3;
  const data_test::TemporaryFolder folder;
  RowsFileWriter writer = RowsFileWriter::without_name(folder.file(""), 5, RowExtras{});
  writer.add(data);
  const auto file = writer.finish_and_open(Schema::numbers(5), 7000);
  for (const Scaling scaling : {Scaling::none, Scaling::center, Scaling::zscore, Scaling::range}) {
    const auto memory = Standardizer::learn(data.inputs, data.target, scaling, static_cast<TargetScaling>(scaling));
    const auto streamed = Standardizer::learn(*file, scaling, static_cast<TargetScaling>(scaling));
    EXPECT_LT((memory.input_shift() - streamed.input_shift())
                  .cwiseQuotient(data.inputs.cwiseAbs().colwise().maxCoeff().transpose())
                  .cwiseAbs()
                  .maxCoeff(),
              1e-15);
    EXPECT_LT((memory.input_scale().cwiseQuotient(streamed.input_scale()).array() - 1).abs().maxCoeff(), 1e-13);
    EXPECT_NEAR(memory.target_shift(), streamed.target_shift(), 1e-14);
    EXPECT_NEAR(memory.target_scale(), streamed.target_scale(), 1e-14);
    EXPECT_EQ(memory.share_outside(data.inputs), streamed.share_outside(data.inputs));
  }
}

}  // namespace
}  // namespace alacarte
