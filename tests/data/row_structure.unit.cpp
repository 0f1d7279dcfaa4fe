// Sinusoids and noise that rows show before any fit.
#include "data/row_structure.hpp"

#include <gtest/gtest.h>
#include <cmath>
#include <functional>
#include <numbers>

#include "alacarte/core/random.hpp"

namespace alacarte::test {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr Index kMaxPeaks = 4;

Matrix uniform_rows(Index rows, Index inputs, RandomStream& stream) {
  Matrix x(rows, inputs);
  for (double& value : x.reshaped()) value = stream.uniform();
  return x;
}

Vector values_of(const Vector& x, const std::function<double(double)>& f, double noise, RandomStream& stream) {
  Vector y(x.size());
  for (Index i = 0; i < y.size(); ++i) y[i] = f(x[i]) + noise * stream.normal();
  return y;
}

std::vector<SpectralPeak> seasons_of(ConstMat x, ConstVec y) {
  return RowStructure{spectral_peaks(x, y, kMaxPeaks), 0}.seasons();
}

TEST(RowStructure, FindsASinusoidAtAnySpacing) {
  RandomStream stream(1);
  constexpr Index kRows = 400;
  for (const bool regular : {true, false})
    for (const double periods : {5.3, 12.7, 40.2, 120.0}) {
      Vector x = uniform_rows(kRows, 1, stream);
      if (regular) x = Vector::LinSpaced(kRows, 0, 1);
      x = 1900 + 60 * x.array();
      const double frequency = 2 * kPi * periods / 60;
      const Vector y = values_of(
          x, [&](double at) { return 3 * std::sin(frequency * at + 0.7); }, 0.5, stream);
      const auto found = spectral_peaks(x, y, kMaxPeaks);
      ASSERT_EQ(found.size(), 1) << regular << ' ' << periods;
      EXPECT_NEAR(found[0].frequency, frequency, 0.005 * frequency);
      EXPECT_NEAR(found[0].periods, periods, 0.03 * periods);
      EXPECT_NEAR(found[0].share, 4.5 / 4.75, 0.03);
      EXPECT_EQ(seasons_of(x, y).size(), 1);
    }
}

TEST(RowStructure, FindsNothingInNoise) {
  int finds = 0;
  for (int seed = 0; seed < 200; ++seed) {
    RandomStream stream(static_cast<std::uint64_t>(seed));
    Matrix x = uniform_rows(200, 2, stream);
    if (seed % 2 == 0) x.col(0) = Vector::LinSpaced(200, 0, 199);
    finds += spectral_peaks(x, stream.normals(200), kMaxPeaks).empty() ? 0 : 1;
  }
  EXPECT_LE(finds, 1);
}

TEST(RowStructure, TrendsStepsAndBumpsAreNoSeasons) {
  RandomStream stream(2);
  const std::vector<std::pair<const char*, std::function<double(double)>>> functions = {
      {"parabola", [](double x) { return 4 * x * x - x; }},
      {"exponential", [](double x) { return std::exp(5 * x) / 50; }},
      {"steep exponential", [](double x) { return std::exp(20 * (x - 1)); }},
      {"cubic", [](double x) { return 10 * (x - 0.1) * (x - 0.5) * (x - 0.9); }},
      {"step", [](double x) { return x > 0.4 ? 1.0 : 0.0; }},
      {"bump", [](double x) { return std::exp(-200 * (x - 0.4) * (x - 0.4)); }},
      {"chirp", [](double x) { return std::sin(80 * x * x); }},
      {"pole", [](double x) { return 0.1 / (x + 0.02); }}};
  for (const auto& [name, f] : functions)
    for (const double noise : {0.0, 0.1}) {
      const Vector random = uniform_rows(400, 1, stream), regular = Vector::LinSpaced(400, 0, 1);
      EXPECT_TRUE(seasons_of(random, values_of(random, f, noise, stream)).empty()) << name << ' ' << noise;
      EXPECT_TRUE(seasons_of(regular, values_of(regular, f, noise, stream)).empty()) << name << ' ' << noise;
    }
}

TEST(RowStructure, PeriodsWithFewRowsAreNoSeasons) {
  // A heavy tail has a long range, but half of the rows are in one period of a sinusoid that follows a bend.
  int peaks = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomStream stream(seed);
    const Vector x = (2 * stream.normals(450).array()).exp();
    const Vector y = values_of(
        x, [](double at) { return std::exp(-2 * at) - 0.5 * std::exp(-at / 3); }, 0.1, stream);
    for (const SpectralPeak& peak : spectral_peaks(x, y, kMaxPeaks)) {
      if (peak.periods < 3 || peak.share < 0.05) continue;
      ++peaks;
      EXPECT_GT(peak.rows, 0.4) << "seed " << seed << ", " << peak.periods << " periods";
    }
    EXPECT_TRUE(seasons_of(x, y).empty());
  }
  EXPECT_GT(peaks, 5);
}

