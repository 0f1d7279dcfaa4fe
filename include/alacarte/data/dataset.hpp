#pragma once
// Encodes tables as numbers, by a schema that the model keeps so that later rows are encoded identically.
#include <alacarte/core/recipe.hpp>
#include <alacarte/data/row_source.hpp>
#include <alacarte/data/table.hpp>
#include <set>
#include <string>
#include <vector>

namespace alacarte {

/// One input column of the training table: a number, or a category coded as one indicator for each known value.
struct InputColumn {
  std::string name;                     ///< header, or position as text
  Index position = 0;                   ///< in the training table, from 0
  bool categorical = false;             ///< coded by `categories`; otherwise a number
  double fill = 0;                      ///< mean of the training rows, for gaps under "missing": "mean"
  std::vector<std::string> categories;  ///< sorted; empty for numbers
  bool found = false;                   ///< categorical for its text, not named by the config; not kept in files
  bool date = false;                    ///< a number made of a date (ColumnKind::date)
  /// Encoded columns: one, or one for each category.
  Index width() const { return categorical ? static_cast<Index>(categories.size()) : 1; }
};

struct SparseChunk;

/// Which weights of rows are read beside inputs: those of training and scores, or those that say how certain a row's
/// own observation is.
enum class RowWeights { none, known_noise, all };

/// How a model encodes rows: columns and their order, categories, fill values.
///
/// Inputs of a CSV file whose first rows hold text alone are coded as those of config.categorical, unless config.text
/// says otherwise; they may have at most 64 categories, and not another one in every row.
///
/// A gap (missing or non-finite cell) in an input is, by "missing": an error that names file, row and column; a reason
/// to drop the row; or filled with the mean of the training rows (a categorical gap: all indicators 0), except that an
/// infinite cell stays an error. A gap in a target that is needed is an error, or drops the row under "drop". Cost:
/// O(rows columns), and a tree or binary search for each categorical cell.
///
/// Where the target is needed, so are the weights of rows (config.weights), if the file has them: a negative or
/// infinite one is a DataError, a missing one as a missing target, and rows of weight 0 are left out. A column of known
/// noise standard deviations (config.noise_sd) takes their place: its weights are 1 / sd^2 in the unit of the target.
/// It is read without the target too, if the file has it; one that is not above 0 and finite is a DataError.
///
/// Under config.labels the target is a class of any text. Labels that are numbers are taken in their shortest form, so
/// "1", "+1" and "1.0" are one class. Training rows must hold at least two and at most 1000 classes, and not a
/// different one each (DataError); a label that no training row has is a DataError that names it where the target is
/// needed.
class Schema {
 public:
  /// Learns categories and fill values from the rows marked in `training` (all rows when empty; under "drop", those of
  /// them without gaps). The reader must have been prepared with the same config before the table was read.
  /// Throws ConfigError for columns that are not there or used twice, DataError for gaps in training rows under
  /// "missing": "error", for a training target that is not finite, and when no training row is left.
  static Schema learn(const TableReader& reader, const TableChunk& table, const DataConfig& config,
                      const std::vector<bool>& training);
  /// Schema of rows that come from no file: numeric inputs by position without names, followed by the target (d >= 1).
  /// `classes`: names of the classes, at least two, or none for a number to be learned. Throws std::invalid_argument.
  static Schema numbers(Index inputs, std::vector<std::string> classes = {});
  /// Schema of sparse LIBSVM rows: numeric inputs by position without names, so its size does not depend on d.
  /// `classes`: the labels, none for a number to be learned.
  static Schema sparse(Index inputs, const DataConfig& config, std::vector<std::string> classes);
  bool is_sparse() const { return sparse_inputs_ > 0; }  ///< rows come by their nonzeros

