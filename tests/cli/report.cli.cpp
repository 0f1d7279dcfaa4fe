#include "cli/program_test.hpp"
#include "experiment/result_document.hpp"

namespace alacarte::test {
namespace {

/// Two methods on servo, three folds, a failure and a file that is not JSON.
class ReportCommand : public ProgramTest {
 protected:
  void SetUp() override {
    const double gm[] = {0.2, 0.3, 0.4}, ard[] = {0.5, 0.61, 0.7};
    for (int fold = 0; fold < 3; ++fold) {
      add("servo.GM.f" + std::to_string(fold), result_document("servo", "GM", fold, gm[fold], 1 + fold));
      add("servo.ARD.f" + std::to_string(fold), result_document("servo", "ARD", fold, ard[fold], 1.5 + fold));
    }
    add("servo.GM.f3", failed_document("servo", "GM", 3, "time limit of 60 s"));
    folder_.write("run/results/servo.ARD.f3.json", "{\"format\": 1,");
    folder_.write(
        "run/experiment.json",
        R"({"name": "toy", "description": "Two methods", "datasets": ["servo"], "recipes": [{"label": "ARD"}, {"label": "GM"}]})");
    folder_.write("run/paper.csv",
                  "dataset,table,method,metric,mean,sd,remark\nservo,1,GM,rmse,0.25,0.07,\n"
                  "servo,1,ARD,rmse,0.30,0.09,\"printed, so\"\n");
  }

  void add(const std::string& name, const nlohmann::json& document) const {
    folder_.write("run/results/" + name + ".json", document.dump());
  }
  std::string text(const std::string& name) const { return read_file(folder_ / "run/" + name); }
};

TEST_F(ReportCommand, TablesHoldTheHandCalculatedNumbers) {
  const RunResult result = must({"report", folder_ / "run"});
  EXPECT_TRUE(has(result.err, "servo.ARD.f3.json"));
  const std::string markdown = text("report.md");
  EXPECT_TRUE(has(markdown, "# toy\n\nTwo methods\n"));
  EXPECT_TRUE(has(markdown,
                  "| Data set | n | d | ARD | GM |\n| --- | ---: | ---: | ---: | ---: |\n"
                  "| Servo | 167 | 4 | 0.60 ± 0.10 (3/10) | **0.30 ± 0.10 (3/10)** |"))
      << markdown;
  // 0.3 / 0.25, with a standard error of 0.1 / sqrt(3) above 0.05; and 0.6033 / 0.30.
  EXPECT_TRUE(has(markdown, "| Servo | 0.25 ± 0.07 | **1.20 (3/10)** | 0.30 ± 0.09 | 2.01 (3/10) |")) << markdown;
  EXPECT_TRUE(has(markdown, "- Servo, ARD: printed, so."));
  EXPECT_TRUE(has(markdown, "| Servo | 167 | 4 | 2.5 ± 1.0 (3/10) | **2.0 ± 1.0 (3/10)** |")) << markdown;
  const std::size_t crps = markdown.find("(CRPS, in the unit of the target");
  ASSERT_NE(crps, std::string::npos);
  EXPECT_NE(markdown.find("| Servo | 167 | 4 | 0.1 ± 0 (3/10) | 0.1 ± 0 (3/10) |", crps), std::string::npos)
      << markdown;
  EXPECT_TRUE(has(markdown, "| servo | GM | 3 | 0 | time limit of 60 s |"));
  EXPECT_TRUE(has(markdown, "| servo.ARD.f3.json |"));
  EXPECT_TRUE(has(markdown, "| **GM** | **1.00** |"));
  EXPECT_TRUE(has(markdown, "level 0.05"));
}

TEST_F(ReportCommand, CsvAndLatexSayTheSame) {
  must({"report", folder_ / "run", "--format", "csv,tex", "--out", folder_ / "made/here", "--quiet"});
  const std::string csv = read_file(folder_ / "made/here/report.csv");
  const auto rows = cells_of(csv);
  ASSERT_GE(rows.size(), 13u);
  bool found = false;
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 15u) << csv;
    if (row[3] != "ARD" || row[4] != "rmse") continue;
    found = true;
    EXPECT_EQ(row[0], "servo");
    EXPECT_EQ(row[5], "3");
    EXPECT_EQ(row[6], "10");
    EXPECT_NEAR(std::stod(row[8]), 1.81 / 3, 1e-12);
    EXPECT_LT(std::stod(row[10]), 0.001);
    EXPECT_EQ(row[11], "0");
    EXPECT_EQ(row[12], "0.30");
    EXPECT_NEAR(std::stod(row[14]), 1.81 / 0.9, 1e-12);
  }
  EXPECT_TRUE(found);
  const std::string latex = read_file(folder_ / "made/here/report.tex");
  EXPECT_TRUE(has(latex, "\\toprule"));
  EXPECT_TRUE(has(latex, "\\textbf{0.30 $\\pm$ 0.10 (3/10)} \\\\"));
}

