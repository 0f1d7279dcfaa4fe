#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "data/generators.hpp"
#include "data/splits.hpp"
#include "data/support.hpp"
#include "io/documents.hpp"

namespace alacarte {
namespace {

using data_test::message_of;
using data_test::TemporaryFolder;

TEST(Standardizer, LearnsEachScaling) {
  const Matrix x = (Matrix(3, 2) << 1, 7, 2, 7, 6, 7).finished();
  const Vector y = Vector({{1.0, 2.0, 3.0}});
  const Matrix z = Standardizer::learn(x, y, Scaling::zscore, TargetScaling::none).inputs(x);
  EXPECT_NEAR(z.col(0).mean(), 0, 1e-15);
  EXPECT_NEAR(z.col(0).squaredNorm(), 2, 1e-14);
  EXPECT_EQ(z.col(1), Vector::Zero(3));
  const Matrix unit = Standardizer::learn(x, y, Scaling::range, TargetScaling::none).inputs(x);
  EXPECT_EQ(unit, (Matrix(3, 2) << 0, 0, 0.2, 0, 1, 0).finished());
  EXPECT_EQ(Standardizer::learn(x, y, Scaling::center, TargetScaling::none).inputs(x).col(0),
            Vector({{-2.0, -1.0, 3.0}}));
  EXPECT_EQ(Standardizer::learn(x, y, Scaling::none, TargetScaling::none).inputs(x), x);
  const Standardizer target = Standardizer::learn(x, y, Scaling::none, TargetScaling::zscore);
  EXPECT_EQ(target.target_shift(), 2);
  EXPECT_EQ(target.target_scale(), 1);
  EXPECT_EQ(target.target(y), Vector({{-1.0, 0.0, 1.0}}));
}

TEST(Standardizer, SurvivesAnyMagnitudeAndConstantColumns) {
  Matrix x(3, 4);
  x << 1e200, 5e-324, 0.1, 1e308, 2e200, 1e-323, 0.1, -1e307, 3e200, 0, 0.1, 1e308;
  for (const Scaling scaling : {Scaling::zscore, Scaling::range, Scaling::center, Scaling::none}) {
    const Standardizer standardizer =
        Standardizer::learn(x, Vector::Ones(3), scaling, static_cast<TargetScaling>(scaling));
    EXPECT_TRUE(standardizer.inputs(x).allFinite());
    EXPECT_TRUE((standardizer.input_scale().array() > 0).all());
    EXPECT_EQ(standardizer.input_scale()[2], 1);
  }
  EXPECT_EQ(Standardizer::learn(x, Vector::Ones(3), Scaling::zscore, TargetScaling::zscore).inputs(x).col(0),
            Vector({{-1.0, 0.0, 1.0}}));
  const Matrix one = Matrix::Constant(1, 1, 3.0);
  EXPECT_EQ(Standardizer::learn(one, Vector::Ones(1), Scaling::zscore, TargetScaling::zscore).inputs(one)(0, 0), 0);
  Matrix beyond(2, 1);
  beyond << -1.7e308, 1.7e308;
  EXPECT_EQ(message_of<NumericalError>(
                [&] { Standardizer::learn(beyond, Vector::Ones(2), Scaling::range, TargetScaling::none); }),
            "standardise: input column 0 spans more than the range of doubles");
  EXPECT_THROW(Standardizer::learn(Matrix(0, 2), Vector(0), Scaling::zscore, TargetScaling::zscore),
               std::invalid_argument);
}

TEST(Standardizer, CountsInputsOutsideTheTrainingRange) {
  const Matrix x = (Matrix(2, 2) << 0, 0, 1, 10).finished();
  const Standardizer standardizer = Standardizer::learn(x, Vector::Zero(2), Scaling::zscore, TargetScaling::zscore);
  const Matrix probe = (Matrix(3, 2) << 0.5, 10, 1.5, 5, -1, 11).finished();
  EXPECT_EQ(standardizer.share_outside(probe), Vector({{0.0, 0.5, 1.0}}));
}

TEST(Standardizer, JsonRoundTripIsBitExact) {
  const Matrix x = Matrix::Random(50, 7).array() * 1e-7 + 1.0 / 3;
  const Standardizer learned = Standardizer::learn(x, Vector::Random(50), Scaling::zscore, TargetScaling::zscore);
  const nlohmann::json document = to_json(learned);
  const Standardizer back = standardizer_from_json(nlohmann::json::parse(document.dump()));
  EXPECT_EQ(back.inputs(x), learned.inputs(x));
  EXPECT_EQ(back.target_shift(), learned.target_shift());
  EXPECT_EQ(back.target_scale(), learned.target_scale());
  const auto error = [&](const char* key, const nlohmann::json& value) {
    nlohmann::json changed = document;
    changed[key] = value;
    return message_of<IoError>([&] { standardizer_from_json(changed); });
  };
  EXPECT_EQ(error("scale", {1, 2}), "model file: standardizer: lists of different lengths");
  EXPECT_EQ(error("target_scale", 0), "model file: standardizer: a scale is not positive");
  EXPECT_EQ(error("shift", "x"), "model file: standardizer: 'shift' is not a list");
  EXPECT_EQ(error("shift", {nullptr}), "model file: standardizer: 'shift' holds something that is not a finite number");
  EXPECT_EQ(error("more", 1), "model file: standardizer: unknown key 'more'");
}

TEST(Splits, ReadsOneFoldOfAMask) {
  TemporaryFolder folder;
  const std::string path = folder.write("m.csv", "0,1\n1,0\n0,0\n");
  EXPECT_EQ(read_mask(path, 0, 3), (std::vector<bool>{false, true, false}));
  EXPECT_EQ(read_mask(path, 1, 3), (std::vector<bool>{true, false, false}));
  EXPECT_EQ(count_mask_folds(path), 2);
  EXPECT_EQ(message_of<ConfigError>([&] { read_mask(path, 2, 3); }),
            "fold: there is no fold 2 in " + path + "; it has 2, counted from 0");
  EXPECT_EQ(message_of<DataError>([&] { read_mask(path, 0, 4); }), path + ": the mask has 3 rows, the data have 4");
  EXPECT_EQ(message_of<DataError>([&] { read_mask(path, 0, 2); }),
            path + ": the mask has more rows than the 2 of the data");
  const std::string bad = folder.write("b.csv", "0,1\n1,0.5\n");
  EXPECT_EQ(message_of<DataError>([&] { read_mask(bad, 1, 2); }),
            bad + ": row 2, column 2: a mask holds only 0 (train) and 1 (test)");
  const std::string all = folder.write("a.csv", "0,1\n0,1\n");
  EXPECT_EQ(message_of<DataError>([&] { read_mask(all, 0, 2); }), all + ": column 1: the fold has no test row");
  EXPECT_EQ(message_of<DataError>([&] { read_mask(all, 1, 2); }), all + ": column 2: the fold has no training row");
}

TEST(Splits, FoldsPartitionTheRowsNearEqually) {
  for (const Index rows : {Index{7}, Index{100}, Index{103}}) {
    const Index folds = 7;
    std::vector<int> hits(static_cast<std::size_t>(rows), 0);
    for (Index fold = 0; fold < folds; ++fold) {
      const auto test = k_fold(rows, folds, fold, 11);
      EXPECT_EQ(test, k_fold(rows, folds, fold, 11));
      const auto size = std::count(test.begin(), test.end(), true);
      EXPECT_TRUE(size == rows / folds || size == rows / folds + 1);
      for (std::size_t i = 0; i < hits.size(); ++i) hits[i] += test[i] ? 1 : 0;
    }
    EXPECT_EQ(hits, std::vector<int>(static_cast<std::size_t>(rows), 1));
  }
  EXPECT_NE(k_fold(100, 5, 0, 1), k_fold(100, 5, 0, 2));
  EXPECT_THROW(k_fold(3, 4, 0, 1), ConfigError);
  EXPECT_THROW(k_fold(3, 1, 0, 1), ConfigError);
  EXPECT_THROW(k_fold(3, 3, 3, 1), ConfigError);
}

TEST(Splits, HoldOutKeepsARowOnEitherSide) {
  const auto count = [](Index rows, double share) {
    const auto test = hold_out(rows, share, 5);
    return std::count(test.begin(), test.end(), true);
  };
  EXPECT_EQ(count(100, 0.2), 20);
  EXPECT_EQ(count(2, 0.001), 1);
  EXPECT_EQ(count(2, 0.999), 1);
  EXPECT_THROW(hold_out(1, 0.5, 1), ConfigError);
  EXPECT_THROW(hold_out(10, 0, 1), ConfigError);
  EXPECT_THROW(hold_out(10, NAN, 1), ConfigError);
}

TEST(Generators, AreNamedAndRepeatable) {
  EXPECT_EQ(find_problem("no"), nullptr);
  for (const Problem& problem : problems()) {
    ASSERT_EQ(find_problem(problem.name), &problem);
    Matrix x, more_x;
    Vector y, more_y;
    RandomStream one(3), two(3);
    problem.generate(50, one, x, y);
    problem.generate(80, two, more_x, more_y);
    EXPECT_EQ(static_cast<std::size_t>(x.cols()), problem.input_names.size());
    EXPECT_EQ(x, more_x.topRows(50));
    EXPECT_EQ(y, more_y.head(50));
    EXPECT_GT(problem.noise_sd, 0);
  }
}

TEST(Generators, NoiseHasTheStatedSize) {
  // Fixed seed; 4000 rows put the estimate within 5 % of the truth with a false-alarm rate below 1e-5.
  Matrix x;
  Vector y;
  RandomStream stream(9);
  find_problem("friedman1")->generate(4000, stream, x, y);
  const auto a = x.array();
  const Vector clean = (10 * (3.14159265358979323846 * a.col(0) * a.col(1)).sin() + 20 * (a.col(2) - 0.5).square() +
                        10 * a.col(3) + 5 * a.col(4))
                           .matrix();
  EXPECT_NEAR((y - clean).norm() / std::sqrt(4000.0), 1, 0.05);
  find_problem("robot-arm")->generate(4000, stream, x, y);
  Vector distance(4000);
  for (Index i = 0; i < 4000; ++i) {
    double angle = 0, px = -4, py = -2;
    for (Index j = 0; j < 8; ++j) px += std::cos(angle += x(i, j)), py += std::sin(angle);
    distance[i] = std::sqrt(px * px + py * py);
  }
  EXPECT_NEAR((y - distance).norm() / std::sqrt(4000.0), 0.05, 0.0025);
}

}  // namespace
}  // namespace alacarte
