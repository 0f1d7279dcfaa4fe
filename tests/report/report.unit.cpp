#include "report/report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "alacarte/core/error.hpp"
#include "experiment/result_document.hpp"
#include "support/program.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;
using test::result_document;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

RunResult run(const std::string& dataset, const std::string& label, int fold, double rmse, int seed = 0) {
  return parse_result(result_document(dataset, label, fold, rmse, rmse - 1, seed));
}

/// Returns three methods on "a"; ARD is worse by 0.3 on every fold, RBF by nothing on average, and "few" has one fold.
ResultSet small_set() {
  ResultSet results;
  const double gm[] = {0.2, 0.3, 0.4}, ard[] = {0.5, 0.61, 0.7}, rbf[] = {0.26, 0.25, 0.40};
  for (int fold = 0; fold < 3; ++fold) {
    results.runs.push_back(run("a", "GM", fold, gm[fold]));
    results.runs.push_back(run("a", "ARD", fold, ard[fold]));
    results.runs.push_back(run("a", "RBF", fold, rbf[fold]));
  }
  return results;
}

TEST(Summary, MeansDeviationsAndMarks) {
  const Summary summary = summarise(small_set(), nullptr);
  ASSERT_EQ(summary.datasets.size(), 1u);
  const DatasetSummary& row = summary.datasets[0];
  const FoldSummary& gm = *row.find("GM", Measure::rmse);
  EXPECT_NEAR(gm.mean, 0.3, 1e-15);
  EXPECT_NEAR(*gm.sd, 0.1, 1e-15);
  EXPECT_TRUE(gm.marked);
  EXPECT_FALSE(gm.p_value);
  // Differences 0.3, 0.31, 0.3: t = 91, two degrees of freedom. And 0.06, -0.05, 0: t = 0.104.
  const FoldSummary &ard = *row.find("ARD", Measure::rmse), &rbf = *row.find("RBF", Measure::rmse);
  const auto p = [](double t) { return 1 - t / std::sqrt(t * t + 2); };
  EXPECT_NEAR(*ard.p_value, p(91), 1e-9);
  EXPECT_FALSE(ard.marked);
  EXPECT_NEAR(*rbf.p_value, p((0.01 / 3) / std::sqrt((0.0061 - 0.0001 / 3) / 2 / 3)), 1e-9);
  EXPECT_TRUE(rbf.marked);
  EXPECT_EQ(row.find("GM", Measure::predict_seconds)->mean, 0.25);
}

TEST(Summary, FewFoldsDoNotWin) {
  ResultSet results = small_set();
  results.runs.push_back(run("a", "one", 0, 0.01));
  for (int fold = 0; fold < 2; ++fold) results.runs.push_back(run("a", "two", fold, 0.01 + 0.1 * fold));
  const Summary summary = summarise(results, nullptr);
  const DatasetSummary& row = summary.datasets[0];
  EXPECT_TRUE(row.find("GM", Measure::rmse)->marked);
  EXPECT_FALSE(row.find("one", Measure::rmse)->marked);
  EXPECT_FALSE(row.find("one", Measure::rmse)->sd);
  // Better on both common folds with the best: certainly not worse.
  EXPECT_TRUE(row.find("two", Measure::rmse)->marked);
  EXPECT_EQ(row.folds, 3);
}

TEST(Summary, SeedsOfAFoldCountOnce) {
  ResultSet results;
  results.runs = {run("a", "GM", 0, 0.2, 0), run("a", "GM", 0, 0.4, 1), run("a", "GM", 1, 0.5)};
  const Summary summary = summarise(results, nullptr);
  const FoldSummary& gm = *summary.datasets[0].find("GM", Measure::rmse);
  EXPECT_EQ(gm.folds.size(), 2u);
  EXPECT_NEAR(gm.mean, 0.4, 1e-15);
}

TEST(Summary, RanksOnDataSetsOfAllMethods) {
  ResultSet results = small_set();
  results.datasets = {"b", "a"};
  results.labels = {"ARD", "GM", "RBF"};
  // On "b" ARD is the best by the common fold 0, regardless of fold 1.
  results.runs.push_back(run("b", "ARD", 0, 1));
  results.runs.push_back(run("b", "GM", 0, 2));
  results.runs.push_back(run("b", "GM", 1, 0));
  results.runs.push_back(run("b", "RBF", 0, 3));
  results.runs.push_back(run("c", "GM", 0, 3));
  const Summary summary = summarise(results, nullptr);
  EXPECT_EQ(summary.methods, (std::vector<std::string>{"ARD", "GM", "RBF"}));
  EXPECT_EQ(summary.datasets[0].name, "b");
  ASSERT_EQ(summary.rankings.size(), 2u);
  const Ranking& ranking = summary.rankings[0];
  EXPECT_EQ(ranking.datasets, (std::vector<std::string>{"b", "a"}));
  // On "a": GM 1, RBF 2, ARD 3.
  EXPECT_EQ(ranking.methods, (std::vector<std::string>{"GM", "ARD", "RBF"}));
  EXPECT_EQ(ranking.ranks, (std::vector<double>{1.5, 2, 2.5}));
  EXPECT_NEAR(ranking.friedman, 1, 1e-12);
  EXPECT_NEAR(ranking.critical_difference, 2.343, 0.002);
}

