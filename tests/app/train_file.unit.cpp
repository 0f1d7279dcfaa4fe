// Training, scoring and predicting from files, compared with the same steps by hand.
#include "alacarte/app/train_file.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>

#include "alacarte/app/evaluate_file.hpp"
#include "alacarte/app/predict_file.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/data/rows_file.hpp"
#include "alacarte/train/fit.hpp"
#include "app/generate.hpp"
#include "app/transform_file.hpp"
#include "io/documents.hpp"
#include "support/example_recipe.hpp"
#include "support/program.hpp"

namespace alacarte {
namespace {

Recipe quick_recipe() {
  Recipe recipe = example_recipe("ard", 32);
  recipe.training.starts = 2;
  recipe.training.probe_iterations = 3;
  recipe.training.iterations = 10;
  recipe.noise.prior_center = PriorCenter::fixed;
  return recipe;
}

/// Records a job's reports as words in order.
struct Recorder : JobObserver {
  void on_training_rows(Index training_rows, Index file_rows, Index held_out, const std::string& target) override {
    events += "rows " + std::to_string(training_rows) + "/" + std::to_string(file_rows) + " " + target + ";";
    last_held_out = held_out;
  }
  void on_rows_stored(Index rows) override { events += "stored " + std::to_string(rows) + ";"; }
  void on_rows(const char* activity, double, Index) override { last_activity = activity; }
  void on_message(const std::string& text) override { messages.push_back(text); }
  std::string events, last_activity;
  Index last_held_out = -1;
  std::vector<std::string> messages;
};

class Files : public testing::Test {
 protected:
  std::string friedman(Index rows, const std::string& name = "d.csv") const {
    generate_problem(*find_problem("friedman1"), rows, 1, folder_ / name);
    return folder_ / name;
  }
  /// Returns the smallest sufficient memory limit, as the refusal of a smaller one states it.
  double smallest_limit(const std::string& path) const {
    TrainFileOptions options;
    options.memory_bytes = 1e6;
    options.cache_dir = folder_.path().string();
    try {
      train_from_file(quick_recipe(), path, options);
    } catch (const MemoryLimitError& error) {
      const std::string text = error.what(), words = "smallest that works is ";
      return 1e6 * std::stod(text.substr(text.find(words) + words.size()));
    }
    ADD_FAILURE() << "1 MB was enough";
    return 0;
  }
  test::TemporaryFolder folder_;
};

/// Sets the flag at the report of the second target.
struct StopsAtTheSecond : JobObserver {
  std::atomic<bool> flag = false;
  void on_message(const std::string& text) override { flag = flag || text.starts_with("target 2 of 3"); }
};

TEST_F(Files, AnInterruptLeavesEachOfIndependentTargetsItsModel) {
  Recipe recipe = quick_recipe();
  recipe.targets = TargetSharing::independent;
  recipe.data.target = "y,x4,x5";
  StopsAtTheSecond observer;
  Job job;
  job.observer = &observer;
  job.interrupt = &observer.flag;
  const auto models = train_targets_from_file(recipe, {"y", "x4", "x5"}, friedman(150), {}, job);
  ASSERT_EQ(models.size(), 3U);
  EXPECT_TRUE(observer.flag);
  EXPECT_EQ(to_json(models[0].training)["cut_short"], false);
  EXPECT_EQ(to_json(models[1].training)["cut_short"], true);
  EXPECT_EQ(to_json(models[2].training)["cut_short"], true);
}

TEST_F(Files, TrainingFromAFileIsTrainingOnItsRows) {
  const std::string path = friedman(150);
  const TrainedFile trained = train_from_file(quick_recipe(), path, {});
  EXPECT_EQ(trained.file_rows, 150);
  EXPECT_EQ(to_json(trained.model.training)["data"], path);
  EXPECT_FALSE(to_json(trained.model.training).contains("held_out"));
  const auto reader = open_table(path, {});
  const TableChunk table = read_all(*reader);
  const Schema schema = Schema::learn(*reader, table, {}, {});
  const Dataset rows = schema.encode(*reader, table, true);
  const FittedModel by_hand = fit(quick_recipe(), schema, rows, {});
  EXPECT_EQ(trained.model.members[0].theta, by_hand.members[0].theta);
  EXPECT_EQ(trained.model.predict(rows.inputs).distribution().mean(),
            by_hand.predict(rows.inputs).distribution().mean());
}

TEST_F(Files, AMemoryLimitThatIsWideEnoughChangesNothing) {
  const std::string path = friedman(500);
  TrainFileOptions wide;
  wide.memory_bytes = 8e9;
  const FittedModel free = train_from_file(quick_recipe(), path, {}).model,
                    limited = train_from_file(quick_recipe(), path, wide).model;
  EXPECT_EQ(free.members[0].theta, limited.members[0].theta);
  const Matrix x = Matrix::Random(5, 10);
  EXPECT_EQ(free.predict(x).distribution().variance(), limited.predict(x).distribution().variance());
}

TEST_F(Files, RowsThatDoNotFitAreReadFromDisk) {
  const std::string table = friedman(30000), rows = folder_ / "d.rows";
  Conversion conversion;
  conversion.path = rows;
  convert_table(table, {}, conversion);
  TrainFileOptions tight;
  tight.memory_bytes = smallest_limit(rows);
  tight.cache_dir = folder_.path().string();
  const auto files = folder_.entries();
  Recorder recorder;
  const FittedModel memory = train_from_file(quick_recipe(), table, {}).model,
                    streamed = train_from_file(quick_recipe(), table, tight, {1, &recorder, nullptr}).model,
                    stored = train_from_file(quick_recipe(), rows, tight).model;
  const std::string last = "stored 30000;rows 30000/30000 y;";
  ASSERT_GE(recorder.events.size(), last.size());
  EXPECT_EQ(recorder.events.substr(recorder.events.size() - last.size()), last);
  EXPECT_EQ(recorder.last_activity, "converting");
  EXPECT_EQ(folder_.entries(), files);
  EXPECT_EQ(streamed.members[0].theta, stored.members[0].theta);
  EXPECT_LT((streamed.members[0].theta - memory.members[0].theta).cwiseAbs().maxCoeff(), 1e-5);
}

// 100,000 rows take 9 MB as a table, and 57 MB if a column of 60 words becomes 60 columns; the program takes 24.
TEST_F(Files, CategoriesCountAgainstTheMemoryAsWideAsTheyBecome) {
  std::string text = "kind,a,y\n";
  for (int i = 0; i < 100000; ++i)
    text += "word" + std::to_string(i % 60) + "," + std::to_string(i % 7) + "," + std::to_string(i % 11) + "\n";
  const std::string table = folder_.write("kinds.csv", text);
  const auto events = [&](double bytes) {
    TrainFileOptions options;
    options.memory_bytes = bytes;
    options.cache_dir = folder_.path().string();
    Recorder recorder;
    Recipe recipe = example_recipe("linear", 0);
    recipe.training.starts = recipe.training.iterations = 1;
    recipe.noise.prior_center = PriorCenter::fixed;
    train_from_file(recipe, table, options, {1, &recorder, nullptr});
    return recorder.events;
  };
  EXPECT_EQ(events(78e6), "stored 100000;rows 100000/100000 y;");
  EXPECT_EQ(events(500e6), "rows 100000/100000 y;");
}

TEST_F(Files, HeldOutRowsAreFoundAgainAndScored) {
  const std::string path = friedman(200);
  TrainFileOptions options;
  options.split.holdout = 0.25;
  options.split.seed = 3;
  Recorder recorder;
  const FittedModel model = train_from_file(quick_recipe(), path, options, {1, &recorder, nullptr}).model;
  EXPECT_EQ(recorder.events, "rows 150/200 y;");
  const SplitRecord record = model.training.held_out.value();
  const std::vector<bool> held_out = held_out_rows(split_of(record), path, model.schema, record.rows);
  EXPECT_EQ(std::count(held_out.begin(), held_out.end(), true), 50);
  const Scores scores = evaluate_file(model, path, held_out);

  DatasetStream stream(path, model.schema, true);
  Dataset all;
  ASSERT_TRUE(stream.next(all, 1000));
  std::vector<Index> tested;
  for (Index i = 0; i < 200; ++i)
    if (held_out[static_cast<std::size_t>(i)]) tested.push_back(i);
  const Dataset rows = all.select_rows(tested);
  const Metrics by_hand = score(model.predict(rows.inputs).distribution(), rows.target);
  const Metrics& metrics = std::get<Metrics>(scores.metrics);
  EXPECT_EQ(metrics.n, 50);
  EXPECT_EQ(metrics.rmse, by_hand.rmse);
  EXPECT_EQ(metrics.nlpd, by_hand.nlpd);
  EXPECT_EQ(to_json(scores, model)["coverage"], to_json(by_hand)["coverage"]);
  EXPECT_THROW(held_out_rows(split_of(record), path, model.schema, 199), DataError);
}

TEST_F(Files, ClassesAndCountsAreScoredAsSuch) {
  std::string classes = "a,b,label\n", counts = "a,b,n\n";
  for (int i = 0; i < 60; ++i) {
    const std::string inputs = std::to_string(i % 7) + "," + std::to_string(i % 5) + ",";
    classes += inputs + (i % 7 > 3 ? "red\n" : "blue\n");
    counts += inputs + std::to_string(i % 7) + "\n";
  }
  Recipe recipe = quick_recipe();
  recipe.noise = {};  // such likelihoods have none
  recipe.likelihood = "poisson";
  const std::string counted = folder_.write("n.csv", counts);
  const FittedModel of_counts = train_from_file(recipe, counted, {}).model;
  EXPECT_EQ(std::get<CountMetrics>(evaluate_file(of_counts, counted).metrics).n, 60);
  recipe.likelihood = "logit";
  recipe.data.labels = true;
  const std::string labelled = folder_.write("c.csv", classes);
  const FittedModel of_classes = train_from_file(recipe, labelled, {}).model;
  EXPECT_GT(std::get<ClassMetrics>(evaluate_file(of_classes, labelled).metrics).accuracy, 0.9);
  EXPECT_THROW(evaluate_file(of_classes, labelled, std::vector<bool>(60, false)), DataError);
  PredictFileOptions latent;
  latent.out = folder_ / "p.csv";
  latent.latent = true;
  EXPECT_THROW(predict_file(of_classes, labelled, latent), ConfigError);
}

TEST_F(Files, LabelledRowsKeepWhatPredictGives) {
  const std::string path = friedman(100);
  const FittedModel model = train_from_file(quick_recipe(), path, {}).model;
  const LabelledRows rows = predict_labelled(model, path);
  DatasetStream stream(path, model.schema, true);
  Dataset all;
  ASSERT_TRUE(stream.next(all, 1000));
  EXPECT_EQ(rows.distribution().mean(), model.predict(all.inputs).distribution().mean());
  EXPECT_EQ(rows.target, std::vector<double>(all.target.begin(), all.target.end()));
}

TEST_F(Files, PredictionsAndFeaturesAreWrittenForEveryRow) {
  const std::string path = friedman(100);
  const FittedModel model = train_from_file(quick_recipe(), path, {}).model;
  PredictFileOptions options;
  options.out = folder_ / "p.csv";
  options.covariance = folder_ / "c.npy";
  options.interval = 0.5;
  EXPECT_EQ(predict_file(model, path, options), 100);
  const auto lines = test::lines_of(test::read_file(options.out));
  ASSERT_EQ(lines.size(), 101u);
  EXPECT_EQ(lines[0], "mean,sd_observation,lower_observation,upper_observation,share_outside");
  TransformFileOptions features;
  features.out = folder_ / "f.csv";
  const TransformedFile by_model = transform_file(model, path, features);
  EXPECT_EQ(by_model.rows, 100);
  EXPECT_EQ(by_model.features, model.members[0].prior.map()->feature_count());
  EXPECT_EQ(test::lines_of(test::read_file(features.out)).size(), 101u);
  EXPECT_EQ(transform_file(quick_recipe(), path, features).features, by_model.features);
  features.out = folder_ / "f.unknown";
  EXPECT_THROW(transform_file(model, path, features), ConfigError);
}

TEST_F(Files, AnInterruptLeavesNothing) {
  const std::string path = friedman(100);
  const FittedModel model = train_from_file(quick_recipe(), path, {}).model;
  const auto files = folder_.entries();
  const std::atomic<bool> stop{true};
  const Job job{1, nullptr, &stop};
  PredictFileOptions options;
  options.out = folder_ / "p.csv";
  TransformFileOptions features;
  features.out = folder_ / "f.csv";
  EXPECT_THROW(predict_file(model, path, options, job), Interrupted);
  EXPECT_THROW(evaluate_file(model, path, {}, job), Interrupted);
  EXPECT_THROW(transform_file(quick_recipe(), path, features, job), Interrupted);
  EXPECT_THROW(train_from_file(quick_recipe(), path, {}, job), Interrupted);
  EXPECT_EQ(folder_.entries(), files);
}

}  // namespace
}  // namespace alacarte
