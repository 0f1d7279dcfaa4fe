// One line and one exit code per class of bad input, as the manual promises and scripts expect.
#include <sys/stat.h>

#include <cstring>
#include <iostream>

#include "cli/program_test.hpp"

namespace alacarte::test {
namespace {

namespace fs = std::filesystem;

class BadInput : public ProgramTest {
 protected:
  /// Checks the exit code, the single line and its parts; logs a row of the table.
  void refuse(const std::string& what, int code, const std::vector<std::string>& parts,
              const std::vector<std::string>& arguments) const {
    SCOPED_TRACE(what);
    const RunResult result = run(arguments);
    expect_failure(result, code, parts);
    EXPECT_EQ(result.err.rfind("alacarte: error: ", 0), 0u) << result.err;
    EXPECT_EQ(result.err.find("json.exception"), std::string::npos) << "a library's own words: " << result.err;
    std::string line = result.err.substr(0, result.err.find('\n'));
    const std::string folder = folder_.path().string() + '/';
    for (auto at = line.find(folder); at != std::string::npos; at = line.find(folder)) line.erase(at, folder.size());
    std::cout << what << " | " << line << " | " << result.code << '\n';
    EXPECT_FALSE(fs::exists(folder_ / "out"));
  }

  void refuse_recipe(const std::string& what, int code, const std::vector<std::string>& parts,
                     const std::string& text) const {
    refuse(what, code, parts, training(folder_.write("recipe.json", text), good_));
  }

  void refuse_data(const std::string& what, int code, const std::vector<std::string>& parts, const std::string& name,
                   const std::string& text, const std::vector<std::string>& more = {}) const {
    refuse(what, code, parts, training(recipe_, folder_.write(name, text), more));
  }

  void refuse_model(const std::string& what, const std::vector<std::string>& parts, const std::string& bytes) const {
    const std::string path = folder_.write("broken.model", bytes);
    refuse(what, 4, parts, {"inspect", path});
    refuse(what + ", predict", 4, parts, {"predict", path, "--data", good_, "--out", folder_ / "out"});
  }

