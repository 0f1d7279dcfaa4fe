// An external project that uses the installed library: fits a kernel to a generated problem, predicts with it, with the
// saved model row by row, and from file to file. docs/library.md quotes it.
#include <alacarte/app/evaluate_file.hpp>
#include <alacarte/app/generate.hpp>
#include <alacarte/app/predict_file.hpp>
#include <alacarte/app/train_file.hpp>
#include <alacarte/data/generators.hpp>
#include <alacarte/io/model_file.hpp>
#include <alacarte/train/fit.hpp>
#include <cmath>
#include <cstdio>

int main() {
  using namespace alacarte;
  Dataset rows;
  RandomStream stream = RandomStreams(1).stream("rows");
  find_problem("friedman1")->generate(200, stream, rows.inputs, rows.target);

  Recipe recipe;
  recipe.model = "ard";
  recipe.features.frequencies = 64;
  recipe.training.starts = 2;
  recipe.training.probe_iterations = 5;
  recipe.training.iterations = 30;
  const FittedModel model = fit(recipe, Schema::numbers(rows.inputs.cols()), rows, FitOptions{});
  const PredictiveDistribution prediction = model.predict(rows.inputs).distribution();
  const double rmse = std::sqrt((prediction.mean() - rows.target).squaredNorm() / 200.0);
  std::printf("training rmse %.3f, first variance %.3f\n", rmse, prediction.variance()[0]);

  write_bundle("price.alacarte", model.save());  // the format of alacarte train
  const FittedModel loaded = FittedModel::load(read_bundle("price.alacarte"));
  OneRowWorkspace workspace = loaded.one_row_workspace();
  const Vector row = rows.inputs.row(0);
  const OneRowPrediction& one = loaded.predict_one(row, workspace);
  std::printf("first row alone: mean %.3f, variance %.3f\n", one.mean, one.variance);
  const bool same =
      std::abs(one.mean - prediction.mean()[0]) < 1e-8 && std::abs(one.variance - prediction.variance()[0]) < 1e-8;

  generate_problem(*find_problem("friedman1"), 200, 1, "friedman.csv");
  TrainFileOptions options;
  options.split.holdout = 0.25;
  const TrainedFile trained = train_from_file(recipe, "friedman.csv", options);
  const std::vector<bool> held_out = held_out_rows(options.split, "friedman.csv", trained.model.schema);
  const Scores scores = evaluate_file(trained.model, "friedman.csv", held_out);
  const double test_rmse = std::get<Metrics>(scores.metrics).rmse;
  PredictFileOptions output;
  output.out = "predictions.csv";
  const Index predicted = predict_file(trained.model, "friedman.csv", output);
  std::printf("%d rows predicted, rmse of those held out %.3f\n", static_cast<int>(predicted), test_rmse);
  return same && rmse < 2.5 && prediction.variance().minCoeff() > 0 && test_rmse < 4 && predicted == 200 ? 0 : 1;
}
