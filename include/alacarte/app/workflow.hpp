#pragma once
// From a table to predictions in few calls: read_table(), fit(), FittedModel::predict(), save(), load_model(). Rows are
// held in memory; train_file.hpp and predict_file.hpp do the same for files that do not fit, and with splits.
#include <alacarte/core/recipe.hpp>
#include <alacarte/data/dataset.hpp>
#include <alacarte/model/fitted_model.hpp>
#include <alacarte/train/fit.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// Rows in memory and the schema that encodes them, which a model trained on them keeps. If a model knows the noise of
/// rows (Schema::knows_noise()), give rows.weights to predict() as PredictOptions::weights; if counts have exposures
/// (Schema::has_exposure()), rows.offsets as PredictOptions::offsets.
struct Table {
  Schema schema;                                      ///< names, categories and classes of the columns
  Dataset rows;                                       ///< encoded, in raw units: inputs (n, d), target (n) or empty
  Index count() const { return rows.rows(); }         ///< n
  operator InputView() const { return rows.view(); }  ///< for FittedModel::predict(); valid while the table lives
};

/// Kind of a target column: numbers (counts, too), classes, or decided by the cells: classes if they are text, or at
/// most 10 whole numbers that 10 rows or more share on average.
enum class TargetColumn { automatic, numbers, classes };

/// Options of read_table() for rows to train on.
struct TableOptions {
  DataConfig data = {};  ///< target (default: the last column), inputs, gaps; `labels` follows from target_kind
  TargetColumn target_kind = TargetColumn::automatic;  ///< numbers or classes
};

/// Reads a table (CSV, plain or gzipped; LIBSVM as dense rows; NPY; IDX) and learns its schema from all rows; a rows
/// file has a schema, and the options do not apply to it. "-" is standard input, whose target is a number unless
/// options.target_kind is classes. Throws IoError if the file cannot be read, DataError for cells that are wrong (with
/// row and column), ConfigError for columns that are not there. Memory: the cells and the encoded rows, 16 bytes for
/// each number while it is read, 8 afterwards.
Table read_table(const std::string& path, const TableOptions& options = {});

/// Reads rows for a model: encoded by the schema of its training rows, columns found by name where both have names. The
/// target may be missing; it is NaN in its gaps, and empty where there is no such column. Throws IoError and DataError,
/// also for a category that the schema does not know. Memory: as above.
Table read_table(const std::string& path, const Schema& schema);

/// Returns rows in memory as a table: inputs (n, d); target (n), numbers or, with the names of at least two classes,
/// their places 0 .. K - 1. Throws std::invalid_argument for lengths that differ.
Table make_table(Matrix inputs, Vector target, std::vector<std::string> classes = {});

/// Returns the recipe of model "auto", a mixture that follows from the size of the table, with gaussian noise, softmax
/// or the Poisson likelihood. A default-constructed Recipe is of model "ard" instead, since a recipe file that names no
/// model means that.
Recipe default_recipe(TargetKind target = TargetKind::numbers);

/// Trains the recipe on a table, whose data options replace the recipe's; move the table in to save a copy of its rows.
/// Throws as fit() of train/fit.hpp, and ConfigError("/likelihood") where recipe and table disagree about whether the
/// target is a class. Cost: that of the recipe; of default_recipe() some 5 s for 1000 rows on two threads, 20 s for
/// 10,000, unless training.seconds is set.
FittedModel fit(const Recipe& recipe, Table table, const FitOptions& options = {});
/// Trains default_recipe() on a table, of classes if its schema has classes, else of numbers. Throws as above.
FittedModel fit(Table table, const FitOptions& options = {});

/// Writes a model file, whole or not at all, as `alacarte train` does. mean_only omits what variances need. Throws
/// IoError.
void save(const FittedModel& model, const std::string& path, bool mean_only = false);
/// Reads a model file; predictions have the same bits as before save(). Throws IoError naming what is invalid, and
/// ConfigError for a file with the models of several targets (load_models()).
FittedModel load_model(const std::string& path);

}  // namespace alacarte
