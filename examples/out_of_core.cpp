// Trains on a rows file that is larger than the memory that the training may take: rows are read from the disk in every
// pass. The file is written in chunks; convert_table() makes one from a CSV file.
#include <alacarte/alacarte.hpp>
#include <cmath>
#include <iostream>
#include <random>

namespace {

using namespace alacarte;

constexpr Index kInputs = 8, kRows = 1'000'000, kRowsAtOnce = 50'000;
constexpr double kMemory = 64e6;  // bytes; the file has 72 million

// Waves in the first two inputs, a slope in the third.
Dataset some_rows(std::mt19937& random) {
  std::normal_distribution<> noise(0, 0.2);
  Dataset rows;
  rows.inputs = Matrix::NullaryExpr(kRowsAtOnce, kInputs, [&] { return std::uniform_real_distribution<>()(random); });
  const auto x = rows.inputs.array();
  rows.target = (6 * x.col(0)).sin() * (4 * x.col(1)).cos() + x.col(2);
  for (double& y : rows.target) y += noise(random);
  return rows;
}

}  // namespace

int main() try {
  std::mt19937 random(1);
  RowsFileWriter writer("waves.rows", kInputs, {});
  while (writer.rows() < kRows) writer.add(some_rows(random));
  writer.finish_and_open(Schema::numbers(kInputs), kRows);

  Recipe recipe;
  recipe.model = "ssgpr";
  recipe.features.frequencies = 32;
  recipe.training.starts = 1;
  recipe.training.iterations = 30;
  recipe.training.subsample = 5000;  // of the rows, then twice as many, up to all
  recipe.training.seconds = 10;
  TrainFileOptions options;
  options.memory_bytes = kMemory;
  Job job;
  job.threads = hardware_threads();
  const FittedModel model = train_from_file(recipe, "waves.rows", options, job).model;

  const Dataset fresh = some_rows(random);
  const Vector errors = model.predict(fresh.inputs).distribution().mean() - fresh.target;
  std::cout << "trained within " << kMemory / 1e6 << " MB on " << kRows << " rows; root mean square error on new rows "
            << std::sqrt(errors.squaredNorm() / static_cast<double>(errors.size())) << ", noise 0.2\n";
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
