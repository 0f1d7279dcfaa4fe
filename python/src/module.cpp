// The module alacarte._alacarte, used only by the package's Python files.
#include <pthread.h>

#include <cmath>

#include "alacarte/app/job.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/core/version.hpp"
#include "jobs.hpp"
#include "linalg/simd.hpp"
#include "model.hpp"

namespace py = pybind11;
using namespace py::literals;

namespace alacarte::python {
namespace {

void raise(const char* name, const std::exception& error) {
  const py::object type = py::module_::import("alacarte._errors").attr(name);
  // The text may hold bytes of a file that are not UTF-8.
  const auto text = py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(
      error.what(), static_cast<Py_ssize_t>(std::char_traits<char>::length(error.what())), "replace"));
  PyErr_SetObject(type.ptr(), text.ptr());
}

void translate(std::exception_ptr pointer) {
  try {
    if (pointer) std::rethrow_exception(pointer);
  } catch (const ConfigError& error) {
    raise("ConfigError", error);
  } catch (const DataError& error) {
    raise("DataError", error);
  } catch (const NumericalError& error) {
    raise("NumericalError", error);
  } catch (const IoError& error) {
    raise("IoError", error);
  } catch (const Interrupted&) {
    PyErr_SetString(PyExc_KeyboardInterrupt, "");
  }
}

void bind_model(py::module_& module) {
  py::class_<Model, std::shared_ptr<Model>>(module, "Model")
      .def_static("fit", &Model::fit, "recipe"_a, "table"_a, "seed"_a, "threads"_a, "progress"_a, "seconds_before"_a,
                  "start"_a = py::none())
      .def_static("fit_targets", &Model::fit_targets, "recipe"_a, "tables"_a, "targets"_a, "seed"_a, "threads"_a,
                  "progress"_a, "seconds_before"_a)
      .def_static("read_targets", &Model::read_targets, "path"_a)
      .def_static("write_targets", &Model::write_targets, "models"_a, "path"_a)
      .def("export_c", &Model::export_c, "path"_a, "name"_a)
      .def("describe", &Model::describe)
      .def("messages", &Model::messages)
      .def("learned_rows", &Model::learned_rows)
      .def("summary", &Model::summary)
      .def("left_out",
           [](const Model& model) -> py::object {
             if (!model.left_out()) return py::none();
             return py::make_tuple(model.left_out()->rows, model.left_out()->values);
           })
      .def("encode", &Model::encode, "table"_a)
      .def(
          "count_unseen",
          [](const Model& model, const Table& table) {
            const std::vector<Index> counts = model.count_unseen(table);
            return py::array_t<Index>(static_cast<py::ssize_t>(counts.size()), counts.data());
          },
          "table"_a)
      .def(
          "predict",
          [](const Model& model, const Rows& rows, bool sd, bool latent, double interval, int threads,
             const Vector& weights, const Vector& offsets) {
            Model::Numbers own = model.predict(rows, sd, latent, interval, threads, {weights, offsets});
            return py::make_tuple(std::move(own.mean), std::move(own.sd), std::move(own.lower), std::move(own.upper));
          },
          "rows"_a, "sd"_a, "latent"_a, "interval"_a, "threads"_a, "weights"_a = Vector(), "offsets"_a = Vector())
      .def(
          "distribution",
          [](const Model& model, const Rows& rows, const std::vector<double>& probabilities,
             const std::vector<double>& thresholds, int threads, const Vector& weights, const Vector& offsets) {
            return model.distribution(rows, probabilities, thresholds, threads, {weights, offsets});
          },
          "rows"_a, "probabilities"_a, "thresholds"_a, "threads"_a, "weights"_a = Vector(), "offsets"_a = Vector())
      .def("class_values", &Model::class_values, "rows"_a, "threads"_a)
      .def(
          "predict_one",
          [](const Model& model, const List<double>& row, bool sd, bool latent, double exposure) -> py::object {
            const OneRowPrediction& one = model.predict_one(row, sd, latent, exposure);
            if (!sd) return py::float_(one.mean);
            return py::make_tuple(one.mean, std::sqrt(one.variance));
          },
          "row"_a, "sd"_a, "latent"_a, "exposure"_a = 1.0)
      .def(
          "class_values_of_one",
          [](const Model& model, const List<double>& row) {
            return Vector(model.predict_one(row, false, false, 1).class_values);
          },
          "row"_a)
      .def("gradient", &Model::gradient, "rows"_a, "sd"_a, "threads"_a)
      .def("explain", &Model::explain, "rows"_a, "target"_a, "row"_a, "inputs"_a, "interactions"_a, "background"_a,
           "repeats"_a, "seed"_a, "threads"_a)
      .def("covariance", &Model::covariance, "rows"_a, "latent"_a)
      .def("update", &Model::update, "rows"_a, "target"_a, "weights"_a, "forget"_a, "threads"_a)
      .def("draws", &Model::draws, "rows"_a, "count"_a, "seed"_a)
      .def(py::pickle([](const Model& model) { return model.bytes(); }, &Model::parse));
}

void bind_features(py::module_& module) {
  py::class_<Features, std::shared_ptr<Features>>(module, "Features")
      .def_static("start", &Features::start, "recipe"_a, "table"_a, "seed"_a)
      .def_static("of_model", &Features::of_model, "model"_a)
      .def("describe", &Features::describe)
      .def("encode", &Features::encode, "table"_a)
      .def("count", &Features::count)
      .def("transform", &Features::transform, "rows"_a, "threads"_a)
      .def(py::pickle([](const Features& features) { return features.bytes(); }, &Features::parse));
}

}  // namespace
}  // namespace alacarte::python

PYBIND11_MODULE(_alacarte, module) {
  using namespace alacarte::python;
  py::register_exception_translator(&translate);
  py::class_<Csr>(module, "Csr")
      .def(py::init([](alacarte::Index width, List<alacarte::Index> starts, List<alacarte::Index> columns,
                       List<double> values) {
             Csr rows{width, std::move(starts), std::move(columns), std::move(values)};
             view(rows);  // refuses inconsistent arrays
             return rows;
           }),
           "width"_a, "starts"_a, "columns"_a, "values"_a);
  py::class_<Table>(module, "Table")
      .def(py::init([](std::string name, std::vector<std::string> columns, bool has_names, Array numbers,
                       std::map<alacarte::Index, std::vector<std::string>> text, std::optional<Csr> sparse,
                       bool holds_text) {
             return Table{std::move(name), std::move(columns), has_names, std::move(numbers),
                          std::move(text), std::move(sparse),  {},        holds_text};
           }),
           "name"_a, "columns"_a, "has_names"_a, "numbers"_a, "text"_a, "sparse"_a = py::none(), "holds_text"_a = false)
      .def(
          "set_groups",
          [](Table& table, std::vector<alacarte::Index> groups) { table.columns_of_splits.groups = std::move(groups); })
      .def("set_times", [](Table& table, const List<double>& times) {
        table.columns_of_splits.times = Eigen::Map<const alacarte::Vector>(times.data(), times.size());
      });
  module.def(
      "target_of", [](const std::string& recipe) { return target_name(target_kind(parse_recipe_text(recipe))); },
      "recipe"_a);
  module.def("read_numbers", &read_numbers, "name"_a, "cells"_a);
  bind_model(module);
  bind_features(module);
  module.attr("version") = alacarte::version();
  module.def("better_blas_kernels", [] { return std::string(alacarte::better_blas_kernels()); });
  ::pthread_atfork(nullptr, nullptr, &forget_jobs);
  py::module_::import("atexit").attr("register")(py::cpp_function(&stop_jobs));
}
