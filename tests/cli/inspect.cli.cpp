// alacarte inspect --html: a model as a page.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "cli/program_test.hpp"

namespace alacarte::test {
namespace {

/// Returns the number in the cell `column` cells after the head of a row.
double cell(const std::string& page, const std::string& row, int column) {
  std::size_t at = page.find("<th scope=\"row\">" + row + "</th>");
  if (at == std::string::npos) return NAN;
  const std::string mark = "data-value=\"";
  for (int k = 0; k < column; ++k) at = page.find(mark, at) + mark.size();
  return std::stod(page.substr(at, 40));
}

class InspectPage : public ProgramTest {
 protected:
  /// Writes the page without Vega, even if the build has it.
  std::string page(const std::string& model, const std::vector<std::string>& more = {}) const {
    RunOptions options;
    options.environment = {{"ALACARTE_VEGA_DIR", ""}};
    std::vector<std::string> arguments{"inspect", model, "--html", folder_ / "page.html", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(must(arguments, options).out, "") << "the page stands instead of the text";
    expect_no_leftovers();
    return read_file(folder_ / "page.html");
  }
};

TEST_F(InspectPage, ShowsWhatWasLearned) {
  const std::string text = page(quick_model());
  for (const char* name : {"traces", "relevances", "spectra-radial", "spectra-inputs", "amplitudes"})
    EXPECT_TRUE(has(text, std::string("id=\"chart-") + name + "\"")) << name;
  for (const char* name : {"predictions", "calibration", "accuracy-time", "ranks-rmse"})
    EXPECT_FALSE(has(text, std::string("id=\"chart-") + name + "\"")) << name;
  EXPECT_TRUE(has(text, "<h1>Model model.ala</h1>"));
  EXPECT_TRUE(has(text, "experiments/vega.sh"));
  EXPECT_TRUE(has(text, "<th scope=\"row\">x4</th>"));
  EXPECT_FALSE(has(text, "charts/")) << "no files beside the page";
  EXPECT_FALSE(has(text, "src=\"")) << "nothing is loaded from elsewhere";
  EXPECT_FALSE(has(text, "nan") || has(text, "inf\""));
  EXPECT_EQ(folder_.entries(), (std::vector<std::string>{"model.ala", "page.html", "quick.json", "train.csv"}));
}

TEST_F(InspectPage, ScaledRowsHaveNoLengthScaleInTheUnitOfAnInput) {
  const std::string data = friedman(60, 2, "d.csv"), model = folder_ / "m.ala", recipe = quick_recipe();
  for (const std::string key : {"none", "unit_rows", "roots"}) {
    std::vector<std::string> train{"train", recipe, "--data", data, "--model", model, "--quiet"};
    if (key != "none") train.insert(train.end(), {"--set", "/scale/" + key + "=true"});
    must(train);
    const auto report = nlohmann::json::parse(must({"inspect", model, "--json"}).out);
    for (const auto& input : report["fits"][0]["inputs"]) {
      EXPECT_TRUE(input["relevance"].is_number());
      EXPECT_EQ(input["lengthscale"].is_number(), key == "none") << key;
    }
    EXPECT_FALSE(report["fits"][0]["inputs"].empty());
  }
}

TEST_F(InspectPage, SaysWhatBecameOfTheColumns) {
  std::string table = "id,colour,x,y\n";
  for (int i = 0; i < 40; ++i)
    table += fmt::format("{},{},{},{}\n", i + 1, i % 3 == 0 ? "red" : "blue", i % 8 == 0 ? "" : std::to_string(i % 11),
                         i % 7);
  const std::string model = folder_ / "m.ala";
  const RunResult trained = run({"train", "linear", "--data", folder_.write("mixed.csv", table), "--model", model});
  EXPECT_EQ(trained.code, 0);
  for (const std::string& text :
       {trained.err, must({"inspect", model}).out, must({"inspect", "--table", folder_ / "mixed.csv"}).out})
    for (const char* word : {"numbers the rows", "2 indicators", "indicator of gaps"})
      EXPECT_TRUE(has(text, word)) << text;
  must({"inspect", model, "--html", folder_ / "m.html"});
  const std::string page = read_file(folder_ / "m.html");
  for (const char* word : {"numbers the rows", "2 indicators", "indicator of gaps"})
    EXPECT_TRUE(has(page, word)) << word;
  expect_failure(run({"inspect", model, "--strict"}), 1, {"inspect --table"});
  expect_failure(run({"inspect", "--table", folder_ / "mixed.csv", "--html", folder_ / "t.html"}), 1, {"--html"});
  expect_failure(run({"inspect", "--table", folder_ / "mixed.csv", "--group", "zz"}), 2, {"/data/group", "zz"});
}

TEST_F(InspectPage, TablesThatTeachNothingAreRefusedOrSaid) {
  expect_failure(run({"train", "linear", "--data", folder_.write("one.csv", "x,y\n1,2\n"), "--model", folder_ / "o"}),
                 3, {"one.csv: holds one sample"});
  expect_failure(
      run({"train", "linear", "--data", folder_.write("same.csv", "x,y\n1,2\n1,3\n1,5\n"), "--model", folder_ / "o"}),
      3, {"same.csv: has no column to learn from", "'x'", "constant"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "o"));
  const RunResult flat = run({"train", "linear", "--data", folder_.write("flat.csv", "x,y\n1,2\n2,2\n3,2\n4,2\n"),
                              "--model", folder_ / "flat", "--quiet"});
  EXPECT_EQ(flat.code, 0);
  EXPECT_TRUE(has(flat.err, "the target is 2 in all training rows")) << flat.err;
}

// An input with one value teaches nothing: its frequencies are the prior's, and large.
TEST_F(InspectPage, AConstantInputHasNoRelevance) {
  std::string table;
  for (const std::string& line : lines_of(read_file(friedman(60, 2, "d.csv"))))
    table += (table.empty() ? "same," : "7,") + line + '\n';
  const std::string model = folder_ / "m.ala";
  must({"train", "gm", "--set", "/features/frequencies=8", "--set", "/copies=1", "--set", "/training/iterations=5",
        "--strict", "--data", folder_.write("constant.csv", table), "--model", model, "--quiet"});
  const auto report = nlohmann::json::parse(must({"inspect", model, "--json"}).out);
  for (const auto& inputs : {report["inputs"], report["fits"][0]["inputs"]}) {
    EXPECT_EQ(inputs.back()["name"], "same");
    EXPECT_EQ(inputs.back()["relevance"], 0);
    EXPECT_GT(inputs.front()["relevance"], 0);
  }
  EXPECT_EQ(cell(page(model), "same", 1), 0);
}

TEST_F(InspectPage, CurvesOfTheInputsAreNamedAndHaveNoLengthScales) {
  const std::string recipe = folder_.write("curves.json", R"({"model": "mixture", "members": [
      {"model": "exact-rbf", "scale": {"inputs": "normal-scores"}}, {"model": "exact-rbf"}]})");
  must({"train", recipe, "--set", "/training/iterations=3", "--data", friedman(120, 2, "d.csv"), "--model",
        folder_ / "m.ala", "--quiet"});
  const auto all = nlohmann::json::parse(must({"inspect", folder_ / "m.ala", "--json"}).out);
  EXPECT_EQ(all["fits"][0]["scale"], "normal-scores");
  EXPECT_FALSE(all["fits"][1].contains("scale"));
  EXPECT_TRUE(all["inputs"][0]["lengthscale"].is_null());
  EXPECT_TRUE(all["fits"][0]["inputs"][0]["lengthscale"].is_null());
  EXPECT_TRUE(all["fits"][1]["inputs"][0]["lengthscale"].is_number());
  const std::string text = must({"inspect", folder_ / "m.ala"}).out;
  EXPECT_TRUE(has(text, "through normal-scores"));
  EXPECT_FALSE(has(text.substr(0, text.find("\nfit 0")), "length-scale")) << "a column without numbers";
  EXPECT_TRUE(has(text.substr(text.find("\nfit 1")), "length-scale"));
}

TEST_F(InspectPage, IsotropicKernelsHaveASpectrum) {
  for (const std::string name : {"matern-isotropic", "exact-matern-general"})
    EXPECT_TRUE(has(page(std::string(ALACARTE_SOURCE_DIR "/tests/golden/models/") + name + ".alacarte"),
                    "id=\"chart-spectra-radial\""))
        << name;
}

TEST_F(InspectPage, ScoresAreThoseOfEvaluate) {
  const std::string model = quick_model(), data = friedman(80, 2, "test.csv");
  const std::string text = page(model, {"--data", data});
  const auto scores = nlohmann::json::parse(must({"evaluate", model, "--data", data, "--quiet"}).out);
  EXPECT_EQ(cell(text, "Rows of --data", 1), 80);
  EXPECT_NEAR(cell(text, "Rows of --data", 2), scores["rmse"].get<double>(), 1e-9);
  EXPECT_NEAR(cell(text, "Rows of --data", 4), scores["nlpd"].get<double>(), 1e-9);
  EXPECT_NEAR(cell(text, "Rows of --data", 8), 100 * scores["coverage"]["95"].get<double>(), 1e-9);
  for (const char* name : {"predictions", "calibration"})
    EXPECT_TRUE(has(text, std::string("id=\"chart-") + name + "\"")) << name;
}

TEST_F(InspectPage, MixturesAndFreeFrequencies) {
  const std::string recipe =
      folder_.write("two.json", R"({"model": "ssgpr", "copies": 2, "features": {"frequencies": 16},
      "noise": {"prior_center": "fixed"}, "training": {"starts": 1, "probe_iterations": 2, "iterations": 5}})");
  must({"train", recipe, "--data", friedman(100, 1, "train.csv"), "--model", folder_ / "two.ala", "--quiet"});
  const std::string text = page(folder_ / "two.ala", {"--data", folder_ / "train.csv", "--inputs", "3"});
  EXPECT_TRUE(has(text, "ssgpr 1/2") && has(text, "ssgpr 2/2") && has(text, "all fits together"));
  EXPECT_TRUE(has(text, "id=\"chart-spectra-radial\""));
  EXPECT_TRUE(has(text, "And 7 less relevant."));
}

