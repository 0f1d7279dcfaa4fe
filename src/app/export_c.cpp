#include "alacarte/app/export_c.hpp"

#include <fmt/format.h>
#include <cctype>

#include "alacarte/core/version.hpp"
#include "core/text_file.hpp"
#include "export_c_code.hpp"
#include "mean_formula.hpp"

namespace alacarte {
namespace {

using namespace exported;  // NOLINT(google-build-using-namespace): the pieces of the file that this one writes

constexpr int kNumbersPerLine = 6;
constexpr std::size_t kIntegersPerLine = 24;

/// Returns a C99 string literal: octal escapes except for printing ASCII, and no trigraphs.
std::string c_string(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '?')
      quoted += std::string("\\") + c;
    else if (c >= ' ' && c <= '~')
      quoted += c;
    else
      quoted += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  }
  return quoted + '"';
}

const char* profile_code(RadialProfile profile) {
  switch (profile) {
    case RadialProfile::squared_exponential: return "exp(-0.5 * r2)";
    case RadialProfile::matern12: return "exp(-sqrt(r2))";
    // Beyond 1e6 the exponential is 0, and the other factor may be infinite.
    case RadialProfile::matern32: return "(r2 > 1e6 ? 0 : (1 + sqrt(3 * r2)) * exp(-sqrt(3 * r2)))";
    case RadialProfile::matern52: return "(r2 > 1e6 ? 0 : (1 + sqrt(5 * r2) + 5 * r2 / 3) * exp(-sqrt(5 * r2)))";
    case RadialProfile::rational_quadratic: return "exp(-SHAPE * log1p(r2 / (2 * SHAPE)))";
  }
  return "";
}

std::string replaced(std::string text, const std::string& word, const std::string& by) {
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size()))
    text.replace(at, word.size(), by);
  return text;
}

class CFile {
 public:
  CFile(const FittedModel& model, const std::string& prefix) : model_(model), prefix_(prefix) {}

  std::string text() {
    const std::vector<FitFormula> fits = mean_formula(model_);
    std::string body;
    for (std::size_t k = 0; k < fits.size(); ++k) body += fit_function(fits[k], k);
    return heading() + functions_ + standardise() + body + mean_function(fits);
  }

 private:
  Index inputs() const { return model_.standardizer.input_shift().size(); }

