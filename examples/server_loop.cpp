// Answers rows one by one, as a server does: reads "x1 x2" from standard input, line by line, and prints the mean and
// the standard deviation of the prediction. Usage: server_loop [MODEL]; without a model it trains one and saves it.
#include <alacarte/alacarte.hpp>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <random>
#include <sstream>

namespace {

using namespace alacarte;

// y = sin(3 x1) + x2 with noise of 0.1.
FittedModel train() {
  std::mt19937 random(1);
  std::normal_distribution<> noise(0, 0.1);
  Matrix inputs = Matrix::Random(200, 2);  // uniform in [-1, 1]
  Vector target = (3 * inputs.col(0).array()).sin() + inputs.col(1).array();
  for (double& y : target) y += noise(random);
  return fit(make_table(std::move(inputs), std::move(target)));
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string path = argc > 1 ? argv[1] : "waves.alacarte";
  if (!std::filesystem::exists(path)) save(train(), path);
  const FittedModel model = load_model(path);
  OneRowWorkspace workspace = model.one_row_workspace();  // one for each thread of a server
  const BlasThreads one_thread(1);

  Vector row(model.schema.input_count());
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream cells(line);
    for (double& value : row) cells >> value;
    if (!cells) {
      std::cout << "give " << row.size() << " numbers" << std::endl;
      continue;
    }
    const OneRowPrediction& answer = model.predict_one(row, workspace);
    std::cout << answer.mean << " +- " << std::sqrt(answer.variance) << std::endl;
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