TEST_F(InspectPage, ModelsWithoutErrorBarsOrFrequencies) {
  const std::string recipe = folder_.write("line.json", R"({"model": "linear", "noise": {"prior_center": "fixed"}})");
  must({"train", recipe, "--data", friedman(60, 1, "train.csv"), "--model", folder_ / "line.ala", "--mean-only",
        "--quiet"});
  const std::string text = page(folder_ / "line.ala", {"--data", folder_ / "train.csv"});
  EXPECT_FALSE(has(text, "id=\"chart-spectra-radial\""));
  EXPECT_FALSE(has(text, "id=\"chart-predictions\""));
  EXPECT_TRUE(has(text, "--mean-only: it has no intervals"));
}

TEST_F(InspectPage, JsonComesBesideThePage) {
  const std::string model = quick_model();
  const auto all =
      nlohmann::json::parse(must({"inspect", model, "--json", "--html", folder_ / "page.html", "--quiet"}).out);
  EXPECT_EQ(all["model"], "ard");
  EXPECT_TRUE(has(read_file(folder_ / "page.html"), "<!DOCTYPE html>"));
}

// For an additive model: each term's share of the variance, prior and posterior.
TEST_F(InspectPage, TermsShareTheVariance) {
  const std::string recipe = folder_.write(
      "sum.json", R"({"model": "sum", "terms": [{"model": "linear"}, {"model": "ard", "features": {"frequencies": 16}}],
      "noise": {"prior_center": "fixed"}, "training": {"starts": 1, "probe_iterations": 5, "iterations": 20}})");
  std::string rows = "a,b,y\n";
  for (int i = 0; i < 60; ++i)
    rows += std::to_string(i) + "," + std::to_string(i * i % 17) + "," + std::to_string(3 * i) + "\n";
  must({"train", recipe, "--data", folder_.write("line.csv", rows), "--model", folder_ / "sum.ala", "--quiet"});
  const auto all = nlohmann::json::parse(must({"inspect", folder_ / "sum.ala", "--json"}).out);
  const auto& terms = all["fits"][0]["summary"]["terms"];
  ASSERT_EQ(terms.size(), 2u);
  for (const char* share : {"prior_share", "posterior_share"})
    EXPECT_NEAR(terms[0][share].get<double>() + terms[1][share].get<double>(), 1, 1e-12);
  EXPECT_EQ(terms[0]["model"], "linear");
  EXPECT_GT(terms[0]["posterior_share"].get<double>(), 0.9) << "a straight line is the linear term's";
  EXPECT_TRUE(has(must({"inspect", folder_ / "sum.ala"}).out, "% in the posterior"));
}

