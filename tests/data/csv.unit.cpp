#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "data/support.hpp"

namespace alacarte {
namespace {

using data_test::data_error;
using data_test::message_of;
using data_test::strict;
using data_test::table_of;

TEST(Csv, ReadsNumbersWithAndWithoutAHeader) {
  const auto named = open_table_from_memory("t.csv", "a,b\n1,2\n3,4\n", {});
  EXPECT_TRUE(named->has_names());
  EXPECT_EQ(named->columns(), (std::vector<std::string>{"a", "b"}));
  const TableChunk table = read_all(*named);
  EXPECT_EQ(table.numbers, (Matrix(2, 2) << 1, 2, 3, 4).finished());
  EXPECT_EQ(table.line_numbers, (std::vector<std::int64_t>{2, 3}));
  const auto bare = open_table_from_memory("t.csv", "1,2\n3,4", {});
  EXPECT_FALSE(bare->has_names());
  EXPECT_EQ(bare->columns(), (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(read_all(*bare).rows(), 2);
}

TEST(Csv, HeaderIsDecidedByTheRowBelow) {
  const auto has_names = [](const std::string& bytes) { return open_table_from_memory("t", bytes, {})->has_names(); };
  EXPECT_FALSE(has_names("red,1\nblue,2\n"));
  EXPECT_TRUE(has_names("colour,y\nblue,2\n"));
  EXPECT_TRUE(has_names("colour,2\nblue,x\n,3\n") == false);
  EXPECT_TRUE(has_names("a,b\n"));
  EXPECT_FALSE(has_names("red,1\n"));
  EXPECT_FALSE(has_names("NA,?\n1,2\n"));
  EXPECT_TRUE(has_names("a,b\nNA,\n"));
  DataConfig config;
  config.header = HeaderLine::no;
  EXPECT_FALSE(open_table_from_memory("t", "a,b\n1,2\n", config)->has_names());
  config.header = HeaderLine::yes;
  EXPECT_TRUE(open_table_from_memory("t", "1,2\n3,4\n", config)->has_names());
}

TEST(Csv, FindsTheSeparator) {
  const Matrix expected = (Matrix(2, 3) << 1, -2.5, 3e4, 4, 5, 6).finished();
  EXPECT_EQ(table_of("1,-2.5,3e4\n4,5,6\n").numbers, expected);
  EXPECT_EQ(table_of("1;-2.5;3e4\n4;5;6\n").numbers, expected);
  EXPECT_EQ(table_of("1\t-2.5\t3e4\n4\t5\t6\n").numbers, expected);
  EXPECT_EQ(table_of("  1 -2.5   3e4 \n4\t5  6\n").numbers, expected);
  EXPECT_EQ(table_of("1, -2.5, 3e4\n4, 5, 6\n").numbers, expected);
  EXPECT_EQ(table_of("7\n8\n").numbers, (Matrix(2, 1) << 7, 8).finished());
  DataConfig config;
  config.separator = Separator::semicolon;
  config.decimal = DecimalSign::point;
  EXPECT_EQ(data_error("1,2\n3,4\n", config), "t.csv: row 1, column 1: '1,2' is not a number");
}

TEST(Csv, QuotesFollowRfc4180) {
  DataConfig config;
  const auto reader =
      open_table_from_memory("t", "\"na,me\",\"say \"\"y\"\"\",z\r\n\"one\r\ntwo\",\"2\",3\r\n\"\", 4 ,5", config);
  EXPECT_EQ(reader->columns(), (std::vector<std::string>{"na,me", "say \"y\"", "z"}));
  reader->set_kind({0}, ColumnKind::text);
  const TableChunk table = read_all(*reader);
  EXPECT_EQ(table.text[0], (std::vector<std::string>{"one\r\ntwo", ""}));
  EXPECT_EQ(table.numbers.rightCols(2), (Matrix(2, 2) << 2, 3, 4, 5).finished());
  EXPECT_EQ(table.line_numbers, (std::vector<std::int64_t>{2, 4}));
}

TEST(Csv, AQuoteInsideACellIsText) {
  const auto reader = open_table_from_memory("t", "size,y\n5\" pipe,1\n6\" pipe,2\n", {});
  reader->set_kind({0}, ColumnKind::text);
  EXPECT_EQ(read_all(*reader).text[0], (std::vector<std::string>{"5\" pipe", "6\" pipe"}));
}

TEST(Csv, LineEndsMarksAndBlankLines) {
  const Matrix expected = (Matrix(2, 2) << 1, 2, 3, 4).finished();
  EXPECT_EQ(table_of("1,2\r\n3,4\r\n").numbers, expected);
  EXPECT_EQ(table_of("1,2\n3,4\n\n  \n\r\n").numbers, expected);
  EXPECT_EQ(table_of("\xef\xbb\xbf"
                     "1,2\n3,4")
                .numbers,
            expected);
  EXPECT_EQ(data_error("1,2\n\n3,4\n", strict()), "t.csv: row 2: blank line inside the table");
  EXPECT_EQ(data_error("a,y\r1,2\r3,4\r", strict()),
            "t.csv: ends its lines by carriage returns alone; save it with line feeds");
  EXPECT_EQ(data_error("\"a\",\"y\"\r1,2\r3,4\r", strict()),
            "t.csv: ends its lines by carriage returns alone; save it with line feeds");
  EXPECT_EQ(table_of("\"1\",2\r\n\"3\",4\r\n").numbers, expected);
  EXPECT_EQ(table_of("\"a\rb\",y\n1,2\n3,4\n").numbers, expected);
  EXPECT_EQ(data_error("\xff\xfe"
                       "1\0,\0",
                       strict()),
            "t.csv: is UTF-16 text; save it as UTF-8");
}

TEST(Csv, MissingCellsAreNaNAndThoseBeyondDoublesInfinite) {
  const TableChunk table = table_of("a,b\n1,\nNA,NaN\nnan,null\n?,NULL\ninf,-Infinity\n1e999,-1e999\n\" \",\"\"\n");
  EXPECT_EQ(table.rows(), 7);
  EXPECT_EQ(table.numbers(0, 0), 1);
  EXPECT_EQ(table.numbers.array().isNaN().count(), 9);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(table.numbers.middleRows(4, 2), (Matrix(2, 2) << kInfinity, -kInfinity, kInfinity, -kInfinity).finished());
}

TEST(Csv, NumbersAreReadExactly) {
  const TableChunk table = table_of("+1.5, 0.1 ,1e-999,-0,.5,5.,4.9406564584124654e-324,1.7976931348623157e308\n");
  const double expected[] = {1.5, 0.1, 0, -0.0, 0.5, 5, 4.9406564584124654e-324, 1.7976931348623157e308};
  for (Index c = 0; c < 8; ++c) EXPECT_EQ(table.numbers(0, c), expected[c]) << c;
  EXPECT_TRUE(std::signbit(table.numbers(0, 3)));
}

TEST(Csv, GarbageNamesRowAndColumn) {
  EXPECT_EQ(data_error("a,b\n1,2\n3,x7\n"), "t.csv: row 3, column 2: 'x7' is not a number (column 'b')");
  for (const std::string bad : {"0x1F", "1 2", "1e", "--1", "+-1", "1.2.3", "1,5", "1d5", "+", "NAN(1)x"})
    EXPECT_EQ(data_error("1;2.5\n1;\"" + bad + "\"\n"), "t.csv: row 2, column 2: '" + bad + "' is not a number");
  EXPECT_EQ(data_error("1\n" + std::string(50, 'x') + "\n"),
            "t.csv: row 2, column 1: '" + std::string(40, 'x') + "...' is not a number");
  EXPECT_EQ(data_error("1\n\"a\nb\"\n"), "t.csv: row 2, column 1: 'a?b' is not a number");
}

TEST(Csv, RaggedRowsNameBothWidths) {
  EXPECT_EQ(data_error("a,b\n1,2\n3\n"), "t.csv: row 3: has 1 columns where the header has 2");
  EXPECT_EQ(data_error("1,2\n3,4,5\n"), "t.csv: row 2: has 3 columns where the first row has 2");
}

TEST(Csv, BrokenQuotesAndEmptyFiles) {
  EXPECT_EQ(data_error("1,2\n3,\"4\n5,6\n"), "t.csv: row 2: a quote opened in this row is never closed");
  EXPECT_EQ(data_error("\"1,2\n"), "t.csv: row 1: a quote opened in this row is never closed");
  EXPECT_EQ(data_error("1,2\n\"3\"x,4\n"), "t.csv: row 2, column 1: text follows the closing quote of a cell");
  EXPECT_EQ(data_error("a,\"b\"x\n1,2\n"), "t.csv: row 1, column 2: text follows the closing quote of a cell");
  EXPECT_EQ(data_error(""), "t.csv: holds no rows");
  EXPECT_EQ(data_error("\n \n"), "t.csv: holds no rows");
}

TEST(Csv, ColumnNamesMustDiffer) {
  EXPECT_EQ(data_error("a,b,a\n1,2,3\n", strict()),
            "t.csv: row 1, column 3: the column name 'a' was used before, in column 1");
  EXPECT_EQ(open_table_from_memory("t", ",b\n1,2\n", {})->columns(), (std::vector<std::string>{"0", "b"}));
  // pandas writes rows and columns without names like this.
  const auto numbered = open_table_from_memory("t", ",0,1\n0,7,8\n1,9,10\n", {});
  EXPECT_EQ(numbered->columns(), (std::vector<std::string>{"unnamed 0", "0", "1"}));
  EXPECT_EQ(read_all(*numbered).numbers, (Matrix(2, 3) << 0, 7, 8, 1, 9, 10).finished());
  EXPECT_EQ(open_table_from_memory("t", ",5,1\n0,7,8\n", {})->columns(), (std::vector<std::string>{"0", "1", "2"}));
}

TEST(Csv, ChunksJoinUpAndLongRecordsGrowTheBuffer) {
  std::string bytes;
  for (int i = 0; i < 20000; ++i) bytes += std::to_string(i) + "," + std::to_string(2 * i) + "\n";
  const auto reader = open_table_from_memory("t", bytes, {});
  TableChunk chunk;
  Index rows = 0;
  while (reader->read(chunk, 777)) {
    EXPECT_EQ(chunk.first_row, rows);
    for (Index i = 0; i < chunk.rows(); ++i) EXPECT_EQ(chunk.numbers(i, 1), 2.0 * static_cast<double>(rows + i));
    rows += chunk.rows();
  }
  EXPECT_EQ(rows, 20000);
  EXPECT_EQ(table_of(bytes).numbers(19999, 0), 19999);
  std::string wide = "1";
  for (int i = 1; i < 1000000; ++i) wide += ",1";
  EXPECT_EQ(table_of(wide + "\n" + wide + "\n").numbers.sum(), 2e6);
}

TEST(Csv, SkippedColumnsAreNotParsed) {
  const auto reader = open_table_from_memory("t", "1,chevrolet,2\n3,\"ford, blue\",4\n", {});
  reader->set_kind({1}, ColumnKind::skipped);
  EXPECT_EQ(read_all(*reader).numbers, (Matrix(2, 3) << 1, 0, 2, 3, 0, 4).finished());
}

DataConfig with_decimal(const std::string& decimal, const std::string& separator = "auto") {
  DataConfig config;
  config.decimal = from_word<DecimalSign>(decimal).value();
  config.separator = from_word<Separator>(separator).value();
  return config;
}

TEST(Csv, DecimalCommasAreFoundInTheFirstRows) {
  const Matrix expected = (Matrix(2, 2) << 68.97, 4, -0.5, 1200).finished();
  const std::string text = "size;price\n68,97;4\n-0,5;1,2e3\n";
  const auto reader = open_table_from_memory("t.csv", text, {});
  EXPECT_EQ(reader->columns(), (std::vector<std::string>{"size", "price"})) << "the header is seen as one";
  EXPECT_TRUE(reader->has_decimal_comma());
  EXPECT_EQ(read_all(*reader).numbers, expected);
  EXPECT_EQ(table_of(text, with_decimal("comma")).numbers, expected);
  EXPECT_EQ(table_of("68,97\t4\n-0,5\t1200\n").numbers, expected);
  EXPECT_EQ(table_of("1,5\n2,25\n", with_decimal("comma")).numbers, (Matrix(2, 1) << 1.5, 2.25).finished());
  EXPECT_EQ(table_of("\"68,97\",4\n\"-0,5\",1200\n", with_decimal("comma", "comma")).numbers, expected);
  // A detected, not requested, decimal comma leaves points readable.
  std::string later = "a;b\n1,5;2\n";
  for (int i = 0; i < 30; ++i) later += "2,5;3\n";
  EXPECT_EQ(table_of(later + "3.5;4\n").numbers(31, 0), 3.5);
}

TEST(Csv, PointsOfALaterTableAreReadWhereTheTrainingTableHadCommas) {
  const Matrix expected = (Matrix(2, 2) << 68.97, 4, -0.5, 1200).finished();
  const auto reader = open_table_from_memory("t.csv", "size;price\n68.97;4\n-0.5;1.2e3\n", with_decimal("comma"));
  EXPECT_EQ(reader->columns(), (std::vector<std::string>{"size", "price"}));
  EXPECT_FALSE(reader->has_decimal_comma());
  EXPECT_EQ(read_all(*reader).numbers, expected);
  EXPECT_EQ(table_of("0.125;2\n1;3\n", with_decimal("comma")).numbers(0, 0), 0.125);
  // The number is ambiguous: it may be one thousand and a quarter.
  EXPECT_EQ(data_error("a;b\n1.250;5\n2;6\n", with_decimal("comma")),
            "t.csv: row 2, column 1: '1.250' is not a number (column 'a')");
}

TEST(Csv, WhatMayBeThousandsIsNotGuessed) {
  EXPECT_EQ(data_error("a;b\n1,234;5\n2,345;6\n"), "t.csv: row 2, column 1: '1,234' is not a number (column 'a')");
  EXPECT_EQ(data_error("a;b\n1,5;5.5\n2,5;6\n"), "t.csv: row 2, column 1: '1,5' is not a number (column 'a')");
  EXPECT_EQ(data_error("a;b\n1,5;5\n2,5;6\n", with_decimal("point")),
            "t.csv: row 2, column 1: '1,5' is not a number (column 'a')");
  EXPECT_EQ(data_error("a;b\n1,5;5.5\n2,5;6\n", with_decimal("comma")),
            "t.csv: row 2, column 2: '5.5' is not a number (column 'b')");
  EXPECT_EQ(data_error("a;b\n1,5;5\n1.234,5;6\n", with_decimal("comma")),
            "t.csv: row 3, column 1: '1.234,5' is not a number (column 'a')");
  EXPECT_EQ(data_error("a;b\n1,5;5\n1,2,3;6\n"), "t.csv: row 3, column 1: '1,2,3' is not a number (column 'a')");
}

TEST(Csv, OwnWordsForGaps) {
  DataConfig config = strict();
  config.missing_words = {"None", "#N/A", "-999", " - "};
  const Matrix numbers = table_of("a,b\n1,None\n-999,2\n#N/A,3\n\"-\",-999.0\n", config).numbers;
  EXPECT_EQ(numbers(0, 0), 1);
  EXPECT_EQ(numbers(2, 1), 3);
  for (const auto& [row, column] : {std::pair{0, 1}, {1, 0}, {2, 0}, {3, 0}, {3, 1}})
    EXPECT_TRUE(std::isnan(numbers(row, column))) << row << ' ' << column;
  EXPECT_EQ(data_error("a,b\n1,none\n", config), "t.csv: row 2, column 2: 'none' is not a number (column 'b')");
  config.decimal = DecimalSign::comma;
  config.missing_words = {"-99,5"};
  EXPECT_TRUE(std::isnan(table_of("a;b\n1,5;2\n-99,50;3\n", config).numbers(1, 0)));
}

// A pipe may deliver few bytes at a time; detection must not depend on that.
TEST(Csv, TextIsLookedForInTwentyRows) {
  const auto is_text = [](const std::string& text) {
    const auto reader = open_table_from_memory("t.csv", text, {});
    reader->find_text_columns();
    return std::vector<bool>{reader->is_text(0), reader->is_text(1)};
  };
  EXPECT_EQ(is_text("a,b\nx,1\ny,2\n"), (std::vector<bool>{true, false}));
  EXPECT_EQ(is_text("a,b\nx,1\n7,2\n"), (std::vector<bool>{false, false})) << "a number among text is a mistake";
  EXPECT_EQ(is_text("a,b\n,NA\n,NA\n"), (std::vector<bool>{false, false}));
  EXPECT_EQ(is_text("x,1\ny,2\n"), (std::vector<bool>{true, false}));
  std::string late = "a,b\n";
  for (int i = 0; i < 30; ++i) late += "1,2\n";
  EXPECT_EQ(is_text(late + "1,x\n"), (std::vector<bool>{false, false}));
}

TEST(Table, FindsColumnsByNameThenPosition) {
  const auto reader = open_table_from_memory("t.csv", "a,2,colour\n1,2,3\n", {});
  EXPECT_EQ(find_column(*reader, "2", "/data/target"), 1);
  EXPECT_EQ(find_column(*reader, "0", "/data/target"), 0);
  EXPECT_EQ(find_column(*reader, "-1", "/data/target"), 2);
  EXPECT_EQ(message_of<ConfigError>([&] { find_column(*reader, "color", "/data/target"); }),
            "/data/target: there is no column 'color' in t.csv (did you mean 'colour'?); its columns are a, 2, colour");
  EXPECT_THROW(find_column(*reader, "3", "/data/target"), ConfigError);
  EXPECT_THROW(find_column(*reader, "-4", "/data/target"), ConfigError);
  EXPECT_THROW(find_column(*reader, "", "/data/target"), ConfigError);
}

TEST(Table, MissingFilesAndFoldersAreIoErrors) {
  data_test::TemporaryFolder folder;
  EXPECT_EQ(message_of<IoError>([&] { open_table(folder.file("no.csv"), {}); }),
            folder.file("no.csv") + ": cannot be read: No such file or directory");
  EXPECT_EQ(message_of<IoError>([&] { open_table(folder.file("."), {}); }),
            folder.file(".") + ": is a folder, not a file");
}

}  // namespace
}  // namespace alacarte
