// Fits that see their inputs through curves (scale.inputs), from the rows to predictions, files, slopes and updates.
#include "app/fits_behind_inputs.hpp"

namespace alacarte {
namespace {

constexpr const char* kMixture =
    R"({"model": "mixture", "weights": "leave-one-out", "members": [
        {"model": "exact-ard"}, {"model": "exact-ard", "scale": {"inputs": "normal-scores"}},
        {"model": "ssgpr", "scale": {"inputs": "asinh"}, "features": {"frequencies": 16}}]})";

/// Rows whose target is the logarithm of a sum of two lognormal inputs, beside a useless one.
class CurvedInputs : public test::FitsBehindInputs {
 protected:
  std::string table_text(Index rows, std::uint64_t seed, const std::string& kind) const override {
    RandomStream stream = RandomStreams(seed).stream("table");
    std::string text = "a,b,c,y\n";
    for (Index i = 0; i < rows; ++i) {
      const double a = std::exp(1.5 * stream.normal()), b = std::exp(1.5 * stream.normal()), c = stream.normal();
      const double y = std::log(a + b) + 0.02 * stream.normal();
      const std::string target = kind == "number" ? std::to_string(y) : y > 0.5 ? "high" : "low";
      text += std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(c) + "," + target + "\n";
    }
    return text;
  }
};

TEST_F(CurvedInputs, FindAFunctionOfSkewedInputsThatTheirScaleHides) {
  const Table rows = table(300, 1), fresh = table(500, 2);
  const double plain = rmse(trained(R"({"model": "exact-ard"})", rows), fresh);
  EXPECT_LT(rmse(trained(R"({"model": "exact-ard", "scale": {"inputs": "normal-scores"}})", rows), fresh), 0.6 * plain);
  const FittedModel both = trained(R"({"model": "mixture", "weights": "leave-one-out", "members": [
      {"model": "exact-ard"}, {"model": "exact-ard", "scale": {"inputs": "normal-scores"}}]})",
                                   rows);
  EXPECT_GT(both.members[1].weight, both.members[0].weight);
  EXPECT_LT(rmse(both, fresh), 0.6 * plain);
}

TEST_F(CurvedInputs, PredictWhatTheInnerPosteriorDoesAtTheirValues) {
  const Table rows = table(80, 3);
  const FittedModel model = trained(kMixture, rows);
  EXPECT_EQ(model.members[0].posterior->behind().inner, nullptr);
  const Matrix x = model.standardizer.inputs(rows.rows.inputs);
  for (const std::size_t k : {std::size_t{1}, std::size_t{2}}) {
    const auto [curves, inner] = model.members[k].posterior->behind();
    ASSERT_NE(curves, nullptr);
    const Matrix bent = curves->of(x);
    EXPECT_GT((bent - x).cwiseAbs().maxCoeff(), 0.5);
    Vector mean(80), variance(80), own(80), own_variance(80);
    function_of(*model.members[k].posterior).predict(InputView(x), mean, variance);
    function_of(*inner).predict(InputView(bent), own, own_variance);
    EXPECT_EQ(mean, own);
    EXPECT_EQ(variance, own_variance);
  }
}

TEST_F(CurvedInputs, AreSavedWithEveryBit) {
  const Table rows = table(120, 4);
  for (const char* recipe :
       {kMixture, R"({"model": "deep", "scale": {"inputs": "clip"}, "network": {"widths": [8, 4], "epochs": 3},
                      "terms": [{"model": "ssgpr", "features": {"frequencies": 16}}]})"})
    expect_saved_with_every_bit(trained(recipe, rows), rows, "curves/counts");
}

TEST_F(CurvedInputs, OfClassesAreSavedWithEveryBit) {
  const Table rows = table(120, 5, "word");
  for (const char* recipe :
       {R"({"model": "exact-rbf", "likelihood": "softmax", "scale": {"inputs": "normal-scores"}})",
        R"({"model": "ard", "likelihood": "logit", "scale": {"inputs": "asinh"}, "features": {"frequencies": 16}})",
        R"({"model": "exact-rbf", "learner": {"kind": "svm"}, "scale": {"inputs": "normal-scores"}})"})
    expect_classes_saved_with_every_bit(recipe, rows, 105);
}

TEST_F(CurvedInputs, OneRowIsPredictedAsManyAre) {
  const Table rows = table(90, 6);
  expect_one_row_is_predicted_as_many_are(trained(kMixture, rows), rows);
}

TEST_F(CurvedInputs, SlopesAreThoseOfDifferences) {
  const Table rows = table(90, 7);
  expect_slopes_of_differences(trained(kMixture, rows), rows.rows.inputs.topRows(9));
}

TEST_F(CurvedInputs, FormulasAndUpdatesGoThroughTheCurves) {
  const Table rows = table(90, 8);
  const FittedModel model = trained(kMixture, rows), more = updated(model, 60, 9);
  expect_formula_of_the_mean(model, rows);
  EXPECT_NE(more.members[1].posterior->behind().inner, nullptr);
  const Table fresh = fresh_table(model, 400, 10);
  EXPECT_LT(rmse(more, fresh), rmse(model, fresh));
}

TEST_F(CurvedInputs, RefuseWhatTheyDoNotGoWith) {
  const Table rows = table(60, 11);
  const auto expect = [&](const char* recipe, const char* place) {
    EXPECT_NE(refusal(recipe, rows).find(place), std::string::npos) << refusal(recipe, rows);
  };
  expect(R"({"model": "exact-ard", "scale": {"inputs": "clip", "unit_rows": true}})", "/scale/inputs");
  expect(R"({"model": "exact-ard", "scale": {"inputs": "clip"}, "kernel": {"lengthscale": [2]}})",
         "/kernel/lengthscale");
  expect(R"({"model": "mixture", "members": [{"model": "ard", "scale": {"inputs": "range"}}]})",
         "/members/0/scale/inputs");
  expect(R"({"model": "mixture", "members": [{"model": "ard", "scale": {"target": "log"}}]})", "member");
}

}  // namespace
}  // namespace alacarte