  /// Encodes rows. `reader`: the file the chunk came from; with names on both sides, columns are matched by name (order
  /// free, extra ones ignored, missing ones a DataError with the nearest spelling); otherwise by position, where the
  /// file may have all columns of the training table, all but the target, or the model's inputs alone. The target is
  /// read if present (NaN in gaps) or if `need_target` (no gaps). Rows not marked in `considered` (empty = all) are
  /// passed over, whatever they hold. weights: which are read where no target is needed; rows of weight 0 are dropped.
  Dataset encode(const TableReader& reader, const TableChunk& chunk, bool need_target,
                 const std::vector<bool>& considered = {}, RowWeights weights = RowWeights::known_noise) const;
  /// Encodes sparse rows, which are moved out of the chunk; the target as above. `path`: for messages.
  Dataset encode(const std::string& path, SparseChunk& chunk, bool need_target) const;

  /// Marks the text columns (categorical and key) and the unused columns of a reader before its first read.
  void prepare(TableReader& reader) const;
  /// Marks the text columns and the unused columns of a reader by the config, before a schema exists.
  static void prepare(TableReader& reader, const DataConfig& config);

  Index input_count() const;  ///< d after one-hot coding
  /// "colour=red" for an indicator; none of a sparse schema.
  const std::vector<std::string>& input_names() const { return input_names_; }
  const std::vector<InputColumn>& input_columns() const { return inputs_; }  ///< before one-hot coding
  const std::string& target_name() const { return target_name_; }            ///< name of the column, or its position
  const DataConfig& config() const { return config_; }                       ///< what it was learned by
  bool has_weights() const { return weights_position_ >= 0; }                ///< a column holds the weights of rows
  /// The weights are those of known noise, 1 / sd^2: a row's own noise, no measure of how much it counts.
  bool knows_noise() const { return has_weights() && !config_.noise_sd.empty(); }
  /// Of the rows in a score: their weights, or all 1 (empty) where these are of known noise.
  Vector score_weights(const Vector& weights) const { return knows_noise() ? Vector() : weights; }
  bool reads_weights(bool need_target, RowWeights weights) const;  ///< see encode()
  /// Names of the classes: in numeric order if all are numbers, else by their bytes; empty for a number to be learned.
  const std::vector<std::string>& classes() const { return classes_; }
  Index class_count() const { return static_cast<Index>(classes_.size()); }  ///< K; 0 for a number to be learned
  double class_place(const std::string& label) const;                        ///< among classes(); NaN for none of them
  /// Number of inputs to open a LIBSVM file with (open_table) so that its width does not depend on its rows.
  Index libsvm_inputs() const;

  Schema without_fills() const;  ///< that of files that differ in the means of their columns alone

 private:
  friend class SchemaLearner;
  friend class SchemaCodec;  // its form in files, of the room io
  /// Where the model's columns are in a file; -1: not there.
  struct Places {
    std::vector<Index> inputs;
    Index target = -1, key = -1, weights = -1;
  };
  Places locate(const TableReader& reader) const;
  Places locate_by_name(const TableReader& reader) const;
  Places locate_by_position(const TableReader& reader) const;
  /// What can be done about a gap: `advice` while the schema is learned, else what a user of the model can do.
  std::string remedy(const char* advice) const;
  /// Whether the row has a weight above 0, or a known noise. Throws DataError as the class says.
  bool check_weight(const TableReader& reader, const TableChunk& chunk, Index place, Index row) const;
  std::vector<Index> rows_to_keep(const TableReader& reader, const TableChunk& chunk, const Places& places,
                                  const std::vector<bool>& considered, bool need_target) const;
  void encode_category(const TableReader& reader, const TableChunk& chunk, const InputColumn& input, Index place,
                       const std::vector<Index>& rows, MatRef indicators) const;
  Vector encode_target(const TableReader& reader, const TableChunk& chunk, Index place, const std::vector<Index>& rows,
                       bool need_target) const;
  void name_inputs();