  std::vector<std::string> training(const std::string& recipe, const std::string& data,
                                    const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"train",         recipe,      "--data", data,      "--model",
                                       folder_ / "out", "--threads", "1",      "--quiet", "--strict"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  std::string good_ = folder_.write("good.csv", "a,b,y\n1,2,3\n2,3,5\n3,1,4\n4,4,8\n5,2,7\n6,1,7\n");
  std::string recipe_ = quick_recipe();
};

TEST_F(BadInput, Recipes) {
  refuse_recipe("wrong JSON syntax", 2, {"recipe.json", "line 2, column 5", "syntax error"},
                "{\"model\": \"ard\",\n    }");
  refuse_recipe("empty recipe", 2, {"recipe.json", "line 1"}, "");
  refuse_recipe("recipe is not an object", 2, {"recipe.json", "object"}, "[1, 2]");
  refuse_recipe("key given twice", 2, {"recipe.json", "/model", "twice"}, R"({"model": "ard", "model": "gm"})");
  refuse_recipe("unknown key", 2, {"/training/iteration", "did you mean 'iterations'"},
                R"({"model": "ard", "training": {"iteration": 3}})");
  refuse_recipe("wrong type", 2, {"/training/iterations"}, R"({"model": "ard", "training": {"iterations": "many"}})");
  refuse_recipe("out of range", 2, {"/features/frequencies: must be from 1 to 16777216, not 0"},
                R"({"model": "ard", "features": {"frequencies": 0}})");
  refuse_recipe("unknown model", 2, {"/model", "did you mean 'ard'"}, R"({"model": "adr"})");
  refuse_recipe("number beyond a double", 2, {"recipe.json", "1e999"}, R"({"model": "ard", "flops": 1e999})");
  refuse("missing recipe", 4, {"absent.json"}, training(folder_ / "absent.json", good_));
}

TEST_F(BadInput, QuotationsAreShort) {
  const std::string noise(100000, 'x'), digits(100000, '9');
  for (const std::string& text : {"{\"model\": \"" + noise, "{\"model\": [\"" + noise + "\" \"" + noise + "\"]}",
                                  "{\"model\":\n " + digits + "}", "{\"" + noise + "\": 1}"}) {
    const RunResult result = run(training(folder_.write("recipe.json", text), good_));
    expect_failure(result, 2, {});
    EXPECT_LT(result.err.size(), 2200u) << result.err;
  }
  refuse_recipe("damaged after much text", 2, {"line 2, column 10000", "last read: '..x"}, "{\"model\":\n\"" + noise);
  refuse_recipe("huge number", 2, {"line 2, column 2", "the number ..999"}, "{\"model\":\n " + digits + "}");
}

TEST_F(BadInput, FilesThatAreNoTables) {
  refuse_data("HTML page", 3, {"d.csv", "HTML page"}, "d.csv", "\n <!DOCTYPE html>\n<html><body>404</body></html>\n");
  refuse_data("HTML page in capitals", 3, {"HTML page"}, "d.csv", "<HTML lang=\"en\">\n<p>a,b</p></HTML>\n");
  refuse_data("PNG image", 3, {"PNG image"}, "d.csv", std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16));
  refuse_data("spreadsheet", 3, {"spreadsheet"}, "d.csv", std::string("PK\3\4\x14\0\6\0", 8));
  refuse_data("binary file", 3, {"binary"}, "d.csv", std::string("abc\0def\n\0\0", 10));
  refuse_data("separator that is not read", 3, {"d.csv: has one column only", "separated by comma", "data.separator"},
              "d.csv", "a|b|y\n1|2|3\n4|5|6\n");
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }";
  header.append(128 - 10 - header.size() - 1, ' ');
  refuse_data("array of one dimension", 3, {"d.npy: has one column only, which is the target: there is no input"},
              "d.npy", std::string("\x93NUMPY\1\0\x76\0", 10) + header + '\n' + std::string(16, '\0'));
}

TEST_F(BadInput, TextAndNames) {
  refuse_data("text in an input", 3, {"row 3, column 2", "'red'", "data.categorical or data.ignore"}, "d.csv",
              "a,b,y\n1,2,3\n4,red,6\n");
  refuse_data("text in the target", 3, {"row 3, column 3", "'red'", "recipe classify"}, "d.csv",
              "a,b,y\n1,2,3\n4,5,red\n");
  refuse("slip in a target of numbers", 3, {"'2,x'", "is not a number"},
         training("auto", folder_.write("d.csv", "a;y\n1;2,1\n2;2,x\n3;4,5\n4;5,5\n")));
  refuse_data("name in UTF-8", 3, {"'Köln 東京'"}, "d.csv", "Köln 東京,Köln 東京,y\n1,2,3\n4,5,6\n");
  refuse_data("name in no UTF-8", 3, {"'K?ln'"}, "d.csv", "K\xf6ln,K\xf6ln,y\n1,2,3\n4,5,6\n");
  refuse_data("control characters", 3, {"'?x?'"}, "d.csv", "\x1bx\xc2\x9b,\x1bx\xc2\x9b,y\n1,2,3\n4,5,6\n");
}

TEST_F(BadInput, Cells) {
  refuse_data("weight beyond all", 3, {"d.csv", "row 3, column 2", "weights are 0, or from 1e-100 to 1e100"}, "d.csv",
              "a,w,y\n1,1,2\n2,1e300,3\n3,1,4\n", {"--weights", "w"});
  refuse_data("ragged row", 3, {"d.csv", "row 3"}, "d.csv", "a,b,y\n1,2,3\n4,5\n");
  refuse_data("row too long", 3, {"d.csv", "row 3"}, "d.csv", "a,b,y\n1,2,3\n4,5,6,7\n");
  refuse_data("non-numeric cell", 3, {"d.csv", "row 3", "column 2", "red"}, "d.csv", "a,b,y\n1,2,3\n4,red,6\n");
  refuse_data("missing cell", 3, {"d.csv", "row 3", "column 2"}, "d.csv", "a,b,y\n1,2,3\n4,,6\n");
  refuse_data("infinite cell", 3, {"d.csv", "row 3", "column 2"}, "d.csv", "a,b,y\n1,2,3\n4,inf,6\n");
  refuse_data("infinite cell, mean", 3, {"d.csv", "row 3", "column 2", "infinite"}, "d.csv",
              "a,b,y\n1,2,3\n4,1e999,6\n", {"--set", "/data/missing=\"mean\""});
  refuse_data("target beyond squares", 5, {"training rows", "not finite", "target"}, "d.csv",
              "a,b,y\n1,2,3\n4,5,1e160\n7,8,1\n9,1,2\n");
  refuse_data("missing target cell", 3, {"d.csv", "row 3", "column 3"}, "d.csv", "a,b,y\n1,2,3\n4,5,\n");
  refuse_data("quote left open", 3, {"d.csv", "row 2"}, "d.csv", "a,b,y\n1,\"2,3\n4,5,6\n");
}

TEST_F(BadInput, CountsThatNoPredictionHolds) {
  std::string text = "a,y\n";
  for (int i = 0; i < 100; ++i) text += std::to_string(i) + (i == 50 ? ",1000\n" : ",0\n");
  const std::string data = folder_.write("burst.csv", text), bad = folder_.write("half.csv", "a,y\n1,2\n2,0.5\n3,1\n");
  refuse("counts that burst", 5, {"training rows", "not finite", "counts"}, training("counts", data));
  refuse("half a count", 3, {"row 2 of those that are trained on", "0.5"}, training("counts", bad));
}

TEST_F(BadInput, Tables) {
  refuse_data("missing target column", 2, {"'z'", "columns are a, b, y"}, "d.csv", "a,b,y\n1,2,3\n", {"--target", "z"});
  refuse_data("header with a name twice", 3, {"d.csv", "'a'"}, "d.csv", "a,a,y\n1,2,3\n4,5,6\n");
  refuse_data("empty file", 3, {"d.csv", "holds no rows"}, "d.csv", "");
  refuse_data("no rows after the header", 3, {"d.csv", "no data row"}, "d.csv", "a,b,y\n");
  refuse_data("a target and no input", 3, {"d.csv: has one column only"}, "d.csv", "y\n1\n2\n");
  refuse_data("LIBSVM index 0", 3, {"d.libsvm", "row 2", "0:4"}, "d.libsvm", "1 1:2\n2 0:4\n");
  refuse_data("LIBSVM index not increasing", 3, {"d.libsvm", "row 1", "1:4"}, "d.libsvm", "1 2:2 1:4\n2 1:4\n");
  refuse_data("LIBSVM pair without a colon", 3, {"d.libsvm", "row 2", "'x'"}, "d.libsvm", "1 1:2\n2 x\n");
  refuse_data("gzip cut off", 3, {"d.csv.gz"}, "d.csv.gz", std::string("\x1f\x8b\x08\0\0\0\0\0\0\3KJ", 12));
  refuse("missing data file", 4, {"absent.csv"}, training(recipe_, folder_ / "absent.csv"));
  refuse("data file is a folder", 4, {"folder"}, training(recipe_, folder_.path().string()));
}

TEST_F(BadInput, NumpyFiles) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }";
  header.append(128 - 10 - 1 - header.size(), ' ').append(1, '\n');
  const std::string npy = header.insert(0, "\x93NUMPY\1\0\x76\0", 10);
  refuse_data("NPY truncated", 3, {"d.npy", "promises 48 bytes", "has 40"}, "d.npy", npy + std::string(40, '\0'));
  refuse_data("NPY header truncated", 3, {"d.npy"}, "d.npy", npy.substr(0, 40));
  refuse_data("NPY with bytes behind it", 3, {"d.npy"}, "d.npy", npy + std::string(49, '\0'));
  std::string text = npy;
  text.replace(text.find("<f8"), 3, "<U8");
  refuse_data("NPY of text", 3, {"d.npy", "<U8"}, "d.npy", text + std::string(192, '\0'));
}

