#pragma once
// Encoding of tables as numbers, by a schema that the model keeps so that later rows are encoded identically.
#include <alacarte/core/predictive_distribution.hpp>
#include <alacarte/core/recipe.hpp>
#include <alacarte/data/row_source.hpp>
#include <alacarte/data/table.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace alacarte {

/// Writing of the numbers of a column, where it is not plain: "$1,234.50", "12 %".
struct NumberStyle {
  std::string prefix, suffix;  ///< currency sign in front; currency, unit or per cent sign behind; "" = none
  char thousands = 0;          ///< separator of thousands; 0: the sign that separates no decimals
  char decimal = 0;            ///< decimal sign; 0: the point, unless it separates thousands
  bool operator==(const NumberStyle&) const = default;  ///< memberwise
};

/// Encoding of an input: a number; a number written in a NumberStyle; the days of a date; 0 and 1 for two words such as
/// no and yes; 1 where there is a value and 0 in gaps; an indicator for each category; the level of a random effect.
enum class InputForm { number, styled, date, flag, presence, onehot, levels };
constexpr Words<7> words_of(InputForm) { return {"number", "styled", "date", "flag", "presence", "onehot", "levels"}; }

/// One input column of the training table, and its encoding.
struct InputColumn {
  std::string name;                     ///< header, or position as text
  Index position = 0;                   ///< in the training table, from 0
  InputForm form = InputForm::number;   ///< its encoding
  double fill = 0;                      ///< mean of the training rows, for gaps unless they are errors
  std::vector<std::string> categories;  ///< sorted categories, levels, or words of a flag; "" is the gap
  bool found = false;    ///< true if onehot for its text, not by the config (only while a strict schema is learned)
  bool has_gap = false;  ///< true if a further encoded column is 1 in gaps
  NumberStyle style;     ///< style of a styled number
  std::vector<double> cycles;  ///< periods of a date in days, each coded by its cosine and sine
  /// Training rows of each level, whose logarithm is an encoded column; empty if they hardly differ, and 0 in the first
  /// of inputs that are all levels, for a column without content.
  std::vector<Index> counts;
  Index gaps = 0;      ///< training rows without a value
  std::string remark;  ///< remark for a reader of the table; often ""

  bool is_category() const { return form == InputForm::onehot || form == InputForm::levels; }  ///< has `categories`
  bool is_date() const { return form == InputForm::date; }  ///< coded by days since 1970-01-01
  /// Returns true if its cells are read as text.
  bool is_text() const { return form != InputForm::number && form != InputForm::date; }
  /// Returns the place of a category or level among `categories`, or -1. Cost: a binary search.
  Index place_of(const std::string& category) const;
  /// Returns the number of neighbouring encoded columns. The code of a level is not one of them: it is further back.
  Index width() const;
};

/// Column of the training table that is no input, and why.
struct LeftOutColumn {
  std::string name;    ///< header, or position as text
  std::string reason;  ///< "constant", "no value", "different in nearly every row", ..
  Index position = 0;  ///< in the training table, from 0
  bool operator==(const LeftOutColumn&) const = default;  ///< memberwise
};

struct SparseChunk;

/// Row weights to read besides inputs: all, which training and scores need, or only those of known noise, which give
/// the uncertainty of each observation.
enum class RowWeights { none, known_noise, all };