  DataConfig config_;
  bool has_names_ = false;
  Index table_columns_ = 0;
  std::vector<InputColumn> inputs_;
  std::string target_name_, key_name_, weights_name_;
  Index target_position_ = 0, key_position_ = -1, weights_position_ = -1;
  Index sparse_inputs_ = 0;  // then inputs_ and input_names_ are empty
  bool is_learning_ = false;
  std::vector<std::string> input_names_, classes_;
};

/// Encoded rows of a file.
struct EncodedFile {
  Schema schema;                    ///< learned from the file, or the one that was given
  std::shared_ptr<RowSource> rows;  ///< encoded, raw units
  Index file_rows = 0;              ///< data rows of the file, those left out included
  Index held_out = 0;               ///< of them, those that a split keeps back; others are dropped for missing cells
};

/// What a learner of a schema has seen of one file.
struct SeenTable {
  /// Of one input.
  struct Input {
    double sum = 0;                         ///< of its numbers
    Index count = 0;                        ///< of its numbers
    std::set<std::string> categories = {};  ///< of its text
  };
  std::vector<std::string> columns;  ///< names and kinds, as far as files of one table have them in common
  Index table_rows = 0, rows = 0;    ///< of the file; those of them that are learned from
  std::set<std::string> labels;
  std::vector<Input> inputs;
};

/// Learns a schema chunk by chunk. Schema::learn is one chunk of it, with the same result and the same errors.
class SchemaLearner {
 public:
  /// Throws ConfigError as Schema::learn. The reader must outlive the learner.
  SchemaLearner(const TableReader& reader, const DataConfig& config);
  /// Looks at the rows of a chunk marked in `considered` (all when empty). Throws DataError as Schema::learn.
  void add(const TableChunk& chunk, const std::vector<bool>& considered = {});
  /// Whether rows are encoded the same before and after all are seen: no categories, no classes and no gaps to fill.
  bool encodes_at_once() const;
  /// The schema of the rows seen so far.
  const Schema& schema() const { return schema_; }
  Schema finish();  ///< the schema of all rows seen; once
  /// What was seen, for add_seen() of a learner of another file of the same table.
  SeenTable seen() const;
  /// Throws DataError, naming that file by `path`, when its columns are not these.
  void add_seen(const SeenTable& seen, const std::string& path);

 private:
  struct Seen {
    std::set<std::string> categories;
    long double sum = 0;
    Index count = 0;
  };
  void add_category(const TableChunk& chunk, const InputColumn& input, const std::vector<Index>& rows, Seen& seen);
  void add_labels(const TableChunk& chunk, const std::vector<Index>& rows);
  void finish_classes();
  std::vector<std::string> columns() const;  // of SeenTable
  void check_categories(const InputColumn& input, const Seen& seen) const;
  void check_classes() const;
  [[noreturn]] void refuse_text(const InputColumn& input, const std::string& what,
                                const std::set<std::string>& values) const;

  const TableReader& reader_;
  Schema schema_;
  Schema::Places places_;
  std::vector<Seen> seen_;  // of each input
  std::set<std::string> labels_;
  Index table_rows_ = 0, rows_ = 0;
};

class RowsFile;
class SparseReader;

/// Rows of a file as encoded chunks, for prediction in flat memory. Under a sparse schema the file must be LIBSVM.
class DatasetStream {
 public:
  /// A table, or a rows file: its inputs are matched by name, order free, extra ones ignored; DataError when one is
  /// missing, or when the model has a key, which rows files do not keep.
  /// weights: as of Schema::encode().
  DatasetStream(const std::string& path, const Schema& schema, bool need_target,
                RowWeights weights = RowWeights::known_noise);
  /// From an open, unread reader.
  DatasetStream(std::unique_ptr<TableReader> reader, const Schema& schema, bool need_target);
  ~DatasetStream();
  /// At most `max_rows` further rows that are not dropped; false when none were left.
  bool next(Dataset& chunk, Index max_rows);

 private:
  void open_rows(const std::string& path);
  void match_classes();
  bool next_rows(Dataset& chunk, Index max_rows);
  bool next_sparse(Dataset& chunk, Index max_rows);

