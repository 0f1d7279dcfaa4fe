// Trains on three quarters of a CSV file, scores the rest, and writes predictions with 90 % intervals to another file.
// Usage: regression_from_file [TABLE.csv [TARGET]]; without a table it makes one of rents.
#include <alacarte/alacarte.hpp>
#include <fstream>
#include <iostream>
#include <random>

namespace {

void write_rents(const std::string& path) {
  const char* const districts[] = {"north", "harbour", "old town"};
  std::mt19937 random(1);
  std::uniform_real_distribution<> size(25, 125), age(0, 100);
  std::normal_distribution<> noise(0, 40);
  std::ofstream table(path);
  table << "district,size,age,rent\n";
  for (int i = 0; i < 400; ++i) {
    const double area = size(random), years = age(random);
    const double rent = 150 + 9 * area + 0.05 * (years - 60) * (years - 60) + 120 * (i % 3) + noise(random);
    table << districts[i % 3] << ',' << area << ',' << years << ',' << rent << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) try {
  using namespace alacarte;
  const std::string path = argc > 1 ? argv[1] : "rents.csv";
  if (argc == 1) write_rents(path);

  Recipe recipe = default_recipe();
  if (argc > 2) recipe.data.target = argv[2];
  TrainFileOptions options;
  options.split.holdout = 0.25;
  const TrainedFile trained = train_from_file(recipe, path, options);

  const std::vector<bool> held_out = held_out_rows(options.split, path, trained.model.schema);
  const Scores scores = evaluate_file(trained.model, path, held_out);
  std::cout << "held-out rows: root mean square error " << std::get<Metrics>(scores.metrics).rmse << " of "
            << trained.model.schema.target_name() << '\n';

  PredictFileOptions output;
  output.out = "predictions.csv";
  output.interval = 0.9;
  std::cout << predict_file(trained.model, path, output) << " rows are in " << output.out << '\n';
  save(trained.model, "rents.alacarte");
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
