// A project of its own that uses the installed library: fits a kernel to rows in memory, predicts with it, with
// the saved model row by row, and from file to file. docs/library.md quotes it.
#include <alacarte/app/evaluate_file.hpp>
#include <alacarte/app/predict_file.hpp>
#include <alacarte/app/train_file.hpp>
#include <alacarte/io/model_file.hpp>
#include <alacarte/train/fit.hpp>
#include <cmath>
#include <cstdio>
#include <fstream>

int main() {
  using namespace alacarte;
  Dataset rows;
  rows.inputs = (Matrix::Random(200, 3).array() + 1) / 2;
  rows.target =
      10 * (6 * rows.inputs.col(0).array()).sin() + 5 * rows.inputs.col(1).array() + Vector::Random(200).array();

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

  write_bundle("price.alacarte", model.save());  // what alacarte train writes
  const FittedModel loaded = FittedModel::load(read_bundle("price.alacarte"));
  OneRowWorkspace workspace = loaded.one_row_workspace();
  const Vector row = rows.inputs.row(0);
  const OneRowPrediction& one = loaded.predict_one(row, workspace);
  std::printf("first row alone: mean %.3f, variance %.3f\n", one.mean, one.variance);
  const bool same =
      std::abs(one.mean - prediction.mean()[0]) < 1e-8 && std::abs(one.variance - prediction.variance()[0]) < 1e-8;

  std::ofstream table("prices.csv");
  table << "age,size,rooms,price\n";
  for (Index i = 0; i < rows.rows(); ++i)
    table << rows.inputs(i, 0) << ',' << rows.inputs(i, 1) << ',' << rows.inputs(i, 2) << ',' << rows.target[i] << '\n';
  table.close();

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
  return same && rmse < 2.5 && prediction.variance().minCoeff() > 0 && test_rmse < 4 && predicted == 200 ? 0 : 1;
}
