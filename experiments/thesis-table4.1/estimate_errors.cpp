// Errors of kernel estimates as in Sivertsen (2014), section 4.1: over 10000 pairs of rows uniform in [0, 1]^16, the
// mean of |estimate - kernel| and, over the pairs where it is at most 100 %, of |estimate - kernel| / kernel; one line
// per map, number D and run.
//
//   estimate_errors [RUNS] [MOST] > errors.csv          RUNS 16, D = 16, 32, .. MOST 8192
//   estimate_errors sparsity [RUNS] > sparsity.csv      figure 4.7: D = 128, 40 inputs of which more and more are zero
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>

#include "alacarte/core/error.hpp"
#include "alacarte/core/random.hpp"
#include "alacarte/features/feature_map.hpp"
#include "alacarte/model/registered.hpp"

namespace {

using namespace alacarte;

constexpr Index kPairs = 10000, kChunk = 250;

using KernelOf = std::function<double(double square, double product)>;  // arguments |x - y|^2 and x.y

struct Method {
  std::string name;
  Recipe recipe;
  Vector theta;
  KernelOf kernel;
};

/// Returns the Gaussian kernel exp(-|x - y|^2 / (2 sigma^2)) on D frequencies.
Method fastfood(const std::string& name, double sigma, const std::string& phase, bool normalized) {
  Method method{name, {}, Eigen::Vector2d(std::log(sigma), 0), [=](double square, double) {
                  return std::exp(-0.5 * square / (sigma * sigma));
                }};
  method.recipe.model = "rbf";
  method.recipe.features.phase = from_word<PhaseFeatures>(phase).value();
  method.recipe.features.normalized = normalized;
  return method;
}

/// Returns the kernel (x.y)^degree.
Method sketch(const std::string& name, Index degree, const std::string& buckets) {
  Method method{name, {}, Vector::Zero(1), [=](double, double product) {
                  return std::pow(product, static_cast<double>(degree));
                }};
  method.recipe.model = "tensor-sketch";
  method.recipe.kernel.degree = degree;
  method.recipe.kernel.offset = 0;
  method.recipe.features.buckets = from_word<SketchBuckets>(buckets).value();
  method.recipe.features.learn_lengthscale = false;
  return method;
}

struct Errors {
  double absolute = 0, relative = 0, within = 0;
};

Errors errors_of(const PreparedMap& map, Index features, const KernelOf& kernel, ConstMat x, ConstMat y) {
  Matrix psi(kChunk, features), other(kChunk, features);
  Errors errors;
  for (Index first = 0; first < x.rows(); first += kChunk) {
    const auto a = x.middleRows(first, kChunk), b = y.middleRows(first, kChunk);
    map.forward(a, psi);
    map.forward(b, other);
    for (Index i = 0; i < kChunk; ++i) {
      const double exact = kernel((a.row(i) - b.row(i)).squaredNorm(), a.row(i).dot(b.row(i)));
      const double wrong = std::abs(psi.row(i).dot(other.row(i)) - exact);
      errors.absolute += wrong / static_cast<double>(x.rows());
      if (wrong > exact) continue;
      errors.relative += wrong / exact;
      errors.within += 1;
    }
  }
  errors.relative /= errors.within;
  errors.within /= static_cast<double>(x.rows());
  return errors;
}

void measure(Method method, Index size, std::uint64_t run, ConstMat x, ConstMat y) {
  (method.recipe.model == "rbf" ? method.recipe.features.frequencies : method.recipe.features.sketch) = size;
  const ModelFunction made = make_function(method.recipe, x.cols(), RandomStreams(run), TrainingStatistics());
  const Errors errors = errors_of(*made.map->prepare(method.theta), made.map->feature_count(), method.kernel, x, y);
  std::cout << method.name << ',' << size << ',' << run << ',' << errors.absolute << ',' << errors.relative << ','
            << errors.within << '\n';
}

Matrix uniform_rows(Index rows, Index inputs, RandomStream& stream) {
  Matrix x(rows, inputs);
  for (Index i = 0; i < x.size(); ++i) x.data()[i] = stream.uniform();
  return x;
}

void by_size(int runs, Index most) {
  std::cout << "map,features,run,absolute,relative,within\n";
  const std::vector<Method> methods = {
      fastfood("fastfood", 2, "pair", false),          sketch("tensor-sketch", 2, "random"),
      sketch("tensor-sketch-balanced", 2, "balanced"), fastfood("z-sigma3", 3, "pair", false),
      fastfood("offset-sigma3", 3, "offset", false),   fastfood("offset-normalized-sigma3", 3, "offset", true)};
  for (Index size = 16; size <= most; size *= 2)
    for (int run = 0; run < runs; ++run) {
      RandomStream stream(1000 + static_cast<std::uint64_t>(run));
      const Matrix x = uniform_rows(kPairs, 16, stream), y = uniform_rows(kPairs, 16, stream);
      for (const Method& method : methods) measure(method, size, static_cast<std::uint64_t>(run), x, y);
    }
}

// Zeroes the last inputs and enlarges the others to keep x.y, and so the kernel, on average.
void by_sparsity(int runs) {
  constexpr Index kInputs = 40, kPoints = 5000;
  std::cout << "map,zeros,run,absolute,relative,within\n";
  for (Index zeros = 0; zeros < kInputs; zeros += 3)
    for (int run = 0; run < runs; ++run) {
      RandomStream stream(2000 + static_cast<std::uint64_t>(run));
      Matrix x = uniform_rows(kPoints, kInputs, stream), y = uniform_rows(kPoints, kInputs, stream);
      const double factor = std::sqrt(static_cast<double>(kInputs) / static_cast<double>(kInputs - zeros));
      for (Matrix* rows : {&x, &y}) {
        *rows *= factor;
        rows->rightCols(zeros).setZero();
      }
      for (const char* buckets : {"random", "balanced"}) {
        Method method = sketch(buckets, 2, buckets);
        method.recipe.features.sketch = 128;
        const ModelFunction made =
            make_function(method.recipe, kInputs, RandomStreams(static_cast<std::uint64_t>(run)), TrainingStatistics());
        const Errors errors = errors_of(*made.map->prepare(method.theta), 128, method.kernel, x, y);
        std::cout << buckets << ',' << zeros << ',' << run << ',' << errors.absolute << ',' << errors.relative << ','
                  << errors.within << '\n';
      }
    }
}

}  // namespace

int main(int count, char** values) {
  try {
    if (count > 1 && std::string(values[1]) == "sparsity")
      by_sparsity(count > 2 ? std::atoi(values[2]) : 200);
    else
      by_size(count > 1 ? std::atoi(values[1]) : 16, count > 2 ? std::atol(values[2]) : 8192);
  } catch (const std::exception& error) {
    std::cerr << "estimate_errors: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