/// Encoding of rows by a model: columns and their order, categories, fill values.
///
/// The kind of each input follows from all training rows (data/column_kinds.hpp): numbers, also with signs of currency
/// or thousands; dates and their cycles; flags; categories, of few levels one-hot and of many as a random effect.
/// Constants, identifiers and free text are left out (left_out()). A gap is filled by the mean; if a few training rows
/// have one there, it has an indicator, or is a category. Rows are never refused for the value of an input: one that no
/// training row had is a gap, or a level without an effect, and is counted (Dataset::unseen). Training rows whose
/// target is missing are left out.
///
/// Under config.strict, inputs of a CSV file whose first rows are all text are coded like config.categorical, unless
/// config.text says otherwise; they may have at most 64 categories, and not a different one in every row. A gap
/// (missing or non-finite cell) in an input depends on "missing": an error that names file, row and column; a dropped
/// row; or the mean of the training rows (a categorical gap: all indicators 0), except that an infinite cell stays an
/// error. A gap in a target that is needed is an error, or drops the row under "drop". The words for "missing" and
/// "unseen" have this meaning without config.strict, too.
///
/// Cost: O(rows columns), and a tree or binary search for each categorical cell.
///
/// If the target is needed, so are the row weights (config.weights), if the file has them: a negative or infinite one
/// is a DataError, a missing one is treated like a missing target, and rows of weight 0 are left out. Known noise
/// standard deviations (config.noise_sd) replace them by 1 / sd^2 in the unit of the target. They are read without the
/// target too, if the file has them; one that is not above 0 and finite is a DataError.
///
/// Exposures of counts (config.exposure) are read wherever the file has them. One that is not above 0 and finite is a
/// DataError; a missing one is treated like a missing weight if the target is needed, and otherwise is 1, and counted
/// as unseen (a DataError under a strict config).
///
/// Under config.labels the target is a label. Numeric labels are taken in their shortest form, so "1", "+1" and "1.0"
/// are one class. Training rows must hold 2 to 1000 classes, and not a different one each (DataError); a label without
/// a training row is a DataError if the target is needed.
class Schema {
 public:
  /// Learns categories and fill values from the rows marked in `training` (all rows if empty; under "drop", those
  /// without gaps). The reader must have been prepared with the same config before the table was read.
  /// Throws ConfigError for columns that are absent or used twice, DataError for gaps in training rows under "missing":
  /// "error", for a training target that is not finite, and if no training row is left.
  static Schema learn(const TableReader& reader, const TableChunk& table, const DataConfig& config,
                      const std::vector<bool>& training);
  /// Returns the schema of rows without a file: numeric inputs by position without names, then the target (d >= 1).
  /// `classes`: at least two names, or none for regression. Throws std::invalid_argument.
  static Schema numbers(Index inputs, std::vector<std::string> classes = {});
  /// Returns the schema of sparse LIBSVM rows: numeric inputs by position without names, so its size does not depend on
  /// d. `classes`: the labels, none for regression.
  static Schema sparse(Index inputs, const DataConfig& config, std::vector<std::string> classes);
  bool is_sparse() const { return sparse_inputs_ > 0; }  ///< true if rows are CSR
  bool has_names() const { return has_names_; }          ///< true if the training table had a header

  /// Encodes rows of the file of `reader`; with names on both sides, columns are matched by name (any order, extra ones
  /// ignored, missing ones a DataError with the nearest spelling); otherwise by position, if the file has all columns
  /// of the training table, all but the target, or only the model's inputs. The target is read if present (NaN in gaps)
  /// or if `need_target` (no gaps). Rows not marked in `considered` (empty = all) are skipped unread. weights: those to
  /// read if no target is needed; rows of weight 0 are dropped.
  Dataset encode(const TableReader& reader, const TableChunk& chunk, bool need_target,
                 const std::vector<bool>& considered = {}, RowWeights weights = RowWeights::known_noise) const;
  /// Encodes sparse rows, which are moved out of the chunk; the target as in the other encode(). `path`: for messages.
  Dataset encode(const std::string& path, SparseChunk& chunk, bool need_target) const;

  /// Marks the text columns (categorical and key) and the unused columns of a reader before its first read.
  void prepare(TableReader& reader) const;
  /// Marks the text columns and the unused columns of a reader by the config, before a schema exists.
  static void prepare(TableReader& reader, const DataConfig& config);

