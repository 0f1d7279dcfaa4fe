// Selection and draws of a recipe's frequency source; and the Fourier variant of Fastfood, u = (s / sqrt l) Pi F B x
// (Le, Sarlos and Smola 2013, section 6.1), F the real Fourier (Hartley) matrix. Every row of it has exactly its
// length, but directions are few, so it is biased.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "core/sobol.hpp"
#include "core/special_functions.hpp"
#include "features/frequency_stack.hpp"
#include "features/slots.hpp"
#include "features/thread_work.hpp"
#include "linalg/decompositions.hpp"
#include "linalg/fourier.hpp"
#include "spectrum/radial.hpp"

namespace alacarte {
namespace {

constexpr double kInside = 1e-12;

Matrix independent_rows(RowLaw law, Index m, Index d, const RandomStreams& streams) {
  RandomStream stream = streams.stream("dense.frequencies");
  if (law == RowLaw::cauchy) {
    Matrix rows(m, d);
    for (Index i = 0; i < rows.size(); ++i) rows.data()[i] = truncated_cauchy_quantile(stream.uniform());
    return rows;
  }
  const Vector normals = stream.normals(m * d);
  return Eigen::Map<const Matrix>(normals.data(), m, d);
}

// Draws blocks of d orthogonal rows, each block uniform over the orthogonal matrices (Yu et al. 2016).
Matrix orthogonal_rows(RowLaw law, Index m, Index d, const RandomStreams& streams) {
  RandomStream stream = streams.stream("dense.frequencies"), lengths = streams.stream("dense.lengths");
  Matrix rows(m, d);
  for (Index first = 0; first < m; first += d) {
    const Vector normals = stream.normals(d * d);
    const Matrix q = orthogonal_factor(Eigen::Map<const Matrix>(normals.data(), d, d));
    const Index count = std::min(d, m - first);
    rows.middleRows(first, count) = q.leftCols(count).transpose();
  }
  if (law == RowLaw::gaussian) rows = chi_lengths(m, static_cast<double>(d), lengths).asDiagonal() * rows;
  return rows;
}

// Shifts by a uniform vector, around the unit cube: each point is uniform, so features stay unbiased, and the sequence
// stays even. The last coordinate is the level of the row's length.
Matrix sobol_levels(Index m, Index d, const RandomStreams& streams) {
  if (d + 1 > kSobolDimensions)
    throw ConfigError("/features/draws", fmt::format("'sobol' has room for {} inputs", kSobolDimensions - 1));
  RandomStream stream = streams.stream("dense.frequencies");
  Vector shift(d + 1);
  for (Index j = 0; j <= d; ++j) shift[j] = stream.uniform();
  const std::vector<std::uint64_t> points = sobol_points(m, d + 1);
  auto coordinate = points.begin();
  Matrix levels(m, d + 1);
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j <= d; ++j) {
      const double sum = static_cast<double>(*coordinate++ >> 11) * 0x1p-53 + shift[j];
      levels(i, j) = std::clamp(sum - std::floor(sum), kInside, 1 - kInside);
    }
  return levels;
}

void give_length(RowLaw law, Matrix& rows) {
  if (law == RowLaw::unit) rows.rowwise().normalize();
}

std::unique_ptr<FrequencySource> draw_fastfood(RowLaw law, Index d, Index m, const RandomStreams& streams) {
  auto draws = std::make_shared<const FastfoodDraws>(d, m, streams);
  RandomStream stream = streams.stream("fastfood.lengths");
  if (law == RowLaw::gaussian)
    return fastfood_source(draws, chi_lengths(m, static_cast<double>(draws->length), stream));
  return fastfood_source(draws, inverse_lengths(*fastfood_source(draws, Vector::Ones(m))));
}

std::unique_ptr<FrequencySource> draw_hartley(RowLaw law, Index d, Index m, const RandomStreams& streams) {
  const HartleyDraws draws(d, m, streams);
  RandomStream stream = streams.stream("fft.lengths");
  if (law == RowLaw::gaussian) return hartley_source(draws, chi_lengths(m, static_cast<double>(draws.length), stream));
  return hartley_source(draws, inverse_lengths(*hartley_source(draws, Vector::Ones(m))));
}

// Returns independent streams for the draws besides hashed rows, which no file holds.
RandomStreams hashed_streams(std::uint64_t key) { return RandomStreams(key, "hashed/"); }

FrequencyDraws hashed_draws(RowLaw law, Index d, Index m, std::uint64_t key) {
  const RandomStreams streams = hashed_streams(key);
  RandomStream levels = streams.stream("levels");
  return {hashed_source(law, d, m, key), stratified_levels(m, levels), streams.stream("lengths"),
          streams.stream("offsets"), false};
}

void check_draws(DirectionSource draws, RowLaw law) {
  using enum DirectionSource;
  const bool dense = draws == gaussian || draws == sobol || draws == hashed;
  if (law == RowLaw::cauchy && !dense)
    throw ConfigError("/features/draws",
                      "must be 'gaussian', 'sobol' or 'hashed' for independent Cauchy coordinates, "
                      "not '" +
                          word(draws) + "'");
}

class HartleyProjection final : public Projection {
 public:
  /// Takes lengths (m): row lengths over the padded inputs; signs_over_scale (blocks l): B_j / lengthscale_j, 0 in the
  /// padding.
  HartleyProjection(std::shared_ptr<const HartleyDraws> draws, std::shared_ptr<const HartleyTransform> transform,
                    Vector signs_over_scale, ConstVec lengths)
      : Projection(draws->inputs, draws->frequencies),
        draws_(std::move(draws)),
        transform_(std::move(transform)),
        input_scale_(std::move(signs_over_scale)),
        scale_(lengths / std::sqrt(static_cast<double>(draws_->length))) {}

