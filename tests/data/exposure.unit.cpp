// Exposures of counts as a column of a table: schema, gaps, rows files and sources of changed rows.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/data/rows_file.hpp"
#include "data/changed_rows.hpp"
#include "data/fingerprint.hpp"
#include "data/support.hpp"
#include "io/documents.hpp"

namespace alacarte {
namespace {

using data_test::load_any;
using data_test::Loaded;
using data_test::message_of;

DataConfig exposed(bool strict = false) {
  DataConfig config;
  config.exposure = "e";
  config.strict = strict;
  return config;
}

Dataset encoded(const Schema& schema, const std::string& bytes, bool need_target = false) {
  DatasetStream stream(open_table_from_memory("new.csv", bytes, schema.config(), schema.libsvm_inputs()), schema,
                       need_target);
  Dataset data;
  stream.next(data, 1000);
  return data;
}

Vector logs(std::vector<double> values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size())).array().log();
}

TEST(ExposureColumn, IsNoInputAndEntersAsItsLogarithm) {
  const Loaded loaded = load_any("e,x,y\n2,1,1\n0.5,7,2\n3,3,3\n", exposed());
  EXPECT_EQ(loaded.schema.input_names(), std::vector<std::string>{"x"});
  EXPECT_EQ(loaded.data.offsets, logs({2, 0.5, 3}));
  const nlohmann::json stored = to_json(loaded.schema);
  const Schema again = schema_from_json(stored);
  EXPECT_TRUE(again.has_exposure());
  EXPECT_EQ(encoded(again, "y,e,x\n4,3,5\n", true).offsets, logs({3}));
  EXPECT_EQ(encoded(again, "x,e\n5,4\n").offsets, logs({4})) << "read without a target";
  EXPECT_EQ(encoded(again, "x\n5\n").offsets.size(), 0) << "rates";
  EXPECT_NE(message_of<DataError>([&] {
              encoded(again, "x,y\n5,1\n", true);
            }).find("new.csv: the column 'e' with the exposures is missing"),
            std::string::npos);
  const nlohmann::json plain = to_json(load_any("x,y\n1,2\n3,4\n", {}).schema);
  EXPECT_FALSE(plain.contains("exposure"));
  EXPECT_FALSE(plain["config"].contains("exposure"));
}

TEST(ExposureColumn, MustBeFiniteAndPositive) {
  const auto error = [&](const std::string& cell, bool strict) {
    return message_of<DataError>([&] { load_any("e,x,y\n1,1,1\n" + cell + ",2,2\n", exposed(strict)); });
  };
  for (const bool strict : {false, true}) {
    EXPECT_EQ(error("0", strict), "t.csv: row 3, column 1: 'e' is an exposure of 0; exposures are finite and above 0");
    EXPECT_EQ(error("-2", strict),
              "t.csv: row 3, column 1: 'e' is an exposure of -2; exposures are finite and above 0");
    EXPECT_EQ(error("inf", strict),
              "t.csv: row 3, column 1: 'e' is an exposure of inf; exposures are finite and above 0");
  }
  EXPECT_EQ(error("NA", true),
            "t.csv: row 3, column 1: 'e' is missing and is the exposure (data.missing can be \"drop\")");
  DataConfig config = exposed();
  config.exposure = "y";
  EXPECT_EQ(message_of<ConfigError>([&] { load_any("e,x,y\n1,1,1\n", config); }),
            "/data/exposure: column 'y' is already the target");
  EXPECT_THROW(Schema::sparse(3, exposed(), {}), ConfigError);
}

TEST(ExposureColumn, AGapLeavesOutATrainingRowAndIsOneInPredictions) {
  const Loaded loaded = load_any("e,x,y\n2,1,1\n,2,2\n3,3,3\n", exposed());
  EXPECT_EQ(loaded.data.source_rows, (std::vector<Index>{0, 2}));
  EXPECT_EQ(loaded.schema.rows_without_target(), 1);
  const Dataset rows = encoded(loaded.schema, "e,x\n2,1\n,2\n");
  EXPECT_EQ(rows.offsets, logs({2, 1}));
  EXPECT_EQ(rows.unseen, (std::vector<Index>{0, 1}));
  const Schema strict = load_any("e,x,y\n2,1,1\n3,3,3\n", exposed(true)).schema;
  EXPECT_THROW(encoded(strict, "e,x\n2,1\n,2\n"), DataError);
}

TEST(ExposureColumn, IsKeptByRowsFilesAndChangedRows) {
  std::string text = "e,w,x,y\n";
  for (int i = 0; i < 3000; ++i)
    text += std::to_string(1 + i % 7) + "," + std::to_string(1 + i % 3) + "," + std::to_string(std::sin(i)) + "," +
            std::to_string(i % 4) + "\n";
  DataConfig config = exposed();
  config.weights = "w";
  const data_test::TemporaryFolder folder;
  Conversion conversion;
  conversion.path = folder.file("t.rows");
  const std::shared_ptr<RowsFile> file = convert_table(folder.write("t.csv", text), config, conversion);
  const Dataset all = load_any(text, config).data;
  const MemoryRows memory(all);
  ASSERT_EQ(file->rows(), 3000);
  const Dataset loaded = load(*file);
  EXPECT_EQ(loaded.offsets, all.offsets);
  EXPECT_EQ(loaded.weights, all.weights);
  EXPECT_EQ(loaded.target, all.target);
  EXPECT_EQ(rows_sha256(*file), rows_sha256(memory));
  Dataset unexposed = all;
  unexposed.offsets.resize(0);
  EXPECT_NE(rows_sha256(MemoryRows(unexposed)), rows_sha256(memory));
  EXPECT_EQ(gather_rows(*file, {5, 2999, 0})->offsets(), all.offsets(std::vector<Index>{5, 2999, 0}));

  std::vector<bool> held_out(3000, false);
  for (std::size_t i = 0; i < 3000; i += 3) held_out[i] = true;
  std::vector<Index> left_out;
  for (Index i = 0; i < 3000; i += 3) left_out.push_back(i);
  const Vector kept = all.offsets(rows_but(3000, left_out));
  EXPECT_EQ(load(*select_rows(file, held_out)).offsets, kept);
  EXPECT_EQ(load(*rows_without(file, left_out)).offsets, kept);
  EXPECT_EQ(load(*rows_without(std::make_shared<const MemoryRows>(all), left_out)).offsets, kept);
  const auto standardizer = Standardizer::learn(*file, Scaling::zscore, TargetScaling::none);
  EXPECT_EQ(load(*standardizer.standardise(file)).offsets, all.offsets);
  EXPECT_EQ(load(*with_factors(file, Vector::Constant(3000, 2.0))).offsets, all.offsets);
  EXPECT_EQ(some_rows(*file, {7})->has_offsets(), true);

  split_rows_file(*file, {folder.file("1.rows"), folder.file("2.rows")});
  EXPECT_EQ(load(RowsFile(folder.file("2.rows"))).offsets, all.offsets.tail(1500));
}

}  // namespace
}  // namespace alacarte
