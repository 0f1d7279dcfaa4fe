// The few calls of the library's first page, compared with the same steps by hand.
#include "alacarte/app/workflow.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "alacarte/app/train_file.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/data/rows_file.hpp"
#include "support/program.hpp"

namespace alacarte {
namespace {

Recipe linear_recipe() {
  Recipe recipe;
  recipe.model = "linear";
  return recipe;
}

class Workflow : public testing::Test {
 protected:
  /// Writes 40 rows: a number, a category, and a target that is text or a number.
  std::string table(bool text_target) const {
    std::ofstream file(folder_ / "table.csv");
    file << "x,colour,y\n";
    for (int i = 0; i < 40; ++i) {
      file << 0.1 * i << ',' << (i % 2 == 0 ? "red" : "blue") << ',';
      if (text_target)
        file << (i < 20 ? "low\n" : "high\n");
      else
        file << 0.3 * i + (i % 2) << '\n';
    }
    return folder_ / "table.csv";
  }
  test::TemporaryFolder folder_;
};

TEST_F(Workflow, TrainsAsTrainFromFile) {
  const std::string path = table(false);
  const Table rows = read_table(path);
  EXPECT_EQ(rows.count(), 40);
  EXPECT_EQ(rows.schema.input_count(), 3);
  const FittedModel model = fit(linear_recipe(), rows);
  const FittedModel from_file = train_from_file(linear_recipe(), path, {}).model;
  const Vector mean = model.predict(rows).distribution().mean();
  EXPECT_LT((mean - from_file.predict(rows).distribution().mean()).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((mean - rows.rows.target).cwiseAbs().maxCoeff(), 0.1);
}

TEST_F(Workflow, SavedModelPredictsTheSameBits) {
  const Table rows = read_table(table(false));
  const FittedModel model = fit(linear_recipe(), rows);
  save(model, folder_ / "model");
  const FittedModel loaded = load_model(folder_ / "model");
  EXPECT_EQ(loaded.predict(rows).distribution().variance(), model.predict(rows).distribution().variance());
  EXPECT_THROW(load_model(folder_ / "none"), IoError);
}

TEST_F(Workflow, ReadsRowsByTheSchemaOfAModel) {
  const Table training = read_table(table(false));
  std::ofstream(folder_ / "new.csv") << "colour,x\nblue,1\nred,2\n";
  const Table rows = read_table(folder_ / "new.csv", training.schema);
  ASSERT_EQ(rows.count(), 2);
  EXPECT_EQ(rows.rows.target.size(), 0);
  const Index x = training.schema.input_names().front() == "x" ? 0 : 2;
  EXPECT_EQ(rows.rows.inputs(1, x), 2);
  std::ofstream(folder_ / "other.csv") << "colour,x\ngreen,1\n";
  EXPECT_EQ(read_table(folder_ / "other.csv", training.schema).rows.unseen, std::vector<Index>{1});
  std::ofstream(folder_ / "fewer.csv") << "colour\nblue\n";
  EXPECT_THROW(read_table(folder_ / "fewer.csv", training.schema), DataError);
}

TEST_F(Workflow, CellsOrOptionsDecideAboutClasses) {
  const std::string path = table(true);
  EXPECT_EQ(read_table(path).schema.class_count(), 2);
  TableOptions options;
  options.target_kind = TargetColumn::numbers;
  EXPECT_THROW(read_table(path, options), DataError);
}

TEST_F(Workflow, RefusesARecipeForAnotherKindOfTarget) {
  EXPECT_THROW(fit(linear_recipe(), read_table(table(true))), ConfigError);
  EXPECT_THROW(fit(default_recipe(TargetKind::classes), read_table(table(false))), ConfigError);
}

TEST_F(Workflow, DefaultRecipesAreAuto) {
  for (const TargetKind kind : {TargetKind::numbers, TargetKind::classes, TargetKind::counts}) {
    EXPECT_EQ(default_recipe(kind).model, "auto");
    EXPECT_EQ(target_kind(default_recipe(kind)), kind);
  }
}

TEST_F(Workflow, ReadsRowsFiles) {
  const std::string path = table(false);
  Conversion conversion;
  conversion.path = folder_ / "table.rows";
  convert_table(path, {}, conversion);
  const Table rows = read_table(conversion.path);
  EXPECT_EQ(rows.rows.inputs, read_table(path).rows.inputs);
  EXPECT_EQ(rows.schema.target_name(), "y");
}

TEST(MakeTable, TakesMatricesAndNamesOfClasses) {
  const Table numbers = make_table(Matrix::Ones(3, 2), Vector::Zero(3));
  EXPECT_EQ(numbers.schema.input_count(), 2);
  EXPECT_EQ(make_table(Matrix::Ones(3, 2), Vector::Zero(3), {"a", "b"}).schema.class_count(), 2);
  EXPECT_THROW(make_table(Matrix::Ones(3, 2), Vector::Zero(2)), std::invalid_argument);
}

}  // namespace
}  // namespace alacarte