  void project(ConstMat x, MatRef turns) const override {
    const Index l = draws_->length;
    auto work = thread_matrix<HartleyProjection>(l, 2);
    for (Index row = 0; row < x.rows(); ++row)
      for (Index first = 0; first < frequencies(); first += l) {
        for (Index j = 0; j < l; ++j) work(j, 0) = j < inputs() ? x(row, j) * input_scale_[first + j] : 0;
        transform_->apply(work.col(0).data(), work.col(1).data());
        for (Index i = first; i < std::min(first + l, frequencies()); ++i)
          turns(row, i) = scale_[i] / kTwoPi * work(place(i), 1);
      }
  }

  // Uses that the transform is its own adjoint.
  void pull_back(ConstMat phase_bar, MatRef x_bar) const override {
    const Index l = draws_->length;
    auto work = thread_matrix<HartleyProjection>(l, 2);
    x_bar.setZero();
    for (Index row = 0; row < x_bar.rows(); ++row)
      for (Index first = 0; first < frequencies(); first += l) {
        work.col(0).setZero();
        for (Index i = first; i < std::min(first + l, frequencies()); ++i)
          work(place(i), 0) = scale_[i] * phase_bar(row, i);
        transform_->apply(work.col(0).data(), work.col(1).data());
        for (Index j = 0; j < inputs(); ++j) x_bar(row, j) += work(j, 1) * input_scale_[first + j];
      }
  }

  Matrix rows() const override {
    const Index m = frequencies();
    Matrix columns(m, inputs()), unit = Matrix::Identity(inputs(), inputs()), turns(inputs(), m);
    project(unit, turns);
    columns = kTwoPi * turns.transpose();
    return columns;
  }

 private:
  Index place(Index i) const { return draws_->permutation[static_cast<std::size_t>(i)]; }

  std::shared_ptr<const HartleyDraws> draws_;
  std::shared_ptr<const HartleyTransform> transform_;
  Vector input_scale_, scale_;
};

class HartleySource final : public FrequencySource {
 public:
  HartleySource(HartleyDraws draws, Vector base_lengths)
      : FrequencySource(draws.inputs, draws.frequencies),
        draws_(std::make_shared<const HartleyDraws>(std::move(draws))),
        transform_(std::make_shared<const HartleyTransform>(draws_->length)),
        base_lengths_(std::move(base_lengths)) {}

  std::unique_ptr<FrequencyStack> stack(ConstVec lengthscale, ConstVec scales, double amplitude,
                                        bool learn_scales) const override {
    Vector signs = Vector::Zero(draws_->signs.size());
    for (Index block = 0; block < draws_->blocks; ++block)
      signs.segment(block * draws_->length, inputs()) =
          draws_->signs.segment(block * draws_->length, inputs()).cwiseQuotient(lengthscale);
    return projected_stack(
        std::make_unique<HartleyProjection>(draws_, transform_, std::move(signs), scales.cwiseProduct(base_lengths_)),
        amplitude, learn_scales);
  }
  void save(TensorBundle& bundle, const std::string& prefix) const override {
    bundle.put_vector(prefix + "fft.signs", draws_->signs);
    bundle.put_integers(prefix + "fft.permutation", draws_->permutation);
    bundle.put_vector(prefix + "fft.lengths", base_lengths_);
  }
  double flops(bool learn_scales) const override {
    const double l = static_cast<double>(draws_->length), transforms = learn_scales ? 3 : 2;
    return static_cast<double>(draws_->blocks) * transforms * 2.5 * l * std::log2(std::max(l, 2.0));
  }

 private:
  std::shared_ptr<const HartleyDraws> draws_;
  std::shared_ptr<const HartleyTransform> transform_;
  Vector base_lengths_;
};

void size(HartleyDraws& draws) {
  require(draws.inputs > 0 && draws.frequencies > 0, "a feature map needs inputs and frequencies");
  while (draws.length < draws.inputs) draws.length *= 2;
  draws.blocks = (draws.frequencies + draws.length - 1) / draws.length;
}

}  // namespace

