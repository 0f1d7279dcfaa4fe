// Support vector machines with the linear, the best Gaussian and the min-max kernel (Li 2017, tables 1 to 3), and
// linear ones on hashed features (figures 7 to 11). Prints the accuracy on the test rows and the processor seconds of
// training (without the Gram matrix or the features), one line per setting.
//
//   minmax_svm kernels DATA.csv TRAIN TEST SEED GAMMAS > lines.csv         GAMMAS: all | some of the paper's 58
//   minmax_svm features DATA.csv TRAIN TEST SEED GAMMA LEAST MOST DRAW SOLVER > lines.csv
//
// GAMMA: of the Gaussian kernel; k = LEAST, 2 LEAST .. MOST samples, those of the map's draw DRAW. SOLVER: LIBLINEAR's
// dual one at every C; or primal: the dual one up to C = 1 and the primal one above, where the dual one is slow; or
// warm: as primal, but warm-started over C, with a tolerance ten times smaller. All minimise the same function.
//
// DATA.csv: numbers, no header, the class in the last column; TRAIN and TEST rows are drawn by SEED. The Gaussian
// kernel is the paper's exp(-gamma (1 - rho)), rho the cosine; linear is rho itself. As in the paper, inputs are not
// scaled, and C (and gamma) are reported at their best on the test rows.
#include <libsvm/svm.h>
#include <linear.h>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include "alacarte/core/error.hpp"
#include "alacarte/core/random.hpp"
#include "alacarte/data/table.hpp"
#include "alacarte/model/registered.hpp"
#include "kernel/minmax.hpp"

