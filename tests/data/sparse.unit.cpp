// LIBSVM rows that stay sparse: reading, storage and encoding, compared with dense rows.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "data/feature_writer.hpp"
#include "data/fingerprint.hpp"
#include "data/sparse_dataset.hpp"
#include "data/splits.hpp"
#include "data/support.hpp"
#include "io/documents.hpp"

namespace alacarte {
namespace {

using data_test::message_of;
using data_test::TemporaryFolder;

constexpr const char* kText = "3 1:1 5:-2\n1 2:0.5 # none\n\n3\n2 1:0 4:1e3\n1 3:1\n";

DataConfig of_classes() {
  DataConfig config;
  config.labels = true;
  return config;
}

const Dataset& rows_of(const EncodedFile& file) { return dynamic_cast<MemoryRows&>(*file.rows).data(); }

std::vector<bool> nothing(const std::vector<Index>&) { return {}; }

TEST(SparseRows, AreThoseOfTheDenseReaderWithoutZeros) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.svm", kText);
  ASSERT_TRUE(is_libsvm_file(path));
  EXPECT_EQ(count_rows(path, {}), 5);
  SparseReader reader(path);
  EXPECT_EQ(reader.inputs(), 5);
  SparseChunk chunk;
  ASSERT_TRUE(reader.read(chunk, 3));
  EXPECT_EQ(chunk.line_numbers, (std::vector<std::int64_t>{1, 2, 4}));
  ASSERT_TRUE(reader.read(chunk, 3));
  EXPECT_EQ(chunk.first_row, 3);
  EXPECT_EQ(chunk.inputs.values.size(), 2U) << "the written zero is left out";
  EXPECT_FALSE(reader.read(chunk, 3));

  const EncodedFile sparse = load_sparse(path, of_classes(), nothing);
  const auto table = open_table(path, of_classes());
  Schema::prepare(*table, of_classes());
  const TableChunk cells = read_all(*table);
  const Schema schema = Schema::learn(*table, cells, of_classes(), {});
  const Dataset dense = schema.encode(*table, cells, true);
  EXPECT_EQ(to_dense(rows_of(sparse).sparse.view()), dense.inputs);
  EXPECT_EQ(rows_of(sparse).target, dense.target);
  EXPECT_EQ(sparse.schema.classes(), schema.classes());
  EXPECT_EQ(read_classes(path, of_classes()), (std::vector<Index>{2, 0, 2, 1, 0}));
}

TEST(SparseRows, ASurveyCountsWhatLoadingKeeps) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.svm", kText);
  Index seen = 0;
  const SparseSurvey survey = survey_sparse(path, of_classes(), {}, [&](Index rows) { seen = rows; });
  EXPECT_EQ(survey.statistics.rows, 5);
  EXPECT_EQ(seen, 5);
  const auto mean_square = [&](RowScaling scaling) {
    return std::pow(survey_sparse(path, of_classes(), scaling).statistics.sample(0, 0), 2);
  };
  EXPECT_DOUBLE_EQ(mean_square({}), (1 + 4 + 0.25 + 1e6 + 1) / 5);
  EXPECT_DOUBLE_EQ(mean_square({true, false}), (1 + 2 + 0.5 + 1e3 + 1) / 5);
  EXPECT_DOUBLE_EQ(mean_square({false, true}), 4.0 / 5) << "one row has no entry";
  EXPECT_EQ(to_json(survey.schema), to_json(load_sparse(path, of_classes(), nothing).schema));
  const std::string unlabelled = folder.write("b.svm", "1:1\n2:3\n");
  EXPECT_EQ(survey_sparse(unlabelled, {}, {}).statistics.rows, 2);
  EXPECT_EQ(message_of<DataError>([&] { survey_sparse(unlabelled, of_classes(), {}); }),
            unlabelled + ": row 1: the label is missing");
}

TEST(SparseRows, AnotherLabelInEveryRowIsNoClass) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.svm", "1.5 1:1\n2.5 1:2\n3.5 2:1\n");
  EXPECT_EQ(message_of<DataError>([&] { load_sparse(path, of_classes(), nothing); }),
            path + ": has another label in every row; is it a number to be learned (likelihood gaussian)?");
}

// Memory is reserved for the contents of the file, for any distribution of entries over rows.
TEST(SparseRows, LoadingReservesNoMoreThanTheRowsTake) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 9000; ++i) {
    text += std::to_string(1 + i % 2);
    for (int j = 0; j < 20; ++j) text += " " + std::to_string(10 * j + 10) + ":0." + std::to_string(1 + (i + j) % 9);
    text += "\n";
  }
  const EncodedFile training = load_sparse(folder.write("a.svm", text), of_classes(), nothing);
  EXPECT_EQ(rows_of(training).sparse.values.size(), 180000U);
  EXPECT_LT(rows_of(training).sparse.values.capacity(), 200000U);
  EXPECT_LT(rows_of(training).sparse.columns.capacity(), 200000U);
}

TEST(SparseRows, HeldOutRowsAreLetGo) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.svm", kText);
  const EncodedFile some = load_sparse(path, of_classes(), [](const std::vector<Index>& classes) {
    EXPECT_EQ(classes, (std::vector<Index>{2, 0, 2, 1, 0}));
    return std::vector<bool>{false, true, false, true, false};
  });
  EXPECT_EQ(some.file_rows, 5);
  EXPECT_EQ(to_dense(rows_of(some).sparse.view()),
            (Matrix(3, 5) << 1, 0, 0, 0, -2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0).finished());
  EXPECT_EQ(some.schema.classes(), (std::vector<std::string>{"1", "3"}));
  EXPECT_EQ(rows_of(some).target, Eigen::Vector3d(1, 1, 0));
}