TEST(Summary, CatalogueGivesTitlesAndFolds) {
  DatasetEntry entry;
  entry.name = "a";
  entry.title = "The A";
  entry.split.folds = 10;
  const Catalogue catalogue({entry});
  const Summary summary = summarise(small_set(), &catalogue);
  EXPECT_EQ(summary.datasets[0].title, "The A");
  EXPECT_EQ(summary.datasets[0].folds, 10);
  std::ostringstream text;
  write_markdown(make_report(small_set(), summary, nullptr), text);
  EXPECT_TRUE(has(text.str(), "| The A | 167 | 4 | **0.30 ± 0.10 (3/10)** | 0.60 ± 0.10 (3/10) |")) << text.str();
}

TEST(Report, HostileNamesStayText) {
  ResultSet results;
  results.runs = {run("a|b", "x_<i>", 0, 1)};
  const Summary summary = summarise(results, nullptr);
  const Report report = make_report(results, summary, nullptr);
  std::ostringstream markdown, latex, csv;
  write_markdown(report, markdown);
  write_latex(report, latex);
  EXPECT_TRUE(has(markdown.str(), "a\\|b"));
  EXPECT_TRUE(has(markdown.str(), "x\\_&lt;i>"));
  EXPECT_TRUE(has(latex.str(), "x\\_\\textless{}i\\textgreater{}"));
  results.runs[0].label = "a,\"b\"";
  write_summary_csv(summarise(results, nullptr), nullptr, csv);
  EXPECT_TRUE(has(csv.str(), "\"a,\"\"b\"\"\""));
}

TEST(Paper, ShippedNumbersAreReadAsPrinted) {
  const std::string root = std::string(ALACARTE_SOURCE_DIR) + "/experiments/table1-";
  const PaperNumbers small = read_paper(root + "small/paper.csv");
  EXPECT_EQ(small.methods, (std::vector<std::string>{"RBF", "ARD", "FSARD", "GM", "PWL", "FSGBARD", "SSGPR"}));
  EXPECT_EQ(small.rmse.size(), 18u * 7);
  EXPECT_EQ(small.rmse.at({"autompg", "FSGBARD"}).mean_text, "3.30");
  EXPECT_EQ(small.rmse.at({"autompg", "FSGBARD"}).sd_text, "0.69");
  EXPECT_TRUE(has(small.rmse.at({"autos", "GM"}).remark, "sd as printed"));
  EXPECT_EQ(read_paper(root + "medium/paper.csv").rmse.size(), 12u * 7);
  EXPECT_EQ(read_paper(root + "large/paper.csv").rmse.at({"houseelectric", "GM"}).mean, 0.05);
  const PaperNumbers fastfood = read_paper(std::string(ALACARTE_SOURCE_DIR) + "/experiments/fastfood-table3/paper.csv");
  EXPECT_EQ(fastfood.rmse.size(), 38u) << "which prints no standard deviations";
  EXPECT_EQ(fastfood.rmse.at({"coil2000", "Exact RBF"}).sd_text, "");
}

TEST(Paper, BrokenTablesAreRefusedWithTheirRow) {
  const test::TemporaryFolder folder;
  const std::string head = "dataset,table,method,metric,mean,sd,remark\n";
  EXPECT_THROW(read_paper(folder.write("a.csv", "dataset,method\na,b\n")), DataError);
  try {
    read_paper(folder.write("b.csv", head + "a,1,GM,rmse,0.2,0.1,\na,1,PWL,rmse,0.2,x,\n"));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_TRUE(has(error.what(), "row 3, column 6: 'x' is not a finite number")) << error.what();
  }
  EXPECT_THROW(read_paper(folder.write("c.csv", head + "a,1,GM,rmse,0.2,0.1,\na,1,GM,rmse,0.2,0.1,\n")), DataError);
}

}  // namespace
}  // namespace alacarte
