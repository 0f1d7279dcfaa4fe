#include "alacarte/model/fitted_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/io/model_file.hpp"
#include "io/documents.hpp"
#include "support/small_model.hpp"

namespace alacarte {
namespace {

Matrix new_rows(Index count) {
  RandomStream stream(17);
  Matrix raw(count, 2);
  for (Index i = 0; i < count; ++i) raw.row(i) << stream.normal(), 100 + 20 * stream.normal();
  return raw;
}

class EveryModel : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryModel, LoadsFromBytesAndPredictsTheSameBits) {
  for (const Index rows : {40, 9}) {  // more and fewer rows than features
    const SmallProblem problem = small_problem(rows);
    const FittedModel model = small_model({GetParam()}, problem);
    const Matrix raw = new_rows(600);
    const PredictiveDistribution before = model.predict(raw).distribution();
    for (const int threads : {1, 2}) {
      const FittedModel loaded = FittedModel::load(parse_bundle(serialize_bundle(model.save()), "test"));
      PredictOptions options;
      options.threads = threads;
      const PredictiveDistribution after = loaded.predict(raw, options).distribution();
      EXPECT_EQ(before.component_means(), after.component_means());
      EXPECT_EQ(before.component_variances(), after.component_variances());
      EXPECT_EQ(loaded.seed, model.seed);
      EXPECT_EQ(loaded.members[0].theta, model.members[0].theta);
      EXPECT_EQ(to_json(loaded.members[0].summary), to_json(model.members[0].summary));
      EXPECT_EQ(to_json(loaded.training), to_json(model.training));
      EXPECT_EQ(loaded.draws(raw.topRows(5), 3, 1), model.draws(raw.topRows(5), 3, 1));
    }
    EXPECT_LT((before.mean() - model.standardizer.target_shift() * Vector::Ones(600)).cwiseAbs().maxCoeff(), 100);
    const FittedModel mean_only = FittedModel::load(model.save(true));
    EXPECT_FALSE(mean_only.has_variance());
    PredictOptions means;
    means.variance = false;
    EXPECT_EQ(mean_only.predict(raw, means).distribution().component_means(), before.component_means());
    EXPECT_THROW(mean_only.predict(raw), NumericalError);
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryModel, ::testing::ValuesIn(registered_models()), [](const auto& info) {
  std::string name = info.param;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

TEST(FittedModel, MixtureInTheUnitsOfTheTarget) {
  const SmallProblem problem = small_problem(40);
  const FittedModel model = small_model({"exact-ard", "exact-rbf", "exact-matern"}, problem);
  const Matrix raw = new_rows(6);
  const PredictiveDistribution p = model.predict(raw).distribution();
  EXPECT_EQ(p.component_count(), 3);
  EXPECT_TRUE(p.with_noise());
  EXPECT_NEAR(p.mean().mean(), 60, 10);
  const Matrix covariance = model.covariance(raw, false);
  EXPECT_LT((covariance.diagonal() - p.variance()).cwiseAbs().maxCoeff(), 1e-8);
  PredictOptions latent;
  latent.latent = true;
  const PredictiveDistribution f = model.predict(raw, latent).distribution();
  EXPECT_FALSE(f.with_noise());
  EXPECT_LT((model.covariance(raw, true).diagonal() - f.variance()).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_TRUE((f.variance().array() < p.variance().array()).all());
  const Matrix draws = model.draws(raw, 7, 5);
  EXPECT_EQ(draws.cols(), 7);
  EXPECT_TRUE(draws.allFinite());
  EXPECT_EQ(model.draws(raw, 2, 5), Matrix(draws.leftCols(2)));
  EXPECT_EQ(model.draws(raw, 0, 5).size(), 0);
  EXPECT_EQ(model.predict(Matrix(0, 2)).distribution().rows(), 0);
}

TEST(FittedModel, WeightsOfAMixtureAreKeptAndUsedEverywhere) {
  const SmallProblem problem = small_problem(40);
  FittedModel model = small_model({"exact-ard", "exact-rbf", "exact-matern"}, problem);
  const Matrix raw = new_rows(6);
  const Matrix means = model.predict(raw).distribution().component_means();
  Vector weights(3);
  weights << 1.5, 0.5, 1;
  for (std::size_t j = 0; j < 3; ++j) model.members[j].weight = weights[static_cast<Index>(j)];
  const PredictiveDistribution p = model.predict(raw).distribution();
  EXPECT_LT((p.mean() - means * weights / 3).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((model.covariance(raw, false).diagonal() - p.variance()).cwiseAbs().maxCoeff(), 1e-8);
  OneRowWorkspace workspace = model.one_row_workspace();
  const OneRowPrediction& one = model.predict_one(raw.row(0).transpose(), workspace);
  EXPECT_NEAR(one.mean, p.mean()[0], 1e-9 * std::abs(one.mean));
  EXPECT_NEAR(one.variance, p.variance()[0], 1e-9 * one.variance);
  // Six draws are three, one and two of the members.
  const Matrix draws = model.draws(raw, 6, 5);
  model.members.resize(1);
  model.members[0].weight = 1;
  const Matrix own = model.draws(raw, 3, 5);
  Index found = 0;
  for (Index c = 0; c < 6; ++c)
    for (Index k = 0; k < 3; ++k) found += draws.col(c) == own.col(k);
  EXPECT_EQ(found, 3);
}

TEST(FittedModel, WeightsAreInTheModelFile) {
  const SmallProblem problem = small_problem(40);
  FittedModel model = small_model({"exact-ard", "exact-rbf"}, problem);
  EXPECT_FALSE(model.save().document["members"][0].contains("weight"));
  model.members[0].weight = 1.25;
  model.members[1].weight = 0.75;
  const ModelFile file = model.save();
  const Matrix raw = new_rows(3);
  EXPECT_EQ(FittedModel::load(file).predict(raw).distribution().mean(), model.predict(raw).distribution().mean());
  for (const nlohmann::json& wrong : {nlohmann::json("much"), nlohmann::json(-1.0), nlohmann::json(1.5)}) {
    ModelFile bad = file;
    bad.document["members"][0]["weight"] = wrong;
    EXPECT_THROW(FittedModel::load(bad), IoError) << wrong;
  }
}

TEST(FittedModel, BrokenDocumentsAreIoErrors) {
  const ModelFile good = small_model({"exact-ard"}, small_problem(12)).save();
  EXPECT_NO_THROW(FittedModel::load(good));
  const auto broken = [&](const std::string& pointer, const nlohmann::json& value) {
    ModelFile bad = good;
    bad.document[nlohmann::json::json_pointer(pointer)] = value;
    EXPECT_THROW(FittedModel::load(bad), IoError) << pointer;
  };
  for (const auto& item : good.document.items()) {
    ModelFile bad = good;
    bad.document.erase(item.key());
    EXPECT_THROW(FittedModel::load(bad), IoError) << item.key();
    if (item.key() != "training") broken("/" + item.key(), 3.5);
  }
  broken("/members", nlohmann::json::array());
  broken("/members/0", nullptr);
  broken("/members/0/model", "exact-rbf");
  broken("/members/0/recipe/model", "no-such-model");
  broken("/members/0/recipe/unknown", 1);
  broken("/standardizer/shift", nlohmann::json::array({1.0}));
  broken("/seed", -1);
  for (const auto& [name, tensor] : good.tensors) {
    ModelFile bad = good;
    bad.tensors.erase(name);
    if (name.find("posterior/factor") != std::string::npos) {
      EXPECT_FALSE(FittedModel::load(bad).has_variance());
    } else {
      EXPECT_THROW(FittedModel::load(bad), IoError) << name;
    }
  }
  EXPECT_THROW(FittedModel::load(ModelFile{}), IoError);
}

}  // namespace
}  // namespace alacarte
