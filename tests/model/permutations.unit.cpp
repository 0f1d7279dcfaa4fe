// Permutations (Fastfood paper, remark 8): k categorical columns are the k x k matrix of a permutation, and a
// dot-product kernel of it counts the places where two permutations agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "alacarte/core/error.hpp"
#include "alacarte/model/registered.hpp"
#include "alacarte/train/fit.hpp"

namespace alacarte {
namespace {

struct Permutations {
  Schema schema;
  Dataset rows;
  std::vector<std::vector<int>> orders;
};

/// Returns all orders of 4 items; the target is whether the first two items are neighbours, which no linear function of
/// the matrix represents.
Permutations all_orders() {
  Permutations result;
  std::vector<int> order(4);
  std::iota(order.begin(), order.end(), 0);
  std::string text = "first,second,third,fourth,y\n";
  do {
    result.orders.push_back(order);
    for (const int item : order) text += std::string(1, static_cast<char>('a' + item)) + ",";
    text += std::abs(order[0] - order[1]) == 1 ? "1\n" : "-1\n";
  } while (std::next_permutation(order.begin(), order.end()));
  DataConfig config;
  config.categorical = {"first", "second", "third", "fourth"};
  const auto reader = open_table_from_memory("orders.csv", text, {});
  Schema::prepare(*reader, config);
  const TableChunk table = read_all(*reader);
  result.schema = Schema::learn(*reader, table, config, {});
  result.rows = result.schema.encode(*reader, table, true);
  return result;
}

TEST(Permutations, ColumnsAreTheMatrixAndTheKernelCountsAgreement) {
  const Permutations p = all_orders();
  ASSERT_EQ(p.rows.inputs.rows(), 24);
  ASSERT_EQ(p.rows.inputs.cols(), 16);
  const Matrix agreement = p.rows.inputs * p.rows.inputs.transpose();
  for (std::size_t i = 0; i < 24; ++i)
    for (std::size_t j = 0; j < 24; ++j) {
      int places = 0;
      for (std::size_t k = 0; k < 4; ++k) places += p.orders[i][k] == p.orders[j][k];
      EXPECT_EQ(agreement(static_cast<Index>(i), static_cast<Index>(j)), places);
    }
}

TEST(Permutations, PolynomialLearnsWhatLinearCannot) {
  const Permutations p = all_orders();
  const auto rmse = [&](const std::string& model) {
    Recipe recipe;
    recipe.model = model;
    recipe.scale_inputs = Scaling::none;
    recipe.noise.prior_center = PriorCenter::fixed;
    recipe.training.starts = 2;
    recipe.training.iterations = 30;
    if (model == "polynomial") {
      recipe.features.frequencies = 512;
      recipe.kernel.offset = 0;
    }
    const FittedModel fitted = fit(recipe, p.schema, p.rows, {});
    return std::sqrt((fitted.predict(p.rows.inputs).distribution().mean() - p.rows.target).squaredNorm() / 24.0);
  };
  EXPECT_GT(rmse("linear"), 0.6);
  EXPECT_LT(rmse("polynomial"), 0.3);
}

}  // namespace
}  // namespace alacarte
