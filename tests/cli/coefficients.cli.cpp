// Output of alacarte train and inspect for a linear model.
#include <cmath>

#include "cli/program_test.hpp"

namespace alacarte::test {
namespace {

using Json = nlohmann::json;

class Coefficients : public ProgramTest {};

TEST_F(Coefficients, AreInTheUnitsOfTheColumns) {
  std::string rows = "area,rooms,price\n";
  for (int i = 0; i < 60; ++i) {
    const double area = 50 + (i * 37) % 100, rooms = i % 5 + 1;
    rows += std::to_string(area) + "," + std::to_string(rooms) + "," +
            std::to_string(1000 + 30 * area - 200 * rooms + (i * 7) % 11 - 5) + "\n";
  }
  const std::string model = folder_ / "linear.model";
  const RunResult trained = must({"train", "linear", "--data", folder_.write("houses.csv", rows), "--model", model});
  EXPECT_TRUE(has(trained.err, "coefficients, in units of 'price'")) << trained.err;
  EXPECT_TRUE(has(trained.err, "(intercept)")) << trained.err;
  const Json told = Json::parse(must({"inspect", model, "--json"}).out)["coefficients"];
  EXPECT_NEAR(told["inputs"][0]["value"].get<double>(), 30, 0.2);
  EXPECT_NEAR(told["inputs"][1]["value"].get<double>(), -200, 3);
  EXPECT_NEAR(told["intercept"].get<double>(), 1000, 20);
  EXPECT_GT(told["inputs"][0]["sd"].get<double>(), 0);
  EXPECT_LT(told["inputs"][0]["sd"].get<double>(), 0.1);
  EXPECT_TRUE(has(must({"inspect", model}).out, "coefficients"));
  // The terms sum to the prediction.
  const std::string one = folder_.write("one.csv", "area,rooms\n83,4\n");
  const double mean = std::stod(cells_of(must({"predict", model, "--data", one, "--out", "-", "--quiet"}).out)[1][0]);
  EXPECT_NEAR(mean,
              told["intercept"].get<double>() + 83 * told["inputs"][0]["value"].get<double>() +
                  4 * told["inputs"][1]["value"].get<double>(),
              1e-9 * std::abs(mean));
}

TEST_F(Coefficients, OnlyOfLinearModels) {
  const Json told = Json::parse(must({"inspect", quick_model(), "--json"}).out);
  EXPECT_FALSE(told.contains("coefficients"));
}

}  // namespace
}  // namespace alacarte::test
