// Exact processes against scikit-learn's (file from golden/make_sklearn.py): value, gradient, predictions.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "inference/inference.hpp"

namespace alacarte {
namespace {

Vector vector_of(const nlohmann::json& json) {
  const auto values = json.get<std::vector<double>>();
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

Matrix matrix_of(const nlohmann::json& json) {
  Matrix matrix(static_cast<Index>(json.size()), static_cast<Index>(json.at(0).size()));
  for (Index i = 0; i < matrix.rows(); ++i) matrix.row(i) = vector_of(json.at(static_cast<std::size_t>(i))).transpose();
  return matrix;
}

TEST(Sklearn, ValueGradientAndPredictionsAgree) {
  std::ifstream file(std::string(ALACARTE_SOURCE_DIR) + "/tests/train/golden/sklearn.json");
  const nlohmann::json golden = nlohmann::json::parse(file);
  const Matrix x = matrix_of(golden["x"]), x_new = matrix_of(golden["x_new"]);
  const Vector y = vector_of(golden["y"]);
  const double amplitude = golden["amplitude"], noise = golden["noise"];

  for (const auto& [name, expected] : golden["cases"].items()) {
    SCOPED_TRACE(name);
    Recipe recipe;
    const auto slash = name.find('/');
    if (slash != std::string::npos) recipe.kernel.nu = std::stod(name.substr(slash + 1));
    const KernelEntry* entry = find_kernel(name.substr(0, slash));
    ASSERT_NE(entry, nullptr);
    InferenceOptions options;
    options.mean = MeanKind::zero;
    options.noise.floor = 0;
    const auto objective = make_inference(std::shared_ptr<const Kernel>(entry->make(recipe, x.cols())), x, y, options);

    // scikit-learn: log amplitude^2, log length-scales, log noise^2. Here: log length-scale, log amplitude, log noise
    // sd.
    const Vector lengthscales = vector_of(golden["lengthscales"]);
    const Index scales = objective->parameters().slots()[0].size;
    Vector theta(scales + 2);
    theta.head(scales) = lengthscales.head(scales).array().log();
    theta[scales] = std::log(amplitude);
    theta[scales + 1] = std::log(noise);
    Vector gradient(theta.size());
    const double value = objective->evaluate(theta, gradient);
    EXPECT_NEAR(-value, expected["log_marginal_likelihood"], 1e-9 * std::abs(value));
    const Vector theirs = vector_of(expected["gradient"]);
    EXPECT_NEAR(-gradient[scales], 2 * theirs[0], 1e-7 * theirs.norm());
    for (Index j = 0; j < scales; ++j) EXPECT_NEAR(-gradient[j], theirs[1 + j], 1e-7 * theirs.norm());
    EXPECT_NEAR(-gradient[scales + 1], 2 * theirs[scales + 1], 1e-7 * theirs.norm());

    Vector mean(x_new.rows()), variance(x_new.rows());
    const auto posterior = objective->posterior(theta);
    function_of(*posterior).predict(x_new, mean, variance);
    EXPECT_LT((mean - vector_of(expected["mean"])).cwiseAbs().maxCoeff(), 1e-9);
    // scikit-learn's predictive sd includes the white noise.
    const Vector sd = (variance.array() + posterior->noise_variance()).sqrt();
    EXPECT_LT((sd - vector_of(expected["sd"])).cwiseAbs().maxCoeff(), 1e-9);
  }
}

}  // namespace
}  // namespace alacarte