TEST(SparseRows, SchemaAndStandardizerAreSmallWhateverTheWidth) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.svm", "1 1:3 1000000:-4\n2 7:0.5\n1\n");
  const EncodedFile training = load_sparse(path, of_classes(), nothing);
  EXPECT_LT(to_json(training.schema).dump().size(), 400U);
  const Schema schema = schema_from_json(to_json(training.schema));
  EXPECT_TRUE(schema.is_sparse());
  EXPECT_EQ(schema.input_count(), 1000000);
  EXPECT_EQ(schema.classes(), training.schema.classes());

  const auto json = to_json(Standardizer::sparse(1000000, {false, true}));
  EXPECT_LT(json.dump().size(), 100U);
  const Standardizer standardizer = standardizer_from_json(json);
  DatasetStream stream(folder.write("new.svm", "9 1:3 1000000:-4\n7:0.5\n\n2\n"), schema, false);
  Dataset rows;
  ASSERT_TRUE(stream.next(rows, 10));
  EXPECT_TRUE(std::isnan(rows.target[0]) && std::isnan(rows.target[1])) << "an unknown label, and none";
  EXPECT_EQ(rows.target[2], 1);
  standardizer.standardise(rows.sparse);
  EXPECT_EQ(rows.sparse.values, (std::vector<double>{0.6, -0.8, 1}));
  EXPECT_FALSE(stream.next(rows, 10));
  SparseRows more;
  more.clear(1000000);
  more.add(0, -9);
  more.add(999999, 16);
  more.end_row();
  standardizer_from_json(to_json(Standardizer::sparse(1000000, {true, false}))).standardise(more);
  EXPECT_EQ(more.values, (std::vector<double>{-3, 4}));

  EXPECT_EQ(message_of<DataError>([&] { DatasetStream strict(path + "x", schema, true); }),
            path + "x: the model was trained on sparse rows; give a LIBSVM file");
  nlohmann::json forged = to_json(training.schema);
  forged["sparse_inputs"] = 100000000000;
  EXPECT_THROW(schema_from_json(forged), IoError);
}

TEST(SparseRows, BadRowsAreNamed) {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& text, const DataConfig& config = of_classes()) {
    return message_of<DataError>([&] { load_sparse(folder.write("a.svm", text), config, nothing); });
  };
  const std::string name = folder.file("a.svm");
  EXPECT_EQ(error("1 1:1\n2 1:nan\n"),
            name + ": row 2: the value of index 1 is missing or not finite, and the rows are read as sparse");
  EXPECT_EQ(error("1 1:1\n1:1\n"), name + ": row 2: the label is missing");
  EXPECT_EQ(error("1 1:1\n1 1:1\n"), name + ": has one class only in the training rows");
  EXPECT_EQ(error("1 1:1\n2 2:1 2:1\n"), name + ": row 2: '2:1': indices must increase");
  const Schema schema = Schema::sparse(2, of_classes(), {"1", "2"});
  DatasetStream stream(folder.write("b.svm", "3 1:1\n"), schema, true);
  Dataset rows;
  EXPECT_EQ(message_of<DataError>([&] { stream.next(rows, 1); }),
            folder.file("b.svm") + ": row 1: the label '3' is no class in the training rows");
}

TEST(SparseRows, FingerprintsTellRowsApart) {
  SparseRows a = to_sparse((Matrix(2, 3) << 1, 0, 2, 0, 0, 3).finished());
  const Vector y = Eigen::Vector2d(0, 1);
  const auto sum_of = [](const SparseRows& rows, const Vector& target) {
    return rows_sha256(MemoryRows(rows, target));
  };
  const std::string sum = sum_of(a, y);
  a.columns[1] = 1;
  EXPECT_NE(sum_of(a, y), sum);
  a.columns[1] = 2;
  EXPECT_EQ(sum_of(a, y), sum);
  EXPECT_NE(sum_of(a, Eigen::Vector2d(1, 1)), sum);
}

TEST(FeatureWriter, EveryFormatReadsBack) {
  const TemporaryFolder folder;
  const Matrix psi = (Matrix(3, 2) << 0.1, 0, -1e-300, 2, 0, 0).finished();
  const Vector target = Eigen::Vector3d(1, 0, 1);
  for (const char* name : {"f.csv", "f.csv.gz", "f.npy", "f.libsvm", "f.svm.gz"}) {
    for (const bool sparse : {false, true}) {
      const std::string path = folder.file(name);
      const auto writer = make_feature_writer(path, 2, {true, "kind", {"4", "6"}});
      for (const Index first : {0, 2}) {
        const Index rows = first == 0 ? 2 : 1;
        if (sparse)
          writer->add(to_sparse(psi).view().middle(first, rows), target.segment(first, rows));
        else
          writer->add(psi.middleRows(first, rows), target.segment(first, rows));
      }
      writer->commit();
      const TableChunk back = read_all(*open_table(path, {}));
      EXPECT_EQ(back.numbers.leftCols(2), psi) << name;
      const bool places = std::string(name) == "f.npy";
      EXPECT_EQ(back.numbers.col(2), places ? target : Vector((4 + 2 * target.array()).matrix())) << name;
    }
  }
  EXPECT_EQ(message_of<ConfigError>([&] { make_feature_writer("f.txt", 2, {}); }),
            "--out: 'f.txt' does not end in .csv, .npy, .libsvm or .svm (or these, but for .npy, with .gz)");
}

}  // namespace
}  // namespace alacarte
