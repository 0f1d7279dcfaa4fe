#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "data/fingerprint.hpp"
#include "data/support.hpp"
#include "io/documents.hpp"

namespace alacarte {
namespace {

using data_test::load;
using data_test::Loaded;
using data_test::message_of;

DataConfig with(std::vector<std::string> categorical, const std::string& missing = "error") {
  DataConfig config;
  config.categorical = std::move(categorical);
  config.missing = from_word<MissingCells>(missing).value();
  return config;
}

/// Encodes other bytes by a schema.
Dataset encode(const Schema& schema, const std::string& bytes, bool need_target = false,
               const std::string& name = "new.csv") {
  DatasetStream stream(open_table_from_memory(name, bytes, schema.config(), schema.libsvm_inputs()), schema,
                       need_target);
  Dataset data;
  stream.next(data, 1000);
  return data;
}

std::string encode_error(const Schema& schema, const std::string& bytes, bool need_target = false) {
  return message_of<DataError>([&] { encode(schema, bytes, need_target); });
}

TEST(Schema, LastColumnIsTheTargetUnlessNamed) {
  const Loaded last = load("a,b,c\n1,2,3\n4,5,6\n", {});
  EXPECT_EQ(last.schema.target_name(), "c");
  EXPECT_EQ(last.data.target, Vector({{3.0, 6.0}}));
  DataConfig config;
  config.target = "0";
  config.inputs = {"c", "b"};
  const Loaded first = load("a,b,c\n1,2,3\n4,5,6\n", config);
  EXPECT_EQ(first.schema.target_name(), "a");
  EXPECT_EQ(first.schema.input_names(), (std::vector<std::string>{"c", "b"}));
  EXPECT_EQ(first.data.inputs, (Matrix(2, 2) << 3, 2, 6, 5).finished());
}

TEST(Schema, CategoriesAreSortedAndLearnedOnTrainingRows) {
  DataConfig config = with({"colour"});
  config.unseen = UnseenCategory::zero;
  config.key = "id";
  config.ignore = {"note"};
  const std::string bytes = "id,colour,x,note,y\nr1,red,1,n/a!,1\nr2,blue,2,,2\nr3,green,3,-,3\n";
  const Loaded loaded = load(bytes, config, {true, true, false});
  EXPECT_EQ(loaded.schema.input_names(), (std::vector<std::string>{"colour=blue", "colour=red", "x"}));
  EXPECT_EQ(loaded.schema.input_count(), 3);
  EXPECT_EQ(loaded.data.inputs, (Matrix(3, 3) << 0, 1, 1, 1, 0, 2, 0, 0, 3).finished());
  EXPECT_EQ(loaded.data.keys, (std::vector<std::string>{"r1", "r2", "r3"}));
  config.unseen = UnseenCategory::error;
  EXPECT_EQ(
      message_of<DataError>([&] {
        load(bytes, config, {true, true, false});
      }),
      "t.csv: row 4, column 2: 'green' is no category of 'colour' in the training rows; correct the cell or leave "
      "the row out (or train with --unseen zero)");
}

TEST(Schema, TooManyCategoriesAreAKey) {
  std::string bytes = "name,y\n";
  for (int i = 0; i < 1001; ++i) bytes.append(1, 'n').append(std::to_string(i)).append(",1\n");
  EXPECT_EQ(message_of<DataError>([&] { load(bytes, with({"name"})); }),
            "t.csv: column 1: 'name' has more than 1000 categories; it looks like a key, not a category");
}

TEST(Schema, GapsByPolicy) {
  const std::string bytes = "c,x,y\nu,1,1\n,2,2\nv,NA,3\nw,4,4\n";
  EXPECT_EQ(message_of<DataError>([&] { load(bytes, with({"c"})); }),
            "t.csv: row 3, column 1: 'c' is missing (data.missing can be \"drop\" or \"mean\")");
  EXPECT_EQ(message_of<DataError>([&] { load("x,y\n1,1\ninf,2\n", {}); }),
            "t.csv: row 3, column 1: 'x' is infinite or beyond the range of a double (data.missing can be \"drop\")");
  for (const std::string cell : {"inf", "-1e999"}) {
    const std::string infinite = "x,y\n1,1\n" + cell + ",2\n3,3\n";
    EXPECT_EQ(message_of<DataError>([&] { load(infinite, with({}, "mean")); }),
              "t.csv: row 3, column 1: 'x' is infinite or beyond the range of a double (data.missing can be \"drop\")");
    EXPECT_EQ(load(infinite, with({}, "drop")).data.source_rows, (std::vector<Index>{0, 2}));
  }
  const Loaded dropped = load(bytes, with({"c"}, "drop"));
  EXPECT_EQ(dropped.data.source_rows, (std::vector<Index>{0, 3}));
  EXPECT_EQ(dropped.data.inputs, (Matrix(2, 3) << 1, 0, 1, 0, 1, 4).finished());
  DataConfig lenient = with({"c"}, "mean");
  lenient.unseen = UnseenCategory::zero;
  const Loaded filled = load(bytes, lenient, {true, true, true, false});
  EXPECT_EQ(filled.schema.input_names(), (std::vector<std::string>{"c=u", "c=v", "x"}));
  EXPECT_EQ(filled.data.rows(), 4);
}

TEST(Schema, TextIsCodedByItselfUnlessTheConfigSaysOtherwise) {
  const std::string bytes = "city,x,y\nsouth,1,1\nnorth,2,2\nsouth,3,3\n";
  const Loaded loaded = load(bytes, {});
  EXPECT_EQ(loaded.schema.input_names(), (std::vector<std::string>{"city=north", "city=south", "x"}));
  EXPECT_TRUE(loaded.schema.input_columns()[0].found);
  EXPECT_EQ(loaded.data.inputs, (Matrix(3, 3) << 0, 1, 1, 1, 0, 2, 0, 1, 3).finished());
  EXPECT_FALSE(load(bytes, with({"city"})).schema.input_columns()[0].found);
  const Schema again = schema_from_json(to_json(loaded.schema));
  EXPECT_EQ(encode(again, "x,city\n5,north\n").inputs, (Matrix(1, 3) << 1, 0, 5).finished());
  DataConfig strict;
  strict.text = TextInputs::error;
  EXPECT_EQ(message_of<DataError>([&] { load(bytes, strict); }),
            "t.csv: row 2, column 1: 'south' is not a number (column 'city'); name a gap in data.missing_words "
            "(--missing-words), a column of text in data.categorical or data.ignore (--categorical, --ignore)");
  DataConfig target;
  target.target = "city";
  EXPECT_EQ(message_of<DataError>([&] { load(bytes, target); }),
            "t.csv: row 2, column 1: 'south' is not a number (column 'city'); if the target is a class, train with the "
            "recipe classify");
}

TEST(Schema, TextOfTooManyKindsIsNoCategory) {
  std::string names = "name,y\n", words = "word,y\n";
  for (int i = 0; i < 200; ++i) {
    names.append("n").append(std::to_string(i)).append(",1\n");
    words.append("w").append(std::to_string(i % 65)).append(",1\n");
  }
  const std::string advice =
      "; leave it out (data.ignore, --ignore), or name it as a category (data.categorical, "
      "--categorical)";
  EXPECT_EQ(message_of<DataError>([&] { load(names, {}); }),
            "t.csv: column 1: 'name' is text of more than 64 values" + advice);
  EXPECT_EQ(message_of<DataError>([&] { load(words, {}); }),
            "t.csv: column 1: 'word' is text of more than 64 values" + advice);
  EXPECT_EQ(message_of<DataError>([&] { load("name,y\na,1\nb,2\nc,3\n", {}); }),
            "t.csv: column 1: 'name' is text of another value in every row" + advice);
  EXPECT_EQ(load(words, with({"word"})).schema.input_count(), 65);
}

TEST(Schema, TheFormatOfTheTrainingTableIsKept) {
  DataConfig config;
  config.missing = MissingCells::mean;
  config.missing_words = {"None"};
  const Loaded loaded = load("c;x;y\nu;1,5;1\nNone;None;2\nv;2,5;3\n", config);
  EXPECT_EQ(loaded.schema.config().decimal, DecimalSign::comma);
  EXPECT_EQ(loaded.schema.input_names(), (std::vector<std::string>{"c=u", "c=v", "x"}));
  EXPECT_EQ(loaded.data.inputs.row(1), (Matrix(1, 3) << 0, 0, 2).finished());
  const Schema again = schema_from_json(to_json(loaded.schema));
  EXPECT_EQ(again.config(), loaded.schema.config());
  EXPECT_EQ(encode(again, "c;x\nu;1,250\n").inputs, (Matrix(1, 3) << 1, 0, 1.25).finished()) << "no guess is needed";
  const nlohmann::json plain = to_json(load("x,y\n1,2\n3,4\n", {}).schema);
  for (const char* key : {"decimal", "missing_words", "text"}) EXPECT_FALSE(plain["config"].contains(key)) << key;
  nlohmann::json wrong = to_json(again);
  wrong["config"]["decimal"] = "dot";
  EXPECT_THROW(schema_from_json(wrong), IoError);
}

TEST(Schema, WeightsAreAColumnOfTheirOwn) {
  DataConfig config;
  config.weights = "w";
  const std::string bytes = "w,x,y\n2,1,1\n0,7,2\n0.5,3,3\n";
  const Loaded loaded = load(bytes, config);
  EXPECT_EQ(loaded.schema.input_names(), std::vector<std::string>{"x"});
  EXPECT_EQ(loaded.data.weights, (Vector(2) << 2, 0.5).finished());
  EXPECT_EQ(loaded.data.source_rows, (std::vector<Index>{0, 2})) << "weight 0 is as if absent";
  const Schema again = schema_from_json(to_json(loaded.schema));
  EXPECT_TRUE(again.has_weights());
  EXPECT_EQ(encode(again, "y,w,x\n4,3,5\n", true).weights, (Vector(1) << 3).finished());
  EXPECT_EQ(encode(again, "x\n5\n").rows(), 1) << "predictions need none";
  EXPECT_EQ(encode(again, "x,w\n5,-1\n").rows(), 1);
  EXPECT_EQ(encode(again, "x,y\n5,1\n", true).weights.size(), 0);
  const auto error = [&](const std::string& cell, const std::string& missing = "mean") {
    config.missing = from_word<MissingCells>(missing).value();
    return message_of<DataError>([&] { load("w,x,y\n1,1,1\n" + cell + ",2,2\n", config); });
  };
  EXPECT_EQ(error("-2"), "t.csv: row 3, column 1: 'w' is a weight of -2; weights are 0, or from 1e-100 to 1e100");
  EXPECT_EQ(error("inf", "drop"),
            "t.csv: row 3, column 1: 'w' is a weight of inf; weights are 0, or from 1e-100 to 1e100");
  EXPECT_EQ(error("NA"), "t.csv: row 3, column 1: 'w' is missing and is the weight (data.missing can be \"drop\")");
  config.missing = MissingCells::drop;
  EXPECT_EQ(load("w,x,y\n1,1,1\nNA,2,2\n", config).data.rows(), 1);
  config.weights = "y";
  EXPECT_EQ(message_of<ConfigError>([&] { load(bytes, config); }), "/data/weights: column 'y' is already the target");
  config.weights = "v";
  EXPECT_THROW(load(bytes, config), ConfigError);
  EXPECT_THROW(Schema::sparse(3, config, {}), ConfigError);
}

TEST(Schema, MeansAndCategoriesComeFromTrainingRowsOnly) {
  DataConfig config = with({"c"}, "mean");
  config.unseen = UnseenCategory::zero;
  const Loaded loaded = load("c,x,y\nu,1,1\n,2,2\nv,NA,3\nw,400,4\n", config, {true, true, true, false});
  EXPECT_EQ(loaded.data.inputs, (Matrix(4, 3) << 1, 0, 1, 0, 0, 2, 0, 1, 1.5, 0, 0, 400).finished());
  EXPECT_EQ(message_of<DataError>([] {
              load("x,y\nNA,1\n2,2\n", with({}, "mean"), {true, false});
            }),
            "t.csv: column 1: 'x' has no value in any training row");
}

TEST(Schema, TheTargetMustBeFiniteInTraining) {
  EXPECT_EQ(message_of<DataError>([] { load("x,y\n1,1\n2,?\n", with({}, "mean")); }),
            "t.csv: row 3, column 2: 'y' is missing or not finite and is the target (data.missing can be \"drop\")");
  EXPECT_EQ(load("x,y\n1,1\n2,?\n3,3\n", with({}, "drop")).data.source_rows, (std::vector<Index>{0, 2}));
  EXPECT_EQ(message_of<DataError>([] { load("x,y\nNA,1\n", with({}, "drop")); }), "t.csv: no training row is left");
  EXPECT_EQ(message_of<DataError>([] { load("x,y\n", {}); }), "t.csv: has no data rows");
}

TEST(Schema, ConfigMistakesPointAtTheirPlace) {
  const auto error = [](void (*change)(DataConfig&)) {
    DataConfig config;
    change(config);
    return message_of<ConfigError>([&] { load("a,b,c\n1,2,3\n", config); });
  };
  EXPECT_EQ(error([](DataConfig& c) { c.inputs = {"a", "c"}; }), "/data/inputs/1: column 'c' is already the target");
  EXPECT_EQ(error([](DataConfig& c) { c.inputs = {"a", "0"}; }), "/data/inputs/1: column 'a' is already an input");
  EXPECT_EQ(error([](DataConfig& c) { c.key = "-1"; }), "/data/key: column 'c' is already the target");
  EXPECT_EQ(error([](DataConfig& c) {
              c.ignore = {"b", "d"};
            }),
            "/data/ignore/1: there is no column 'd' in t.csv; its columns are a, b, c");
  EXPECT_EQ(error([](DataConfig& c) { c.ignore = {"a", "b"}; }), "/data/inputs: no input column is left in t.csv");
  EXPECT_EQ(error([](DataConfig& c) {
              c.categorical = {"a"};
              c.ignore = {"a"};
            }),
            "/data/categorical/0: column 'a' is not an input");
}

TEST(Schema, NamesMatchColumnsInAnyOrder) {
  const Schema schema = load("a,b,y\n1,2,3\n4,5,6\n", {}).schema;
  const Dataset data = encode(schema, "y,extra,b,a\n30,text,20,10\n");
  EXPECT_EQ(data.inputs, (Matrix(1, 2) << 10, 20).finished());
  EXPECT_EQ(data.target, Vector::Constant(1, 30.0));
  EXPECT_EQ(encode(schema, "b,a\n2,1\n").target.size(), 0);
  EXPECT_TRUE(std::isnan(encode(schema, "b,a,y\n2,1,?\n").target[0]));
  EXPECT_EQ(encode_error(schema, "A,y,q\n1,2,3\n"),
            "new.csv: the model's input column 'a' is missing (did you mean 'A'?)");
  EXPECT_EQ(encode_error(schema, "a,b,Y\n1,2,3\n", true),
            "new.csv: the target column 'y' is missing (did you mean 'Y'?)");
}

TEST(Schema, PositionsMatchWhereNamesAreMissing) {
  DataConfig config;
  config.target = "1";
  config.ignore = {"3"};
  const Schema schema = load("1,2,3,4\n5,6,7,8\n", config).schema;
  const Matrix expected = (Matrix(1, 2) << 10, 30).finished();
  EXPECT_EQ(encode(schema, "10,20,30,40\n").inputs, expected);
  EXPECT_EQ(encode(schema, "10,20,30,40\n").target, Vector::Constant(1, 20.0));
  EXPECT_EQ(encode(schema, "10,30,40\n").inputs, expected);
  EXPECT_EQ(encode(schema, "10,30\n").inputs, expected);
  EXPECT_EQ(encode(schema, "p,q\n10,30\n").inputs, expected);
  EXPECT_EQ(encode_error(schema, "1\n"),
            "new.csv: has 1 columns; without names in both files it must have the 4 of the training table, 3 without "
            "the target '1', or the model's 2 inputs alone; it was read as one column: are separator and decimal sign "
            "those of the training table?");
  // A LIBSVM label is last, wherever the training table had its target.
  const Dataset data = encode(schema, "20 1:10 2:30\n", false, "new.svm");
  EXPECT_EQ(data.inputs, expected);
  EXPECT_EQ(data.target, Vector::Constant(1, 20.0));
}

TEST(Schema, PredictionKeepsThePolicies) {
  const Schema drop = load("c,x,y\nu,1,1\nv,2,2\n", with({"c"}, "drop")).schema;
  const Dataset kept = encode(drop, "c,x\nu,1\n,2\nv,?\nv,5\n");
  EXPECT_EQ(kept.source_rows, (std::vector<Index>{0, 3}));
  EXPECT_EQ(encode(drop, "c,x,y\nu,1,?\n").rows(), 1);
  EXPECT_EQ(encode(drop, "c,x,y\nu,1,?\n", true).rows(), 0);
  EXPECT_EQ(encode_error(drop, "c,x\nU,1\n"),
            "new.csv: row 2, column 1: 'U' is no category of 'c' in the training rows (did you mean 'u'?); correct the "
            "cell or leave the row out (or train with --unseen zero)");
  const Schema strict = load("c,x,y\nu,1,1\nv,2,2\n", with({"c"})).schema;
  EXPECT_EQ(encode_error(strict, "c,x\nu,\n"),
            "new.csv: row 2, column 2: 'x' is missing; correct the cell or leave the row out")
      << "of a model nothing can be set any more";
}

TEST(Schema, StreamsInChunksOverDroppedRows) {
  const Schema schema = load("x,y\n1,1\n2,2\n", with({}, "drop")).schema;
  std::string bytes = "x\n";
  for (int i = 0; i < 100; ++i) bytes += (i / 10) % 2 == 0 ? "NA\n" : std::to_string(i) + "\n";
  DatasetStream stream(open_table_from_memory("t", bytes, schema.config()), schema, false);
  Dataset chunk;
  Index rows = 0;
  while (stream.next(chunk, 7)) {
    for (Index i = 0; i < chunk.rows(); ++i)
      EXPECT_EQ(chunk.inputs(i, 0), static_cast<double>(chunk.source_rows[static_cast<std::size_t>(i)]));
    rows += chunk.rows();
  }
  EXPECT_EQ(rows, 50);
  EXPECT_EQ(chunk.rows(), 0);
}

TEST(Schema, NamesAndCategoriesMustBeUtf8) {
  EXPECT_EQ(message_of<DataError>([] {
              load(
                  "gr\xf6\xdf"
                  "e,y\n1,2\n",
                  {});
            }),
            "t.csv: column 1: the column name 'gr??e' is not UTF-8 text; save the file as UTF-8");
  EXPECT_EQ(message_of<DataError>([] { load("c,y\ngr\xfcn,2\n", with({"c"})); }),
            "t.csv: column 1: the category 'gr?n' is not UTF-8 text; save the file as UTF-8");
  EXPECT_EQ(load("c,y\ngr\xc3\xbcn,2\n", with({"c"})).schema.input_names()[0], "c=gr\xc3\xbcn");
}

TEST(Schema, JsonRoundTripAndMalformedDocuments) {
  DataConfig config = with({"c"}, "mean");
  config.key = "k";
  const Schema schema = load("k,c,x,y\na,u,0.1,1\nb,v,0.2,2\nc,u,0.7,3\n", config).schema;
  const nlohmann::json document = to_json(schema);
  const Schema back = schema_from_json(nlohmann::json::parse(document.dump()));
  EXPECT_EQ(to_json(back), document);
  EXPECT_EQ(back.input_names(), schema.input_names());
  EXPECT_EQ(back.input_columns()[1].fill, schema.input_columns()[1].fill);
  const auto error = [&](const std::string& pointer, const nlohmann::json& value) {
    nlohmann::json changed = document;
    changed[nlohmann::json::json_pointer(pointer)] = value;
    return message_of<IoError>([&] { schema_from_json(changed); });
  };
  EXPECT_EQ(error("/extra", 1), "model file: schema: unknown key 'extra'");
  EXPECT_EQ(error("/columns", 1), "model file: schema: 'columns' is not a whole number from 2 to 100000000");
  EXPECT_EQ(error("/has_names", "yes"), "model file: schema: 'has_names' is neither true nor false");
  EXPECT_EQ(error("/inputs", nlohmann::json::array()), "model file: schema: 'inputs' is not a list with entries");
  EXPECT_EQ(error("/inputs/0/position", 9),
            "model file: schema/inputs/0: 'position' is not a whole number from 0 to 3");
  EXPECT_EQ(error("/inputs/0/position", 3), "model file: schema: column 3 is used twice");
  EXPECT_EQ(error("/inputs/0/categories", {"v", "u"}),
            "model file: schema/inputs/0: the categories are not an increasing list");
  EXPECT_EQ(error("/inputs/1/fill", nullptr), "model file: schema/inputs/1: 'fill' is not a finite number");
  EXPECT_EQ(error("/config/missing", "zap"), "model file: schema/config: missing is none of its known words");
  EXPECT_EQ(error("/target/name", 3), "model file: schema/target: 'name' is not a text");
  EXPECT_EQ(message_of<IoError>([] { schema_from_json(nullptr); }), "model file: schema: not an object");
  EXPECT_EQ(message_of<IoError>([] {
              schema_from_json({{"columns", 3}});
            }),
            "model file: schema: 'has_names' is missing");
}

TEST(Schema, OfNumbersInMemory) {
  const Schema schema = Schema::numbers(3);
  EXPECT_EQ(schema.input_count(), 3);
  EXPECT_TRUE(schema.classes().empty());
  const Schema again = schema_from_json(to_json(schema));
  EXPECT_EQ(to_json(again), to_json(schema));
  // Rows of a file without names are read by position, with or without the target.
  for (const char* text : {"1,2,3,4\n5,6,7,8\n", "1,2,3\n5,6,7\n"}) {
    DatasetStream stream(open_table_from_memory("rows.csv", text, {}), again, false);
    Dataset rows;
    ASSERT_TRUE(stream.next(rows, 10));
    ASSERT_EQ(rows.inputs.rows(), 2);
    EXPECT_EQ(rows.inputs.row(1), (Eigen::RowVector3d(5, 6, 7)));
  }
  EXPECT_EQ(schema_from_json(to_json(Schema::numbers(1, {"ham", "spam"}))).class_count(), 2);
  EXPECT_THROW(Schema::numbers(0), std::invalid_argument);
  EXPECT_THROW(Schema::numbers(2, {"one"}), std::invalid_argument);
}

TEST(Fingerprint, KnownSumsAndSensitivity) {
  data_test::TemporaryFolder folder;
  // FIPS 180-4 examples: the empty message and "abc".
  EXPECT_EQ(file_sha256(folder.write("e", "")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(file_sha256(folder.write("a", "abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_THROW(file_sha256(folder.file("no")), IoError);
  Dataset data;
  data.inputs = Matrix::Random(4, 3);
  data.target = Vector::Random(4);
  const auto sum = [](const Dataset& rows) { return rows_sha256(MemoryRows(rows)); };
  const std::string first = sum(data);
  EXPECT_EQ(first, sum(Dataset(data)));
  Dataset other = data;
  other.inputs = data.inputs.topRows(3);
  other.target = data.target.head(3);
  EXPECT_NE(first, sum(other));
  data.inputs(3, 2) = std::nextafter(data.inputs(3, 2), 9);
  EXPECT_NE(first, sum(data));
}

}  // namespace
}  // namespace alacarte