TEST_F(InspectPage, ClassesHaveScoresConfusionsAndReliability) {
  std::string rows = "a,b,kind\n";
  for (int i = 0; i < 90; ++i)
    rows += std::to_string(i % 3 + 0.01 * (i % 7)) + "," + std::to_string(i % 11) + "," +
            (i % 10 == 9  ? "<other>"
             : i % 3 == 0 ? "red"
                          : "blue") +
            "\n";
  const std::string data = folder_.write("kinds.csv", rows);
  const auto train = [&](const std::string& more) {
    const std::string recipe =
        folder_.write("kinds.json", R"({"model": "rbf", "features": {"frequencies": 16}, )" + more + "}");
    must({"train", recipe, "--data", data, "--model", folder_ / "kinds.ala", "--quiet"});
    return page(folder_ / "kinds.ala", {"--data", data});
  };
  const std::string text =
      train(R"("likelihood": "softmax", "training": {"starts": 1, "probe_iterations": 2, "iterations": 5})");
  const auto scores = nlohmann::json::parse(must({"evaluate", folder_ / "kinds.ala", "--data", data}).out);
  EXPECT_TRUE(has(text, "id=\"confusion\"") && has(text, "id=\"chart-reliability\"") && has(text, "id=\"scores\""));
  EXPECT_TRUE(has(text, "&lt;other&gt;") && !has(text, "<other>"));
  EXPECT_FALSE(has(text, "RMSE") || has(text, "id=\"chart-predictions\"") || has(text, "id=\"chart-calibration\""));
  EXPECT_EQ(cell(text, "Rows of --data", 1), 90);
  EXPECT_EQ(cell(text, "Rows of --data", 2), scores["accuracy"].get<double>());
  EXPECT_EQ(cell(text, "Rows of --data", 3), scores["log_loss"].get<double>());
  const std::string names[] = {"&lt;other&gt;", "blue", "red"};
  for (int own = 0; own < 3; ++own)
    for (int predicted = 0; predicted < 3; ++predicted)
      EXPECT_EQ(cell(text, names[own], predicted + 1), scores["confusion"][own][predicted].get<double>());

  const std::string votes = train(R"("learner": {"kind": "svm", "costs": [1]})");
  EXPECT_TRUE(has(votes, "id=\"confusion\"") && has(votes, "no probabilities"));
  EXPECT_FALSE(has(votes, "id=\"chart-reliability\""));
}

