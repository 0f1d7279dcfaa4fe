#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "data/csv_writer.hpp"
#include "data/feature_writer.hpp"
#include "data/support.hpp"

namespace alacarte {
namespace {

using data_test::data_error;
using data_test::message_of;
using data_test::table_of;
using data_test::TemporaryFolder;

TEST(Libsvm, ReadsSparseRows) {
  const auto reader = open_table_from_memory("t", "# made by hand\n1.5 1:2 3:-4e1 # tail\r\n\n-1 \n+2 2:0.5\n", {});
  EXPECT_EQ(reader->columns(), (std::vector<std::string>{"x0", "x1", "x2", "y"}));
  EXPECT_FALSE(reader->has_names());
  EXPECT_TRUE(reader->label_last());
  const TableChunk table = read_all(*reader);
  EXPECT_EQ(table.numbers, (Matrix(3, 4) << 2, 0, -40, 1.5, 0, 0, 0, -1, 0, 0.5, 0, 2).finished());
  EXPECT_EQ(table.line_numbers, (std::vector<std::int64_t>{2, 4, 5}));
}

TEST(Libsvm, AByteOrderMarkIsNoPartOfTheFirstLine) {
  for (const char* name : {"t", "t.libsvm"}) {
    const auto reader = open_table_from_memory(name,
                                               "\xef\xbb\xbf"
                                               "1.5 1:2 2:3\n2 1:4\n",
                                               {});
    EXPECT_TRUE(reader->label_last());
    EXPECT_EQ(read_all(*reader).numbers, (Matrix(2, 3) << 2, 3, 1.5, 4, 0, 2).finished());
  }
}

TEST(Libsvm, WidthMayBeGivenAndLabelsMayBeAbsent) {
  const auto reader = open_table_from_memory("t.libsvm", "1:1\n2:1\n", {}, 5);
  const TableChunk table = read_all(*reader);
  EXPECT_EQ(table.numbers.cols(), 6);
  EXPECT_TRUE(table.numbers.col(5).array().isNaN().all());
}

TEST(Libsvm, BadLinesAreNamed) {
  const auto error = [](const std::string& line) { return data_error("1 1:1 9:1\n" + line, {}, "t.svm"); };
  EXPECT_EQ(error("1 0:1"), "t.svm: row 2: '0:1': the index is not a whole number from 1 up");
  EXPECT_EQ(error("1 a:1"), "t.svm: row 2: 'a:1': the index is not a whole number from 1 up");
  EXPECT_EQ(error("1 3:1 2:1"), "t.svm: row 2: '2:1': indices must increase");
  EXPECT_EQ(error("1 2:1 2:1"), "t.svm: row 2: '2:1': indices must increase");
  EXPECT_EQ(error("1 2:x"), "t.svm: row 2: '2:x': the value is not a number");
  EXPECT_EQ(error("1 2"), "t.svm: row 2: '2' is not index:value");
  EXPECT_EQ(error("b 2:1"), "t.svm: row 2: the label 'b' is not a number");
  EXPECT_EQ(error("1 99999999999999999999:1"), "t.svm: row 2: an index is beyond 1000000");
  EXPECT_EQ(data_error("1\n2\n", {}, "t.svm"), "t.svm: holds no index:value pair");
  const auto narrow = open_table_from_memory("t.svm", "1 4:1\n", {}, 3);
  EXPECT_EQ(message_of<DataError>([&] { read_all(*narrow); }), "t.svm: row 1: '4:1': the index is beyond the 3 inputs");
}

/// Returns an NPY file of version 1 with this description and these data bytes.
std::string npy(const std::string& description, const std::string& data, int version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    bytes += static_cast<char>(i < 2 ? (description.size() >> (8 * i)) & 0xff : 0);
  return bytes + description + data;
}

template <typename T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

TEST(Npy, AnyTruthValueButZeroIsTrue) {
  const std::string description = "{'descr': '|b1', 'fortran_order': False, 'shape': (2, 2), }";
  EXPECT_EQ(table_of(npy(description, std::string("\7\0\1\xff", 4))).numbers, (Matrix(2, 2) << 1, 0, 1, 1).finished());
}

TEST(Npy, ReadsBothOrdersBothWidthsAllVersions) {
  const Matrix expected = (Matrix(2, 3) << 1, 2, 3, 4, 5, 6).finished();
  const std::vector<double> c = {1, 2, 3, 4, 5, 6}, fortran = {1, 4, 2, 5, 3, 6};
  const std::string shape = "'shape': (2, 3), }";
  for (const int version : {1, 2, 3})
    EXPECT_EQ(table_of(npy("{'descr': '<f8', 'fortran_order': False, " + shape, raw(c), version)).numbers, expected);
  EXPECT_EQ(table_of(npy("{'descr': '<f8', 'fortran_order': True, " + shape, raw(fortran))).numbers, expected);
  const std::vector<float> narrow(c.begin(), c.end());
  EXPECT_EQ(table_of(npy("{\"fortran_order\":False,\"descr\":\"<f4\",\"shape\":(2,3)}\n", raw(narrow))).numbers,
            expected);
  EXPECT_EQ(table_of(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }", raw(c))).numbers.rows(), 6);
  const auto reader =
      open_table_from_memory("t", npy("{'descr': '<f8', 'fortran_order': True, " + shape, raw(fortran)), {});
  TableChunk chunk;
  ASSERT_TRUE(reader->read(chunk, 1));
  EXPECT_EQ(chunk.numbers, expected.topRows(1));
  ASSERT_TRUE(reader->read(chunk, 1));
  EXPECT_EQ(chunk.numbers, expected.bottomRows(1));
  EXPECT_EQ(chunk.first_row, 1);
  EXPECT_FALSE(reader->read(chunk, 1));
}

template <typename T>
void expect_whole_numbers(const std::string& type, const std::vector<T>& values) {
  const std::string text = npy("{'descr': '" + type + "', 'fortran_order': True, 'shape': (2, 2), }", raw(values));
  const Matrix numbers = table_of(text).numbers;
  for (Index i = 0; i < 4; ++i)
    EXPECT_EQ(numbers.data()[i], static_cast<double>(values[static_cast<std::size_t>(i)])) << type;
}

TEST(Npy, ReadsWholeNumbersAndTruthValues) {
  expect_whole_numbers<std::int64_t>("<i8", {-5, 0, 7, std::int64_t{1} << 40});
  expect_whole_numbers<std::int32_t>("<i4", {-5, 0, 7, 1 << 30});
  expect_whole_numbers<std::int16_t>("<i2", {-5, 0, 7, 32767});
  expect_whole_numbers<std::int8_t>("|i1", {-128, 0, 7, 127});
  expect_whole_numbers<std::uint64_t>("<u8", {5, 0, 7, std::uint64_t{1} << 52});
  expect_whole_numbers<std::uint32_t>("<u4", {5, 0, 7, 4294967295u});
  expect_whole_numbers<std::uint16_t>("<u2", {5, 0, 7, 65535});
  expect_whole_numbers<std::uint8_t>("|u1", {5, 0, 7, 255});
  expect_whole_numbers<std::uint8_t>("|b1", {1, 0, 1, 1});
}

TEST(Npy, RefusesWhatItCannotRead) {
  const auto error = [](const std::string& type, const std::string& shape, const std::string& data = "") {
    return data_error(npy("{'descr': " + type + ", 'fortran_order': False, 'shape': " + shape + ", }", data), {},
                      "t.npy");
  };
  for (const char* type : {">f8", "<f2", "|O", "<U3", "<c8", "<i3", ""})
    EXPECT_EQ(error("'" + std::string(type) + "'", "(1, 1)"),
              "t.npy: NPY elements of type '" + std::string(type) +
                  "' are not read, only little-endian numbers of 32 and 64 bits, whole numbers and truth values");
  const std::vector<std::int64_t> wide = {3, (std::int64_t{1} << 53) + 1};
  const auto reader = open_table_from_memory(
      "t.npy", npy("{'descr': '<i8', 'fortran_order': False, 'shape': (2, 1), }", raw(wide)), {});
  TableChunk chunk;
  EXPECT_THROW(reader->read(chunk, 2), DataError);
  EXPECT_EQ(error("[('a', '<f8')]", "(1,)"), "t.npy: records (structured arrays) are not read");
  EXPECT_EQ(error("'<f8'", "()"), "t.npy: an NPY array of 0 dimensions is not a table; 1 or 2 are read");
  EXPECT_EQ(error("'<f8'", "(1, 1, 1)"), "t.npy: an NPY array of 3 dimensions is not a table; 1 or 2 are read");
  EXPECT_EQ(error("'<f8'", "(5, 0)"), "t.npy: the NPY array has no columns");
  EXPECT_EQ(error("'<f8'", "(2, 3)", "12345678"), "t.npy: the NPY header promises 48 bytes of data, the file has 8");
  EXPECT_EQ(error("'<f8'", "(4294967296, 4294967296)"), "t.npy: broken NPY header: the shape is beyond any file");
  EXPECT_EQ(error("'<f8'", "(99999999999999999999, 1)"), "t.npy: broken NPY header: the shape is beyond any file");
  EXPECT_EQ(error("'<f8'", "(0, 1000000000)"), "t.npy: an NPY array of 1000000000 columns is not read");
  EXPECT_EQ(error("'<f8'", "(-1, 1)"), "t.npy: broken NPY header: a whole number expected in the shape");
  EXPECT_EQ(data_error(npy("{'descr': '<f8', 'shape': (1, 1), }", ""), {}, "t.npy"),
            "t.npy: broken NPY header: descr, fortran_order or shape is missing");
  EXPECT_EQ(data_error(npy("{}", "", 9), {}, "t.npy"), "t.npy: NPY version 9 is not read");
  EXPECT_EQ(data_error("\x93NUMPY\x01", {}, "t.npy"), "t.npy: the NPY header is cut short");
  EXPECT_EQ(data_error(npy("{'descr'", "").substr(0, 12), {}, "t.npy"), "t.npy: the NPY header is cut short");
}

TEST(Npy, InfinityStaysInfiniteAndTextIsTheShortestForm) {
  const auto reader = open_table_from_memory(
      "t", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2)}", raw<double>({INFINITY, 0.1, 3, NAN})), {});
  reader->set_kind({1}, ColumnKind::text);
  const TableChunk table = read_all(*reader);
  EXPECT_EQ(table.numbers(0, 0), INFINITY);  // not a gap: encoding refuses it
  EXPECT_EQ(table.numbers(1, 0), 3);
  EXPECT_EQ(table.text[1], (std::vector<std::string>{"0.1", ""}));
}

TEST(Gzip, SeveralMembersReadAsOneAndDamageIsNoticed) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.csv.gz");
  Matrix values = Matrix::Random(300, 3);
  write_csv(path, {}, values);
  const std::string packed = data_test::slurp(path);
  EXPECT_EQ(table_of(packed).numbers, values);
  EXPECT_EQ(table_of(packed + packed + std::string(512, '\0')).rows(), 600);
  EXPECT_EQ(data_error(packed.substr(0, packed.size() - 5)), "t.csv: the gzip data are cut short");
  EXPECT_EQ(data_error(packed + "junk"), "t.csv: other bytes follow the gzip data");
  std::string damaged = packed;
  damaged[packed.size() - 6] = static_cast<char>(damaged[packed.size() - 6] ^ 1);
  EXPECT_EQ(data_error(damaged), "t.csv: the gzip data are damaged (incorrect data check)");
}

TEST(CsvWriter, QuotesAndKeepsTheWidth) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.csv");
  CsvWriter writer(path);
  writer.header({"na,me", "y"});
  writer.cell("say \"hi\"");
  writer.cell(0.1);
  writer.end_row();
  writer.cell(" edge");
  writer.cell(7);
  writer.end_row();
  EXPECT_THROW(writer.header({"z"}), std::invalid_argument);
  writer.cell("");
  EXPECT_THROW(writer.end_row(), std::invalid_argument);
  writer.cell(std::int64_t{-3});
  writer.end_row();
  EXPECT_EQ(folder.entries(), 1u);
  EXPECT_FALSE(std::filesystem::exists(path));
  writer.commit();
  EXPECT_EQ(data_test::slurp(path), "\"na,me\",y\n\"say \"\"hi\"\"\",0.1\n\" edge\",7\n,-3\n");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(CsvWriter, LeavesNothingWithoutCommitAndReportsAFullDisk) {
  TemporaryFolder folder;
  for (const std::string name : {"a.csv", "a.csv.gz"}) {
    CsvWriter writer(folder.file(name));
    writer.row(Vector::Ones(3));
  }
  EXPECT_EQ(folder.entries(), 0u);
  EXPECT_THROW(CsvWriter(folder.file("no/a.csv")), IoError);
  if (!std::filesystem::exists("/dev/full")) return;
  EXPECT_EQ(message_of<IoError>([&] { write_csv("/dev/full", {}, Matrix::Random(100, 100)); }),
            "/dev/full: cannot be written: No space left on device");
}

TEST(NpyWriter, WritesWhatNumpyDocuments) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.npy");
  const Matrix values = Matrix::Random(3000, 3);
  write_npy(path, values);
  const std::string bytes = data_test::slurp(path);
  EXPECT_EQ(bytes.size(), 128 + 3000 * 3 * 8u);
  EXPECT_EQ(bytes[127], '\n');
  EXPECT_EQ(read_all(*open_table(path, {})).numbers, values);
}

}  // namespace
}  // namespace alacarte