namespace {

using namespace alacarte;

const std::vector<double> kCosts = {0.01, 0.1, 1, 10, 100, 1000};

struct Rows {
  Matrix x;
  std::vector<double> y;
};

struct Problem {
  Rows train, test;
};

Rows read(const std::string& path) {
  const Matrix table = read_all(*open_table(path, {})).numbers;
  const Vector y = table.rightCols(1);
  return {table.leftCols(table.cols() - 1), {y.begin(), y.end()}};
}

Rows pick(const Rows& rows, const std::vector<std::int32_t>& order, Index first, Index count) {
  Rows result{Matrix(count, rows.x.cols()), {}};
  for (Index i = 0; i < count; ++i) {
    const std::int32_t at = order[static_cast<std::size_t>(first + i)];
    result.x.row(i) = rows.x.row(at);
    result.y.push_back(rows.y[static_cast<std::size_t>(at)]);
  }
  return result;
}

Problem split(const Rows& rows, Index train, Index test, std::uint64_t seed) {
  RandomStream stream(seed);
  const auto order = stream.permutation(rows.x.rows());
  if (train + test > rows.x.rows()) throw ConfigError("TEST", "more rows than there are");
  return {pick(rows, order, 0, train), pick(rows, order, train, test)};
}

Matrix unit_rows(const Matrix& x) {
  const Vector lengths = x.rowwise().norm();
  return (lengths.array() > 0).select(lengths, 1.0).cwiseInverse().asDiagonal() * x;
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void report(const std::string& kernel, double setting, double cost, Index right, std::size_t all, double seconds) {
  std::cout << kernel << ',' << setting << ',' << cost << ','
            << 100 * static_cast<double>(right) / static_cast<double>(all) << ',' << seconds << std::endl;
}

/// Rows of a Gram matrix in LIBSVM's format: the number of the row, then its values.
struct GramRows {
  std::vector<svm_node> nodes;
  std::vector<svm_node*> rows;
  explicit GramRows(const Matrix& gram) {
    const Index width = gram.cols() + 2;
    nodes.resize(static_cast<std::size_t>(gram.rows() * width));
    for (Index i = 0; i < gram.rows(); ++i) {
      svm_node* row = nodes.data() + i * width;
      row[0] = {0, static_cast<double>(i + 1)};
      for (Index j = 0; j < gram.cols(); ++j) row[j + 1] = {static_cast<int>(j + 1), gram(i, j)};
      row[width - 1] = {-1, 0};
      rows.push_back(row);
    }
  }
};

void kernel_machines(const std::string& name, double gamma, const Matrix& train, const Matrix& test, Problem& data) {
  GramRows train_rows(train), test_rows(test);
  svm_problem problem{static_cast<int>(train.rows()), data.train.y.data(), train_rows.rows.data()};
  for (const double cost : kCosts) {
    svm_parameter settings{};
    settings.svm_type = C_SVC;
    settings.kernel_type = PRECOMPUTED;
    settings.cache_size = 200;
    settings.eps = 1e-3;
    settings.C = cost;
    settings.shrinking = 1;
    const double began = processor_seconds();
    svm_model* model = svm_train(&problem, &settings);
    const double seconds = processor_seconds() - began;
    Index right = 0;
    for (std::size_t i = 0; i < data.test.y.size(); ++i)
      right += svm_predict(model, test_rows.rows[i]) == data.test.y[i];
    svm_free_and_destroy_model(&model);
    report(name, gamma, cost, right, data.test.y.size(), seconds);
  }
}

std::vector<double> gammas(bool all) {
  if (!all) return {0.01, 0.1, 0.5, 1, 2, 5, 10, 20, 50, 100, 300, 1000};
  std::vector<double> values = {0.001, 0.01};
  for (int i = 1; i <= 20; ++i) values.push_back(0.1 * i);
  values.push_back(2.5);
  for (int i = 3; i <= 20; ++i) values.push_back(i);
  for (int i = 25; i <= 50; i += 5) values.push_back(i);
  for (int i = 60; i <= 100; i += 10) values.push_back(i);
  for (const double value : {120, 150, 200, 300, 500, 1000}) values.push_back(value);
  return values;
}

void kernels(Problem data, bool all) {
  const Matrix train = unit_rows(data.train.x), test = unit_rows(data.test.x);
  const Matrix cosine = train * train.transpose(), crossed = test * train.transpose();
  kernel_machines("linear", 0, cosine, crossed, data);
  const SparseRows a = to_sparse(data.train.x), b = to_sparse(data.test.x);
  Matrix gram(a.rows(), a.rows()), cross(b.rows(), a.rows());
  minmax_gram(a.view(), a.view(), gram);
  minmax_gram(b.view(), a.view(), cross);
  kernel_machines("minmax", 0, gram, cross, data);
  for (const double gamma : gammas(all))
    kernel_machines("rbf", gamma, (gamma * (cosine.array() - 1)).exp(), (gamma * (crossed.array() - 1)).exp(), data);
}

/// Rows of features in LIBLINEAR's format, with a constant.
struct FeatureRows {
  std::vector<feature_node> nodes;
  std::vector<feature_node*> rows;
  FeatureRows(const PreparedMap& map, bool sparse, Index features, const Matrix& x) {
    SparseRows psi;
    if (sparse) {
      map.forward(x, psi);
    } else {
      Matrix dense(x.rows(), features);
      map.forward(x, dense);
      to_sparse(dense, psi);
    }
    for (Index i = 0; i < psi.rows(); ++i) {
      for (Index e = psi.starts[static_cast<std::size_t>(i)]; e < psi.starts[static_cast<std::size_t>(i) + 1]; ++e) {
        const auto at = static_cast<std::size_t>(e);
        nodes.push_back({static_cast<int>(psi.columns[at] + 1), psi.values[at]});
      }
      nodes.push_back({static_cast<int>(features + 1), 1});
      nodes.push_back({-1, 0});
    }
    rows.resize(static_cast<std::size_t>(x.rows()));
    std::size_t at = 0;
    for (feature_node*& row : rows) {
      row = nodes.data() + at;
      while (nodes[at++].index != -1) {
      }
    }
  }
};

void linear_machines(const std::string& name, const Recipe& recipe, const Vector& theta, const Matrix& train,
                     const Matrix& test, Problem& data, double setting, std::uint64_t draw, const std::string& solver) {
  const ModelFunction made = make_function(recipe, train.cols(), RandomStreams(draw), TrainingStatistics());
  const auto map = made.map->prepare(theta);
  const Index features = made.map->feature_count();
  const bool sparse = made.map->sparse_support().features;
  FeatureRows train_rows(*map, sparse, features, train), test_rows(*map, sparse, features, test);
  problem all{static_cast<int>(train.rows()), static_cast<int>(features + 1), data.train.y.data(),
              train_rows.rows.data(), 1};
  const bool warm = solver == "warm";
  if (warm) std::srand(1);  // fixes the dual solver's order of rows, so that each k is independent of earlier ones
  model* trained = nullptr;
  for (const double cost : {0.1, 1.0, 10.0, 100.0}) {
    parameter settings{};
    const bool by_primal = solver != "dual" && cost > 1;
    settings.solver_type = by_primal ? L2R_L2LOSS_SVC : L2R_L2LOSS_SVC_DUAL;
    settings.eps = by_primal ? (warm ? 0.001 : 0.01) : 0.1;  // LIBLINEAR's defaults, except for warm
    settings.C = cost;
    if (by_primal && warm) settings.init_sol = trained->w;
    const double began = processor_seconds();
    model* const next = ::train(&all, &settings);
    const double seconds = processor_seconds() - began;
    free_and_destroy_model(&trained);  // nothing at the first cost
    trained = next;
    Index right = 0;
    for (std::size_t i = 0; i < data.test.y.size(); ++i) right += predict(trained, test_rows.rows[i]) == data.test.y[i];
    report(name, setting, cost, right, data.test.y.size(), seconds);
  }
  free_and_destroy_model(&trained);
}

void features(Problem data, double gamma, Index least, Index most, std::uint64_t draw, const std::string& solver) {
  if (least < 1) throw ConfigError("LEAST", "must be a number from 1 on");
  const Matrix train = unit_rows(data.train.x), test = unit_rows(data.test.x);
  Recipe recipe;
  recipe.model = "linear";
  linear_machines("linear", recipe, Vector::Constant(1, 0.5 * std::log(static_cast<double>(train.cols()))), train, test,
                  data, 0, draw, solver);
  for (Index k = least; k <= most; k *= 2) {
    recipe = {};
    recipe.model = "gcws";
    recipe.features.samples = k;
    for (const Index bits : {1, 2, 4, 8}) {
      recipe.features.bits = bits;
      linear_machines("gcws-" + std::to_string(bits), recipe, Vector::Zero(1), data.train.x, data.test.x, data,
                      static_cast<double>(k), draw, solver);
    }
    recipe = {};
    recipe.model = "rbf";
    recipe.features.draws = DirectionSource::gaussian;
    recipe.features.phase = PhaseFeatures::offset;
    recipe.features.normalized = true;
    recipe.features.frequencies = k;
    linear_machines("nrff", recipe, Eigen::Vector2d(-0.5 * std::log(gamma), 0), train, test, data,
                    static_cast<double>(k), draw, solver);
  }
}

void quiet(const char*) {}

}  // namespace

int main(int count, char** values) {
  const std::string mode = count > 1 ? values[1] : "";
  const std::string solver = mode == "features" && count == 11 ? values[10] : "";
  if (!(mode == "kernels" && count == 7) && solver != "dual" && solver != "primal" && solver != "warm") {
    std::cerr << "minmax_svm kernels DATA.csv TRAIN TEST SEED all|some\n"
                 "minmax_svm features DATA.csv TRAIN TEST SEED GAMMA LEAST MOST DRAW dual|primal|warm\n";
    return 1;
  }
  svm_set_print_string_function(quiet);
  set_print_string_function(quiet);
  try {
    const Problem data =
        split(read(values[2]), std::atol(values[3]), std::atol(values[4]), std::strtoull(values[5], nullptr, 10));
    std::cout << "kernel,setting,cost,accuracy,seconds\n";
    if (mode == "kernels")
      kernels(data, std::string(values[6]) == "all");
    else
      features(data, std::atof(values[6]), std::atol(values[7]), std::atol(values[8]),
               std::strtoull(values[9], nullptr, 10), solver);
  } catch (const std::exception& error) {
    std::cerr << "minmax_svm: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