TEST_F(InspectPage, ManyClassesShowTheirMostFrequentConfusions) {
  std::string rows = "a,b,kind\n";
  for (int i = 0; i < 150; ++i)
    rows += std::to_string(i % 25 / 5) + "," + std::to_string(i % 3) + ",k" + std::to_string(i % 25) + "\n";
  const std::string data = folder_.write("many.csv", rows);
  const std::string recipe =
      folder_.write("many.json", R"({"model": "linear", "learner": {"kind": "logistic", "costs": [1]}})");
  must({"train", recipe, "--data", data, "--model", folder_ / "many.ala", "--quiet"});
  const std::string text = page(folder_ / "many.ala", {"--data", data});
  EXPECT_TRUE(has(text, "taken for one another most often"));
  EXPECT_TRUE(has(text, "id=\"chart-reliability\""));
}

TEST_F(InspectPage, WhatIsWrongIsSaid) {
  const std::string model = quick_model();
  expect_failure(run({"inspect", model, "--data", folder_ / "train.csv"}), 1, {"--data", "--html"});
  expect_failure(run({"inspect", model, "--html", folder_ / "no/page.html", "--quiet"}), 4, {"no/page.html"});
  expect_failure(run({"inspect", model, "--html", folder_ / "p.html", "--data", folder_ / "absent.csv", "--quiet"}), 4,
                 {"absent.csv"});
  expect_failure(run({"inspect", model, "--html", folder_ / "p.html", "--vega", folder_ / "absent", "--quiet"}), 4,
                 {"vega.min.js", "experiments/vega.sh"});
  const std::string bare = folder_.write("bare.csv", "x1,x2\n1,2\n");
  expect_failure(run({"inspect", model, "--html", folder_ / "p.html", "--data", bare, "--quiet"}), 3, {"bare.csv"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "p.html"));
}

}  // namespace
}  // namespace alacarte::test
