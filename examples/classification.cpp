// Learns three classes from a table with text labels, and prints probabilities and a confusion matrix of new rows.
#include <alacarte/alacarte.hpp>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <random>

namespace {

// Three arms of a spiral.
void write_spirals(const std::string& path, int rows, unsigned seed) {
  const char* const names[] = {"red", "green", "blue"};
  std::mt19937 random(seed);
  std::uniform_real_distribution<> uniform;
  std::normal_distribution<> noise(0, 0.15);
  std::ofstream table(path);
  table << "x,y,colour\n";
  for (int i = 0; i < rows; ++i) {
    const double radius = uniform(random), angle = 2.1 * (i % 3) + 3 * radius + noise(random);
    table << radius * std::cos(angle) << ',' << radius * std::sin(angle) << ',' << names[i % 3] << '\n';
  }
}

}  // namespace

int main() try {
  using namespace alacarte;
  write_spirals("spirals.csv", 240, 1);
  write_spirals("new_spirals.csv", 150, 2);

  Recipe recipe = default_recipe(TargetKind::classes);
  recipe.training.seconds = 10;
  const FittedModel model = fit(recipe, read_table("spirals.csv"));

  const Table rows = read_table("new_spirals.csv", model.schema);
  const ClassPrediction prediction = model.predict(rows).classes();
  const std::vector<std::string>& names = model.schema.classes();
  std::cout << std::fixed << std::setprecision(3);
  for (Index i = 0; i < 3; ++i) {
    std::cout << "row " << i + 1 << ':';
    for (std::size_t k = 0; k < names.size(); ++k)
      std::cout << "  p(" << names[k] << ") = " << prediction.values(i, static_cast<Index>(k));
    std::cout << '\n';
  }

  Matrix confusion = Matrix::Zero(model.schema.class_count(), model.schema.class_count());
  const std::vector<Index> labels = prediction.labels();
  for (Index i = 0; i < rows.count(); ++i)
    confusion(static_cast<Index>(rows.rows.target[i]), labels[static_cast<std::size_t>(i)]) += 1;
  std::cout << "accuracy " << confusion.trace() / confusion.sum() << "; rows by class, columns by prediction:\n"
            << std::setprecision(0) << confusion << '\n';
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