TEST_F(ReportCommand, MethodsAreComparedInPairsAcrossExperiments) {
  // RMSE of auto minus that of GM: -0.1, -0.2 and 0.4, a mean of 0.03 with a standard error of 0.19; NLPD: -0.5 each.
  const double rmse[] = {0.1, 0.1, 0.8};
  for (int fold = 0; fold < 3; ++fold)
    folder_.write("other/results/" + std::to_string(fold) + ".json",
                  result_document("servo", "auto", fold, rmse[fold], 0.5 + fold).dump());
  must({"report", folder_ / "run", folder_ / "other", "--out", folder_ / "both", "--format", "md", "--quiet"});
  const std::string markdown = read_file(folder_ / "both/report.md");
  const auto at = markdown.find("Each method against each other by RMSE");
  ASSERT_NE(at, std::string::npos);
  EXPECT_NE(markdown.find("| auto | 1 (1) of 1 | 0 (1) of 1 | – |", at), std::string::npos) << markdown.substr(at, 900);
  EXPECT_NE(markdown.find("| GM | 1 (1) of 1 | – | 1 (1) of 1 |", at), std::string::npos) << markdown.substr(at, 900);
  const auto nlpd = markdown.find("Each method against each other by NLPD");
  EXPECT_NE(markdown.find("| GM | 1 (1) of 1 | – | 0 (0) of 1 |", nlpd), std::string::npos);
  EXPECT_NE(markdown.find("| Less than the paper's |"), std::string::npos);
}

TEST_F(ReportCommand, OutsideResultsJoin) {
  folder_.write(
      "run/outside/peer.csv",
      "dataset,method,fold,metric,value\nservo,Peer,0,rmse,0.1\nservo,Peer,1,rmse,0.2\nservo,Peer,2,rmse,0.3\n");
  must({"report", folder_ / "run", "--format", "md", "--quiet"});
  // Peer is better than GM by 0.1 on every fold, and 0.2 / 0.25 of the paper's best.
  EXPECT_TRUE(has(text("report.md"), "| 0.30 ± 0.10 (3/10) | **0.20 ± 0.10 (3/10)** |")) << text("report.md");
  EXPECT_TRUE(has(text("report.md"), "| Servo | GM | 0.25 ± 0.07 | **0.80 (3/10)** |")) << text("report.md");
  const std::string more = folder_.write("more.csv", "dataset,method,fold,metric,value\nservo,Peer2,0,rmes,0.1\n");
  expect_failure(run({"report", folder_ / "run", "--outside", more, "--quiet"}), 3,
                 {"more.csv: row 2, column 4", "did you mean 'rmse'"});
  const std::string twice = folder_.write("twice.csv", "dataset,method,fold,metric,value\nservo,GM,0,rmse,0.1\n");
  expect_failure(run({"report", folder_ / "run", "--outside", twice, "--quiet"}), 2, {"'GM'", "twice.csv"});
}

