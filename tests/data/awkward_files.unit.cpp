// Files as their owners have them: read outside data.strict, with a remark, and an error under it.
#include <gtest/gtest.h>

#include <cmath>

#include "data/support.hpp"

namespace alacarte {
namespace {

using data_test::data_error;
using data_test::strict;
using Names = std::vector<std::string>;

struct Read {
  Names names;
  bool has_names = false;
  TableChunk table;
  std::vector<std::string> remarks;
};

/// Reads a table whose first `texts` columns are kept as text.
Read read_file(const std::string& bytes, const std::vector<Index>& texts = {}, const DataConfig& config = {}) {
  const auto reader = open_table_from_memory("t.csv", bytes, config);
  reader->set_kind(texts, ColumnKind::text);
  Read read{reader->columns(), reader->has_names(), read_all(*reader), {}};
  read.remarks = reader->remarks();
  return read;
}

std::string utf16(const std::u16string& text, bool little) {
  std::string bytes;
  for (const char16_t unit : text) {
    const char low = static_cast<char>(unit & 0xFF), high = static_cast<char>(unit >> 8);
    bytes += little ? low : high;
    bytes += little ? high : low;
  }
  return bytes;
}

const Matrix kTwoRows = (Matrix(2, 2) << 1, 2, 3, 4).finished();

TEST(AwkwardFiles, Latin1IsReadCellByCell) {
  const Read read = read_file(
      "stra\xdf"
      "e,pri\xe8re \x80\nM\xfcnchen,1\nZ\xc3\xbcrich,2\nK\xf6ln,3\n",
      {0});
  EXPECT_EQ(read.names, (Names{"straße", "prière €"}));
  EXPECT_EQ(read.table.text[0], (Names{"München", "Zürich", "Köln"})) << "text that is UTF-8 stays";
  EXPECT_EQ(read.remarks, (Names{"the file is Latin-1 text"}));
  EXPECT_TRUE(read_file("straße,y\nMünchen,1\n", {0}).remarks.empty());
  // A label late in the file, behind the rows of the first look, is converted like one in the first rows.
  std::string late = "city,y\n";
  for (int i = 0; i < 50; ++i) late += "Bonn,1\n";
  EXPECT_EQ(read_file(late + "K\xf6ln,2\n", {0}).table.text[0].back(), "Köln");
  EXPECT_EQ(read_file("city,y\nK\xf6ln,2\n", {0}, strict()).table.text[0].back(), "K\xf6ln");
}

TEST(AwkwardFiles, LabelsOfLatin1AreTheSameAtPrediction) {
  DataConfig config;
  config.text = TextInputs::onehot;
  config.categorical = {"city"};
  const auto loaded = data_test::load_any("city,y\nK\xf6ln,1\nBonn,2\nK\xf6ln,1\nBonn,2\n", config);
  const auto encode = [&](const std::string& bytes) {
    const auto reader = open_table_from_memory("later.csv", bytes, config);
    loaded.schema.prepare(*reader);
    return loaded.schema.encode(*reader, read_all(*reader), false).inputs;
  };
  EXPECT_EQ(encode("city\nKöln\nBonn\n"), encode("city\nK\xf6ln\nBonn\n"));
  EXPECT_NE(data_test::message_of<DataError>([&] {
              data_test::load("city,y\nK\xf6ln,1\nBonn,2\nK\xf6ln,1\nBonn,2\n", config);
            }).find("is not UTF-8 text"),
            std::string::npos);
}

TEST(AwkwardFiles, Utf16WithAndWithoutAMark) {
  const std::u16string text = u"größe;name\r\n1,5;Ω\r\n2,5;😀\r\n";
  for (const bool little : {true, false}) {
    const Read marked = read_file(utf16(u"\xFEFF" + text, little), {1});
    EXPECT_EQ(marked.names, (Names{"größe", "name"}));
    EXPECT_EQ(marked.table.text[1], (Names{"Ω", "😀"}));
    EXPECT_EQ(marked.table.numbers(1, 0), 2.5);
    EXPECT_EQ(marked.remarks, (Names{"the file is UTF-16 text"}));
    EXPECT_EQ(read_file(utf16(u"a\tb\n1\t2\n3\t4\n", little)).table.numbers, kTwoRows);
    EXPECT_EQ(data_error(utf16(u"\xFEFF" + text, little), strict()), "t.csv: is UTF-16 text; save it as UTF-8");
    EXPECT_EQ(data_error(utf16(u"a,b\n1,2\n", little), strict()), "t.csv: is no table: it is binary, not text");
    EXPECT_EQ(data_error(utf16(u"\xFEFF" + text, little) + "x"),
              "t.csv: is cut short: its UTF-16 text ends in half a character");
    // Halves of characters at the end and in the middle.
    const std::u16string broken = u"a\nx" + std::u16string(1, 0xDE00) + u"\ny" + std::u16string(1, 0xD83D);
    EXPECT_EQ(read_file(utf16(u"\xFEFF" + broken, little), {0}).table.text[0], (Names{"a", "x\uFFFD", "y\uFFFD"}));
  }
  // More than a buffer.
  std::u16string rows =
      u"\xFEFF"
      u"a,b\n";
  for (int i = 0; i < 40000; ++i) rows += u"1,2\n";
  EXPECT_EQ(read_file(utf16(rows, true)).table.numbers.sum(), 120000);
  // Numbers of two bytes are no text.
  std::string numbers;
  for (char c = 1; c < 100; ++c) numbers += {c, '\0'};
  EXPECT_EQ(data_error(numbers), "t.csv: is no table: it is binary, not text");
}

TEST(AwkwardFiles, NamesThatRepeatAreNumbered) {
  const Read read = read_file("price,price.1,price,,price,2\n1,2,3,4,5,6\n");
  EXPECT_EQ(read.names, (Names{"price", "price.1", "price.2", "3", "price.3", "2"}));
  ASSERT_EQ(read.remarks.size(), 2u);
  EXPECT_EQ(read.remarks[0], "the column name 'price' is used again, in column 3, which is named 'price.2'");
  EXPECT_EQ(read_file(",,\"unnamed 1\",1\n1,2,3,4\n").names, (Names{"0", "unnamed 1.1", "unnamed 1", "1"}));
  EXPECT_EQ(data_error("a,b,a\n1,2,3\n", strict()),
            "t.csv: row 1, column 3: the column name 'a' was used before, in column 1");
}

TEST(AwkwardFiles, LinesMayEndInReturnsAlone) {
  const Read read = read_file("a,y\r1,2\r3,4\r");
  EXPECT_EQ(read.table.numbers, kTwoRows);
  EXPECT_EQ(read.table.line_numbers, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(read.remarks, (Names{"lines end in carriage returns alone"}));
  EXPECT_EQ(read_file("\"a\nb\",\"y\"\r\"1\",2\r3,4").names, (Names{"a\nb", "y"}));
  EXPECT_EQ(read_file("a,y\r\r\n1,2\r\r\n3,4\r\r\n").table.numbers, kTwoRows) << "line ends converted twice";
  EXPECT_TRUE(read_file("a,y\r\n1,2\r\n3,4\r\n").remarks.empty());
  std::string many = "a,y\r";
  for (int i = 0; i < 100000; ++i) many += "1,2\r";
  EXPECT_EQ(read_file(many).table.rows(), 100000);
  EXPECT_EQ(data_error("a,y\r1,2\r3,4\r", strict()),
            "t.csv: ends its lines by carriage returns alone; save it with line feeds");
}

TEST(AwkwardFiles, QuotedNewlinesAndOtherSeparators) {
  for (const char separator : {';', '\t', '|', ','}) {
    std::string text = "\"two\nlines\",b\r\n1,2\r\n\r\n3,4\r\n";
    std::replace(text.begin(), text.end(), ',', separator);
    const Read read = read_file(text);
    EXPECT_EQ(read.names, (Names{"two\nlines", "b"}));
    EXPECT_EQ(read.table.numbers, kTwoRows) << separator;
    EXPECT_EQ(read.table.line_numbers, (std::vector<std::int64_t>{3, 5}));
  }
  const Read named = read_file("sep=;\r\na;y\r\n1;2\r\n3;4\r\n");
  EXPECT_EQ(named.names, (Names{"a", "y"}));
  EXPECT_EQ(named.table.numbers, kTwoRows);
  EXPECT_EQ(named.table.line_numbers.front(), 3);
}

TEST(AwkwardFiles, CommentsAreLeftOutAndCounted) {
  const Read read = read_file("# made by a logger, \"version 2\n#\n\na,b\n1,2\n# pause\n3,4\n# end, of, file\n");
  EXPECT_EQ(read.names, (Names{"a", "b"}));
  EXPECT_EQ(read.table.numbers, kTwoRows);
  EXPECT_EQ(read.table.line_numbers, (std::vector<std::int64_t>{5, 7}));
  EXPECT_EQ(read.remarks,
            (Names{"2 comment lines are left out", "2 lines inside the table that begin with '#' left out"}));
  EXPECT_EQ(read_file("# x: metres, seconds\nx,y\n1,2\n3,4\n").names, (Names{"x", "y"}));
  std::string many;
  for (int i = 0; i < 30; ++i) many += "# line\n";
  EXPECT_EQ(read_file(many + "1 2\n3 4\n").table.numbers, kTwoRows);
  EXPECT_EQ(read_file(many + "1 2\n3 4\n").table.line_numbers.front(), 31);
  EXPECT_NE(data_error("# note\na,b\n1,2\n", strict()), "");
}

TEST(AwkwardFiles, AHeaderOrRowsMayBeginLikeComments) {
  EXPECT_EQ(read_file("#,name,price\n1,a,2\n2,b,3\n", {1}).names, (Names{"#", "name", "price"}));
  EXPECT_EQ(read_file("# a,b\n1,2\n3,4\n").names, (Names{"a", "b"})) << "numpy.savetxt";
  EXPECT_EQ(read_file("# a b\n1 2\n3 4\n").names, (Names{"a", "b"}));
  EXPECT_EQ(read_file("# made today\n# a b\n1 2\n3 4\n").names, (Names{"a", "b"}));
  const Read tags = read_file("#sun,1\n#rain,2\nsnow,3\n", {0});
  EXPECT_EQ(tags.table.text[0], (Names{"#sun", "#rain", "snow"}));
  EXPECT_EQ(read_file("tag,y\n#sun,1\n#rain,2\n", {0}).table.rows(), 2);
  EXPECT_EQ(read_file("#sun,1\n#rain,2\n", {0}).table.rows(), 2);
}

TEST(AwkwardFiles, BlankLines) {
  const Read read = read_file("\n\na,b\n\n1,2\n\n\n3,4\n\n");
  EXPECT_EQ(read.table.numbers, kTwoRows);
  EXPECT_EQ(read.table.line_numbers, (std::vector<std::int64_t>{5, 8}));
  EXPECT_EQ(read.remarks, (Names{"3 blank lines inside the table left out"}));
  EXPECT_EQ(data_error("1,2\n\n3,4\n", strict()), "t.csv: row 2: blank line inside the table");
  EXPECT_EQ(data_error("\n1,2\n3,4\n", strict()), "t.csv: row 1: blank line inside the table");
}

TEST(AwkwardFiles, ATitleAboveTheTable) {
  for (const std::string title : {"Report of 2024", "Report of 2024,,", "Report\nby the office"}) {
    const Read read = read_file(title + "\n\nname,x,y\nfirst one,1,2\nsecond,3,4\n", {0});
    EXPECT_EQ(read.names, (Names{"name", "x", "y"})) << title;
    EXPECT_EQ(read.table.numbers.rightCols(2), kTwoRows) << title;
    ASSERT_EQ(read.remarks.size(), 1u);
    EXPECT_NE(read.remarks[0].find("title"), std::string::npos);
  }
  const Read source = read_file("Source,World Bank\nUpdated,2024\n\nname,x,y,z\na,1,2,3\nb,3,4,5\n", {0});
  EXPECT_EQ(source.names, (Names{"name", "x", "y", "z"}));
  EXPECT_EQ(source.table.numbers.middleCols(1, 2), kTwoRows);
  const Read comma = read_file("Bericht\nOrt;Preis\nUlm;1,5\nBonn;2,5\n", {0});
  EXPECT_EQ(comma.names, (Names{"Ort", "Preis"}));
  EXPECT_EQ(comma.table.numbers(1, 1), 2.5);
  EXPECT_EQ(read_file("Report\n1,2,3\n4,5,6\n").table.numbers.sum(), 21);
  EXPECT_EQ(data_error("Report of 2024\na,b,c\n1,2,3\n", strict()),
            "t.csv: row 2, column 1: 'a,b,c' is not a number (column 'Report')");
  EXPECT_NE(data_error("7\n1,2,3\n4,5,6\n"), "") << "a number is no title";
}

TEST(AwkwardFiles, ASecondHeader) {
  const Read read = read_file("id,length,mass,time\n,m,kg,-\n7,1,2,5\n8,3,4,6\n9,5,6,7\n");
  EXPECT_EQ(read.names, (Names{"id", "length", "mass", "time"}));
  EXPECT_EQ(read.table.numbers.block(0, 1, 2, 2), kTwoRows);
  EXPECT_EQ(read.table.line_numbers, (std::vector<std::int64_t>{3, 4, 5}));
  EXPECT_EQ(read.remarks, (Names{"line 2 looks like a second header and is left out"}));
  EXPECT_TRUE(read_file("a,b\nm,s\n1,2\n", {0, 1}).remarks.empty()) << "too few rows to tell";
  DataConfig later;  // of a model, whose training table tells
  later.second_header = true;
  EXPECT_EQ(read_file("id,length\n,m\n7,1\n", {}, later).table.rows(), 1);
  later.second_header = false;
  EXPECT_EQ(read_file("id,length,mass,time\n,m,kg,-\n7,1,2,5\n8,3,4,6\n9,5,6,7\n", {0, 1, 2, 3}, later).table.rows(),
            4);
  EXPECT_EQ(data_error("a,b\nm,s\n1,2\n3,4\n", strict()), "t.csv: row 1, column 1: 'a' is not a number");
}

TEST(AwkwardFiles, RowsThatAreNoSecondHeaderStay) {
  for (const std::string table : {"a,b,c\nx,y,1\n2,3,4\n", "a,b,c\nx,2,\n2,3,4\n", "a,b,c\nx,y,z\n2,3,v\n",
                                  "a,b,c\nunknown,x,\n2,3,4\n", "1,2,3\nx,y,z\n2,3,4\n"}) {
    DataConfig config;
    config.header = HeaderLine::yes;
    EXPECT_EQ(read_file(table, {0, 1, 2}, config).table.rows(), 2) << table;
  }
  EXPECT_EQ(read_file("a,b\n2024-01-01,2024-02-01\n2024-01-02,2024-02-02\n", {0, 1}).table.rows(), 2);
}

TEST(AwkwardFiles, AHeaderAboveTextAlone) {
  std::string rows;
  for (int i = 0; i < 12; ++i) rows += i % 3 == 0 ? "p,x,s1\n" : i % 3 == 1 ? "e,b,s2\n" : "e,x,s3\n";
  EXPECT_EQ(read_file("class,shape,surface\n" + rows, {0, 1, 2}).names, (Names{"class", "shape", "surface"}));
  EXPECT_FALSE(read_file(rows, {0, 1, 2}).has_names);
  EXPECT_FALSE(read_file("class,shape,surface\n" + rows, {0, 1, 2}, strict()).has_names) << "as before";
  EXPECT_FALSE(read_file("one\ntwo\nthree\nfour\nfive\n", {0}).has_names) << "names of rows tell nothing";
  EXPECT_TRUE(read_file("day,city\n2024-01-01,Ulm\n2024-01-02,Bonn\n", {0, 1}).has_names);
}

TEST(AwkwardFiles, AHeaderWithOneNameFewer) {
  const Read read = read_file("\"size\" \"price\"\n\"1\" 1 2\n\"2\" 3 4\n");
  EXPECT_EQ(read.names, (Names{"0", "size", "price"})) << "write.table of R";
  EXPECT_EQ(read.table.numbers.rightCols(2), kTwoRows);
  EXPECT_EQ(read_file("\"size\"\n\"1\",5\n\"2\",6\n").names, (Names{"0", "size"}));
  const Read ends = read_file("a,b\n1,2,\n3,4,\n");
  EXPECT_EQ(ends.names, (Names{"a", "b", "2"}));
  EXPECT_EQ(ends.table.numbers.leftCols(2), kTwoRows);
  const Read header_ends = read_file("a,b,\n1,2\n3,4\n");
  EXPECT_EQ(header_ends.names, (Names{"a", "b"}));
  EXPECT_EQ(header_ends.table.numbers, kTwoRows);
  EXPECT_EQ(header_ends.remarks, (Names{"the header ends in a separator, the rows do not"}));
  EXPECT_EQ(data_error("a,b\n1,2,3\n", strict()), "t.csv: row 2: has 3 columns where the header has 2");
  EXPECT_EQ(data_error("a,b\n1,2\n1,2,3\n"), "t.csv: row 3: has 3 columns where the header has 2");
}

TEST(AwkwardFiles, WordsForGaps) {
  for (const std::string word : {"n/a", "N/A", "#N/A", "n.a.", "<NA>", "NaT", "\\N", "#DIV/0!", "1.#QNAN", "-", "--",
                                 ".", "..", "None", "nil", "missing", "Unknown", "–"}) {
    const Matrix numbers = read_file("a,b\n1,5\n" + word + ",6\n").table.numbers;
    EXPECT_TRUE(std::isnan(numbers(1, 0))) << word;
    EXPECT_EQ(data_error("a,b\n1,5\n" + word + ",6\n", strict()),
              "t.csv: row 3, column 1: '" + word + "' is not a number (column 'a')");
    const auto dates = open_table_from_memory("t.csv", "a,b\n2024-01-01,5\n" + word + ",6\n", {});
    dates->set_kind({0}, ColumnKind::date);
    EXPECT_TRUE(std::isnan(read_all(*dates).numbers(1, 0))) << word;
  }
  EXPECT_NE(data_error("a,b\n1,5\nnope,6\n"), "");
}

TEST(AwkwardFiles, OnlyUnambiguousWordsAreGapsOfText) {
  const Read read = read_file("a,b\nn/a,5\n#N/A,6\nNaT,7\nnat,8\nnone,9\n-,10\nunknown,11\n", {0});
  EXPECT_EQ(read.table.text[0], (Names{"", "", "", "nat", "none", "-", "unknown"}));
  const Read as_before = read_file("a,b\nn/a,5\n", {0}, strict());
  EXPECT_EQ(as_before.table.text[0], (Names{"n/a"}));
  EXPECT_FALSE(read_file("mild,1\nnone,2\n", {0}).has_names) << "a level, not a gap below a name";
}

TEST(AwkwardFiles, AllRowsTellWhetherAWordIsAGap) {
  std::string text = "size,pain,y\n";
  for (int i = 0; i < 40; ++i)
    text += std::string(i > 30 && i % 2 == 0 ? "-" : std::to_string(i % 5)) + "," + (i % 4 == 0 ? "none" : "mild") +
            "," + std::to_string(i) + "\n";
  const auto loaded = data_test::load_any(text, {});
  ASSERT_EQ(loaded.schema.input_columns().size(), 2u);
  EXPECT_EQ(loaded.schema.input_columns()[0].form, InputForm::number);
  EXPECT_EQ(loaded.schema.input_columns()[0].gaps, 4);
  EXPECT_EQ(loaded.schema.input_columns()[1].categories, (Names{"mild", "none"}));
}

TEST(AwkwardFiles, FilesWithoutAHeader) {
  const Read read = read_file("1;2\n3;4\n");
  EXPECT_FALSE(read.has_names);
  EXPECT_EQ(read.table.numbers, kTwoRows);
  EXPECT_TRUE(read.remarks.empty());
}

TEST(AwkwardFiles, AnOrdinaryFileHasNoRemarks) {
  const std::string text = "a,b,c\n1,x,2024-01-01\n,y,2024-01-02\n3,,\n";
  EXPECT_TRUE(read_file(text, {1, 2}).remarks.empty());
  EXPECT_EQ(read_file(text, {1, 2}).table.text, read_file(text, {1, 2}, strict()).table.text);
}

}  // namespace
}  // namespace alacarte
