// Classification targets: learned by a schema, in rows files, and in stratified splits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "alacarte/data/rows_file.hpp"
#include "data/splits.hpp"
#include "data/support.hpp"
#include "io/documents.hpp"

namespace alacarte {
namespace {

using data_test::load;
using data_test::Loaded;
using data_test::message_of;
using data_test::TemporaryFolder;
using Names = std::vector<std::string>;

DataConfig labelled() {
  DataConfig config;
  config.strict = true;
  config.labels = true;
  return config;
}

Dataset encode_labels(const Schema& schema, const std::string& bytes, bool need_target) {
  DatasetStream stream(open_table_from_memory("new.csv", bytes, schema.config()), schema, need_target);
  Dataset data;
  stream.next(data, 1000);
  return data;
}

TEST(Labels, AreSortedAndCounted) {
  const Loaded loaded = load("x,kind\n1,pear\n2, apple \n3,pear\n4,\"fig, dried\"\n", labelled());
  EXPECT_EQ(loaded.schema.classes(), (Names{"apple", "fig, dried", "pear"}));
  EXPECT_EQ(loaded.data.target, Vector({{2.0, 0.0, 2.0, 1.0}}));
}

TEST(Labels, ThatAreNumbersStandInNumericOrderAndInOneForm) {
  const Loaded loaded = load("x,y\n1,10\n2,+2\n3,2.0\n4,-1\n5,2\n", labelled());
  EXPECT_EQ(loaded.schema.classes(), (Names{"-1", "2", "10"}));
  EXPECT_EQ(loaded.data.target, Vector({{2.0, 1.0, 1.0, 0.0, 1.0}}));
  const Loaded libsvm = load("+1 1:3\n-1 1:4\n1 2:1\n", labelled(), {}, "t.svm");
  EXPECT_EQ(libsvm.schema.classes(), (Names{"-1", "1"}));
  EXPECT_EQ(libsvm.data.target, Vector({{1.0, 0.0, 1.0}}));
}

TEST(Labels, SurviveTheModelFile) {
  const Schema schema = load("x,y\n1,a\n2,b\n3,a\n", labelled()).schema;
  const Schema again = schema_from_json(to_json(schema));
  EXPECT_EQ(to_json(again), to_json(schema));
  EXPECT_EQ(again.classes(), (Names{"a", "b"}));
  EXPECT_TRUE(again.config().labels);
  auto one = to_json(schema);
  one["classes"] = Names{"a"};
  EXPECT_THROW(schema_from_json(one), IoError);
  const Schema number = load("x,y\n1,2\n2,3\n", {}).schema;
  EXPECT_FALSE(to_json(number).contains("classes"));
  EXPECT_FALSE(schema_from_json(to_json(number)).config().labels);
}

TEST(Labels, NotSeenInTrainingAreNamedWhereTheyAreNeeded) {
  const Schema schema = load("x,y\n1,red\n2,blue\n3,red\n", labelled()).schema;
  const std::string rows = "x,y\n1,blue\n2,rad\n";
  const std::string said = message_of<DataError>([&] { encode_labels(schema, rows, true); });
  EXPECT_NE(said.find("'rad'"), std::string::npos) << said;
  EXPECT_NE(said.find("row 3"), std::string::npos) << said;
  EXPECT_NE(said.find("red"), std::string::npos) << said;
  const Dataset data = encode_labels(schema, rows, false);
  EXPECT_EQ(data.target[0], 0);
  EXPECT_TRUE(std::isnan(data.target[1]));
  EXPECT_EQ(encode_labels(schema, "x\n1\n", false).target.size(), 0);
}

TEST(Labels, OfOneKindOrAllDifferentAreRefused) {
  const auto said = [](const std::string& bytes, const std::vector<bool>& training = {}) {
    return message_of<DataError>([&] { load(bytes, labelled(), training); });
  };
  EXPECT_NE(said("x,y\n1,a\n2,a\n3,a\n").find("one class only, 'a'"), std::string::npos);
  EXPECT_NE(said("x,y\n1,a\n2,a\n3,b\n", {true, true, false}).find("one class only"), std::string::npos);
  EXPECT_NE(said("x,y\n1,0.5\n2,0.25\n3,7\n").find("likelihood gaussian"), std::string::npos);
  std::string many = "x,y\n";
  for (int i = 0; i < 2400; ++i) many += std::to_string(i) + ',' + std::to_string(i / 2) + '\n';
  EXPECT_NE(said(many).find("more than 1000 classes"), std::string::npos);
  EXPECT_NE(said("x,y\n1,a\n2,\n3,b\n").find("missing"), std::string::npos);
}

TEST(Labels, ThatAreMissingMayDropTheirRow) {
  DataConfig config = labelled();
  config.missing = MissingCells::drop;
  const Loaded loaded = load("x,y\n1,a\n2,NA\n3,b\n4,a\n", config);
  EXPECT_EQ(loaded.data.target, Vector({{0.0, 1.0, 0.0}}));
}

TEST(Labels, AreKeptByRowsFiles) {
  const TemporaryFolder folder;
  const std::string bytes = "x,z,y\n1,2,pear\n2,3,apple\n3,1,pear\n";
  Conversion conversion;
  conversion.path = folder.file("t.rows");
  const auto file = convert_table(folder.write("t.csv", bytes), labelled(), conversion);
  EXPECT_EQ(file->schema().classes(), (Names{"apple", "pear"}));
  EXPECT_EQ(load(*file).target, Vector({{1.0, 0.0, 1.0}}));
  // Classes of another model are matched by name, not by position.
  const Schema other = load("x,z,y\n1,2,pear\n2,3,apple\n3,1,banana\n5,5,fig\n6,6,fig\n", labelled()).schema;
  DatasetStream stream(file->path(), other, true);
  Dataset data;
  ASSERT_TRUE(stream.next(data, 10));
  EXPECT_EQ(data.target, Vector({{3.0, 0.0, 3.0}}));
  const Schema fewer = load("x,z,y\n1,2,apple\n2,3,fig\n5,5,fig\n", labelled()).schema;
  DatasetStream unknown(file->path(), fewer, true);
  EXPECT_NE(message_of<DataError>([&] { unknown.next(data, 10); }).find("'pear'"), std::string::npos);
}

TEST(Labels, AreNotMadeOfNumbersOfARowsFile) {
  const TemporaryFolder folder;
  Conversion conversion;
  conversion.path = folder.file("t.rows");
  convert_table(folder.write("t.csv", "x,y\n1,0\n2,1\n3,1\n"), {}, conversion);
  const Schema schema = load("x,y\n1,0\n2,1\n3,1\n", labelled()).schema;
  EXPECT_THROW(DatasetStream(conversion.path, schema, true), DataError);
  EXPECT_THROW(read_classes(conversion.path, labelled()), DataError);
  DatasetStream inputs(conversion.path, schema, false);
  Dataset data;
  ASSERT_TRUE(inputs.next(data, 10));
  EXPECT_EQ(data.target.size(), 0);
}

/// Returns 60 rows of a, 30 of b, 7 of c, interleaved.
std::string three_classes() {
  std::string text = "x,y\n";
  for (int i = 0; i < 97; ++i)
    text += std::to_string(i) + (i % 14 == 13 ? ",c\n" : i % 3 == 2 && i < 94 ? ",b\n" : ",a\n");
  return text;
}

std::map<Index, Index> counts(const std::vector<Index>& classes, const std::vector<bool>& chosen) {
  std::map<Index, Index> result;
  for (std::size_t i = 0; i < classes.size(); ++i) result[classes[i]] += chosen[i];
  return result;
}

TEST(StratifiedSplits, KeepTheSharesOfTheClasses) {
  const TemporaryFolder folder;
  const std::vector<Index> classes = read_classes(folder.write("t.csv", three_classes()), labelled());
  const std::map<Index, Index> all = counts(classes, std::vector<bool>(97, true));
  ASSERT_EQ(all.size(), 3U);
  std::vector<Index> tested(97, 0);
  for (Index fold = 0; fold < 5; ++fold) {
    const std::vector<bool> test = k_fold(classes, 5, fold, 3);
    EXPECT_EQ(test, k_fold(classes, 5, fold, 3));
    const auto held = counts(classes, test);
    for (const auto& [label, count] : all)
      EXPECT_NEAR(static_cast<double>(held.at(label)), static_cast<double>(count) / 5, 1) << label;
    for (std::size_t i = 0; i < test.size(); ++i) tested[i] += test[i];
  }
  EXPECT_EQ(tested, std::vector<Index>(97, 1));
  for (const double share : {0.1, 0.3, 0.5}) {
    const auto held = counts(classes, hold_out(classes, share, 3));
    Index sum = 0;
    for (const auto& [label, count] : all) {
      EXPECT_NEAR(static_cast<double>(held.at(label)), share * static_cast<double>(count), 1) << label << ' ' << share;
      sum += held.at(label);
    }
    EXPECT_EQ(sum, std::llround(97 * share));
  }
  EXPECT_NE(hold_out(classes, 0.3, 3), hold_out(classes, 0.3, 4));
  EXPECT_THROW(k_fold(classes, 98, 0, 1), ConfigError);
  EXPECT_THROW(hold_out(classes, 1.0, 1), ConfigError);
}

// A row of a class without training rows could not be scored. -1: rows without a label, which must not train.
TEST(StratifiedSplits, LeaveARowOfEveryClassForTraining) {
  std::vector<Index> classes(40, 0);
  classes[7] = 1;
  classes[20] = classes[21] = 2;
  classes[39] = -1;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (Index fold = 0; fold < 3; ++fold) EXPECT_FALSE(k_fold(classes, 3, fold, seed)[7]);
    for (const double share : {0.2, 0.5, 0.97}) {
      const std::vector<bool> test = hold_out(classes, share, seed);
      EXPECT_FALSE(test[7]);
      EXPECT_FALSE(test[20] && test[21]);
      EXPECT_GE(std::count(test.begin(), test.end(), true), std::llround(40 * share) - 3);
    }
  }
}

TEST(StratifiedSplits, AreTheSameOfATableAndItsRowsFile) {
  const TemporaryFolder folder;
  const std::string table = folder.write("t.csv", three_classes());
  Conversion conversion;
  conversion.path = folder.file("t.rows");
  convert_table(table, labelled(), conversion);
  EXPECT_EQ(read_classes(table, labelled()), read_classes(conversion.path, labelled()));
}

/// Expects the same rows in place, row by row and from a file.
void expect_same_every_way(const Standardizer& standardizer, const Matrix& raw, const Matrix& expected) {
  EXPECT_EQ(standardizer.inputs(raw), expected);
  Matrix in_place = raw;
  standardizer.standardise(in_place);
  EXPECT_EQ(in_place, expected);
  Vector row(raw.cols());
  for (Index i = 0; i < raw.rows(); ++i) {
    standardizer.standardise_row(raw.row(i).transpose(), row);
    EXPECT_EQ(row, expected.row(i).transpose());
  }
  EXPECT_EQ(standardizer_from_json(to_json(standardizer)).inputs(raw), expected);
}

TEST(UnitRows, HaveLengthOneAndZerosStay) {
  const Matrix raw = (Matrix(4, 2) << 3, 4, 0, 0, 1e200, 1e200, -5e-300, 0).finished();
  const Standardizer unit =
      Standardizer::learn(raw, Vector::Zero(4), Scaling::none, TargetScaling::none, {false, true});
  const Matrix z = unit.inputs(raw);
  EXPECT_LT((z.row(0) - Eigen::RowVector2d(0.6, 0.8)).norm(), 1e-15);
  EXPECT_EQ(z.row(1).norm(), 0);
  EXPECT_NEAR(z.row(2).norm(), 1, 1e-15);
  EXPECT_EQ(z(3, 0), -1);
  expect_same_every_way(unit, raw, z);
  EXPECT_TRUE(standardizer_from_json(to_json(unit)).rows().unit);
  const Standardizer plain = Standardizer::learn(raw, Vector::Zero(4), Scaling::none, TargetScaling::none);
  EXPECT_FALSE(to_json(plain).contains("unit_rows"));
  const Matrix few = (Matrix(3, 2) << 1, 5, 2, 7, 4, 6).finished();
  const Standardizer scaled =
      Standardizer::learn(few, Vector::Zero(3), Scaling::zscore, TargetScaling::none, {false, true});
  EXPECT_LT((scaled.inputs(few).rowwise().norm().array() - 1).abs().maxCoeff(), 1e-15);
}

TEST(Roots, KeepTheirSignsAndComeBetweenColumnsAndUnitRows) {
  const Matrix raw = (Matrix(3, 2) << 9, -16, 0, 0.25, 4, 4).finished();
  const Standardizer roots =
      Standardizer::learn(raw, Vector::Zero(3), Scaling::none, TargetScaling::none, {true, false});
  expect_same_every_way(roots, raw, (Matrix(3, 2) << 3, -4, 0, 0.5, 2, 2).finished());

  const Standardizer both = Standardizer::learn(raw, Vector::Zero(3), Scaling::none, TargetScaling::none, {true, true});
  EXPECT_LT((both.inputs(raw).row(0) - Eigen::RowVector2d(0.6, -0.8)).norm(), 1e-15);
  const Standardizer ranged =
      Standardizer::learn(raw, Vector::Zero(3), Scaling::range, TargetScaling::none, {true, false});
  EXPECT_EQ(ranged.inputs(raw)(2, 0), std::sqrt(4.0 / 9));
}

TEST(ClassTarget, IsTextOrAFewWholeNumbersThatManyRowsShare) {
  const TemporaryFolder folder;
  const auto is_class = [&](const std::vector<std::string>& cells, const std::string& target = "") {
    std::string bytes = "x,y,z\n";
    for (std::size_t i = 0; i < 60; ++i) bytes += std::to_string(i) + ',' + cells[i % cells.size()] + ",0.5\n";
    DataConfig config;
    config.target = target.empty() ? "y" : target;
    return has_class_target(folder.write("t.csv", bytes), config);
  };
  EXPECT_TRUE(is_class({"yes", "no"}));
  EXPECT_TRUE(is_class({"0", "1", "", "na"}));
  EXPECT_TRUE(is_class({"1", "2", "3", "4", "x"}));
  EXPECT_FALSE(is_class({"1", "1.5"}));
  EXPECT_FALSE(is_class({"1", "2", "3", "4", "5", "6", "7"})) << "fewer than ten rows each";
  EXPECT_FALSE(is_class({"1"})) << "one value is no class";
  EXPECT_FALSE(is_class({"yes", "no"}, "x"));
  EXPECT_FALSE(is_class({"yes", "no"}, "z"));
}

}  // namespace
}  // namespace alacarte
