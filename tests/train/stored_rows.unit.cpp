// Training from rows on disk against training from memory.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "alacarte/data/rows_file.hpp"
#include "alacarte/train/fit.hpp"
#include "data/generators.hpp"
#include "inference/inference.hpp"
#include "io/documents.hpp"
#include "support/example_recipe.hpp"
#include "support/program.hpp"

namespace alacarte {
namespace {

struct Stored {
  test::TemporaryFolder folder;
  Dataset data;
  std::shared_ptr<RowsFile> file;

  explicit Stored(Index rows) {
    RandomStream stream(4);
    find_problem("friedman1")->generate(rows, stream, data.inputs, data.target);
    TableChunk chunk;
    chunk.numbers.resize(rows, 11);
    chunk.numbers << data.inputs, data.target;
    chunk.text.resize(11);
    chunk.line_numbers.resize(static_cast<std::size_t>(rows));
    const auto reader = open_table_from_memory("t", "1,1,1,1,1,1,1,1,1,1,1\n", {});
    const Schema schema = Schema::learn(*reader, chunk, {}, {});
    RowsFileWriter writer(folder / "t.rows", 10, RowExtras{});
    writer.add(data);
    file = writer.finish_and_open(schema, rows);
  }
};

Recipe stored_recipe(const std::string& model) {
  Recipe recipe = example_recipe(model, 32);
  recipe.training.starts = 2;
  recipe.training.probe_iterations = 3;
  recipe.training.iterations = 10;
  return recipe;
}

TEST(StoredRows, TrainTheModelOfMemory) {
  const Stored stored(5000);
  for (const char* model : {"ard", "gm", "linear"}) {
    const Recipe recipe = stored_recipe(model);
    const FittedModel memory = fit(recipe, Schema(), stored.data, {}), disk = fit(recipe, Schema(), stored.file, {});
    // The standardisers differ in their last bits, which descent amplifies.
    EXPECT_LT((memory.members[0].theta - disk.members[0].theta).cwiseAbs().maxCoeff(), 1e-5) << model;
    const Vector a = memory.predict(stored.data.inputs).distribution().mean(),
                 b = disk.predict(stored.data.inputs).distribution().mean();
    EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-5) << model;
    EXPECT_EQ(to_json(memory.training)["data_sha256"], to_json(disk.training)["data_sha256"]);
    EXPECT_NEAR(to_json(memory.training)["leave_one_out"]["nlpd"].get<double>(),
                to_json(disk.training)["leave_one_out"]["nlpd"].get<double>(), 1e-6);
  }
}

TEST(StoredRows, GiveTheBitsOfTheSameNumbersInMemory) {
  const Stored stored(3000);
  const auto standardizer = Standardizer::learn(*stored.file, Scaling::zscore, TargetScaling::zscore);
  const auto memory =
      std::make_shared<MemoryRows>(standardizer.inputs(stored.data.inputs), standardizer.target(stored.data.target));
  const auto disk = standardizer.standardise(stored.file);
  EXPECT_NEAR(target_moments(*disk).mean, target_moments(*memory).mean, 1e-15);
  EXPECT_NEAR(target_moments(*disk).sd, target_moments(*memory).sd, 1e-14);
  RandomStream pairs(1), same_pairs(1);
  const TrainingStatistics of_disk = training_statistics(*disk, pairs),
                           of_memory = training_statistics(*memory, same_pairs);
  EXPECT_EQ(of_disk.range, of_memory.range);
  EXPECT_EQ(of_disk.pair_differences, of_memory.pair_differences);
  EXPECT_EQ(of_disk.sample, of_memory.sample);
  const std::shared_ptr<const FeatureMap> map = find_feature_map("ard")->make({}, 10, RandomStreams(1), {});
  InferenceOptions options;
  options.mean = MeanKind::zero;
  for (const int threads : {1, 2}) {
    options.threads = threads;
    const auto a = make_inference(map, memory, options), b = make_inference(map, disk, options);
    Vector theta(a->parameters().size()), slope_a(theta.size()), slope_b(theta.size());
    theta.setConstant(0.3);
    EXPECT_EQ(a->evaluate(theta, slope_a), b->evaluate(theta, slope_b));
    EXPECT_EQ(slope_a, slope_b);
    const std::vector<Index> some = {0, 7, 255, 256, 1111, 2999};
    const LeaveOneOut all = a->leave_one_out(theta), few = b->leave_one_out(theta, some);
    EXPECT_LT((all.mean(some, Eigen::all) - few.mean).cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_LT((all.variance(some, Eigen::all) - few.variance).cwiseAbs().maxCoeff(), 1e-10);
  }
}

TEST(StoredRows, DualAndExactModelsReadThemIntoMemory) {
  const Stored stored(60);
  for (const char* model : {"ard", "exact-ard"}) {
    Recipe recipe = stored_recipe(model);
    if (find_feature_map(model) != nullptr) recipe.features.frequencies = 64;
    const FittedModel memory = fit(recipe, Schema(), stored.data, {}), disk = fit(recipe, Schema(), stored.file, {});
    const Vector a = memory.predict(stored.data.inputs).distribution().mean(),
                 b = disk.predict(stored.data.inputs).distribution().mean();
    EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-5) << model;
  }
}

TEST(StoredRows, PlannedMemoryDoesNotGrowWithRows) {
  const Stored few(110000), many(410000);
  const Recipe recipe = stored_recipe("ard");
  const auto bytes = [&](const auto& rows) { return plan_training(recipe, rows, {}).memory_bytes; };
  // Both sizes exceed every bound: pairs of rows for the starts, scores of at most 100,000 rows.
  EXPECT_LT(bytes(many.file) - bytes(few.file), 1e5);
  EXPECT_GT(bytes(many.data) - bytes(many.file), 20e6) << "300,000 more rows of 11 numbers";
}

TEST(StoredRows, ALimitTooSmallNamesTheSmallestThatWorks) {
  const Stored stored(4000);
  Recipe recipe = stored_recipe("ard");
  recipe.features.frequencies = 256;
  FitOptions options;
  options.threads = 2;
  options.memory_bytes = 1e6;
  std::string message;
  try {
    plan_training(recipe, stored.file, options);
  } catch (const MemoryLimitError& error) {
    message = error.what();
  }
  const std::string words = "the smallest that works is ";
  const auto at = message.find(words);
  ASSERT_NE(at, std::string::npos) << message;
  const double megabytes = std::stod(message.substr(at + words.size()));
  options.memory_bytes = 1e6 * megabytes;
  EXPECT_LE(plan_training(recipe, stored.file, options).memory_bytes, options.memory_bytes);
  recipe.training.iterations = 3;
  EXPECT_NO_THROW(fit(recipe, Schema(), stored.file, options));
  options.memory_bytes = 0.9e6 * megabytes;
  EXPECT_THROW(plan_training(recipe, stored.file, options), MemoryLimitError);
}

TEST(StoredRows, ScoresOfManyRowsAreThoseOfASeededSubset) {
  const Stored stored(100001);
  Recipe recipe = stored_recipe("linear");
  recipe.training.iterations = 3;
  const FittedModel model = fit(recipe, Schema(), stored.data, {});
  EXPECT_EQ(to_json(model.training)["leave_one_out"]["n"], 100000);
  EXPECT_EQ(to_json(model.training)["rows"], 100001);
  const double exact = to_json(model.training)["leave_one_out"]["rmse"].get<double>();
  const Vector error = model.predict(stored.data.inputs).distribution().mean() - stored.data.target;
  EXPECT_NEAR(exact, std::sqrt(error.squaredNorm() / 100001), 1e-3);
}

}  // namespace
}  // namespace alacarte