TEST_F(BadInput, Masks) {
  const std::string short_mask = folder_.write("short.csv", "1,0\n0,1\n0,0\n");
  const std::string mask = folder_.write("mask.csv", "1,0\n0,1\n0,0\n0,0\n0,0\n0,0\n");
  const std::string two = folder_.write("two.csv", "1,0\n0,2\n0,0\n0,0\n0,0\n0,0\n");
  refuse("wrong mask length", 3, {"short.csv", "3 rows", "6"},
         training(recipe_, good_, {"--mask", short_mask, "--fold", "0"}));
  refuse("mask that is not 0 or 1", 3, {"two.csv", "row 2", "column 2"},
         training(recipe_, good_, {"--mask", two, "--fold", "1"}));
  refuse("fold out of range", 2, {"fold 2", "mask.csv", "2, counted from 0"},
         training(recipe_, good_, {"--mask", mask, "--fold", "2"}));
  refuse("more folds than rows", 2, {"7 folds of 6 rows"}, training(recipe_, good_, {"--folds", "7", "--fold", "0"}));
  refuse("fold beyond --folds", 1, {"--fold"}, training(recipe_, good_, {"--folds", "3", "--fold", "3"}));
  refuse("missing mask", 4, {"absent.csv"},
         training(recipe_, good_, {"--mask", folder_ / "absent.csv", "--fold", "0"}));
}

