// A project of its own that uses the installed library: trains on rows in memory and on files, predicts, saves and
// loads. It contains the snippets of docs/library.md.
#include <alacarte/alacarte.hpp>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <fstream>

using namespace alacarte;

namespace {

/// Three numbers in [0, 1] and a price with noise.
Dataset made_rows(Index count) {
  Dataset rows;
  rows.inputs = (Matrix::Random(count, 3).array() + 1) / 2;
  const auto x = rows.inputs.array();
  rows.target = 10 * (6 * x.col(0)).sin() + 5 * x.col(1) + Vector::Random(count).array();
  return rows;
}

void write_csv(const std::string& path, const Dataset& rows, bool with_target) {
  std::ofstream table(path);
  table << "age,size,rooms" << (with_target ? ",price\n" : "\n");
  for (Index i = 0; i < rows.rows(); ++i) {
    table << rows.inputs(i, 0) << ',' << rows.inputs(i, 1) << ',' << rows.inputs(i, 2);
    if (with_target) table << ',' << rows.target[i];
    table << '\n';
  }
}

struct Watcher : TrainingObserver {
  void on_message(const std::string& text) override { std::printf("%s\n", text.c_str()); }
};

bool from_memory() {
  const Dataset rows = made_rows(200);
  const Matrix inputs = rows.inputs;
  const Vector target = rows.target;

  Recipe recipe;
  recipe.model = "ard";
  recipe.features.frequencies = 64;
  recipe.training.starts = 2;
  recipe.training.probe_iterations = 5;
  recipe.training.iterations = 30;

  Watcher watcher;
  std::atomic<bool> interrupt = false;
  FitOptions options;
  options.seed = 1;
  options.threads = hardware_threads();
  options.observer = &watcher;
  options.interrupt = &interrupt;
  const FittedModel model = fit(recipe, make_table(inputs, target), options);

  const Prediction prediction = model.predict(inputs);
  const PredictiveDistribution& price = prediction.distribution();
  const Vector median = price.quantile(0.5), crps = price.crps(target);
  const Interval interval = model.interval(prediction, 0.9);
  const double rmse = std::sqrt((price.mean() - target).squaredNorm() / 200.0);
  std::printf("training rmse %.3f, first variance %.3f, first interval %.3f to %.3f\n", rmse, price.variance()[0],
              interval.lower[0], interval.upper[0]);

  save(model, "price.alacarte");
  const FittedModel loaded = load_model("price.alacarte");

  OneRowWorkspace workspace = loaded.one_row_workspace();
  const Vector row = inputs.row(0);
  const OneRowPrediction& one = loaded.predict_one(row, workspace);
  std::printf("first row alone: mean %.3f, variance %.3f\n", one.mean, one.variance);
  const bool same = std::abs(one.mean - price.mean()[0]) < 1e-8 && std::abs(one.variance - price.variance()[0]) < 1e-8;
  return same && rmse < 2.5 && crps.mean() < 2 && interval.lower[0] < median[0] && median[0] < interval.upper[0];
}

bool from_table() {
  TableOptions options;
  options.data.target = "price";
  options.data.ignore = {"rooms"};
  options.data.missing = MissingCells::mean;
  options.target_kind = TargetColumn::numbers;
  const Table table = read_table("prices.csv", options);

  Recipe recipe = default_recipe();
  recipe.training.seconds = 2;
  const FittedModel model = fit(recipe, table);
  const Prediction prediction = model.predict(table);
  return model.schema.input_count() == 2 && prediction.rows() == table.count();
}

bool as_on_the_first_page() {
  Recipe recipe = default_recipe();
  recipe.training.seconds = 10;
  TableOptions options;
  options.data.target = "price";
  const FittedModel model = fit(recipe, read_table("train.csv", options));

  const Table rows = read_table("new.csv", model.schema);
  const PredictiveDistribution prediction = model.predict(rows).distribution();

  save(model, "price.alacarte");  // what alacarte train writes
  const FittedModel loaded = load_model("price.alacarte");
  return (loaded.predict(rows).distribution().mean() - prediction.mean()).norm() == 0;
}

bool from_file() {
  const Recipe recipe = [] {
    Recipe linear;
    linear.model = "linear";
    return linear;
  }();
  TrainFileOptions options;
  options.split.holdout = 0.25;
  const TrainedFile trained = train_from_file(recipe, "prices.csv", options);
  const std::vector<bool> held_out = held_out_rows(options.split, "prices.csv", trained.model.schema);
  const Scores scores = evaluate_file(trained.model, "prices.csv", held_out);
  const double test_rmse = std::get<Metrics>(scores.metrics).rmse;
  PredictFileOptions output;
  output.out = "predictions.csv";
  const Index predicted = predict_file(trained.model, "prices.csv", output);
  std::printf("%d rows predicted, rmse of those held out %.3f\n", static_cast<int>(predicted), test_rmse);

  Conversion conversion;
  conversion.path = "prices.rows";
  const Index converted = convert_table("prices.csv", recipe.data, conversion)->rows();
  return test_rmse < 10 && predicted == 200 && converted == 200;
}

bool refuses() {
  try {
    static_cast<void>(read_table("no_such_file.csv"));
  } catch (const IoError& error) {
    std::printf("%s\n", error.what());
    return true;
  }
  return false;
}

}  // namespace

int main() {
  write_csv("prices.csv", made_rows(200), true);
  write_csv("flats.csv", made_rows(5), false);
  write_csv("train.csv", made_rows(100), true);
  write_csv("new.csv", made_rows(10), true);
  return from_memory() && from_table() && as_on_the_first_page() && from_file() && refuses() ? 0 : 1;
}
