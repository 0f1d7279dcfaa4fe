// Kinds of columns: what all rows of a table show, and what rows of a later table are encoded as.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "alacarte/data/rows_file.hpp"
#include "data/number_style.hpp"
#include "data/schema_learner.hpp"
#include "data/support.hpp"
#include "io/documents.hpp"

namespace alacarte {
namespace {

using data_test::load_any;
using data_test::Loaded;
using data_test::message_of;
using Names = std::vector<std::string>;

Dataset encode_rows(const Schema& schema, const std::string& bytes, bool need_target = false) {
  DatasetStream stream(open_table_from_memory("new.csv", bytes, schema.config()), schema, need_target);
  Dataset data;
  stream.next(data, 1000);
  return data;
}

const InputColumn& input(const Schema& schema, const std::string& name) {
  for (const InputColumn& column : schema.input_columns())
    if (column.name == name) return column;
  throw std::runtime_error("no input " + name);
}

std::string reason(const Schema& schema, const std::string& name) {
  for (const LeftOutColumn& column : schema.left_out())
    if (column.name == name) return column.reason;
  return "an input";
}

/// Returns a table of 60 rows with one column of each kind; `y` is the target.
std::string table_of_kinds() {
  std::string text = "id,price,share,sold,member,colour,shop,note,code,empty,one,bonus,x,y\n";
  const char* colours[] = {"red", "green", "blue"};
  for (int i = 0; i < 60; ++i) {
    const std::string n = std::to_string(i);
    text += std::to_string(i + 1) + ",\"$1," + std::to_string(100 + i) + ".50\"," + n + " %,2024-" +
            (i < 30 ? "01-" : "02-") + (i % 29 < 9 ? "0" : "") + std::to_string(i % 29 + 1) + "," +
            (i % 2 == 0 ? "yes" : "No") + "," + colours[i % 3] + ",shop " + std::to_string(i % 20) +
            ",\"a note with the words of row " + n + "\",u" + n + "q,,7," + (i % 4 == 0 ? "B" : "") + "," +
            (i % 10 == 3 ? "" : n) + "," + n + "\n";
  }
  return text;
}

TEST(ColumnKinds, FollowFromAllRows) {
  const Schema schema = load_any(table_of_kinds(), {}).schema;
  EXPECT_EQ(reason(schema, "id"), "numbers the rows");
  EXPECT_EQ(input(schema, "price").form, InputForm::styled);
  EXPECT_EQ(input(schema, "price").style.prefix, "$");
  EXPECT_EQ(input(schema, "share").form, InputForm::styled);
  EXPECT_EQ(input(schema, "share").style.suffix, "%");
  EXPECT_EQ(input(schema, "sold").form, InputForm::date);
  EXPECT_EQ(input(schema, "sold").cycles, (std::vector<double>{7})) << "two months show no year, days no hour";
  EXPECT_EQ(input(schema, "member").form, InputForm::flag);
  EXPECT_EQ(input(schema, "colour").form, InputForm::onehot);
  EXPECT_EQ(input(schema, "shop").form, InputForm::levels);
  EXPECT_EQ(reason(schema, "note"), "free text");
  EXPECT_EQ(reason(schema, "code"), "different in nearly every row");
  EXPECT_EQ(reason(schema, "empty"), "no value");
  EXPECT_EQ(reason(schema, "one"), "constant");
  EXPECT_EQ(input(schema, "bonus").form, InputForm::presence);
  EXPECT_EQ(input(schema, "x").form, InputForm::number);
  EXPECT_EQ(schema.input_names(),
            (Names{"price", "share", "sold", "sold (cosine of the week)", "sold (sine of the week)", "member",
                   "colour=blue", "colour=green", "colour=red", "bonus (present)", "x", "x (missing)", "shop"}));
  EXPECT_EQ(schema.level_counts(), (std::vector<Index>{20}));
}

TEST(ColumnKinds, EncodeTheirCells) {
  const Loaded loaded = load_any(table_of_kinds(), {});
  const Vector row = loaded.data.inputs.row(3);
  const double days = 19723 + 3;  // 2024-01-04
  const double angle = 2 * std::numbers::pi * (days / 7 - std::floor(days / 7));
  double mean = 0;
  for (int i = 0; i < 60; ++i) mean += i % 10 == 3 ? 0 : i / 54.0;
  const std::vector<double> expected = {1103.5, 3, days, std::cos(angle), std::sin(angle), 0, 0, 0, 1, 0, mean, 1};
  ASSERT_EQ(row.size(), 13);
  for (Index j = 0; j < 12; ++j) EXPECT_NEAR(row[j], expected[static_cast<std::size_t>(j)], 1e-9) << j;
  const auto& shops = input(loaded.schema, "shop").categories;
  EXPECT_EQ(shops.at(static_cast<std::size_t>(row[12])), "shop 3");
  EXPECT_EQ(loaded.data.inputs(4, 9), 1) << "bonus";
  EXPECT_EQ(loaded.data.unseen, std::vector<Index>(60, 0));
}

TEST(ColumnKinds, SurviveTheModelFileAndTheRowsFile) {
  const Loaded loaded = load_any(table_of_kinds(), {});
  const Schema again = schema_from_json(to_json(loaded.schema));
  EXPECT_EQ(to_json(again), to_json(loaded.schema));
  EXPECT_EQ(encode_rows(again, table_of_kinds(), true).inputs, loaded.data.inputs);
  const data_test::TemporaryFolder folder;
  Conversion conversion;
  conversion.path = folder.file("t.rows");
  const auto file = convert_table(folder.write("t.csv", table_of_kinds()), {}, conversion);
  EXPECT_EQ(to_json(file->schema()), to_json(loaded.schema));
  EXPECT_EQ(load(*file).inputs, loaded.data.inputs);
}

TEST(ColumnKinds, AreTheSameInPartsAndInOne) {
  const std::string all = table_of_kinds();
  const auto reader = open_table_from_memory("t.csv", all, {});
  Schema::prepare(*reader, {});
  SchemaLearner whole(*reader, {}), first(*reader, {}), second(*reader, {});
  TableChunk chunk;
  for (Index k = 0; reader->read(chunk, 7); ++k) {
    whole.add(chunk);
    (k < 4 ? first : second).add(chunk);
  }
  SchemaLearner joined(*reader, {});
  joined.add_seen(first.seen(), "first");
  joined.add_seen(second.seen(), "second");
  EXPECT_EQ(to_json(joined.finish()), to_json(whole.finish()));
}

TEST(ColumnKinds, NeverRefuseALaterRow) {
  const Schema schema = load_any(table_of_kinds(), {}).schema;
  const Dataset rows = encode_rows(schema,
                                   "x,price,share,sold,member,colour,shop,bonus\n"
                                   "5,\"$2,000\",7 %,2024-03-01,yes,red,shop 3,B\n"
                                   "inf,cheap,,tomorrow,perhaps,pink,shop 77,\n"
                                   "n/a,3000,4,,,,,\n");
  ASSERT_EQ(rows.rows(), 3);
  EXPECT_TRUE(rows.inputs.allFinite());
  EXPECT_EQ(rows.inputs(0, 0), 2000);
  EXPECT_EQ(rows.inputs(0, 12), std::round(rows.inputs(0, 12))) << "a known level";
  EXPECT_EQ(rows.inputs(1, 12), -1) << "a new level";
  EXPECT_EQ(rows.inputs.row(1).segment(6, 3).sum(), 0) << "a new category";
  EXPECT_EQ(rows.unseen[0], 0);
  EXPECT_EQ(rows.unseen[1], 6) << "price, share, sold, member, colour and shop; gaps of x were seen";
  EXPECT_NE(message_of<DataError>([&] {
              encode_rows(schema, "x,share,sold,member,colour,shop,bonus\n1,1,,,,,\n");
            }).find("'price' is missing"),
            std::string::npos);
}

TEST(ColumnKinds, OfLateTextAreCategories) {
  std::string text = "subject,size,z,y\n";
  for (int i = 0; i < 90; ++i)
    text += std::to_string(100 + i % 30) + (i % 30 == 29 ? "a" : "") + "," +
            (i > 40 && i % 5 == 0 ? "f" : std::to_string(i % 4)) + "," +
            (i % 30 == 25 ? "unknown" : std::to_string(i) + ".5") + "," + std::to_string(i) + "\n";
  const Loaded loaded = load_any(text, {});
  EXPECT_EQ(input(loaded.schema, "subject").form, InputForm::levels);
  EXPECT_EQ(input(loaded.schema, "subject").categories.size(), 30u);
  EXPECT_EQ(input(loaded.schema, "size").categories, (Names{"0", "1", "2", "3", "f"}));
  EXPECT_EQ(input(loaded.schema, "z").form, InputForm::number);
  EXPECT_EQ(input(loaded.schema, "z").gaps, 3);
  EXPECT_EQ(input(loaded.schema, "z").remark, "gaps: 'unknown'");
  // The codes of levels are the same whether a file shows text at once or late.
  const Dataset one = encode_rows(loaded.schema, "subject,size,z\n100,1,2\n129a,f,unknown\n");
  const auto codes = loaded.data.inputs.rightCols(1);
  EXPECT_EQ(one.inputs(0, one.inputs.cols() - 1), codes(0));
  EXPECT_EQ(one.inputs(1, one.inputs.cols() - 1), codes(29));
}

// The first row of a file to predict may be text like its header.
TEST(ColumnKinds, KnowTheHeaderByTheNamesOfTheModel) {
  const Loaded loaded = load_any(table_of_kinds(), {});
  const data_test::TemporaryFolder folder;
  DatasetStream stream(
      folder.write("one.csv", "price,share,sold,member,colour,shop,x,bonus\ncheap,some,soon,yes,red,shop 3,few,B\n"),
      loaded.schema, false);
  Dataset rows;
  ASSERT_TRUE(stream.next(rows, 10));
  ASSERT_EQ(rows.rows(), 1);
  EXPECT_EQ(rows.inputs(0, 8), 1) << "red";
  EXPECT_NE(message_of<DataError>([&] {
              DatasetStream(folder.write("few.csv", "colour\nred\n"), loaded.schema, false);
            }).find("input column 'price' is missing"),
            std::string::npos);
}

TEST(ColumnKinds, OfDecimalsWithAFewDatesAreNotDates) {
  std::string text = "x,y\n";
  for (int i = 0; i < 60; ++i)
    text += (i == 30   ? "2024-05-01"
             : i == 40 ? "2024-06-01"
                       : std::to_string(i) + ".5") +
            "," + std::to_string(i) + "\n";
  const Schema schema = load_any(text, {}).schema;
  EXPECT_EQ(input(schema, "x").form, InputForm::number);
  EXPECT_EQ(input(schema, "x").gaps, 2);
}

TEST(ColumnKinds, OfMissingTargetsLeaveOutTheRow) {
  const Loaded loaded = load_any("x,y\n1,2\n2,\n3,5\n4,NA\n5,1\n", {});
  EXPECT_EQ(loaded.data.rows(), 3);
  EXPECT_EQ(loaded.schema.rows_without_target(), 2);
  DataConfig labels;
  labels.labels = true;
  const Loaded classes = load_any("x,y\n1,a\n2,\n3,b\n4,a\n", labels);
  EXPECT_EQ(classes.data.rows(), 3);
  EXPECT_EQ(classes.schema.rows_without_target(), 1);
}

TEST(ColumnKinds, TargetsMayBeWrittenForPeople) {
  const Loaded loaded = load_any("x,y\n1,\"$1,200\"\n2,\"$900\"\n3,\"$2,500.25\"\n4,\n", {});
  EXPECT_EQ(loaded.data.target, Vector({{1200.0, 900.0, 2500.25}}));
  EXPECT_EQ(encode_rows(schema_from_json(to_json(loaded.schema)), "x,y\n1,\"$3,000\"\n", true).target,
            Vector({{3000.0}}));
  EXPECT_NE(message_of<DataError>([] { load_any("x,y\n1,good\n2,bad\n3,good\n", {}); }).find("classify"),
            std::string::npos);
}

TEST(ColumnKinds, RowNumbersAreAnInputOfASeriesAlone) {
  EXPECT_EQ(reason(load_any("index,x,y\n0,5,1\n1,7,2\n2,6,3\n", {}).schema, "index"), "numbers the rows");
  EXPECT_EQ(load_any("index,y\n0,1\n1,2\n2,3\n", {}).schema.input_names(), (Names{"index"}));
  EXPECT_EQ(load_any("x,z,y\n0,5,1\n1,7,2\n2,6,3\n", {}).schema.input_names(), (Names{"x", "z"}));
  EXPECT_NE(message_of<DataError>([] { load_any("a,b,y\n1,,1\n1,,2\n1,,3\n", {}); }).find("no column to learn from"),
            std::string::npos);
}

TEST(ColumnKinds, ObeyKeysOfTheConfig) {
  DataConfig config;
  config.categorical = {"k"};
  config.missing = MissingCells::mean;
  const Loaded loaded = load_any("k,x,y\n1,1,1\n2,,2\n1.0,3,3\n2,,4\n1,,5\n", config);
  EXPECT_EQ(loaded.schema.input_names(), (Names{"k=1", "k=2", "x"})) << "filled without an indicator";
  EXPECT_EQ(loaded.data.inputs(2, 0), 1);
  config.missing = MissingCells::drop;
  EXPECT_EQ(load_any("k,x,y\n1,1,1\n2,,2\n1,3,3\n2,7,4\n", config).data.rows(), 3);
  config.missing = MissingCells::error;
  EXPECT_NE(message_of<DataError>([&] { load_any("k,x,y\n1,1,1\n2,,2\n", config); }).find("row 3, column 2"),
            std::string::npos);
}

/// Returns rows with 80 levels in turn, from this one on; the later ones have three times the rows.
std::string table_of_levels(int first) {
  std::string text = "shop,x,y\n";
  for (int i = 10 * first; i < 800; ++i)
    for (int k = 0; k < (i < 400 ? 1 : 3); ++k)
      text += "shop " + std::to_string(100 + i / 10) + "," + std::to_string(i % 7) + "," + std::to_string(i) + "\n";
  return text;
}

// Codes of levels count those of a table, and rows files may be of another one than the model's.
TEST(ColumnKinds, LevelsOfAnotherRowsFileAreThoseOfTheModel) {
  const Schema schema = load_any(table_of_levels(0), {}).schema;
  ASSERT_EQ(input(schema, "shop").categories.size(), 80u);
  const data_test::TemporaryFolder folder;
  const std::string table = folder.write("t.csv", table_of_levels(11));
  Conversion conversion;
  conversion.path = folder.file("t.rows");
  convert_table(table, {}, conversion);
  Dataset from_table, from_rows;
  DatasetStream(table, schema, true).next(from_table, 10000);
  DatasetStream(conversion.path, schema, true).next(from_rows, 10000);
  EXPECT_EQ(from_rows.inputs, from_table.inputs);
  EXPECT_EQ(from_rows.inputs(0, from_rows.inputs.cols() - 1), 11);
  const std::string other = folder.write("u.csv", "shop,x,y\n1,1,2\n5,2,3\n7,3,1\n");
  conversion.path = folder.file("u.rows");
  convert_table(other, {}, conversion);
  EXPECT_NE(message_of<DataError>([&] {
              DatasetStream(conversion.path, schema, true);
            }).find("'shop' was taken for number, and the model's is levels"),
            std::string::npos);
}

TEST(ColumnKinds, RowsFilesKnowTheRowsThatLackATarget) {
  const data_test::TemporaryFolder folder;
  std::string text = "x,y\n";
  for (int i = 0; i < 60; ++i) text += std::to_string(i) + ".5," + (i < 10 ? "" : std::to_string(i)) + "\n";
  Conversion conversion;
  conversion.path = folder.file("t.rows");
  const auto file = convert_table(folder.write("t.csv", text), {}, conversion);
  EXPECT_EQ(file->rows(), 50);
  EXPECT_EQ(file->table_rows(), 60);
  EXPECT_EQ(file->source_rows(0, 1), std::vector<Index>{10});
}

TEST(ColumnKinds, OddCellsAreGapsForEveryPolicy) {
  std::string text = "x,y\n";
  for (int i = 0; i < 60; ++i) text += (i == 40 ? "-" : std::to_string(i) + ".5") + "," + std::to_string(i) + "\n";
  DataConfig config;
  config.missing = MissingCells::drop;
  const Loaded loaded = load_any(text, config);
  EXPECT_EQ(loaded.data.rows(), 59);
  EXPECT_EQ(encode_rows(loaded.schema, "x\n1\nabc\n2\n").rows(), 2);
  config.missing = MissingCells::error;
  EXPECT_NE(message_of<DataError>([&] { load_any(text, config); }).find("row 42, column 1: 'x' is missing"),
            std::string::npos);
}

TEST(ColumnKinds, LeaveOutNumbersWhoseSeparatorsAreUnclear) {
  std::string text = "x,z,y\n";
  for (int i = 0; i < 60; ++i)
    text += (i == 40 ? "1.234.567" : "1." + std::to_string(100 + i)) + "," + std::to_string(i) + "," +
            std::to_string(i) + "\n";
  const Schema schema = load_any(text, {}).schema;
  EXPECT_EQ(reason(schema, "x"), "points or commas as thousands: see data.decimal");
}

TEST(ColumnKinds, WordsForGapsInTargetsCountWhereverTheyStand) {
  for (const int at : {3, 45}) {
    std::string text = "x,y\n";
    for (int i = 0; i < 60; ++i)
      text += std::to_string(i) + "," + (i == at ? "none" : "\"$" + std::to_string(i % 7) + "\"") + "\n";
    const Loaded loaded = load_any(text, {});
    EXPECT_EQ(loaded.data.rows(), 59) << at;
    EXPECT_EQ(loaded.schema.rows_without_target(), 1) << at;
  }
}

TEST(NumberStyles, ReadWhatPeopleWrite) {
  using data_detail::parse_styled;
  const auto value = [](const std::vector<std::string>& cells) {
    std::vector<std::pair<std::string, Index>> counted;
    for (const std::string& cell : cells) counted.emplace_back(cell, 1);
    const auto style = data_detail::style_of(counted);
    double number = std::nan("");
    return style && parse_styled(cells.front(), *style, number) ? number : std::nan("");
  };
  EXPECT_EQ(value({"1,234.50", "7"}), 1234.5);
  EXPECT_EQ(value({"1.234,50", "7"}), 1234.5);
  EXPECT_EQ(value({"1 234,5", "0,25"}), 1234.5);
  EXPECT_EQ(value({"1'234.5"}), 1234.5);
  EXPECT_EQ(value({"1,234", "5,678"}), 1234) << "a comma before three digits separates thousands";
  EXPECT_EQ(value({"1,234", "5,6"}), 1.234) << "unless others show that it does not";
  EXPECT_EQ(value({"0,107", "3,5"}), 0.107);
  EXPECT_EQ(value({"-$5.25", "$3"}), -5.25);
  EXPECT_EQ(value({"$-5", "3"}), -5);
  EXPECT_EQ(value({"(300)", "4"}), -300);
  EXPECT_EQ(value({"12 %", "3%"}), 12);
  EXPECT_EQ(value({"12 kg", "3 kg"}), 12);
  EXPECT_EQ(value({"5 EUR", "7"}), 5);
  for (const std::vector<std::string>& none :
       {Names{"12 kg", "3 lb"}, Names{"103a", "104"}, Names{"12:30"}, Names{"1.2.3", "4.5"}, Names{"25-34"},
        Names{"75+"}, Names{"a5"}, Names{"12,34.56,7"}, Names{"$5", "5 EUR"}, Names{"abc"}})
    EXPECT_TRUE(std::isnan(value(none))) << none.front();
}

}  // namespace
}  // namespace alacarte
