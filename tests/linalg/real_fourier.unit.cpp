#include "linalg/fourier.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace alacarte {
namespace {

TEST(RealFourier, IsTheSumThatDefinesIt) {
  for (const Index length : {1, 2, 7, 16, 60}) {
    const RealFourier fourier(length);
    Vector x(length), back(length);
    for (Index j = 0; j < length; ++j) x[j] = std::cos(3.0 * static_cast<double>(j * j) + 1);
    const Vector before = x;
    Eigen::VectorXcd spectrum(fourier.spectrum_size());
    fourier.forward(x.data(), spectrum.data());
    EXPECT_EQ(x, before);
    for (Index k = 0; k < fourier.spectrum_size(); ++k) {
      std::complex<double> sum = 0;
      for (Index j = 0; j < length; ++j)
        sum += x[j] * std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(j * k) / static_cast<double>(length));
      EXPECT_LT(std::abs(spectrum[k] - sum), 1e-12) << length << " " << k;
    }
    fourier.backward(spectrum.data(), back.data());
    EXPECT_LT((back - static_cast<double>(length) * x).cwiseAbs().maxCoeff(), 1e-12);
  }
}

}  // namespace
}  // namespace alacarte
