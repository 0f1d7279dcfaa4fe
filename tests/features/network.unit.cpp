// The network before a deep kernel's features.
#include "features/network.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace alacarte {
namespace {

Matrix outputs_of(const NetworkShape& shape, const Vector& parameters, const Matrix& x) {
  const PreparedNetwork<double> network(shape, parameters);
  std::vector<double> tape(static_cast<std::size_t>(network.tape_size(x.rows())));
  return network.forward(x, false, tape.data());
}

TEST(Network, ResidualLayersAddToTheirInput) {
  RandomStream stream = RandomStreams(1).stream("network");
  const Matrix x = stream.normals(5 * 3).reshaped(5, 3);
  for (const Activation activation : {Activation::silu, Activation::tanh, Activation::sine}) {
    NetworkShape shape{3, {3, 3}, activation, true};
    EXPECT_EQ(outputs_of(shape, Vector::Zero(shape.parameters()), x), x);
    shape.residual = false;
    EXPECT_EQ(outputs_of(shape, Vector::Zero(shape.parameters()), x), Matrix::Zero(5, 3));
  }
  // A layer of another width has no residual connection.
  const NetworkShape shape{3, {4, 4}, Activation::tanh, true};
  const Vector parameters = stream.normals(shape.parameters());
  const Matrix first = parameters.head(12).reshaped(3, 4), second = parameters.segment(16, 16).reshaped(4, 4);
  const Matrix h = ((x * first).rowwise() + parameters.segment(12, 4).transpose()).array().tanh();
  const Matrix expected = h.array() + ((h * second).rowwise() + parameters.tail(4).transpose()).array().tanh();
  EXPECT_TRUE(outputs_of(shape, parameters, x).isApprox(expected, 1e-12));
}

}  // namespace
}  // namespace alacarte
