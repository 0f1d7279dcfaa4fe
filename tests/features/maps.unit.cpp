// Conformance suite for every registered map.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "alacarte/core/error.hpp"
#include "alacarte/model/registered.hpp"
#include "features/maps_under_test.hpp"
#include "io/documents.hpp"

namespace alacarte {
namespace {

constexpr Index kFrequencies = 21;  // not a multiple of a block or a tile

TEST(FeatureMaps, RegistryIsWellFormed) {
  std::set<std::string> names;
  for (const FeatureMapEntry& entry : feature_maps()) {
    EXPECT_TRUE(names.insert(entry.name).second);
    EXPECT_FALSE(entry.description.empty());
    EXPECT_EQ(find_feature_map(entry.name), &entry);
  }
  for (const char* name :
       {"rbf",      "ard",     "fsard",         "fsgbard", "gm",         "pwl",         "ssgpr",   "matern", "rq",
        "laplace",  "ball",    "radial",        "linear",  "polynomial", "dot-product", "moments", "local",  "positive",
        "periodic", "nystrom", "tensor-sketch", "gcws",    "deep",       "sum"})
    EXPECT_TRUE(names.count(name));
  EXPECT_EQ(find_feature_map("no such map"), nullptr);
}

TEST(FeatureMaps, SlotNamesBeginWithTheModelAndStartsAreInside) {
  for (const Index d : {1, 3, 8, 13})
    for (const MapCase& c : map_cases(kFrequencies)) {
      const auto map = make_map(c, d);
      EXPECT_EQ(map->input_count(), d);
      for (const ParameterSlot& slot : map->parameters().slots())
        EXPECT_EQ(slot.name.rfind(c.name == "sum" ? "term[" : c.name, 0), 0u);
      for (Index k = 0; k < 6; ++k) {
        RandomStream stream(static_cast<std::uint64_t>(k));
        const Vector start = map->start(small_statistics(d), k, stream);
        ASSERT_EQ(start.size(), map->parameters().size());
        EXPECT_TRUE(start.allFinite()) << c.label;
        EXPECT_TRUE(map->parameters().at_bound(start).empty()) << c.label;
      }
      EXPECT_GT(map->flops_per_row(), 0);
    }
}

// Counts of A la Carte, table 1, without the noise; fsgbard without B's entries that meet only the padding, and with
// all of G's, since every entry of a block's G reaches every frequency of it.
TEST(FeatureMaps, ParameterCounts) {
  const Index d = 5, l = 8, m = kFrequencies, blocks = 3, q = 2;
  const auto count = [&](const std::string& label) {
    for (const MapCase& c : map_cases(m))
      if (c.label == label) return make_map(c, d)->parameters().trainable_count();
    return Index{-1};
  };
  EXPECT_EQ(count("rbf"), 2);
  EXPECT_EQ(count("ard"), d + 1);
  EXPECT_EQ(count("fsard"), m + d + 1);
  EXPECT_EQ(count("fsgbard"), m + blocks * l + blocks * d + d + 1);
  EXPECT_EQ(count("gm"), q * (2 * d + 1));
  EXPECT_EQ(count("pwl"), q * (d + 3));
  EXPECT_EQ(count("pwl_knots"), q * (d + 1 + 5 + 4));
  EXPECT_EQ(count("ssgpr"), m * d + d + 1);
  EXPECT_EQ(count("ssgpr_fixed_scales"), m * d + 1);
  EXPECT_EQ(count("matern"), d + 2);
  EXPECT_EQ(count("matern_fixed_nu"), d + 1);
  EXPECT_EQ(count("rq"), d + 2);
  for (const char* name : {"laplace", "ball", "radial"}) EXPECT_EQ(count(name), d + 1);
}

TEST(FeatureMaps, SameSeedSameBitsOtherSeedOtherFeatures) {
  const Matrix x = normal_matrix(19, 5, 1);
  for (const MapCase& c : map_cases(kFrequencies)) {
    const auto map = make_map(c, 5, 7), twin = make_map(c, 5, 7), other = make_map(c, 5, 8);
    const Vector theta = test_theta(*map);
    EXPECT_EQ(features(*map, theta, x), features(*twin, theta, x)) << c.label;
    const Matrix a = features(*map, map->start(small_statistics(5), 0, *std::make_unique<RandomStream>(1)), x);
    const Matrix b = features(*other, other->start(small_statistics(5), 0, *std::make_unique<RandomStream>(1)), x);
    EXPECT_EQ((a - b).cwiseAbs().maxCoeff() > 1e-3, c.drawn) << c.label;
  }
}

TEST(FeatureMaps, SaveAndLoadGiveTheSameBits) {
  const Matrix x = normal_matrix(19, 5, 1);
  for (const MapCase& c : map_cases(kFrequencies)) {
    const auto map = make_map(c, 5);
    TensorBundle bundle;
    map->save(bundle, "map.");
    for (const auto& [name, tensor] : bundle.tensors) EXPECT_EQ(name.rfind("map.", 0), 0u);
    const auto loaded = find_feature_map(c.name)->load(c.recipe, 5, bundle, "map.");
    const Vector theta = test_theta(*map);
    EXPECT_EQ(features(*map, theta, x), features(*loaded, theta, x)) << c.label;
    EXPECT_EQ(to_json(map->describe(theta)), to_json(loaded->describe(theta))) << c.label;
  }
}

TEST(FeatureMaps, LoadRefusesWhatDoesNotFit) {
  for (const MapCase& c : map_cases(kFrequencies)) {
    const FeatureMapEntry* entry = find_feature_map(c.name);
    TensorBundle bundle;
    make_map(c, 5)->save(bundle, "");
    const auto load = [&](const TensorBundle& from, Index inputs = 5) {
      return entry->load(c.recipe, inputs, from, "");
    };
    EXPECT_EQ(bundle.tensors.empty(), !c.drawn);
    if (c.drawn) {
      EXPECT_THROW(load(bundle, 9), IoError) << c.label;
    }
    for (const auto& [name, tensor] : bundle.tensors) {
      TensorBundle missing = bundle, broken = bundle, longer = bundle;
      missing.tensors.erase(name);
      EXPECT_THROW(load(missing), IoError) << c.label << " without " << name;
      Tensor& bad = broken.tensors[name];
      if (bad.type == Tensor::Type::f64)
        bad.f64.back() = std::nan("");
      else
        bad.i32.back() = bad.i32.front() == bad.i32.back() ? -1 : 1000;
      EXPECT_THROW(load(broken), IoError) << c.label << " broken " << name;
      if (bad.type == Tensor::Type::i32) {
        broken.tensors[name] = tensor;
        broken.tensors[name].i32[1] = tensor.i32[0];  // in range, but repeated
        EXPECT_THROW(load(broken), IoError) << c.label << " repeated " << name;
      }
    }
  }
}

TEST(FeatureMaps, KernelOfAPointWithItselfIsWhatItsFormulaSays) {
  const Matrix x = 10 * normal_matrix(18, 6, 2);
  for (const MapCase& c : map_cases(kFrequencies)) {
    if (!c.exact_diagonal) continue;
    const auto map = make_map(c, 6);
    const Vector theta = test_theta(*map);
    const double amplitude = map->describe(theta).amplitude;
    const Vector diagonal = features(*map, theta, x).rowwise().squaredNorm();
    const Vector expected = c.name != "linear" ? Vector::Ones(18) : Vector(x.rowwise().squaredNorm() / 6.0);
    EXPECT_LT((diagonal.array() / (amplitude * amplitude * expected.array()) - 1).abs().maxCoeff(), 1e-13) << c.label;
  }
}

// The features of a row do not depend on the other rows of its chunk. They agree bit for bit if the map uses only its
// own kernels; a matrix product may round differently for another shape, and a single row has its own kernels.
TEST(FeatureMaps, FeaturesOfARowDoNotDependOnItsChunk) {
  const Index n = 53, d = 6;
  const Matrix x = normal_matrix(n, d, 3);
  for (const MapCase& c : map_cases(kFrequencies)) {
    const auto map = make_map(c, d);
    const Vector theta = test_theta(*map);
    const Matrix whole = features(*map, theta, x);
    for (const Index chunk : {1, 5, 16, 17, 48})
      for (Index first = 0; first < n; first += chunk) {
        const Index rows = std::min(chunk, n - first);
        const Matrix part = features(*map, theta, x.middleRows(first, rows));
        const double worst = (part - whole.middleRows(first, rows)).cwiseAbs().maxCoeff();
        EXPECT_LE(worst, c.dense || chunk == 1 ? 1e-13 : 0) << c.label << " chunk " << chunk << " at " << first;
      }
    EXPECT_EQ(features(*map, theta, Matrix(0, d)).rows(), 0);
  }
}

// The predictor equals forward() times the weights, for a single row, whole tiles and the remainder, and it adds.
TEST(FeatureMaps, LinearPredictorsEqualFeaturesTimesWeights) {
  for (const Index d : {1, 3, 6, 40})
    for (const MapCase& c : map_cases(d == 40 ? 900 : kFrequencies)) {
      const auto map = make_map(c, d);
      const auto prepared = map->prepare(test_theta(*map));
      const Index count = map->feature_count();
      const Vector weights = normal_matrix(count, 1, 7);
      const auto full = prepared->linear_predictor(weights),
                 single = prepared->linear_predictor(weights, FloatType::float32);
      for (const Index n : {1, 16, 37}) {
        const Matrix x = normal_matrix(n, d, 6);
        Matrix psi(n, count);
        prepared->forward(x, psi);
        const Vector wanted = psi * weights;
        const double size = psi.cwiseAbs().maxCoeff() * weights.lpNorm<1>();
        Vector f = Vector::Ones(n), g = Vector::Ones(n);
        full->add(x, f);
        single->add(x, g);
        EXPECT_LT((f.array() - 1 - wanted.array()).abs().maxCoeff(), 1e-13 * size + 1e-14) << c.label << " " << n;
        EXPECT_LT((g.array() - 1 - wanted.array()).abs().maxCoeff(), 2e-5 * size) << c.label << " " << n;
      }
    }
}

/// Returns n rows with two thirds of the entries zero, one row entirely.
Matrix rows_with_zeros(Index n, Index d) {
  Matrix x = normal_matrix(n, d, 8);
  x = (x.array() > 0.3).select(x, Matrix::Zero(n, d));
  x.row(n / 2).setZero();
  return x;
}

TEST(FeatureMaps, SparseSupportIsWhatTheMapsSay) {
  for (const MapCase& c : map_cases(kFrequencies)) {
    const auto map = make_map(c, 9);
    const bool one_hot = c.name == "gcws", linear = c.name == "linear";
    EXPECT_EQ(map->sparse_support().inputs, one_hot || linear || c.name == "tensor-sketch" || c.label == "sum_sparse")
        << c.label;
    EXPECT_EQ(map->sparse_support().features, one_hot || linear) << c.label;
  }
}

// Sparse rows and features equal the dense ones; a chunk is taken from the middle of the rows.
void expect_sparse_forward(const FeatureMap& map, const PreparedMap& prepared, const Matrix& x,
                           const std::string& label) {
  const SparseRows sparse = to_sparse(x);
  const InputView dense_chunk = InputView(x).middle_rows(3, 7), chunk = InputView(sparse.view()).middle_rows(3, 7);
  Matrix psi(7, map.feature_count()), from_sparse = Matrix::Constant(7, map.feature_count(), 77);
  prepared.forward(dense_chunk, psi);
  const double small = 1e-12 * psi.cwiseAbs().maxCoeff();
  const SparseSupport support = map.sparse_support();
  if (support.inputs) {
    prepared.forward(chunk, from_sparse);
    EXPECT_LE((psi - from_sparse).cwiseAbs().maxCoeff(), small) << label;
    const SparseRows wider = to_sparse(Matrix::Ones(7, x.cols() + 1));
    EXPECT_THROW(prepared.forward(wider.view(), from_sparse), std::invalid_argument) << label;
  } else {
    EXPECT_THROW(prepared.forward(chunk, from_sparse), std::invalid_argument) << label;
  }
  SparseRows features;
  if (!support.features) {
    EXPECT_THROW(prepared.forward(dense_chunk, features), std::invalid_argument) << label;
    return;
  }
  for (const InputView& rows : {dense_chunk, chunk}) {
    prepared.forward(rows, features);
    EXPECT_EQ(features.rows(), 7) << label;
    EXPECT_LE((psi - to_dense(features.view())).cwiseAbs().maxCoeff(), small) << label;
  }
}

TEST(FeatureMaps, SparseRowsAndFeaturesEqualDenseOnes) {
  const Matrix x = rows_with_zeros(12, 9);
  for (const MapCase& c : map_cases(kFrequencies)) {
    const auto map = make_map(c, 9);
    expect_sparse_forward(*map, *map->prepare(test_theta(*map)), x, c.label);
  }
}

// The sums of backward() and the linear predictor equal those of dense rows, and the sums satisfy the adjoint identity:
// the gradient of r . psi in theta, by central differences.
TEST(FeatureMaps, SparseRowsHaveTheSameAdjointAndPredictor) {
  const Index n = 12, d = 9;
  const Matrix x = rows_with_zeros(n, d);
  const SparseRows sparse = to_sparse(x);
  for (const MapCase& c : map_cases(kFrequencies)) {
    const auto map = make_map(c, d);
    const Vector theta = test_theta(*map);
    const auto prepared = map->prepare(theta);
    const Index count = map->feature_count();
    if (!map->sparse_support().inputs) continue;
    const Matrix bar = normal_matrix(n, count, 5);
    Matrix psi(n, count);
    prepared->forward(x, psi);
    Vector dense_sums = Vector::Zero(prepared->accumulator_size()), sums = dense_sums;
    prepared->backward(x, psi, bar, dense_sums);
    prepared->forward(sparse.view(), psi);
    for (const auto& [first, rows] : {std::pair<Index, Index>{0, 5}, {5, 7}})
      prepared->backward(InputView(sparse.view()).middle_rows(first, rows), psi.middleRows(first, rows),
                         bar.middleRows(first, rows), sums);
    EXPECT_LT((sums - dense_sums).norm(), 1e-12 * dense_sums.norm()) << c.label;
    Vector gradient = Vector::Zero(theta.size());
    prepared->finish(sums, gradient);
    for (Index p = 0; p < theta.size(); ++p) {
      double value[2];
      for (int side = 0; side < 2; ++side) {
        Vector moved = theta;
        moved[p] += side == 0 ? -1e-5 : 1e-5;
        map->prepare(moved)->forward(sparse.view(), psi);
        value[side] = psi.cwiseProduct(bar).sum();
      }
      EXPECT_NEAR(gradient[p], (value[1] - value[0]) / 2e-5, 1e-6 * (1 + gradient.norm())) << c.label << " " << p;
    }
    const Vector weights = normal_matrix(count, 1, 7);
    const auto predictor = prepared->linear_predictor(weights);
    Vector f = Vector::Ones(n), g = f;
    predictor->add(x, f);
    predictor->add(sparse.view(), g);
    EXPECT_LT((f - g).norm(), 1e-12 * f.norm()) << c.label;
  }
}

// Sums over any chunks equal the sums of the whole; psi may be a block of a larger matrix.
TEST(FeatureMaps, BackwardSumsAddUpOverChunks) {
  const Index n = 37, d = 3;
  const Matrix x = normal_matrix(n, d, 4);
  for (const MapCase& c : map_cases(kFrequencies)) {
    const auto map = make_map(c, d);
    const Index D = map->feature_count();
    const auto prepared = map->prepare(test_theta(*map));
    const Matrix bar = normal_matrix(n, D, 5);
    Matrix psi(n, D), large = Matrix::Constant(n + 3, D + 2, 77);
    prepared->forward(x, psi);
    prepared->forward(x, large.block(2, 1, n, D));
    // A dense product rounds by the stride of its result; a triangular solve (nystrom) by the root of its condition.
    const double rounding = c.label.rfind("nystrom", 0) == 0 ? 1e-12 : c.dense ? 1e-13 : 0;
    EXPECT_LE((large.block(2, 1, n, D) - psi).cwiseAbs().maxCoeff(), rounding) << c.label;
    EXPECT_EQ(large.row(1).minCoeff(), 77);
    EXPECT_EQ(large.row(n + 2).maxCoeff(), 77);
    EXPECT_EQ(large.col(0).minCoeff(), 77);
    Vector whole = Vector::Zero(prepared->accumulator_size()), parts = whole;
    prepared->backward(x, psi, bar, whole);
    for (const auto& [first, rows] : {std::pair<Index, Index>{0, 1}, {1, 16}, {17, 20}})
      prepared->backward(x.middleRows(first, rows), psi.middleRows(first, rows), bar.middleRows(first, rows), parts);
    EXPECT_LT((whole - parts).norm(), 1e-12 * whole.norm()) << c.label;
  }
}

TEST(FeatureMaps, DescribeReportsRelevanceForEachInput) {
  for (const MapCase& c : map_cases(kFrequencies)) {
    const auto map = make_map(c, 4);
    const nlohmann::json report = to_json(map->describe(test_theta(*map)));
    ASSERT_EQ(report.at("relevance").size(), 4u) << c.label;
    for (const auto& value : report.at("relevance")) EXPECT_GT(value.get<double>(), 0);
    EXPECT_EQ(report.contains("components"), c.waves || c.name == "sum");
    if (!c.waves) continue;
    EXPECT_GE(report.at("components").size(), 1u);
    EXPECT_TRUE(report.at("components")[0].contains("lengthscales"));
  }
}

TEST(FeatureMaps, WrongShapesAndSettingsAreRefused) {
  for (const MapCase& c : map_cases(kFrequencies)) {
    const auto map = make_map(c, 4);
    EXPECT_THROW(map->prepare(Vector::Zero(map->parameters().size() + 1)), std::invalid_argument);
    const auto prepared = map->prepare(test_theta(*map));
    Matrix psi(3, map->feature_count() + 1);
    EXPECT_THROW(prepared->forward(Matrix(Matrix::Ones(3, 4)), psi), std::invalid_argument) << c.label;
    Matrix fits(3, map->feature_count());
    EXPECT_THROW(prepared->forward(Matrix(Matrix::Ones(3, 5)), fits), std::invalid_argument) << c.label;
  }
  Recipe recipe;
  recipe.model = "ard";
  recipe.features.draws = DirectionSource::gaussian;
  EXPECT_NE(make_prior(recipe, 2, RandomStreams(1), {}).map(), nullptr);
  recipe.features.normalized = true;
  EXPECT_THROW(make_prior(recipe, 2, RandomStreams(1), {}), ConfigError);  // pairs have that length already
  recipe.features.phase = PhaseFeatures::offset;
  EXPECT_EQ(make_prior(recipe, 2, RandomStreams(1), {}).map()->feature_count(), recipe.features.frequencies);
  recipe.features.phase = PhaseFeatures::pair;
  recipe.features.normalized = false;
  recipe.model = "laplace";
  for (const char* draws : {"fastfood", "fft", "orthogonal"}) {
    recipe.features.draws = from_word<DirectionSource>(draws).value();
    EXPECT_THROW(make_prior(recipe, 2, RandomStreams(1), {}), ConfigError) << draws;
  }
  recipe.model = "radial";
  recipe.features.draws = DirectionSource::sobol;
  EXPECT_THROW(make_prior(recipe, 3667, RandomStreams(1), {}), ConfigError);
  for (const std::vector<double>& quantiles : {std::vector<double>{}, {1}, {2, 1}, {0, 0}}) {
    recipe.kernel.quantiles = quantiles;
    EXPECT_THROW(make_prior(recipe, 2, RandomStreams(1), {}), ConfigError);
  }
  recipe.kernel.quantiles = {};
  recipe.features.draws = DirectionSource::gaussian;
  recipe.model = "gm";
  EXPECT_THROW(make_prior(recipe, 2, RandomStreams(1), {}), ConfigError);
  recipe.features.draws = DirectionSource::fastfood;
  recipe.features.components = 0;
  EXPECT_THROW(make_prior(recipe, 2, RandomStreams(1), {}), ConfigError);
}

}  // namespace
}  // namespace alacarte
