// Models that versions 0.1 and 0.2 trained still give the same predictions to the bit (tests/golden/README.md).
#include <dlfcn.h>
#include <gtest/gtest.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <utility>

#include "alacarte/data/dataset.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/model/fitted_model.hpp"
#include "alacarte/model/likelihood.hpp"
#include "linalg/fourier.hpp"
#include "linalg/simd.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;
using Columns = std::map<std::string, Vector>;

const std::string kFolder = ALACARTE_SOURCE_DIR "/tests/golden/";
constexpr double kTolerance = 1e-9;  // without bit equality: relative to a column's largest entry, or to probability 1
constexpr double kInterval = 0.95;

Json read_json(const std::string& path) {
  std::ifstream file(path);
  return Json::parse(file);
}

std::string setting(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string blas() {
  using Config = char* (*)();
  const auto config = reinterpret_cast<Config>(::dlsym(RTLD_DEFAULT, "openblas_get_config"));
  return config == nullptr ? "none" : config();
}

std::string libc() {
#ifdef __GLIBC__
  return std::string("glibc ") + ::gnu_get_libc_version();
#else
  return "another";
#endif
}

/// Returns why this build on this machine may round differently than the one that made the files; "" if it may not.
std::string why_rounding_differs(const Json& made_by) {
#if defined(ALACARTE_SANITIZED)
  return "sanitizers";
#elif defined(ALACARTE_COVERAGE)
  return "counters of coverage";
#elif !defined(__OPTIMIZE__)
  return "not optimised";
#elif !defined(__GNUC__) || defined(__clang__)
  return "another compiler";
#elif defined(__FMA__) || defined(__AVX__)
  return "built for one processor";
#endif
  const std::string compiler = "g++ " + std::to_string(__GNUC__) + ".";
  if (made_by.at("compiler").get<std::string>().rfind(compiler, 0) != 0) return "another compiler";
  for (const auto& [name, value] : made_by.at("settings").items())
    if (setting(name.c_str()) != value) return name + " is not " + value.get<std::string>();
  if (made_by.at("kernels") != simd_path_name(simd_path())) return "no AVX2";
  if (made_by.at("BLAS") != blas()) return "another BLAS: " + blas();
  if (made_by.at("libc") != libc()) return "another libc: " + libc();
  return "";
}

/// Returns true if FFTW, whose instruction set cannot be chosen, uses the one that made the files.
bool fftw_rounds_alike() {
#if defined(__x86_64__)
  return !__builtin_cpu_supports("avx512f");
#else
  return false;
#endif
}

/// Returns true if Boost's Bessel functions round as on the machine that made the files: they compute in 80 bits, whose
/// exponentials and logarithms differ between Intel and AMD.
bool bessel_rounds_alike() {
#if defined(__x86_64__)
  return __builtin_cpu_is("amd");
#else
  return false;
#endif
}

/// Returns "models/NAME" for each model of a folder.
std::vector<std::string> golden_models(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder + folder))
    if (entry.path().extension() == ".alacarte") names.push_back(folder + '/' + entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class GoldenModel : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    expected_ = read_json(kFolder + GetParam() + ".json");
    if (expected_.at("fftw").get<bool>() && !has_fftw()) GTEST_SKIP() << "this build has no FFTW";
    const std::string why = why_rounding_differs(read_json(kFolder + folder() + "/made_by.json"));
    exact_ = why.empty() && (!expected_.at("fftw").get<bool>() || fftw_rounds_alike());
    if (GetParam() == "models/exact-matern-general") exact_ = exact_ && bessel_rounds_alike();
    tell(why);
    model_ = FittedModel::load(read_bundle(kFolder + GetParam() + ".alacarte"));
    DatasetStream rows(kFolder + "data/" + expected_.at("rows").get<std::string>(), model_.schema, false);
    ASSERT_TRUE(rows.next(rows_, 4096));
  }

  static std::string folder() { return GetParam().substr(0, GetParam().find('/')); }

  /// Reports once for all models.
  static void tell(const std::string& why) {
    static bool told = false;
    if (!why.empty() && !std::exchange(told, true))
      std::cout << "compared to " << kTolerance << ", not bit for bit: " << why << '\n';
  }

  void compare(const Vector& found, const Json& expected, const std::string& what) const {
    const std::vector<double> numbers = expected.get<std::vector<double>>();
    ASSERT_EQ(static_cast<Index>(numbers.size()), found.size()) << what;
    const Eigen::Map<const Vector> wanted(numbers.data(), found.size());
    const double tolerance = kTolerance * (what.starts_with("p(") ? 1 : wanted.cwiseAbs().maxCoeff());
    for (Index i = 0; i < found.size(); ++i) {
      if (exact_) {
        EXPECT_EQ(found[i], wanted[i]) << what << " of row " << i;
      } else {
        EXPECT_NEAR(found[i], wanted[i], tolerance) << what << " of row " << i;
      }
    }
  }

  /// Compares row by row.
  void compare(const Matrix& found, const Json& expected, const std::string& what) const {
    ASSERT_EQ(static_cast<Index>(expected.size()), found.rows()) << what;
    for (Index i = 0; i < found.rows(); ++i)
      compare(Vector(found.row(i)), expected[static_cast<std::size_t>(i)], what + " " + std::to_string(i));
  }

  /// Compares all expected numeric columns, which must exist.
  void compare(const Columns& found, const Json& expected) const {
    for (const auto& [name, values] : expected.items()) {
      if (name == "label" || name == "row" || name == model_.schema.config().key) continue;
      ASSERT_TRUE(found.contains(name)) << name;
      compare(found.at(name), values, name);
    }
  }

  template <class Distribution>
  Columns columns_of(const Distribution& prediction, bool variance, const std::string& kind) const {
    Columns columns = {{"mean", prediction.mean()}, {"share_outside", model_.standardizer.share_outside(rows_.inputs)}};
    if (!variance) return columns;
    columns["sd_" + kind] = prediction.variance().cwiseSqrt();
    columns["lower_" + kind] = prediction.quantile((1 - kInterval) / 2);
    columns["upper_" + kind] = prediction.quantile((1 + kInterval) / 2);
    return columns;
  }

  void compare_classes() const {
    const ClassPrediction prediction = model_.predict(rows_.view()).classes();
    const std::vector<std::string>& names = model_.schema.classes();
    Columns columns = {{"share_outside", rows_.is_sparse() ? Vector(Vector::Zero(rows_.rows()))
                                                           : model_.standardizer.share_outside(rows_.inputs)}};
    for (std::size_t k = 0; k < names.size(); ++k)
      columns[(prediction.probabilities ? "p(" : "value(") + names[k] + ")"] =
          prediction.values.col(static_cast<Index>(k));
    compare(columns, expected_.at("columns"));
    std::vector<std::string> labels;
    for (const Index k : prediction.labels()) labels.push_back(names[static_cast<std::size_t>(k)]);
    EXPECT_EQ(Json(labels), expected_.at("columns").at("label"));
  }

  void compare_numbers() const {
    PredictOptions options;
    options.variance = model_.has_variance();
    const Json& columns = expected_.at("columns");
    if (model_.target() == TargetKind::counts)
      return compare(columns_of(model_.predict(rows_.inputs, options).counts(), options.variance, "observation"),
                     columns);
    compare(columns_of(model_.predict(rows_.inputs, options).distribution(), options.variance, "observation"), columns);
    if (!expected_.contains("latent")) return;
    options.latent = true;
    compare(columns_of(model_.predict(rows_.inputs, options).distribution(), true, "latent"), expected_.at("latent"));
    compare(model_.covariance(rows_.inputs, true), expected_.at("covariance"), "covariance");
    // The factor of a covariance of nearly equal rows has fewer accurate digits.
    if (exact_) compare(model_.draws(rows_.inputs, 3, 7), expected_.at("draws"), "draws");
  }

  Json expected_;
  bool exact_ = false;
  FittedModel model_;
  Dataset rows_;
};

