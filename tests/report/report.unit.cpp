#include "alacarte/report/report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "alacarte/core/error.hpp"
#include "alacarte/report/charts.hpp"
#include "experiment/result_document.hpp"
#include "report/still_chart.hpp"
#include "support/program.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;
using test::failed_document;
using test::result_document;

std::string error_of(const Json& json) {
  try {
    parse_result(json);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

std::string with(const std::string& pointer, const Json& value) {
  Json json = result_document("servo", "GM", 0, 1, 2);
  json[Json::json_pointer(pointer)] = value;
  return error_of(json);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

UnitResult unit(const std::string& dataset, const std::string& label, int fold, double rmse, int seed = 0) {
  return parse_result(result_document(dataset, label, fold, rmse, rmse - 1, seed));
}

/// Three methods on "a"; ARD is worse by 0.3 on every fold, RBF by nothing on average, and "few" has one fold.
ResultSet small_set() {
  ResultSet results;
  const double gm[] = {0.2, 0.3, 0.4}, ard[] = {0.5, 0.61, 0.7}, rbf[] = {0.26, 0.25, 0.40};
  for (int fold = 0; fold < 3; ++fold) {
    results.units.push_back(unit("a", "GM", fold, gm[fold]));
    results.units.push_back(unit("a", "ARD", fold, ard[fold]));
    results.units.push_back(unit("a", "RBF", fold, rbf[fold]));
  }
  return results;
}

TEST(Results, ReadsADocument) {
  const UnitResult result = unit("servo", "GM", 3, 0.25, 7);
  EXPECT_TRUE(result.done);
  EXPECT_EQ(result.dataset, "servo");
  EXPECT_EQ(result.label, "GM");
  EXPECT_EQ(result.fold, 3);
  EXPECT_EQ(result.seed, 7);
  EXPECT_EQ(result.rows, 167);
  EXPECT_EQ(result.values.at(Measure::rmse), 0.25);
  EXPECT_EQ(result.values.at(Measure::nlpd), -0.75);
  EXPECT_EQ(result.values.at(Measure::coverage95), 0.9);
  EXPECT_EQ(result.values.at(Measure::train_seconds), 1.5);
  EXPECT_EQ(result.values.at(Measure::peak_mb), 50);
  EXPECT_EQ(result.coverage.at(50), 0.5);
  EXPECT_EQ(result.fits.at(0).trace, (std::vector<double>{9, 4, 3.5}));
  EXPECT_EQ(result.mean, (std::vector<double>{1.1, 2.2, 2.5}));
  EXPECT_EQ(result.program, "0.1.0, abc, g++, -O2");
  EXPECT_EQ(result.machine, "a processor, 1 thread");
}

TEST(Results, ReadsFailuresAndBaselines) {
  const UnitResult failed = parse_result(failed_document("a", "GM", 1, "signal 11"));
  EXPECT_FALSE(failed.done);
  EXPECT_EQ(failed.reason, "signal 11");
  EXPECT_TRUE(failed.values.empty());
  Json baseline = result_document("a", "Mean", 0, 1, 1);
  baseline["train"] = baseline["training"] = nullptr;
  baseline["test"]["nlpd"] = baseline["test"]["coverage"] = nullptr;
  const UnitResult read = parse_result(baseline);
  EXPECT_EQ(read.values.count(Measure::nlpd), 0u);
  EXPECT_EQ(read.values.count(Measure::coverage95), 0u);
}

TEST(Results, RefusesWhatIsWrong) {
  EXPECT_EQ(with("/unit/fold", 2), "no error");
  EXPECT_TRUE(has(with("/statsu", 1), "/statsu: unknown key (did you mean 'status'?)"));
  EXPECT_TRUE(has(with("/format", 2), "/format"));
  EXPECT_TRUE(has(with("/status", "ok"), "/status"));
  EXPECT_TRUE(has(with("/unit/fold", -1), "/unit/fold"));
  EXPECT_TRUE(has(with("/unit/dataset", ""), "/unit/dataset"));
  EXPECT_TRUE(has(with("/test/rmse", "low"), "/test/rmse"));
  EXPECT_TRUE(has(with("/test/coverage/95", "x"), "/test/coverage/95"));
  EXPECT_TRUE(has(with("/seconds/tain", 1), "/seconds/tain"));
  EXPECT_TRUE(has(with("/predictions/sd", {1.0}), "/predictions: target, mean and sd differ in length"));
  EXPECT_TRUE(has(with("/predictions/mean", {1.0, 2.0, nullptr}), "/predictions/mean"));
  EXPECT_TRUE(has(with("/training/fits/0/trace", {"x"}), "/training/fits/0/trace"));
  EXPECT_TRUE(has(with("/training/fits/0/parameters/gm[0].log_amplitude", {"x"}),
                  "/training/fits/0/parameters/gm[0].log_amplitude"));
  EXPECT_TRUE(has(with("/training/fits/0/parameters/gm[0].log_lengthscale", {1, 2}),
                  "/training/fits/0/parameters: gm[0].log_lengthscale holds 2 numbers where 4 belong"));
  EXPECT_TRUE(has(error_of(Json::array()), "must be an object"));
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
  results.units.push_back(unit("a", "one", 0, 0.01));
  for (int fold = 0; fold < 2; ++fold) results.units.push_back(unit("a", "two", fold, 0.01 + 0.1 * fold));
  const Summary summary = summarise(results, nullptr);
  const DatasetSummary& row = summary.datasets[0];
  EXPECT_TRUE(row.find("GM", Measure::rmse)->marked);
  EXPECT_FALSE(row.find("one", Measure::rmse)->marked);
  EXPECT_FALSE(row.find("one", Measure::rmse)->sd);
  // Better on both folds it shares with the best: certainly not worse.
  EXPECT_TRUE(row.find("two", Measure::rmse)->marked);
  EXPECT_EQ(row.folds, 3);
}

TEST(Summary, SeedsOfAFoldCountOnce) {
  ResultSet results;
  results.units = {unit("a", "GM", 0, 0.2, 0), unit("a", "GM", 0, 0.4, 1), unit("a", "GM", 1, 0.5)};
  const Summary summary = summarise(results, nullptr);
  const FoldSummary& gm = *summary.datasets[0].find("GM", Measure::rmse);
  EXPECT_EQ(gm.folds.size(), 2u);
  EXPECT_NEAR(gm.mean, 0.4, 1e-15);
}

TEST(Summary, RanksOnDataSetsOfAllMethods) {
  ResultSet results = small_set();
  results.datasets = {"b", "a"};
  results.labels = {"ARD", "GM", "RBF"};
  // On "b" ARD is the best by the common fold 0, whatever the others do on fold 1.
  results.units.push_back(unit("b", "ARD", 0, 1));
  results.units.push_back(unit("b", "GM", 0, 2));
  results.units.push_back(unit("b", "GM", 1, 0));
  results.units.push_back(unit("b", "RBF", 0, 3));
  results.units.push_back(unit("c", "GM", 0, 3));
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

TEST(Charts, NumbersAreThoseOfTheSummary) {
  const ResultSet results = small_set();
  std::map<std::string, Chart> charts;
  for (Chart& chart : make_charts(results, summarise(results, nullptr))) charts[chart.name] = chart;
  ASSERT_EQ(charts.size(), 10u);
  // The reference is RBF, with a mean of 0.91 / 3; GM's is 0.3. Times are all alike.
  for (const Json& point : charts["accuracy-time"].spec["data"]["values"])
    if (point["m"] == "GM") {
      EXPECT_NEAR(point["accuracy"], 0.91 / 0.9, 1e-5);
      EXPECT_EQ(point["cost"], 1.0);
      EXPECT_EQ(point["datasets"], 1);
    }
  int seen = 0;
  for (const Json& point : charts["calibration"].spec["data"]["values"]) {
    if (point["m"] != "GM" || point["d"] != "All data sets" || point["level"] != 95) continue;
    ++seen;
    EXPECT_NEAR(point["off"], -5, 1e-9);
    EXPECT_EQ(point["n"], 51);
    // Of 51 rows at 0.95, P(at most 44) < 0.025 < P(at most 45), and 51 is the upper end.
    EXPECT_NEAR(point["low"], 100 * 44 / 51.0 - 95, 1e-3);
    EXPECT_NEAR(point["high"], 5, 1e-9);
  }
  EXPECT_EQ(seen, 1);
  const Json& prediction = charts["predictions"].spec["data"]["values"][0];
  EXPECT_NEAR(prediction["lo"], 1.1 - 1.96 * 0.2, 1e-9);
  EXPECT_EQ(charts["traces"].spec["data"]["values"].size(), 9u);
  EXPECT_NEAR(charts["relevances"].spec["data"]["values"][1]["r"], 0.3 / 0.7, 1e-6);
  // Three methods with the same parameters; the fourth input hardly matters.
  const Json& radial = charts["spectra-radial"].spec["data"]["values"];
  EXPECT_EQ(radial.size(), 3u);
  EXPECT_EQ(radial[0]["x"].size(), radial[0]["y"].size());
  const Json& inputs = charts["spectra-inputs"].spec["data"]["values"];
  ASSERT_EQ(inputs.size(), 9u);
  EXPECT_EQ(inputs[0]["n"], "1");
  EXPECT_EQ(inputs[2]["n"], "3");
  for (const auto& [name, chart] : charts) EXPECT_EQ(chart.svg.rfind("<svg", 0), 0u) << name;
}

/// Area below a curve over the logarithm of x, by trapezia.
double area(const Json& row) {
  double sum = 0;
  for (std::size_t i = 1; i < row["x"].size(); ++i)
    sum += 0.5 * (row["y"][i].get<double>() + row["y"][i - 1].get<double>()) *
           std::log(row["x"][i].get<double>() / row["x"][i - 1].get<double>());
  return sum;
}

TEST(Charts, CurvesOfSpectraKeepTheirArea) {
  ResultSet results = small_set();
  // A hat like a needle far below another, as maximum likelihood leaves them.
  Json needle = result_document("a", "needle", 0, 1, 1);
  needle["training"]["fits"][0]["parameters"] = {
      {"pwl[0].log_amplitude", {0.1}}, {"pwl[0].log_lengthscale", {0, 0, 0, 0}},
      {"pwl[0].log_mu", {-3}},         {"pwl[0].log_sigma", {-10}},
      {"pwl[1].log_amplitude", {0.1}}, {"pwl[1].log_lengthscale", {0, 0, 0, 0}},
      {"pwl[1].log_mu", {1}},          {"pwl[1].log_sigma", {0}}};
  results.units.push_back(parse_result(needle));
  for (const Chart& chart : make_charts(results, summarise(results, nullptr))) {
    if (chart.name.rfind("spectra", 0) != 0) continue;
    for (const Json& row : chart.spec["data"]["values"]) EXPECT_NEAR(area(row), 1, 0.03) << chart.name << row.dump();
  }
}

UnitResult sized(const std::string& label, int fold, double rmse, int components, int frequencies, double floor = 0.1) {
  Json document = result_document("a", label, fold, rmse, 0);
  document["recipe"] = {{"model", "gm"},
                        {"description", label},
                        {"noise", {{"floor", floor}}},
                        {"features", {{"components", components}, {"frequencies", frequencies}}}};
  return parse_result(document);
}

TEST(Charts, ErrorAgainstComponentsAndFrequencies) {
  ResultSet results;
  for (int fold = 0; fold < 4; ++fold) {
    results.units.push_back(sized("small", fold, 1 + 0.1 * fold, 1, 8));
    results.units.push_back(sized("large", fold, 0.5, 1, 16));
    results.units.push_back(sized("wide", fold, 0.4, 2, 8));
    results.units.push_back(sized("other", fold, 0.3, 2, 32, 0.2));  // differs in more than its size
  }
  std::map<std::string, Chart> charts;
  for (Chart& chart : make_charts(results, summarise(results, nullptr))) charts[chart.name] = chart;
  const Json& values = charts["rmse-counts"].spec["data"]["values"];
  ASSERT_EQ(values.size(), 3u);
  EXPECT_EQ(values[0]["q"], "Q = 1");
  EXPECT_EQ(values[0]["m"], 8);
  EXPECT_NEAR(values[0]["r"], 1.15, 1e-6);
  // Of 1, 1.1, 1.2, 1.3: a standard deviation of 0.1 sqrt(5 / 3), over four folds.
  EXPECT_NEAR(values[0]["e"], 0.1 * std::sqrt(5.0 / 3) / 2, 1e-6);
  EXPECT_EQ(values[0]["n"], 4);
  EXPECT_EQ(values[1]["m"], 16);
  EXPECT_EQ(values[2]["q"], "Q = 2");
  EXPECT_EQ(values[2]["f"], "gm");
  // One size of a family has nothing to be compared with.
  results.units.erase(results.units.begin() + 1, results.units.end());
  for (const Chart& chart : make_charts(results, summarise(results, nullptr))) EXPECT_NE(chart.name, "rmse-counts");
}

TEST(Charts, NamesOfStillPointsDoNotCoverEachOther) {
  report_detail::StillChart still("t", {"x", 0, 1, false}, {"y", 0, 1, false});
  for (const char* name : {"first", "second", "third"}) still.point(0.5, 0.5, name, 0);
  const std::string text = still.text();
  std::set<std::string> lines;
  for (const char* name : {"first", "second", "third"}) {
    const auto end = text.find(std::string("\">") + name + "</text>"), begin = text.rfind(" y=\"", end);
    ASSERT_NE(end, std::string::npos) << name;
    lines.insert(text.substr(begin, end - begin));
  }
  EXPECT_EQ(lines.size(), 3u) << text;
}

TEST(Report, HostileNamesStayText) {
  ResultSet results;
  results.units = {unit("a|b", "x_<i>", 0, 1)};
  const Summary summary = summarise(results, nullptr);
  const Report report = make_report(results, summary, nullptr);
  std::ostringstream markdown, latex, csv;
  write_markdown(report, markdown);
  write_latex(report, latex);
  EXPECT_TRUE(has(markdown.str(), "a\\|b"));
  EXPECT_TRUE(has(markdown.str(), "x\\_&lt;i>"));
  EXPECT_TRUE(has(latex.str(), "x\\_\\textless{}i\\textgreater{}"));
  results.units[0].label = "a,\"b\"";
  write_summary_csv(summarise(results, nullptr), nullptr, csv);
  EXPECT_TRUE(has(csv.str(), "\"a,\"\"b\"\"\""));
}

TEST(Paper, ShippedNumbersAreReadAsPrinted) {
  const std::string root = std::string(ALACARTE_SOURCE_DIR) + "/experiments/table1-";
  const PaperNumbers small = read_paper(root + "small/paper.csv");
  EXPECT_EQ(small.methods, (std::vector<std::string>{"RBF", "ARD", "FSARD", "GM", "PWL", "FSGBARD", "SSGPR"}));
  EXPECT_EQ(small.rmse.size(), 18u * 7);
  EXPECT_EQ(small.rmse.at({"autompg", "FSGBARD"}).mean_text, "3.30");
  EXPECT_EQ(small.rmse.at({"autompg", "FSGBARD"}).sd, 0.69);
  EXPECT_TRUE(has(small.rmse.at({"autos", "GM"}).remark, "sd as printed"));
  EXPECT_EQ(read_paper(root + "medium/paper.csv").rmse.size(), 12u * 7);
  EXPECT_EQ(read_paper(root + "large/paper.csv").rmse.at({"houseelectric", "GM"}).mean, 0.05);
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
