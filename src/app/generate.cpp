#include "alacarte/app/generate.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>

#include "alacarte/core/error.hpp"
#include "alacarte/data/csv_writer.hpp"
#include "alacarte/data/row_source.hpp"
#include "finite.hpp"

namespace alacarte {
namespace {

// At a time: of features, and of a problem.
constexpr Index kDrawnRows = 1024, kWrittenRows = 4096;

Vector draw_from_kernel(const Kernel& kernel, ConstVec theta, ConstMat x, RandomStream& stream) {
  Matrix gram(x.rows(), x.rows());
  kernel.gram(theta, x, x, gram);
  // Smooth kernels are singular to rounding; the jitter stays far below any noise a problem would have.
  const double scale = gram.diagonal().mean();
  const Vector z = stream.normals(x.rows());
  for (double jitter = 1e-12; jitter < 1e-5; jitter *= 10) {
    Matrix shifted = gram;
    shifted.diagonal().array() += jitter * scale;
    const Eigen::LLT<Eigen::Ref<Matrix>> factor(shifted);
    if (factor.info() == Eigen::Success) return factor.matrixL() * z;
  }
  throw NumericalError("drawing from the kernel", "its Gram matrix is not positive definite");
}

Vector draw_from_map(const FeatureMap& map, ConstVec theta, ConstMat x, RandomStream& stream) {
  const auto prepared = map.prepare(theta);
  const Vector w = stream.normals(map.feature_count());
  Vector f(x.rows());
  Matrix psi;
  for (Index begin = 0; begin < x.rows(); begin += kDrawnRows) {
    const Index rows = std::min(kDrawnRows, x.rows() - begin);
    psi.resize(rows, map.feature_count());
    prepared->forward(x.middleRows(begin, rows), psi);
    f.segment(begin, rows).noalias() = psi * w;
  }
  return f;
}

void write_problem_rows(CsvWriter& out, ConstMat inputs, ConstVec target) {
  for (Index i = 0; i < inputs.rows(); ++i) {
    for (Index j = 0; j < inputs.cols(); ++j) out.cell(finite(inputs(i, j), "generate"));
    out.cell(finite(target[i], "generate"));
    out.end_row();
  }
}

}  // namespace

Vector draw_function(const ModelFunction& model, ConstVec theta, ConstMat x, RandomStream& stream) {
  return model.kernel ? draw_from_kernel(*model.kernel, theta, x, stream) : draw_from_map(*model.map, theta, x, stream);
}

void generate_problem(const Problem& problem, Index rows, std::uint64_t seed, const std::string& path, const Job& job) {
  RandomStream stream = RandomStreams(seed).stream("generate/" + problem.name);
  CsvWriter out(path);
  std::vector<std::string> names = problem.input_names;
  names.emplace_back("y");
  out.header(names);
  Matrix inputs;
  Vector target;
  for (Index done = 0; done < rows; done += inputs.rows()) {
    job.stop_if_interrupted();
    problem.generate(std::min(kWrittenRows, rows - done), stream, inputs, target);
    write_problem_rows(out, inputs, target);
  }
  out.commit();
}

double generate_kernel_draw(const Recipe& recipe, const KernelDrawOptions& options, const std::string& path,
                            const Job& job) {
  if (recipe.likelihood != "gaussian" || recipe.learner.kind != "gp")
    throw ConfigError("/likelihood", "kernel-draw makes numbers with noise: gaussian alone");
  const RandomStreams streams = RandomStreams(options.seed).scope("generate/kernel-draw");
  RandomStream input_stream = streams.stream("inputs"), pair_stream = streams.stream("pairs"),
               start_stream = streams.stream("start"), weight_stream = streams.stream("weights"),
               noise_stream = streams.stream("noise");
  CsvWriter out(path);
  Matrix x(options.rows, options.inputs);
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.cols(); ++j) x(i, j) = input_stream.uniform();
  }
  const TrainingStatistics statistics = training_statistics(x, noise_stream.normals(options.rows), pair_stream);
  const ModelFunction model = make_function(recipe, options.inputs, streams.scope("map"), statistics);
  const Vector theta = model.start(statistics, 0, start_stream);
  job.stop_if_interrupted();
  const double noise_sd = options.noise_sd.value_or(recipe.noise.start);
  const Vector y = draw_function(model, theta, x, weight_stream) + noise_sd * noise_stream.normals(options.rows);

  std::vector<std::string> names;
  for (Index j = 0; j < options.inputs; ++j) names.push_back(fmt::format("x{}", j + 1));
  names.emplace_back("y");
  out.header(names);
  write_problem_rows(out, x, y);
  out.commit();
  return noise_sd;
}

}  // namespace alacarte