TEST_F(ReportCommand, PageStandsAloneWithoutVega) {
  RunOptions options;
  options.environment = {{"ALACARTE_VEGA_DIR", ""}};
  must({"report", folder_ / "run", "--format", "html", "--quiet"}, options);
  const std::string page = text("report.html");
  EXPECT_TRUE(has(page, "Vega, Vega-Lite and Vega-Embed were not there"));
  EXPECT_TRUE(has(page, "data-value=\"0.3\"><strong>0.30 ± 0.10 (3/10)</strong></td>")) << page;
  EXPECT_TRUE(has(page, "data-value=\"90\">90.00 ± 0 (3/10)</td>") ||
              has(page, "data-value=\"90\">90 ± 0 (3/10)</td>"));
  EXPECT_TRUE(has(page, "time limit of 60 s"));
  EXPECT_TRUE(has(page, "<svg xmlns"));
  EXPECT_FALSE(has(page, "src=\"")) << "nothing is loaded from elsewhere";
  for (const char* name : {"accuracy-time", "accuracy-memory", "ranks-rmse", "ranks-nlpd", "calibration", "predictions",
                           "traces", "relevances", "spectra-radial", "spectra-inputs"}) {
    const auto spec = nlohmann::json::parse(text(std::string("charts/") + name + ".vl.json"));
    EXPECT_EQ(spec["$schema"], "https://vega.github.io/schema/vega-lite/v5.json") << name;
    EXPECT_FALSE(spec["data"]["values"].empty()) << name;
    EXPECT_TRUE(has(page, std::string("id=\"chart-") + name + "\""));
    const std::string drawing = text(std::string("charts/") + name + ".svg");
    EXPECT_TRUE(has(page, drawing)) << name;
    EXPECT_FALSE(has(drawing, "nan") || has(drawing, "inf")) << name;
  }
}

TEST_F(ReportCommand, ScriptsOfVegaAreInlined) {
  for (const std::string name : {"vega", "vega-lite"})
    folder_.write("node/" + name + "/build/" + name + ".min.js", "var tag = '</script><!--', less = 1</2/3;");
  expect_failure(run({"report", folder_ / "run", "--format", "html", "--vega", folder_ / "node", "--quiet"}), 4,
                 {"vega-embed.min.js", "experiments/vega.sh"});
  folder_.write("node/vega-embed/build/vega-embed.min.js", "var last = 1;");
  RunOptions options;
  options.environment = {{"ALACARTE_VEGA_DIR", folder_ / "node"}};
  must({"report", folder_ / "run", "--format", "html", "--quiet"}, options);
  const std::string page = text("report.html");
  EXPECT_TRUE(has(page, "<script>var tag = '<\\/script><\\!--', less = 1</2/3;</script>"))
      << page.substr(page.size() - 9000);
  EXPECT_TRUE(has(page, "id=\"spec-calibration\">{"));
  EXPECT_FALSE(has(page, "were not there"));
}

TEST_F(ReportCommand, HostileTextsStayTexts) {
  const std::string evil = "</script><script>alert(1)</script>\"'&";
  for (int fold = 0; fold < 2; ++fold) add("evil" + std::to_string(fold), result_document(evil, evil, fold, 1, 1));
  add("evil2", failed_document("servo", evil, 5, evil));
  for (const std::string name : {"vega", "vega-lite", "vega-embed"})
    folder_.write("node/" + name + "/build/" + name + ".min.js", ";");
  must({"report", folder_ / "run", "--format", "html", "--vega", folder_ / "node"});
  const std::string page = text("report.html");
  EXPECT_FALSE(has(page, "<script>alert"));
  EXPECT_TRUE(has(page, "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"));
  EXPECT_TRUE(has(page, "\\u003c/script>\\u003cscript>alert(1)"));
}

TEST_F(ReportCommand, FoldersWithoutResultsAreRefused) {
  expect_failure(run({"report", folder_ / "nowhere", "--quiet"}), 4, {"nowhere", "results/"});
  expect_failure(run({"report", folder_ / "run", "--format", "pdf"}), 1, {"pdf"});
  expect_failure(run({"report", folder_ / "run", "--store", folder_ / "s.json", "--paper", "p.csv"}), 1,
                 {"--store writes no report", "--paper"});
  folder_.write("bad.csv", "dataset,table\na,b\n");
  expect_failure(run({"report", folder_ / "run", "--quiet", "--paper", folder_ / "bad.csv"}), 3, {"bad.csv", "remark"});
}

}  // namespace
}  // namespace alacarte::test