  Index input_count() const;  ///< d after one-hot coding
  /// Returns the number of levels of each random effect. Its codes are the last inputs, in this order: 0, 1, .. for the
  /// levels of the training rows, -1 for any other.
  std::vector<Index> level_counts() const;
  /// Returns names such as "colour=red" for an indicator; none for a sparse schema.
  const std::vector<std::string>& input_names() const { return input_names_; }
  const std::vector<InputColumn>& input_columns() const { return inputs_; }  ///< before one-hot coding
  const std::vector<LeftOutColumn>& left_out() const { return left_out_; }   ///< columns that could be inputs
  /// Returns the number of training rows left out for a missing target, exposure or weight.
  Index rows_without_target() const { return rows_without_target_; }
  /// Returns what was done to read the training table (TableReader::remarks()).
  const std::vector<std::string>& remarks() const { return remarks_; }
  /// Returns true if encode() counts the values of each row that no training row had.
  bool counts_unseen() const { return !config_.strict; }
  const std::string& target_name() const { return target_name_; }  ///< name of the column, or its position
  const DataConfig& config() const { return config_; }             ///< its settings
  bool has_weights() const { return weights_position_ >= 0; }      ///< true if a column holds row weights
  bool has_exposure() const { return exposure_position_ >= 0; }    ///< true if a column holds exposures of counts
  /// Returns true if the weights are those of known noise, 1 / sd^2, rather than importances of rows.
  bool knows_noise() const { return has_weights() && !config_.noise_sd.empty(); }
  /// Returns the row weights for scores: `weights`, or empty (all 1) if they are those of known noise.
  Vector score_weights(const Vector& weights) const { return knows_noise() ? Vector() : weights; }
  bool reads_weights(bool need_target, RowWeights weights) const;  ///< see encode()
  /// Returns the names of the classes: in numeric order if all are numbers, else by their bytes; empty for regression.
  const std::vector<std::string>& classes() const { return classes_; }
  Index class_count() const { return static_cast<Index>(classes_.size()); }  ///< K; 0 for regression
  double class_place(const std::string& label) const;                        ///< index in classes(), or NaN
  /// Returns the number of inputs to open a LIBSVM file with (open_table), so that its width is the model's.
  Index libsvm_inputs() const;

  Schema encoding_alone() const;  ///< schema without counts of rows, and without means that fill no gap
  /// Returns true if rows without gaps have the same encoding.
  bool encodes_like(const Schema& other) const;

 private:
  friend class SchemaLearner;
  friend class SchemaCodec;  // defines its form in files, in room io
  /// Positions of the model's columns in a file; -1: absent.
  struct Places {
    std::vector<Index> inputs;
    Index target = -1, key = -1, weights = -1, exposure = -1;
  };
  Places locate(const TableReader& reader) const;
  Places locate_by_name(const TableReader& reader) const;
  Places locate_by_position(const TableReader& reader) const;
  /// Returns the remedy for a gap: `advice` while the schema is learned, else the options of a user of the model.
  std::string remedy(const char* advice) const;
  /// Returns true if the row has a weight above 0, or a known noise. Throws DataError as described for the class.
  bool check_weight(const TableReader& reader, const TableChunk& chunk, Index place, Index row) const;
  /// Returns true if the row has an exposure, or needs none. Throws DataError as described for the class.
  bool check_exposure(const TableReader& reader, const TableChunk& chunk, Index place, Index row,
                      bool need_target) const;
  /// Sets the offsets of the rows to the logarithms of their exposures; a gap is 1, and unseen.
  static void encode_exposures(const TableChunk& chunk, Index place, const std::vector<Index>& rows, Dataset& data);
  bool reads_text(const InputColumn& input) const;  ///< true if its cells are kept as text
  bool fills_gaps() const;                          ///< true if gaps are no error and drop no row
  bool drops_gaps() const;                          ///< true if a row with a gap is dropped
  bool takes_unseen() const;                        ///< true if new categories are no error
  bool is_gap(const TableChunk& chunk, const InputColumn& input, Index place, Index row) const;
  bool is_target_gap(const TableChunk& chunk, Index place, Index row) const;
  std::vector<Index> rows_to_keep(const TableReader& reader, const TableChunk& chunk, const Places& places,
                                  const std::vector<bool>& considered, bool need_target) const;
  class InputEncoder;
  double target_number(const TableReader& reader, const TableChunk& chunk, Index place, Index row) const;
  Vector encode_target(const TableReader& reader, const TableChunk& chunk, Index place, const std::vector<Index>& rows,
                       bool need_target) const;
  void name_inputs();