  Schema schema_;
  bool need_target_;
  RowWeights weights_ = RowWeights::known_noise;
  std::unique_ptr<TableReader> reader_;  // of a table
  TableChunk table_;
  std::shared_ptr<const RowsFile> file_;  // or rows
  std::unique_ptr<SparseReader> sparse_;  // or sparse rows
  std::vector<Index> places_;             // of the model's inputs among those of the file
  std::vector<double> classes_;           // of the file, as the model numbers them; NaN: the model knows none such
  Index next_row_ = 0;
};

/// z = (x - shift) / scale, column by column; then, of RowScaling, sign(z) sqrt(|z|) and z / |z|. Learned from training
/// rows only; safe for constant columns (scale 1) and for columns of any magnitude. Cost O(nd).
class Standardizer {
 public:
  /// none: identity; center: mean; zscore: mean and sample sd; range: minimum and max - min. The rows need not fit in
  /// memory. Throws std::invalid_argument for no rows, NumericalError if a column is not finite or spans more than the
  /// range of doubles. Cost: two passes. Of sparse rows only the target is scaled.
  static Standardizer learn(const RowSource& rows, Scaling scale_inputs, Scaling scale_target,
                            RowScaling row_scaling = {});
  /// learn() of rows in memory: inputs (n, d), target (n). Throws std::invalid_argument for lengths that differ.
  static Standardizer learn(const Matrix& inputs, const Vector& target, Scaling scale_inputs, Scaling scale_target,
                            RowScaling row_scaling = {}) {
    return learn(*MemoryRows::view(inputs, target), scale_inputs, scale_target, row_scaling);
  }
  /// Standardizer of sparse rows with d inputs, to which only `rows` is applied.
  static Standardizer sparse(Index inputs, RowScaling rows);
  bool is_sparse() const { return sparse_; }  ///< applied to rows by their nonzeros
  Matrix inputs(ConstMat raw) const;          ///< (n, d) raw to standardised
  /// Sparse raw inputs in place; only if is_sparse().
  void standardise(SparseRows& raw) const;
  Vector target(ConstVec raw) const;  ///< (n) raw to standardised; classes and counts stay
  /// Raw inputs in place.
  void standardise(MatRef raw) const;
  /// Rows and targets: those that MemoryRows owns in place, others as they are read.
  std::shared_ptr<const RowSource> standardise(std::shared_ptr<RowSource> raw) const;
  /// One row (d) into z (d), without allocation.
  void standardise_row(ConstVec raw, VecRef z) const;
  const RowScaling& rows() const { return rows_; }  ///< what was done to each row
  /// In place of what was learned of the target; scale > 0.
  void set_target(double shift, double scale) {
    target_shift_ = shift;
    target_scale_ = scale;
  }
  double target_shift() const { return target_shift_; }  ///< a: target = a + b standardised
  double target_scale() const { return target_scale_; }  ///< b > 0
  /// Whether input j had one value in all training rows; false for sparse rows, which keep no ranges.
  bool is_constant(Index j) const { return j < minimum_.size() && minimum_[j] == maximum_[j]; }
  /// (rows) share of inputs that lie outside the training rows' [min, max]; 0 if is_sparse(), which keeps no ranges.
  Vector share_outside(ConstMat raw) const;
  /// This one for the inputs, the other one for the target.
  Standardizer with_target_of(const Standardizer& other) const;
  /// Takes these rows (n, d) into those ranges; shifts and scales stay. Nothing if is_sparse().
  void widen(ConstMat raw);
  const Vector& input_shift() const { return shift_; }  ///< (d)
  const Vector& input_scale() const { return scale_; }  ///< (d) > 0

 private:
  friend class StandardizerCodec;  // its form in files, of the room io
  Vector shift_, scale_, minimum_, maximum_;
  double target_shift_ = 0, target_scale_ = 1;
  RowScaling rows_;
  bool sparse_ = false;
};

}  // namespace alacarte
