#include "generate.hpp"

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <cmath>
#include <filesystem>

#include "alacarte/core/error.hpp"
#include "alacarte/data/row_source.hpp"
#include "alacarte/model/likelihood.hpp"
#include "alacarte/model/registered.hpp"
#include "data/csv_writer.hpp"
#include "finite.hpp"
#include "quantities.hpp"

namespace alacarte {
namespace {

/// Draws a Poisson count by Knuth's product of uniform numbers, in parts of the rate whose exponential is in range.
double draw_poisson(double rate, RandomStream& stream) {
  constexpr double kPart = 50;
  double count = 0;
  for (double left = rate; left > 0; left -= kPart) {
    const double bound = std::exp(-std::min(left, kPart));
    for (double product = 1 - stream.uniform(); product > bound; product *= 1 - stream.uniform()) ++count;
  }
  return count;
}

/// Draws a gamma variable with mean 1 and variance 1 / shape.
double draw_gamma(double shape, RandomStream& stream) { return std::pow(stream.chi(2 * shape), 2) / (2 * shape); }

/// Draws y (n) given f (n). noise_sd: standard deviation of gaussian noise, scale of student-t noise. noise.degrees and
/// noise.dispersion are the recipe's, or the initial ones of training. Throws std::invalid_argument for classification.
/// Cost per count: O(1 + rate); rates are capped at 1e6.
Vector draw_targets(const Recipe& recipe, const Vector& f, double noise_sd, RandomStream& stream) {
  constexpr double kMaxRate = 1e6;
  const Likelihood& likelihood = likelihood_of(recipe);
  if (likelihood.is_conjugate()) return f + noise_sd * stream.normals(f.size());
  require(likelihood.target() != TargetKind::classes, "draw_targets: of numbers and counts");
  const ParameterLayout layout = likelihood.parameters(recipe.noise);
  Vector theta(layout.size());
  for (const ParameterSlot& slot : layout.slots()) theta[slot.offset] = slot.prior.mean[0];
  std::unique_ptr<Likelihood> owned;
  const double dispersion = likelihood_at(recipe, theta, owned).dispersion();
  const double degrees = likelihood.target() == TargetKind::numbers ? 2 + std::exp(theta[1]) : 0;
  Vector y(f.size());
  for (Index i = 0; i < f.size(); ++i) {
    if (likelihood.target() == TargetKind::numbers) {
      y[i] = f[i] + noise_sd * stream.normal() / std::sqrt(draw_gamma(0.5 * degrees, stream));
    } else {
      const double spread = dispersion > 0 ? draw_gamma(1 / dispersion, stream) : 1;
      y[i] = draw_poisson(std::min(std::exp(f[i]) * spread, kMaxRate), stream);
    }
  }
  return y;
}

// Rows per chunk: of features, and of a problem.
constexpr Index kDrawnRows = 1024, kWrittenRows = 4096;

Vector draw_from_kernel(const Kernel& kernel, ConstVec theta, ConstMat x, RandomStream& stream) {
  Matrix gram(x.rows(), x.rows());
  kernel.gram(theta, x, x, gram);
  // Gram matrices of smooth kernels are singular to rounding; the jitter stays far below the noise of any problem.
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

/// Throws IoError if the disk cannot hold the output: a number takes about 19 bytes in shortest form, half if gzipped.
void require_disk_space(const std::string& path, Index rows, std::size_t columns) {
  namespace fs = std::filesystem;
  constexpr double kCellBytes = 19;
  std::error_code error;
  const fs::path file = path == "-" ? "/dev/stdout" : path;
  const bool regular = fs::is_regular_file(file, error);
  if (!regular && (path == "-" || fs::exists(file, error))) return;  // a pipe or device
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  const auto room = static_cast<double>(fs::space(regular ? file : folder, error).available);
  const double bytes =
      static_cast<double>(rows) * static_cast<double>(columns) * kCellBytes / (file.extension() == ".gz" ? 2 : 1);
  if (!error && bytes > room)
    throw IoError(path, fmt::format("{} rows take about {}, and {} are free there", rows, format_bytes(bytes),
                                    format_bytes(room)));
}

/// Throws if the rows exceed the memory: all are held at once, and exact kernels hold two matrices (rows, rows).
void require_memory(const KernelDrawOptions& options, bool exact) {
  const auto rows = static_cast<double>(options.rows);
  const double bytes = sizeof(double) * rows * (static_cast<double>(options.inputs) + (exact ? 2 * rows : 0));
  const double room = available_memory();
  if (room > 0 && bytes > room)
    throw ConfigError("--rows", fmt::format("kernel-draw of {} rows needs {}, more than the memory that is left, {}",
                                            options.rows, format_bytes(bytes), format_bytes(room)));
}

}  // namespace

void generate_problem(const Problem& problem, Index rows, std::uint64_t seed, const std::string& path, const Job& job) {
  require_disk_space(path, rows, problem.input_names.size() + 1);
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
  if (target_kind(recipe) == TargetKind::counts && options.noise_sd)
    throw ConfigError("--noise", "counts have no such noise; leave it out");
  if (target_kind(recipe) == TargetKind::classes)
    throw ConfigError("/likelihood", "kernel-draw makes numbers and counts, no classes");
  const ModelInfo* const info = find_model_info(model_infos(), recipe.model);
  require_memory(options, info != nullptr && info->exact);
  require_disk_space(path, options.rows, static_cast<std::size_t>(options.inputs) + 1);
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
  const Prior prior = make_prior(recipe, options.inputs, streams.scope("map"), statistics);
  const Vector theta = prior.start(statistics, 0, start_stream);
  job.stop_if_interrupted();
  const bool counts = target_kind(recipe) == TargetKind::counts;
  const double noise_sd = counts ? 0 : options.noise_sd.value_or(recipe.noise.start);
  const Vector f = prior.kernel() ? draw_from_kernel(*prior.kernel(), theta, x, weight_stream)
                                  : draw_from_map(*prior.map(), theta, x, weight_stream);
  const Vector y = draw_targets(recipe, f, noise_sd, noise_stream);

  std::vector<std::string> names;
  for (Index j = 0; j < options.inputs; ++j) names.push_back(fmt::format("x{}", j + 1));
  names.emplace_back("y");
  out.header(names);
  write_problem_rows(out, x, y);
  out.commit();
  return noise_sd;
}

}  // namespace alacarte