  DataConfig config_;
  bool has_names_ = false;
  Index table_columns_ = 0;
  std::vector<InputColumn> inputs_;
  std::string target_name_, key_name_, weights_name_, exposure_name_;
  Index target_position_ = 0, key_position_ = -1, weights_position_ = -1, exposure_position_ = -1;
  Index sparse_inputs_ = 0;  // if above 0, inputs_ and input_names_ are empty
  bool is_learning_ = false;
  bool dates_are_numbers_ = false;  // true if the training table came from memory, not from a file of text
  std::vector<LeftOutColumn> left_out_;
  Index rows_without_target_ = 0;
  std::vector<std::string> remarks_;
  std::optional<NumberStyle> target_style_;  // of a target that is read as text
  std::vector<std::string> input_names_, classes_;
};

/// Line of the table that says what became of a column.
struct ColumnSummary {
  std::string column;    ///< its name
  std::string kind;      ///< number, date, flag, category, levels, presence, or the reason why it is left out
  std::string encoding;  ///< inputs that it became; "left out"
  Index missing = 0;     ///< training rows without a value
  Index levels = 0;      ///< different values of a category
  std::string remark;    ///< further remark, or ""
  bool is_plain() const { return kind == "number" && missing == 0 && remark.empty(); }  ///< nothing was decided
};

/// Returns a line for each column that could be an input, in the order of the table.
std::vector<ColumnSummary> column_summaries(const Schema& schema);

/// Encoded rows of a file.
struct EncodedFile {
  Schema schema;                    ///< the schema, given or learned from the file
  std::shared_ptr<RowSource> rows;  ///< encoded, raw units
  Index file_rows = 0;              ///< data rows of the file, left-out ones included
  Index held_out = 0;               ///< held-out rows among them; the others are dropped for missing cells
  SplitColumns columns = {};        ///< groups or times of `rows`
};

class RowsFile;
class SparseReader;

/// Rows of a file as encoded chunks, for prediction in constant memory. Under a sparse schema the file must be LIBSVM.
class DatasetStream {
 public:
  /// Opens a table or a rows file. Inputs of a rows file are matched by name (any order, extra ones ignored); DataError
  /// if one is missing, or if the model has a key, which rows files do not keep. weights: see Schema::encode().
  DatasetStream(const std::string& path, const Schema& schema, bool need_target,
                RowWeights weights = RowWeights::known_noise);
  /// Reads from an open, unread reader.
  DatasetStream(std::unique_ptr<TableReader> reader, const Schema& schema, bool need_target);
  ~DatasetStream();
  /// Reads at most `max_rows` further rows that are not dropped; returns false if none were left.
  bool next(Dataset& chunk, Index max_rows);
  /// Returns what was done to read the table so far (TableReader::remarks()).
  std::vector<std::string> remarks() const { return reader_ ? reader_->remarks() : std::vector<std::string>(); }

 private:
  void open_rows(const std::string& path);
  void match_columns() const;
  void match_levels();
  void take_levels(Dataset& chunk) const;
  void match_classes();
  bool next_rows(Dataset& chunk, Index max_rows);
  bool next_sparse(Dataset& chunk, Index max_rows);

  Schema schema_;
  bool need_target_;
  RowWeights weights_ = RowWeights::known_noise;
  std::unique_ptr<TableReader> reader_;  // if a table
  TableChunk table_;
  std::shared_ptr<const RowsFile> file_;  // if a rows file
  std::unique_ptr<SparseReader> sparse_;  // if sparse
  std::vector<Index> places_;             // positions of the model's inputs among those of the file
  /// A random effect of the model: the model's level of each of the file, or -1, and the encoded columns.
  struct LevelPlaces {
    std::vector<Index> levels, counts;
    Index code = 0, frequency = -1;
  };
  std::vector<LevelPlaces> levels_;
  std::vector<double> classes_;  // the model's indices of the file's classes; NaN: unknown to the model
  Index next_row_ = 0;
};

