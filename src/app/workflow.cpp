#include "alacarte/app/workflow.hpp"

#include "alacarte/data/rows_file.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/io/target_models.hpp"
#include "app/training_rows.hpp"
#include "core/pipes.hpp"
#include "data/splits.hpp"

namespace alacarte {
namespace {

bool has_classes(const std::string& path, const TableOptions& options) {
  if (options.target_kind != TargetColumn::automatic) return options.target_kind == TargetColumn::classes;
  return !is_stream(path) && has_class_target(path, options.data);
}

}  // namespace

Table read_table(const std::string& path, const TableOptions& options) {
  if (is_rows_file(path)) {
    const RowsFile file(path);
    return {file.schema(), load(file)};
  }
  DataConfig config = options.data;
  config.labels = has_classes(path, options);
  const auto reader = open_table(path, config);
  Schema::prepare(*reader, config);
  const TableChunk cells = read_all(*reader);
  Table table{Schema::learn(*reader, cells, config, {}), {}};
  table.rows = table.schema.encode(*reader, cells, true);
  return table;
}

Table read_table(const std::string& path, const Schema& schema) {
  DatasetStream stream(path, schema, false, RowWeights::all);
  return {schema, read_all_rows(stream, schema.input_count())};
}

Table make_table(Matrix inputs, Vector target, std::vector<std::string> classes) {
  require(inputs.rows() == target.size(), "make_table: inputs and target have different numbers of rows");
  Table table{Schema::numbers(inputs.cols(), std::move(classes)), {}};
  table.rows.inputs = std::move(inputs);
  table.rows.target = std::move(target);
  return table;
}

Recipe default_recipe(TargetKind target) {
  Recipe recipe;
  recipe.model = "auto";
  if (target == TargetKind::classes) recipe.likelihood = "softmax";
  if (target == TargetKind::counts) recipe.likelihood = "poisson";
  return apply_likelihood_defaults(std::move(recipe));
}

FittedModel fit(const Recipe& recipe, Table table, const FitOptions& options) {
  const bool classes = target_kind(recipe) == TargetKind::classes;
  if (classes != (table.schema.class_count() > 0))
    throw ConfigError("/likelihood",
                      classes ? "learns classes, and the target was read as numbers (TargetColumn::classes)"
                              : "learns numbers, and the target was read as classes (TargetColumn::numbers)");
  Recipe own = recipe;
  own.data = table.schema.config();
  return fit(apply_likelihood_defaults(std::move(own)), table.schema, std::move(table.rows), options);
}

FittedModel fit(Table table, const FitOptions& options) {
  const bool classes = table.schema.class_count() > 0;
  return fit(default_recipe(classes ? TargetKind::classes : TargetKind::numbers), std::move(table), options);
}

void save(const FittedModel& model, const std::string& path, bool mean_only) {
  write_bundle(path, model.save(mean_only));
}

FittedModel load_model(const std::string& path) { return load_one_model(path); }

}  // namespace alacarte
