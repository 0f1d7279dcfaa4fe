// IDX files: every type, labels found by name, and wrong headers.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "data/fingerprint.hpp"
#include "data/support.hpp"

namespace alacarte {
namespace {

using data_test::data_error;
using data_test::message_of;
using data_test::TemporaryFolder;

template <typename T>
std::string high_byte_first(T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  return {std::make_reverse_iterator(bytes + sizeof(T)), std::make_reverse_iterator(bytes)};
}

std::string header(unsigned char type, const std::vector<std::uint32_t>& extents) {
  std::string bytes(2, '\0');
  bytes += static_cast<char>(type);
  bytes += static_cast<char>(extents.size());
  for (const std::uint32_t extent : extents) bytes += high_byte_first(extent);
  return bytes;
}

template <typename T>
std::string idx(unsigned char type, const std::vector<std::uint32_t>& extents, const std::vector<T>& values) {
  std::string bytes = header(type, extents);
  for (const T value : values) bytes += high_byte_first(value);
  return bytes;
}

Matrix numbers_of(const std::string& bytes) { return read_all(*open_table_from_memory("t", bytes, {})).numbers; }

TEST(Idx, ReadsEveryType) {
  const Matrix signs = (Matrix(2, 2) << 1, -2, 3, -100).finished();
  EXPECT_EQ(numbers_of(idx<std::int8_t>(0x09, {2, 2}, {1, -2, 3, -100})), signs);
  EXPECT_EQ(numbers_of(idx<std::int16_t>(0x0B, {2, 2}, {1, -2, 3, -100})), signs);
  EXPECT_EQ(numbers_of(idx<std::int32_t>(0x0C, {2, 2}, {1, -2, 3, -100})), signs);
  EXPECT_EQ(numbers_of(idx<float>(0x0D, {2, 2}, {1, -2, 3, -100})), signs);
  EXPECT_EQ(numbers_of(idx<double>(0x0E, {2, 2}, {1, -2, 3, -100})), signs);
  EXPECT_EQ(numbers_of(idx<std::uint8_t>(0x08, {2}, {7, 255})), (Matrix(2, 1) << 7, 255).finished());
  const double endless = std::numeric_limits<double>::infinity();
  EXPECT_EQ(numbers_of(idx<double>(0x0E, {1}, {endless}))(0, 0), endless);
}

TEST(Idx, ImagesLieRowByRowAndChunksGoOn) {
  std::vector<std::uint8_t> pixels(5 * 2 * 3);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i);
  const auto reader = open_table_from_memory("t", idx(0x08, {5, 2, 3}, pixels), {});
  EXPECT_EQ(reader->columns(), (std::vector<std::string>{"0", "1", "2", "3", "4", "5"}));
  TableChunk chunk;
  ASSERT_TRUE(reader->read(chunk, 3));
  EXPECT_EQ(chunk.numbers.row(2), (Eigen::RowVectorXd(6) << 12, 13, 14, 15, 16, 17).finished());
  ASSERT_TRUE(reader->read(chunk, 3));
  EXPECT_EQ(chunk.first_row, 3);
  EXPECT_EQ(chunk.rows(), 2);
  EXPECT_EQ(chunk.line_numbers.back(), 5);
  EXPECT_FALSE(reader->read(chunk, 3));
}

TEST(Idx, LabelsBesideImagesAreTheLastColumn) {
  const TemporaryFolder folder;
  const std::string images = folder.write("train-images-idx3-ubyte", idx<std::uint8_t>(0x08, {2, 1, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(open_table(images, {})->columns().size(), 2U);
  folder.write("train-labels-idx1-ubyte", idx<std::uint8_t>(0x08, {2}, {9, 8}));
  const auto reader = open_table(images, {});
  EXPECT_EQ(reader->columns().back(), "label");
  EXPECT_TRUE(reader->label_last());
  EXPECT_EQ(read_all(*reader).numbers, (Matrix(2, 3) << 1, 2, 9, 3, 4, 8).finished());
  const std::string sum = table_sha256(images);
  EXPECT_NE(sum, file_sha256(images));
  folder.write("train-labels-idx1-ubyte", idx<std::uint8_t>(0x08, {2}, {9, 7}));
  EXPECT_NE(table_sha256(images), sum);
  const std::string text = folder.write("images.csv", "a,y\n1,2\n");
  folder.write("labels.csv", "a,y\n1,2\n");
  EXPECT_EQ(table_sha256(text), file_sha256(text));

  folder.write("train-labels-idx1-ubyte", idx<std::uint8_t>(0x08, {3}, {9, 8, 7}));
  EXPECT_EQ(message_of<DataError>([&] { open_table(images, {}); }),
            folder.file("train-labels-idx1-ubyte") + ": holds 3 labels for the 2 rows of " + images);
  folder.write("train-labels-idx1-ubyte", idx<std::uint8_t>(0x08, {2, 1}, {9, 8}));
  EXPECT_EQ(message_of<DataError>([&] { open_table(images, {}); }),
            folder.file("train-labels-idx1-ubyte") + ": an IDX array of 2 dimensions is no list of labels");
}

TEST(Idx, ImagesAloneHaveNoTargetUnlessItIsNamed) {
  const TemporaryFolder folder;
  const std::string images = folder.write("a-images-idx3", idx<std::uint8_t>(0x08, {2, 1, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(message_of<DataError>([&] { Schema::prepare(*open_table(images, {}), {}); }),
            images + ": holds images alone, and their labels, " + folder.file("a-labels-idx1") +
                ", are not there; to learn a pixel, name it as the target");
  const std::string other = folder.write("digits.bin", idx<std::uint8_t>(0x08, {2, 1, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(message_of<DataError>([&] { Schema::prepare(*open_table(other, {}), {}); }),
            other +
                ": holds images alone; their labels are looked for only beside a file with 'images' in its name; "
                "to learn a pixel, name it as the target");
  const std::string table = folder.write("table.bin", idx<std::uint8_t>(0x08, {2, 2}, {1, 2, 3, 4}));
  EXPECT_NO_THROW(Schema::prepare(*open_table(table, {}), {}));
  DataConfig pixel;
  pixel.target = "0";
  const auto reader = open_table(images, pixel);
  Schema::prepare(*reader, pixel);
  EXPECT_EQ(Schema::learn(*reader, read_all(*reader), pixel, {}).target_name(), "0");
}

TEST(Idx, AModelReadsRowsWithAndWithoutLabels) {
  const TemporaryFolder folder;
  const auto pixels = idx<std::uint8_t>(0x08, {2, 1, 2}, {1, 2, 3, 4});
  const std::string images = folder.write("a-images-idx3", pixels);
  folder.write("a-labels-idx1", idx<std::uint8_t>(0x08, {2}, {9, 8}));
  const std::string bare = folder.write("new-images-idx3", pixels);
  const auto training = open_table(images, {});
  Schema::prepare(*training, {});
  const Schema schema = Schema::learn(*training, read_all(*training), {}, {});
  EXPECT_EQ(schema.input_count(), 2);
  EXPECT_EQ(schema.target_name(), "label");
  Dataset rows;
  ASSERT_TRUE(DatasetStream(images, schema, true).next(rows, 10));
  EXPECT_EQ(rows.target, Eigen::Vector2d(9, 8));
  ASSERT_TRUE(DatasetStream(bare, schema, false).next(rows, 10));
  EXPECT_EQ(rows.inputs, (Matrix(2, 2) << 1, 2, 3, 4).finished());
}

TEST(Idx, WrongHeadersAreRefused) {
  const std::string whole = idx<std::uint8_t>(0x08, {2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(data_error(whole.substr(0, 7), {}, "t"), "t: the IDX header is cut short");
  EXPECT_EQ(data_error(whole.substr(0, whole.size() - 1), {}, "t"),
            "t: the IDX header promises 2 rows, the file ends in row 2");
  EXPECT_EQ(data_error(whole + "x", {}, "t"), "t: the IDX header promises 2 rows, the file goes on after them");
  EXPECT_EQ(data_error(header(0x08, {}), {}, "t"), "t: an IDX array of 0 dimensions is not a table");
  EXPECT_EQ(data_error(header(0x08, {1, 0}), {}, "t"), "t: the IDX array has no columns");
  EXPECT_EQ(data_error(header(0x08, {1, 0xffffffff, 0xffffffff}), {}, "t"),
            "t: an IDX array of more than 1000000 columns is not read");
  EXPECT_EQ(data_error(header(0x08, {0xffffffff, 1000}), {}, "t"),
            "t: the IDX header promises 4294967295 rows, the file ends in row 1");
}

}  // namespace
}  // namespace alacarte
