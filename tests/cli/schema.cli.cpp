// alacarte schema, checked by an independent validator.
#include <filesystem>

#include "cli/program_test.hpp"

namespace alacarte::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Prints "yes" or "no" for each file by the validator of Debian's python3-jsonschema; exits with 77 if it is missing.
constexpr const char* kValidate = R"(import json, sys
try:
    import jsonschema
except ImportError:
    sys.exit(77)
schema = json.load(open(sys.argv[1]))
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
for name in sys.argv[2:]:
    print("yes" if validator.is_valid(json.load(open(name))) else "no")
)";

class SchemaCommand : public ProgramTest {
 protected:
  /// Returns "" if the validator is not installed.
  std::string verdicts(const std::string& of, const std::vector<std::string>& files) const {
    std::vector<std::string> arguments = {folder_.write("validate.py", kValidate),
                                          folder_.write("schema.json", must({"schema", of}).out)};
    arguments.insert(arguments.end(), files.begin(), files.end());
    const RunResult result = run_program("/usr/bin/python3", arguments);
    if (result.code == 77 || result.code == 127) return "";
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  }

  static std::string times(const char* word, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += std::string(word) + "\n";
    return text;
  }
};

TEST_F(SchemaCommand, AcceptsEveryRecipeThatShips) {
  std::vector<std::string> files;
  for (const auto& file : fs::recursive_directory_iterator(ALACARTE_SOURCE_DIR "/configs/recipes"))
    if (file.path().extension() == ".json") files.push_back(file.path());
  ASSERT_GT(files.size(), 30u);
  const std::string said = verdicts("recipe", files);
  if (said.empty()) GTEST_SKIP() << "needs python3-jsonschema";
  std::string refused;
  const auto lines = lines_of(said);
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i] != "yes") refused += files[i] + "\n";
  EXPECT_EQ(refused, "");
}

TEST_F(SchemaCommand, RefusesWhatTheParserRefuses) {
  std::vector<std::string> files;
  for (const char* text :
       {R"({"model": "gmm"})", R"({"model": "gm", "feature": {}})",
        R"({"model": "gm", "features": {"frequencies": 0}})", R"({"model": "gm", "features": {"frequencies": "64"}})",
        R"({"model": "rbf", "kernel": {"nu": 1.5}})", R"({"model": "exact-rbf", "features": {"frequencies": 64}})",
        R"({"model": "mixture"})", R"({"model": "gm", "members": [{"model": "gm"}]})", R"({"model": "sum"})",
        R"({"model": "mixture", "members": [{"model": "gm", "data": {"target": "y"}}]})",
        R"({"model": "sum", "terms": [{"frequencies": 3}]})", R"({"model": "gm", "data": {"missing": "guess"}})"}) {
    files.push_back(folder_.write("r" + std::to_string(files.size()) + ".json", text));
    EXPECT_EQ(run({"check", files.back()}).code, 2) << text;
  }
  const std::string said = verdicts("recipe", files);
  if (said.empty()) GTEST_SKIP() << "needs python3-jsonschema";
  EXPECT_EQ(said, times("no", files.size()));
}

TEST_F(SchemaCommand, AcceptsTheExperimentsOfTheRepository) {
  std::vector<std::string> files;
  for (const auto& file : fs::recursive_directory_iterator(ALACARTE_SOURCE_DIR "/experiments")) {
    const std::string name = file.path().string();
    if (!name.ends_with(".json") || name.ends_with(".results.json") || has(name, "node_modules")) continue;
    const Json json = Json::parse(read_file(file.path()), nullptr, false);
    if (json.is_object() && json.contains("datasets") && json.contains("recipes")) files.push_back(file.path());
  }
  ASSERT_GT(files.size(), 5u);
  files.push_back(folder_.write("own.json", R"({"name": "o", "datasets": ["servo", {"file": "h.csv", "folds": 5,
    "data": {"target": "y"}}], "recipes": [{"recipe": "gm"}, {"baseline": "knn"}]})"));
  const std::string said = verdicts("experiment", files);
  if (said.empty()) GTEST_SKIP() << "needs python3-jsonschema";
  EXPECT_EQ(said, times("yes", files.size()));
  EXPECT_EQ(verdicts("experiment",
                     {folder_.write("a.json", R"({"name": "o", "datasets": [], "recipes": [{"recipe": "gm"}]})"),
                      folder_.write("b.json", R"({"name": "o", "datasets": ["a"], "recipes": [{"recip": "gm"}]})"),
                      folder_.write("c.json", R"({"name": "o", "datasets": [{"file": "h", "folds": 2, "mask": "m"}],
                        "recipes": [{"recipe": "gm"}]})")}),
            times("no", 3));
}

// The schema of experiments is written by hand; the parser lists its keys.
TEST_F(SchemaCommand, HasTheKeysOfTheParser) {
  const std::string file = folder_.write(
      "e.json", R"({"name": "o", "datasets": ["servo"], "recipes": [{"recipe": "gm"}], "zzzzzzzzzzz": 1})");
  const std::string said = run({"run", file, "--out", folder_ / "out"}).err;
  const Json schema = Json::parse(must({"schema", "experiment"}).out);
  const auto at = said.find("allowed: "), end = said.find(" [in ");
  ASSERT_TRUE(at != std::string::npos && end != std::string::npos) << said;
  const std::string allowed = ", " + said.substr(at + 9, end - at - 9) + ",";
  std::size_t keys = 0;
  for (const auto& [key, value] : schema["properties"].items()) {
    EXPECT_TRUE(has(allowed, ", " + key + ",")) << key;
    ++keys;
  }
  EXPECT_EQ(static_cast<std::size_t>(std::count(allowed.begin(), allowed.end(), ',')), keys + 1) << allowed;
}

TEST_F(SchemaCommand, OfNothingElse) { expect_failure(run({"schema", "recipes"}), 1, {"recipe"}); }

}  // namespace
}  // namespace alacarte::test