Vector inverse_lengths(const FrequencySource& source) {
  const auto stack = source.stack(Vector::Ones(source.inputs()), Vector::Ones(source.frequencies()), 1, false);
  // A direction that is zero in all inputs keeps length 0; its inverse would be infinite.
  return stack->frequencies().rowwise().norm().unaryExpr([](double r) { return r > 1e-12 ? 1 / r : 1.0; });
}

FrequencyDraws draw_frequencies(const Recipe& recipe, RowLaw law, Index d, const RandomStreams& streams) {
  const DirectionSource draws = recipe.features.draws;
  const Index m = recipe.features.frequencies;
  require(d > 0 && m > 0, "a feature map needs inputs and frequencies");
  check_draws(draws, law);
  if (draws == DirectionSource::hashed)
    return hashed_draws(law, d, m,
                        static_cast<std::uint64_t>(streams.stream("hashed.key").below(std::int64_t{1} << 53)));
  RandomStream levels = streams.stream("radial.levels");
  FrequencyDraws result{nullptr, {}, streams.stream("radial.lengths"), streams.stream("offsets"), true};
  if (draws == DirectionSource::fastfood) {
    result.source = draw_fastfood(law, d, m, streams);
  } else if (draws == DirectionSource::fft) {
    result.source = draw_hartley(law, d, m, streams);
  } else {
    Matrix rows;
    if (draws == DirectionSource::sobol) {
      const Matrix cube = sobol_levels(m, d, streams);
      rows = cube.leftCols(d).unaryExpr(law == RowLaw::cauchy ? &truncated_cauchy_quantile : &normal_quantile);
      result.levels = cube.col(d);
    } else {
      rows = draws == DirectionSource::gaussian ? independent_rows(law, m, d, streams)
                                                : orthogonal_rows(law, m, d, streams);
    }
    give_length(law, rows);
    result.source = dense_source(std::move(rows));
  }
  if (result.levels.size() == 0) result.levels = stratified_levels(m, levels);
  return result;
}

FrequencyDraws load_frequencies(const Recipe& recipe, RowLaw law, Index d, const TensorBundle& bundle,
                                const std::string& prefix) {
  const DirectionSource draws = recipe.features.draws;
  const Index m = recipe.features.frequencies;
  require(d > 0 && m > 0, "a feature map needs inputs and frequencies");
  check_draws(draws, law);
  if (draws == DirectionSource::hashed) {
    const Vector saved = bundle.vector(prefix + "hashed.key", 3);
    const double key = saved[2];
    if (saved[0] != static_cast<double>(m) || saved[1] != static_cast<double>(d) || !(key >= 0 && key < 0x1p53) ||
        key != std::floor(key))
      throw IoError("model file", "tensor '" + prefix + "hashed.key' belongs to another map");
    return hashed_draws(law, d, m, static_cast<std::uint64_t>(key));
  }
  FrequencyDraws result{nullptr, {}, RandomStream(0), RandomStream(0), true};
  if (draws == DirectionSource::fastfood)
    result.source = fastfood_source(std::make_shared<const FastfoodDraws>(d, m, bundle, prefix),
                                    positive_vector(bundle, prefix + "fastfood.lengths", m));
  else if (draws == DirectionSource::fft)
    result.source =
        hartley_source(HartleyDraws(d, m, bundle, prefix), positive_vector(bundle, prefix + "fft.lengths", m));
  else
    result.source = dense_source(bundle.matrix(prefix + "frequencies", m, d));
  return result;
}

HartleyDraws::HartleyDraws(Index d, Index m, const RandomStreams& streams) : inputs(d), frequencies(m) {
  size(*this);
  RandomStream sign = streams.stream("fft.signs"), shuffle = streams.stream("fft.permutation");
  signs.resize(blocks * length);
  for (Index i = 0; i < signs.size(); ++i) signs[i] = sign.sign();
  for (Index block = 0; block < blocks; ++block) {
    const auto order = shuffle.permutation(length);
    permutation.insert(permutation.end(), order.begin(), order.end());
  }
}

HartleyDraws::HartleyDraws(Index d, Index m, const TensorBundle& bundle, const std::string& prefix)
    : inputs(d), frequencies(m) {
  size(*this);
  signs = bundle.vector(prefix + "fft.signs", blocks * length);
  permutation = bundle.integers(prefix + "fft.permutation", blocks * length);
  check_permutations(permutation, length, prefix + "fft.permutation");
}

std::unique_ptr<FrequencySource> hartley_source(HartleyDraws draws, Vector base_lengths) {
  return std::make_unique<HartleySource>(std::move(draws), std::move(base_lengths));
}

}  // namespace alacarte
