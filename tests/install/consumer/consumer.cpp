// A project of its own that uses the installed library: fits a kernel to a generated problem and predicts with it.
#include <alacarte/data/generators.hpp>
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
  const FittedModel model = fit(recipe, Schema(), rows, FitOptions{});
  const PredictiveDistribution prediction = model.predict(rows.inputs);
  const double rmse = std::sqrt((prediction.mean() - rows.target).squaredNorm() / 200.0);
  std::printf("training rmse %.3f, first variance %.3f\n", rmse, prediction.variance()[0]);
  return rmse < 2.5 && prediction.variance().minCoeff() > 0 ? 0 : 1;
}
