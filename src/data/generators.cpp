#include "generators.hpp"

#include <cmath>

#include "alacarte/core/error.hpp"

namespace alacarte {
namespace {

constexpr double kFriedmanNoise = 1;
constexpr double kArmNoise = 0.05;
constexpr Index kFriedmanInputs = 10;
constexpr Index kArmLinks = 8;

void friedman1(Index rows, RandomStream& stream, Matrix& inputs, Vector& target) {
  require(rows >= 0, "generator: negative number of rows");
  inputs.resize(rows, kFriedmanInputs);
  target.resize(rows);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < kFriedmanInputs; ++j) inputs(i, j) = stream.uniform();
    const auto x = inputs.row(i);
    target[i] = 10 * std::sin(std::numbers::pi * x[0] * x[1]) + 20 * (x[2] - 0.5) * (x[2] - 0.5) + 10 * x[3] +
                5 * x[4] + kFriedmanNoise * stream.normal();
  }
}

void robot_arm(Index rows, RandomStream& stream, Matrix& inputs, Vector& target) {
  require(rows >= 0, "generator: negative number of rows");
  // A point within reach but rarely reached, so that the distance is nonlinear in every joint.
  constexpr double kGoalX = 4, kGoalY = 2;
  inputs.resize(rows, kArmLinks);
  target.resize(rows);
  for (Index i = 0; i < rows; ++i) {
    double direction = 0, x = 0, y = 0;
    for (Index j = 0; j < kArmLinks; ++j) {
      inputs(i, j) = (stream.uniform() - 0.5) * std::numbers::pi / 2;
      direction += inputs(i, j);
      x += std::cos(direction);
      y += std::sin(direction);
    }
    target[i] = std::hypot(x - kGoalX, y - kGoalY) + kArmNoise * stream.normal();
  }
}

std::vector<std::string> numbered(const std::string& stem, Index count) {
  std::vector<std::string> names;
  for (Index j = 1; j <= count; ++j) names.push_back(stem + std::to_string(j));
  return names;
}

}  // namespace

const std::vector<Problem>& problems() {
  static const std::vector<Problem> list = {
      {"friedman1", "10 sin(pi x1 x2) + 20 (x3 - 1/2)^2 + 10 x4 + 5 x5 + noise; x6..x10 say nothing (Friedman 1991)",
       numbered("x", kFriedmanInputs), kFriedmanNoise, &friedman1},
      {"robot-arm",
       "distance of the tip of a planar arm of eight unit links from a point, by its joint angles, + noise",
       numbered("joint", kArmLinks), kArmNoise, &robot_arm}};
  return list;
}

const Problem* find_problem(const std::string& name) {
  for (const Problem& problem : problems())
    if (problem.name == name) return &problem;
  return nullptr;
}

}  // namespace alacarte