/// Computes z = (x - shift) / scale by column; then, by RowScaling, sign(z) sqrt(|z|) and z / |z|. Learned from
/// training rows only; safe for constant columns (scale 1) and columns of any magnitude. A target may be transformed
/// first (TargetTransform), so that target = t^-1(shift + scale z). Cost O(nd).
class Standardizer {
 public:
  /// Learns scales: none: identity; center: mean; zscore: mean and sample sd (curves too: they come behind it); range:
  /// minimum and max - min. The rows need not fit in memory. Throws std::invalid_argument for no rows, NumericalError
  /// if a column is not finite or spans more than the range of doubles, DataError for scale_target log and a target
  /// that is not above 0. For yeo-johnson the exponent is learned from at most 20,000 targets, spread evenly over the
  /// rows; log and yeo-johnson then scale as zscore. Cost: two passes. For sparse rows only the target is scaled.
  static Standardizer learn(const RowSource& rows, Scaling scale_inputs, TargetScaling scale_target,
                            RowScaling row_scaling = {});
  /// Learns from rows in memory: inputs (n, d), target (n). Throws std::invalid_argument for lengths that differ.
  static Standardizer learn(const Matrix& inputs, const Vector& target, Scaling scale_inputs,
                            TargetScaling scale_target, RowScaling row_scaling = {}) {
    return learn(*MemoryRows::view(inputs, target), scale_inputs, scale_target, row_scaling);
  }
  /// Returns the standardiser of sparse rows with d inputs, which applies only `rows`.
  static Standardizer sparse(Index inputs, RowScaling rows);
  bool is_sparse() const { return sparse_; }  ///< true if applied to CSR rows
  Matrix inputs(ConstMat raw) const;          ///< (n, d) raw to standardised
  /// Standardises sparse inputs in place; only if is_sparse().
  void standardise(SparseRows& raw) const;
  Vector target(ConstVec raw) const;  ///< (n) raw to standardised; labels and counts stay
  /// Standardises inputs in place.
  void standardise(MatRef raw) const;
  /// Standardises rows and targets: those that MemoryRows owns in place, others when they are read.
  std::shared_ptr<const RowSource> standardise(std::shared_ptr<RowSource> raw) const;
  /// Standardises one row (d) into z (d), without allocation.
  void standardise_row(ConstVec raw, VecRef z) const;
  const RowScaling& rows() const { return rows_; }  ///< scaling of each row
  /// Returns the number of inputs that are no codes of levels, which stay as they are.
  Index smooth_count() const { return shift_.size() - levels_; }
  /// Replaces the scale of the target; scale > 0.
  void set_target(double shift, double scale) {
    target_shift_ = shift;
    target_scale_ = scale;
  }
  double target_shift() const { return target_shift_; }            ///< a: t(target) = a + b standardised
  double target_scale() const { return target_scale_; }            ///< b > 0
  const TargetTransform& transform() const { return transform_; }  ///< t of the target, often the identity
  /// Returns the standard deviation of the training targets in their own unit: b without a transform.
  double target_spread() const { return transform_.is_identity() ? target_scale_ : target_spread_; }
  /// Returns true if input j had one value in all training rows; false for sparse rows, which keep no ranges.
  bool is_constant(Index j) const { return j < minimum_.size() && minimum_[j] == maximum_[j]; }
  /// Returns (d) the maximum less the minimum of each input over the training rows; empty if is_sparse().
  Vector input_range() const { return maximum_ - minimum_; }
  /// Returns (rows) the share of inputs outside the training rows' [min, max]; 0 if is_sparse(), without ranges.
  Vector share_outside(ConstMat raw) const;
  /// Returns this standardiser for the inputs with the target's scale of another.
  Standardizer with_target_of(const Standardizer& other) const;
  /// Widens the ranges to include these rows (n, d); shifts and scales stay. Does nothing if is_sparse().
  void widen(ConstMat raw);
  const Vector& input_shift() const { return shift_; }  ///< (d)
  const Vector& input_scale() const { return scale_; }  ///< (d) > 0

 private:
  friend class StandardizerCodec;  // defines its form in files, in room io
  Vector shift_, scale_, minimum_, maximum_;
  double target_shift_ = 0, target_scale_ = 1, target_spread_ = 1;
  TargetTransform transform_;
  Index levels_ = 0;  // last inputs, which are codes of levels and stay as they are
  RowScaling rows_;
  bool sparse_ = false;
};

}  // namespace alacarte