TEST_F(BadInput, Models) {
  must(training(recipe_, good_));
  fs::rename(folder_ / "out", folder_ / "model");
  const std::string bytes = read_file(folder_ / "model");
  ASSERT_GT(bytes.size(), 1000u);
  std::uint64_t header = 0;
  std::memcpy(&header, bytes.data(), sizeof header);
  refuse_model("model truncated", {"broken.model", "truncated", std::to_string(bytes.size())},
               bytes.substr(0, bytes.size() - 9));
  refuse_model("model truncated in its header", {"truncated", "100 bytes, its header claims"}, bytes.substr(0, 100));
  refuse_model("model truncated behind its header", {"truncated", std::to_string(8 + header) + " bytes"},
               bytes.substr(0, 8 + header));
  refuse_model("empty model", {"broken.model", "truncated"}, "");
  refuse_model("table in place of a model", {"not a model file: it is text; rows are given by --data"},
               "a,b,y\n1,2,3\n4,5,6\n");
  std::string flipped = bytes;
  flipped[flipped.size() - 3] ^= 1;
  refuse_model("model with a flipped byte", {"broken.model", "checksum does not match"}, flipped);
  refuse_model("not a model at all", {"broken.model", "not a model file"}, read_file(good_));
  std::string newer = bytes;
  const auto format = newer.find("\"format\":\"1\"");
  ASSERT_NE(format, std::string::npos);
  newer.replace(format, 12, "\"format\":\"2\"");
  refuse_model("newer version", {"format 2", "newer program"}, newer);
  refuse("missing model", 4, {"absent"}, {"inspect", folder_ / "absent"});
  refuse("column the model needs is missing", 3, {"few.csv", "'b'"},
         {"predict", folder_ / "model", "--data", folder_.write("few.csv", "a\n1\n"), "--out", folder_ / "out"});
}

TEST_F(BadInput, FilesThatCannotBeStreams) {
  const std::vector<std::vector<std::string>> commands = {
      {"train", recipe_, "--data", good_, "--model", "-"},
      {"train", recipe_, "--data", good_, "--model", folder_ / "out", "--checkpoint", "-"},
      {"predict", "-", "--data", good_, "--out", folder_ / "out"},
      {"predict", "m", "--data", good_, "--out", folder_ / "out", "--covariance", "-"},
      {"predict", "m", "--data", good_, "--out", folder_ / "out", "--draws", "2", "--draws-out", "-"},
      {"evaluate", "-", "--data", good_},
      {"inspect", "-"},
      {"inspect", "m", "--html", "-"},
      {"convert", good_, "--out", "-"},
      {"transform", recipe_, "--data", good_, "--out", "-"}};
  for (const auto& command : commands) refuse(command[0], 1, {"cannot be standard input or output"}, command);
  EXPECT_FALSE(fs::exists("-"));
}

// Endless input must exhaust neither memory nor time.
TEST_F(BadInput, EndlessFiles) {
  // Separate pipes: the first writer may live until the second has opened its own.
  const std::string recipe_pipe = folder_ / "pipe.json", model_pipe = folder_ / "pipe.model";
  for (const std::string& pipe : {recipe_pipe, model_pipe}) ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto refuse_endless = [&](const std::vector<std::string>& parts, const std::vector<std::string>& command) {
    const RunResult result = run(command);
    expect_failure(result, 4, parts);
    EXPECT_LT(result.peak_kilobytes, 1 << 20);
  };
  refuse_endless({"/dev/zero", "not a model file"}, {"inspect", "/dev/zero"});
  refuse_endless({"/dev/zero", "larger than 64 MiB"}, training("/dev/zero", good_));
  const RunningProgram recipe("/bin/sh", {"-c", "yes > \"$0\"", recipe_pipe});
  refuse_endless({"pipe.json", "larger than 64 MiB"}, training(recipe_pipe, good_));
  const RunningProgram model("/bin/sh", {"-c", "(printf '\\1\\0\\0\\0\\0\\0\\0\\0{'; yes) > \"$0\"", model_pipe});
  refuse_endless({"pipe.model", "larger than 256 MiB"}, {"inspect", model_pipe});
}

TEST_F(BadInput, OutputsAndCheckpoints) {
  refuse("unwritable output", 4, {"no/such/model"},
         {"train", recipe_, "--data", good_, "--model", folder_ / "no/such/model", "--quiet"});
  refuse("output is a folder", 4, {"is a folder"},
         {"train", recipe_, "--data", good_, "--model", folder_.path().string(), "--quiet"});
  const auto resume = [&](const std::string& text) {
    return training(recipe_, good_, {"--checkpoint", folder_.write("state", text), "--resume"});
  };
  refuse("empty checkpoint", 4, {"state", "empty"}, resume(""));
  refuse("checkpoint of an older program", 4, {"state", "damaged"}, resume(R"({"format": 1,)"));
  refuse("checkpoint that would be overwritten", 4, {"state", "--resume"},
         training(recipe_, good_, {"--checkpoint", folder_.write("state", "something")}));
}

}  // namespace
}  // namespace alacarte::test