TEST(RowStructure, FindsTwoSinusoidsTheStrongestFirst) {
  RandomStream stream(3);
  const Vector hours = Vector::LinSpaced(1000, 1, 1000);
  const auto f = [](double t) { return 0.5 * std::sin(2 * kPi * t / 8) + std::sin(2 * kPi * t / 24) + 0.002 * t; };
  const auto found = seasons_of(hours, values_of(hours, f, 0.4, stream));
  ASSERT_EQ(found.size(), 2);
  EXPECT_NEAR(2 * kPi / found[0].frequency, 24, 0.1);
  EXPECT_NEAR(2 * kPi / found[1].frequency, 8, 0.02);
  EXPECT_GT(found[0].share, 3 * found[1].share);

  const Matrix x = uniform_rows(500, 3, stream);
  Vector y = values_of(
      x.col(2), [](double at) { return std::sin(2 * kPi * 9 * at); }, 0.2, stream);
  y += 2 * (2 * kPi * 15 * x.col(0).array()).cos().matrix();
  const auto inputs = seasons_of(x, y);
  ASSERT_EQ(inputs.size(), 2);
  EXPECT_EQ(inputs[0].input, 0);
  EXPECT_EQ(inputs[1].input, 2);
  EXPECT_NEAR(inputs[0].periods, 15, 0.2);
  EXPECT_NEAR(inputs[1].periods, 9, 0.2);
}

TEST(RowStructure, CodesHaveNoSeasons) {
  for (const Index levels : {2, 5, 7, 8, 10, 12, 20}) {
    RandomStream stream(4);
    const Vector level = stream.normals(levels);
    Vector x(600), y(600);
    for (Index i = 0; i < x.size(); ++i) {
      x[i] = std::floor(stream.uniform() * static_cast<double>(levels));
      y[i] = level[static_cast<Index>(x[i])] + 0.3 * stream.normal();
    }
    EXPECT_TRUE(spectral_peaks(x, y, kMaxPeaks).empty()) << levels;
  }
}

TEST(RowStructure, RowsThatShareAValueCountTogether) {
  RandomStream stream(5);
  Vector day(900);
  for (Index i = 0; i < day.size(); ++i) day[i] = static_cast<double>(i % 300);
  const auto found = seasons_of(day, values_of(
                                         day, [](double t) { return std::sin(2 * kPi * t / 30); }, 1, stream));
  ASSERT_EQ(found.size(), 1);
  EXPECT_NEAR(2 * kPi / found[0].frequency, 30, 0.15);
}

TEST(RowStructure, NeighboursShowTheNoiseOfOneInput) {
  for (const std::uint64_t seed : {1, 2, 3})
    for (const double noise : {0.05, 0.3}) {
      RandomStream stream(seed);
      const Vector x = uniform_rows(500, 1, stream);
      const Vector y = values_of(
          x, [](double at) { return std::sin(12 * at) + at; }, noise, stream);
      EXPECT_NEAR(neighbour_noise(x, y), noise, 0.1 * noise) << seed;
    }
}

TEST(RowStructure, NeighboursBoundTheNoiseOfSeveralInputs) {
  RandomStream stream(6);
  Matrix x = uniform_rows(500, 3, stream);
  const auto f = [](double at) { return std::sin(6 * at); };
  Vector y = values_of(x.col(0), f, 0.2, stream) + 2 * x.col(1).cwiseProduct(x.col(2));
  const double deviation = std::sqrt((y.array() - y.mean()).square().mean());
  const double bound = neighbour_noise(x, y);
  EXPECT_GT(bound, 0.19);
  EXPECT_LT(bound, 0.5 * deviation);
  // Units and origins of the inputs do not matter.
  x.col(1) = (x.col(1).array() * 1e6 + 1e12).matrix();
  EXPECT_NEAR(neighbour_noise(x, y), bound, 1e-3 * bound);
}

TEST(RowStructure, NeighboursOfNoiseAgreeByChance) {
  for (int seed = 0; seed < 50; ++seed) {
    RandomStream stream(static_cast<std::uint64_t>(seed));
    const Matrix x = uniform_rows(200, 3, stream);
    EXPECT_EQ(neighbour_noise(x, stream.normals(200)), 0) << seed;
  }
}

TEST(RowStructure, FollowsTheScalesOfTheRows) {
  RandomStream stream(7);
  const Vector x = uniform_rows(300, 1, stream);
  const Vector y = values_of(
      x, [](double at) { return std::sin(2 * kPi * 10 * at); }, 0.1, stream);
  const RowStructure raw = find_structure(*MemoryRows::view(x, y), stream);
  ASSERT_EQ(raw.seasons().size(), 1);
  const RowStructure scaled = raw.scaled(Vector::Constant(1, 4.0), 2.0);
  EXPECT_DOUBLE_EQ(scaled.seasons()[0].frequency, 4 * raw.seasons()[0].frequency);
  EXPECT_DOUBLE_EQ(scaled.neighbour_sd, raw.neighbour_sd / 2);
  EXPECT_NEAR(raw.neighbour_sd, 0.1, 0.02);
}

}  // namespace
}  // namespace alacarte::test