TEST_P(GoldenModel, PredictsTheSameBits) {
  if (model_.target() == TargetKind::classes)
    compare_classes();
  else
    compare_numbers();
}

TEST(GoldenModels, SavedAgainHoldTheSameNumbers) {
  std::vector<std::string> names = golden_models("models");
  for (std::string& name : golden_models("models-0.2")) names.push_back(std::move(name));
  for (const std::string& name : names) {
    if (read_json(kFolder + name + ".json").at("fftw").get<bool>() && !has_fftw()) continue;
    const ModelFile bundle = read_bundle(kFolder + name + ".alacarte");
    const FittedModel model = FittedModel::load(bundle);
    const ModelFile saved = model.save(!model.has_variance());
    ASSERT_EQ(saved.tensors.size(), bundle.tensors.size()) << name;
    for (const auto& [key, tensor] : bundle.tensors) {
      ASSERT_TRUE(saved.tensors.contains(key)) << name << ": " << key;
      EXPECT_EQ(saved.tensors.at(key).shape, tensor.shape) << name << ": " << key;
      EXPECT_EQ(saved.tensors.at(key).f64, tensor.f64) << name << ": " << key;
      EXPECT_EQ(saved.tensors.at(key).i32, tensor.i32) << name << ": " << key;
    }
    for (const char* key : {"standardizer", "schema", "seed", "training"})
      EXPECT_EQ(saved.document.at(key), bundle.document.at(key)) << name << ": " << key;
  }
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param.substr(info.param.find('/') + 1);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Version01, GoldenModel, ::testing::ValuesIn(golden_models("models")), test_name);
INSTANTIATE_TEST_SUITE_P(Version02, GoldenModel, ::testing::ValuesIn(golden_models("models-0.2")), test_name);

}  // namespace
}  // namespace alacarte