  std::string heading() const {
    std::string names;
    for (const std::string& name : model_.schema.input_names())
      names += (names.empty() ? "  " : ",\n  ") + c_string(name);
    return fmt::format(
        R"(/* The mean of the predictions of a model '{}', written by alacarte {}. C99, no library but libm (-lm).

   double {}_mean(const double *x)   the mean of the target, in its unit, at x[0] .. x[{}]: finite numbers in the
                                     order and the units of {}_input_names. "colour=red" is 1 where the column colour
                                     is red, otherwise 0. Safe for threads. */
#include <math.h>

enum {{ D = {} }};
const int {}_input_count = D;
const char *const {}_input_names[D] = {{
{}}};
)",
        model_.recipe.model, version(), prefix_, inputs() - 1, prefix_, inputs(), prefix_, prefix_, names);
  }

  std::string array(const std::string& name, const double* values, Index count) const {
    std::string text = fmt::format("\nstatic const double {}[{}] = {{", name, count);
    for (Index i = 0; i < count; ++i)
      text += fmt::format("{}{}{}", i == 0 ? "" : ",", i % kNumbersPerLine == 0 ? "\n  " : " ", values[i]);
    return text + "};\n";
  }
  std::string array(const std::string& name, const Vector& values) const {
    return array(name, values.data(), values.size());
  }
  /// Writes the matrix row by row.
  std::string array(const std::string& name, const Matrix& values) const {
    const Matrix turned = values.transpose();
    return array(name, turned.data(), turned.size());
  }

  void need(const std::string& code) {
    if (needed_.insert(code).second) functions_ += code;
  }

  std::string standardise() const {
    const RowScaling& rows = model_.standardizer.rows();
    std::string code = array("input_shift", model_.standardizer.input_shift()) +
                       array("input_scale", model_.standardizer.input_scale()) +
                       "\nstatic void standardise(const double *x, double *v) {\n  int j;\n"
                       "  for (j = 0; j < D; ++j) v[j] = (x[j] - input_shift[j]) / input_scale[j];\n";
    if (rows.roots) code += "  for (j = 0; j < D; ++j) v[j] = v[j] < 0 ? -sqrt(-v[j]) : sqrt(v[j]);\n";
    if (rows.unit)
      code +=
          "  {\n    double largest = 0, squares = 0;\n"
          "    for (j = 0; j < D; ++j) if (fabs(v[j]) > largest) largest = fabs(v[j]);\n"
          "    if (!(largest > 0)) return;\n"
          "    for (j = 0; j < D; ++j) v[j] /= largest;\n"
          "    for (j = 0; j < D; ++j) squares += v[j] * v[j];\n"
          "    for (j = 0; j < D; ++j) v[j] /= sqrt(squares);\n  }\n";
    return code + "}\n";
  }

  std::string fit_function(const FitFormula& fit, std::size_t k) {
    const std::string id = fmt::format("fit{}", k);
    const char* const given = fit.tails ? "u" : "v";
    std::string data, code = fmt::format("\nstatic double {}(const double *{}) {{\n", id, fit.inputs ? "w" : given);
    seen_ = fit.inputs ? fit.inputs->seen() : inputs();
    if (fit.inputs) {
      if (fit.inputs->curves()) {
        need(kCurves);
        data += curves(*fit.inputs->curves(), id);
      }
      if (fit.inputs->trees()) need_trees(*fit.inputs->trees());
      code += fmt::format("  double {}[{}];\n", given, seen_);
    }
    if (fit.tails) {
      need(kTails);
      Matrix tails(seen_, 4);
      tails << fit.tails->median, fit.tails->width, fit.tails->mean, fit.tails->sd;
      data += array(id + "_tails", tails);
      code += fmt::format("  double v[{}];\n", seen_);
    }
    if (fit.network)
      add_declarations(*fit.network, code);
    else
      code += fmt::format("  const double *z = v;\n  double value = {};\n", fit.offset);
    if (fit.inputs) code += seen_inputs(*fit.inputs, id, given);
    if (fit.tails) code += fmt::format("  without_tails({}, {}_tails, u, v);\n", seen_, id);
    if (fit.network) add_network(*fit.network, id, data, code);
    if (fit.network) code += fmt::format("  value = {};\n", fit.offset);
    if (fit.rates.size() > 0) {
      need(kOutOfDigits);
      data += array(id + "_rates", fit.rates);
      code += fmt::format("  if (out_of_digits({}, {}_rates, {})) return value;\n", seen_, id, given);
    }
    for (std::size_t p = 0; p < fit.parts.size(); ++p)
      std::visit([&](const auto& part) { add_part(part, fmt::format("{}_{}", id, p), data, code); }, fit.parts[p]);
    return data + code + "  return value;\n}\n";
  }

  /// Fills what a fit sees in place of the scaled inputs w.
  std::string seen_inputs(const FitInputs& seen, const std::string& id, const char* given) const {
    std::string code;
    if (seen.curves())
      code += fmt::format("  bend({0}_counts, {0}_points, w, {1});\n", id, given);
    else if (seen.smooth() > 0)
      code += fmt::format("  {{\n    int k;\n    for (k = 0; k < D; ++k) {}[k] = w[k];\n  }}\n", given);
    if (seen.trees()) code += fmt::format("  boosted(w, {} + {});\n", given, seen.smooth());
    return code;
  }

  /// Writes the trees, which all fits share, once.
  void need_trees(const BoostedTrees& trees) {
    if (needed_.count(kTrees) > 0) return;
    TensorBundle state;
    trees.save(state, "");
    const auto integers = [&](const char* name) {
      const std::vector<std::int32_t>& values = state.tensors.at(name).i32;
      std::string text = fmt::format("\nstatic const int tree_{}[{}] = {{", name, values.size());
      for (std::size_t i = 0; i < values.size(); ++i)
        text += fmt::format("{}{}{}", i == 0 ? "" : ",", i % kIntegersPerLine == 0 ? "\n  " : " ", values[i]);
      return text + "};\n";
    };
    functions_ += fmt::format("\nenum {{ TREES = {}, TREE_OUTPUTS = {} }};\n", trees.trees(), trees.outputs());
    for (const char* name : {"sizes", "outputs", "inputs", "left"}) functions_ += integers(name);
    for (const char* name : {"numbers", "base", "scale"})
      functions_ += array(std::string("tree_") + name, state.vector(name));
    need(kTrees);
  }

  /// Writes the curves' points, or one of zeros where no input has a curve.
  std::string curves(const InputCurves& all, const std::string& id) const {
    std::string counts;
    std::vector<double> points;
    for (const InputCurves::Curve& curve : all.curves()) {
      counts += fmt::format("{}{}", counts.empty() ? "" : ", ", curve.knots.size());
      for (Index k = 0; k < curve.knots.size(); ++k)
        points.insert(points.end(), {curve.knots[k], curve.values[k], curve.slopes[k]});
    }
    if (points.empty()) points.resize(3);
    return fmt::format("\nstatic const int {}_counts[D] = {{{}}};\n", id, counts) +
           array(id + "_points", points.data(), static_cast<Index>(points.size()));
  }

  /// Declares z, value and what fills z.
  void add_declarations(const NetworkFormula& network, std::string& code) const {
    Index widest = seen_;
    for (const Vector& bias : network.biases) widest = std::max(widest, bias.size());
    const Index last = network.biases.back().size();
    code += fmt::format("  double a[{}], b[{}], z[{}], value;\n  int j;\n", widest, widest,
                        last + (network.skip ? seen_ : 0));
  }

  /// Fills z.
  void add_network(const NetworkFormula& network, const std::string& id, std::string& data, std::string& code) {
    need(replaced(kLayer, "ACTIVATION",
                  network.activation == Activation::silu   ? "u / (1 + exp(-u))"
                  : network.activation == Activation::tanh ? "tanh(u)"
                                                           : "sin(u)"));
    const Index last = network.biases.back().size();
    std::string in = "v";
    for (std::size_t l = 0; l < network.weights.size(); ++l) {
      const std::string name = fmt::format("{}_layer{}", id, l), out = l % 2 == 0 ? "a" : "b";
      const Matrix& weights = network.weights[l];
      data += array(name, weights.data(), weights.size()) + array(name + "_bias", network.biases[l]);
      code +=
          fmt::format("  layer({}, {}, {}, {}_bias, {}, {});\n", weights.rows(), weights.cols(), name, name, in, out);
      if (network.adds(l)) code += fmt::format("  for (j = 0; j < {}; ++j) {}[j] += {}[j];\n", weights.cols(), out, in);
      in = out;
    }
    code += fmt::format("  for (j = 0; j < {}; ++j) z[j] = {}[j];\n", last, in);
    if (network.skip) code += fmt::format("  for (j = 0; j < {}; ++j) z[{} + j] = v[j];\n", seen_, last);
    if (network.weights.size() == 1) code += "  (void)b;\n";
  }

  void add_part(const SinusoidSum& sum, const std::string& id, std::string& data, std::string& code) {
    need(kSinusoids);
    data += array(id + "_frequencies", sum.frequencies) + array(id + "_cosines", sum.cosines) +
            array(id + "_sines", sum.sines);
    std::string condition;
    if (sum.rates.size() > 0) {
      need(kOutOfDigits);
      data += array(id + "_rates", sum.rates);
      condition = fmt::format("if (!out_of_digits({}, {}_rates, v)) ", seen_, id);
    }
    code += fmt::format("  {}value += sinusoids({}, {}, {}_frequencies, {}_cosines, {}_sines, z);\n", condition,
                        sum.frequencies.rows(), sum.frequencies.cols(), id, id, id);
  }

  void add_part(const LinearSum& sum, const std::string& id, std::string& data, std::string& code) {
    need(kLinear);
    data += array(id + "_slopes", sum.slopes);
    code += fmt::format("  value += linear({}, {}_slopes, z);\n", sum.slopes.size(), id);
  }

  void add_part(const RadialSum& sum, const std::string& id, std::string& data, std::string& code) {
    need(kDistance);
    // Terms of a sum, and often several fits, share the same rows.
    if (rows_id_.empty() || rows_.rows() != sum.rows.rows() || rows_ != sum.rows) {
      rows_ = sum.rows;
      rows_id_ = id;
      data += array(id + "_rows", sum.rows);
    }
    data += array(id + "_weights", sum.weights) + array(id + "_inverse", sum.inverse);
    code += fmt::format(
        "  {{\n    long i;\n    for (i = 0; i < {}; ++i) {{\n"
        "      const double r2 = distance({}, {}_inverse, z, {}_rows + i * {});\n"
        "      value += {}_weights[i] * ({});\n    }}\n  }}\n",
        sum.rows.rows(), sum.rows.cols(), id, rows_id_, sum.rows.cols(), id,
        replaced(profile_code(sum.profile), "SHAPE", fmt::format("{}", sum.shape)));
  }

  std::string mean_function(const std::vector<FitFormula>& fits) const {
    std::string code = fmt::format(
        "\ndouble {}_mean(const double *x);\ndouble {}_mean(const double *x) {{\n  double v[D], value = 0;\n"
        "  standardise(x, v);\n",
        prefix_, prefix_);
    for (std::size_t k = 0; k < fits.size(); ++k) code += fmt::format("  value += {} * fit{}(v);\n", fits[k].share, k);
    return code + fmt::format("  return {} + {} * value;\n}}\n", model_.standardizer.target_shift(),
                              model_.standardizer.target_scale());
  }

  const FittedModel& model_;
  std::string prefix_, functions_;
  Index seen_ = 0;  // columns that the fit at hand sees
  Matrix rows_;     // rows of the last radial sum
  std::string rows_id_;
  std::set<std::string> needed_;
};

bool is_identifier(const std::string& name) {
  const auto good = [](unsigned char c) { return c < 128 && (std::isalnum(c) || c == '_'); };
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(), good);
}

}  // namespace

std::string mean_as_c(const FittedModel& model, const std::string& prefix) {
  if (!is_identifier(prefix))
    throw ConfigError("--name", fmt::format("'{}' is no name of C: letters, digits and _, no digit first", prefix));
  return CFile(model, prefix).text();
}

void export_c(const FittedModel& model, const std::string& path, const std::string& prefix) {
  write_text_file(path, mean_as_c(model, prefix));
}

}  // namespace alacarte
