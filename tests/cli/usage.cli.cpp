#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "cli/program_test.hpp"
#include "linalg/simd.hpp"

namespace alacarte::test {
namespace {

using Usage = ProgramTest;

// Spinning threads on a busy processor delay the thread that they wait for.
TEST_F(Usage, ThreadsThatWaitSleepUnlessTheUserSaysOtherwise) {
#ifndef __linux__
  GTEST_SKIP() << "not where another system starts the program";
#endif
  if (program_has_sanitizers()) GTEST_SKIP() << "not where a sanitizer starts the program";
  RunOptions options;
  options.environment["OMP_DISPLAY_ENV"] = "true";
  EXPECT_TRUE(has(must({"--version"}, options).err, "OMP_WAIT_POLICY = 'PASSIVE'"));
  options.environment["OMP_WAIT_POLICY"] = "active";
  EXPECT_TRUE(has(must({"--version"}, options).err, "OMP_WAIT_POLICY = 'ACTIVE'"));
}

#ifdef ALACARTE_UNKNOWN_PROCESSOR
TEST_F(Usage, TheBlasIsToldTheKernelsOfAProcessorThatItDoesNotKnow) {
  if (program_has_sanitizers()) GTEST_SKIP() << "a sanitizer comes before what is preloaded";
  if (!has(must({"--version"}).out, "BLAS OpenBLAS")) GTEST_SKIP() << "without OpenBLAS";
  if (simd_paths().back() < SimdPath::avx2) GTEST_SKIP() << "a processor without AVX2";
  if (std::getenv("OPENBLAS_CORETYPE") != nullptr) GTEST_SKIP() << "OPENBLAS_CORETYPE is set";
  RunOptions options;
  options.environment["LD_PRELOAD"] = ALACARTE_UNKNOWN_PROCESSOR;
  const char* const kernels = simd_paths().back() == SimdPath::avx512 ? " SkylakeX " : " Haswell ";
  EXPECT_TRUE(has(must({"--version"}, options).out, kernels));
  options.environment["OPENBLAS_CORETYPE"] = "Nehalem";  // a user's choice
  EXPECT_TRUE(has(must({"--version"}, options).out, " Nehalem "));
}
#endif

TEST_F(Usage, HelpNamesEveryCommand) {
  const RunResult result = must({"--help"});
  EXPECT_EQ(result.err, "");
  for (const char* name : {"train", "predict", "evaluate", "inspect", "check", "generate", "kernels", "datasets"}) {
    EXPECT_TRUE(has(result.out, name)) << name;
    const RunResult help = must({name, "--help"});
    EXPECT_EQ(help.err, "");
    EXPECT_TRUE(has(help.out, "Example")) << help.out;
    EXPECT_TRUE(has(help.out, std::string("alacarte ") + name)) << help.out;
  }
}

TEST_F(Usage, LinesOfHelpFitATerminal) {
  for (const char* name : {"train", "predict", "cv", "convert", "inspect"}) {
    std::istringstream lines(must({name, "--help"}).out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 130U) << line;
  }
}

TEST_F(Usage, CommandsOfHelpStayInOneLine) {
  const std::string help = must({"predict", "--help"}).out;
  EXPECT_TRUE(has(help,
                  "\n  alacarte predict price.model --data new.csv --out risk.csv --quantiles 0.05,0.5,0.95 "
                  "--probability-above 250\n"))
      << help;
}

TEST_F(Usage, OptionsOfOtherProgramsAreNamed) {
  expect_failure(run({"train", "auto", "--output", "m"}), 1, {"no option --output (did you mean '--model'?)"});
  expect_failure(run({"predict", "m", "--output", "p.csv"}), 1, {"no option --output (did you mean '--out'?)"});
}

TEST_F(Usage, HelpTellsKindRangeAndDefault) {
  const std::string train = must({"train", "--help"}).out, report = must({"report", "--help"}).out;
  for (const char* part : {"RECIPE TEXT  ", "--model OUT REQUIRED", "--set KEY=VALUE", "--threads INT (from 1 to 4096)",
                           "--fold K (at least 0)", "--holdout SHARE (between 0 and 1)", "--seed INT",
                           "--log {text,json} (default text)", "Rows held out:", "Messages:"})
    EXPECT_TRUE(has(train, part)) << part << '\n' << train;
  EXPECT_TRUE(has(report, "--format {html,md,csv,tex} (default html,md,csv,tex)")) << report;
  EXPECT_TRUE(has(must({"inspect", "--help"}).out, "--inputs N (above 0; default 20)"));
  expect_failure(run({"report", folder_.path().string(), "--format", "md,pdf"}), 1,
                 {"--format: must be one of html, md, csv, tex, not 'pdf'"});
}

TEST_F(Usage, HelpIsAlsoACommand) {
  EXPECT_EQ(must({"help"}).out, must({"--help"}).out);
  EXPECT_EQ(must({"help", "train"}).out, must({"train", "--help"}).out);
  EXPECT_EQ(must({"help", "datasets", "list"}).out, must({"datasets", "list", "--help"}).out);
  expect_failure(run({"help", "trian"}), 1, {"'trian'", "did you mean 'train'"});
  expect_failure(run({"help", "train", "extra"}), 1, {"train has no command 'extra'"});
}

TEST_F(Usage, VersionSaysWhatItIsMadeOf) {
  const RunResult result = must({"--version"});
  for (const char* part : {"alacarte ", "compiler ", "BLAS ", "threads "}) EXPECT_TRUE(has(result.out, part)) << part;
  EXPECT_EQ(result.err, "");
}

TEST_F(Usage, WrongUsageIsOneLineWithTheNearestSpelling) {
  expect_failure(run({"train", "gm", "--data", "x", "--modle", "y"}), 1,
                 {"--modle", "did you mean '--model'", "--help"});
  expect_failure(run({"fit"}), 1, {"'fit'", "alacarte train"});
  expect_failure(run({"train", "ridge", "--data", "x.csv", "--model", "m"}), 4, {"did you mean 'linear'"});
  expect_failure(run({"predict", "m", "--data", "x.csv", "--output", "y.csv"}), 1, {"did you mean '--out'"});
  expect_failure(run({"predict", "m", "--data", "x.csv", "--out", "y.csv", "--interval", "95"}), 1,
                 {"--interval", "did you mean 0.95"});
  expect_failure(run({"train", "gm", "--data", "x.csv", "--model", "m", "--set", "a.b=1"}), 2,
                 {"did you mean '/a/b=1'"});
  expect_failure(run({"trian"}), 1, {"'trian'", "did you mean 'train'"});
  expect_failure(run({"bench", "--quick"}), 1, {"'bench'", "alacarte-bench"});
  expect_failure(run({}), 1, {"subcommand"});
  expect_failure(run({"predict", "m"}), 1, {"--data"});
  expect_failure(run({"train", "gm", "--data", "x", "--model", "y", "--threads", "0"}), 1, {"--threads"});
  expect_failure(run({"train", "gm", "--data", "x", "--model", "y", "--log", "xml"}), 1, {"--log"});
  expect_failure(run({"generate", "friedman2", "--rows", "3", "--out", "-"}), 1, {"did you mean 'friedman1'"});
}

TEST_F(Usage, CombinationsWithoutMeaningAreRefused) {
  const std::string recipe = quick_recipe(), data = friedman(20, 1, "d.csv"), model = folder_ / "m";
  const std::vector<std::string> train{"train", recipe, "--data", data, "--model", model};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), train.begin(), train.end());
    return run(more);
  };
  expect_failure(with({"--resume"}), 1, {"--checkpoint"});
  expect_failure(with({"--folds", "5"}), 1, {"--fold"});
  expect_failure(with({"--folds", "5", "--fold", "5"}), 1, {"--fold"});
  expect_failure(with({"--holdout", "0.2", "--fold", "1"}), 1, {"--holdout"});
  expect_failure(with({"--holdout", "1.5"}), 1, {"--holdout"});
  expect_failure(run({"generate", "friedman1", "--rows", "3", "--noise", "1", "--out", "-"}), 1, {"kernel-draw"});
}

TEST_F(Usage, ADrawnTableDoesNotTakeThePlaceOfItsRecipe) {
  const std::string recipe = folder_.write("r.json", R"({"model": "linear"})");
  expect_failure(run({"generate", "kernel-draw", "--recipe", recipe, "--rows", "5", "--out", recipe}), 1,
                 {"written over"});
  EXPECT_EQ(read_file(recipe), R"({"model": "linear"})");
}

TEST_F(Usage, CalibrationTakesItsSettings) {
  const std::string data = friedman(60, 1, "d.csv"), model = folder_ / "c.model";
  must({"train", "linear", "--data", data, "--model", model, "--quiet", "--calibrate", "conformal", "--set",
        "/calibration/share=0.25"});
  EXPECT_TRUE(has(must({"inspect", model, "--quiet"}).out, "15")) << "a quarter of 60 rows";
}

TEST_F(Usage, OneFileByTwoNamesIsNotWrittenTwice) {
  const std::string data = friedman(30, 1, "d.csv"), model = folder_ / "m.model", other = folder_ / "./m.model";
  const std::vector<std::string> train = {"train", "linear", "--data", data, "--quiet"};
  const auto refused = [&](std::vector<std::string> more) {
    more.insert(more.begin(), train.begin(), train.end());
    expect_failure(run(more), 1, {"m.model"});
  };
  refused({"--model", model, "--checkpoint", other});
  // Relative names of missing files in the working folder.
  const std::string here = "alacarte-usage-test.model";
  expect_failure(run({"train", "linear", "--data", data, "--quiet", "--model", here, "--checkpoint", "./" + here}), 1,
                 {here});
  EXPECT_FALSE(std::filesystem::exists(here));
  must({"train", "linear", "--data", data, "--quiet", "--model", model});
  expect_failure(run({"predict", model, "--data", data, "--out", "./p.csv", "--covariance", "p.csv", "--quiet"}), 1,
                 {"p.csv"});
  // Data found by a command must not be overwritten.
  RunOptions found;
  found.environment = {{"ALACARTE_DATA_DIR", folder_ / "data"}};
  std::filesystem::create_directories(folder_ / "data/own");
  const std::string kept = friedman(30, 1, "data/own/kept.csv"), before = read_file(kept);
  expect_failure(run({"inspect", model, "--html", kept, "--data", "own/kept.csv"}, found), 1, {"kept.csv"});
  EXPECT_EQ(read_file(kept), before);
}

TEST_F(Usage, PatternsAreForTheCommandsThatTakeThem) {
  const std::string data = friedman(30, 1, "d.csv"), model = folder_ / "m.model", out = folder_ / "all.csv";
  must({"train", "linear", "--data", data, "--quiet", "--model", model});
  must({"convert", data, "--parts", "2", "--out", folder_ / "p-*.rows", "--quiet"});
  const std::string parts = folder_ / "p-*.rows";
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"update", model, "--data", parts, "--out", out},
                                             {"explain", model, "--data", parts},
                                             {"inspect", model, "--html", out, "--data", parts},
                                             {"transform", model, "--data", parts, "--out", out}})
    expect_failure(run(command), 1, {"--data takes one table"});
  const std::string precious = folder_.write("all.csv.1.part", "precious");
  expect_failure(run({"predict", model, "--data", parts, "--out", out, "--quiet"}), 4,
                 {"all.csv.1.part", "in the way"});
  EXPECT_EQ(read_file(precious), "precious");
}

TEST_F(Usage, AnIntervalMayBeNearlyCertain) {
  const std::string data = friedman(30, 1, "d.csv"), model = folder_ / "m.model", out = folder_ / "p.csv";
  must({"train", "linear", "--data", data, "--quiet", "--model", model});
  must({"predict", model, "--data", data, "--out", out, "--interval", "0.9999999999999999", "--quiet"});
  EXPECT_TRUE(has(read_file(out), "lower_observation"));
}

TEST_F(Usage, WhatIsNoCountIsNamedWithItsRow) {
  const std::string good = folder_.write("good.csv", "x,y\n1,2\n2,3\n3,1\n4,2\n5,1\n6,0\n");
  const std::string bad = folder_.write("bad.csv", "x,y\n1,2\n2,3\n3,-1\n4,2\n"), model = folder_ / "counts.model";
  const std::vector<std::string> train = {
      "train", "counts", "--model", model, "--quiet", "--set", "/training/iterations=2"};
  const auto on = [](std::vector<std::string> arguments, const std::string& data) {
    arguments.insert(arguments.end(), {"--data", data});
    return arguments;
  };
  expect_failure(run(on(train, bad)), 3, {"training data: row 3", "-1 is none"});
  must(on(train, good));
  expect_failure(run({"evaluate", model, "--data", bad, "--quiet"}), 3, {"bad.csv: data row 3", "-1 is none"});
}

TEST_F(Usage, CalibratedIntervalsAreScoredAsTheyAreWritten) {
  std::string rows = "x,w,y\n";
  for (int i = 0; i < 200; ++i)
    rows += std::to_string(i % 20) + (i % 2 == 0 ? ",10," : ",0.1,") +
            std::to_string((i % 20) + 0.01 * ((7 * i) % 31)) + "\n";
  const std::string data = folder_.write("w.csv", rows), model = folder_ / "w.model", out = folder_ / "p.csv";
  must({"train", "linear", "--data", data, "--model", model, "--quiet", "--weights", "w", "--calibrate", "conformal"});
  must({"predict", model, "--data", data, "--out", out, "--interval", "0.9", "--quiet"});
  const auto table = cells_of(read_file(out));
  const auto& head = table.front();
  const auto column = [&](const char* name) {
    return static_cast<std::size_t>(std::find(head.begin(), head.end(), name) - head.begin());
  };
  double width = 0;
  for (std::size_t i = 1; i < table.size(); ++i)
    width += std::stod(table[i].at(column("upper_observation"))) - std::stod(table[i].at(column("lower_observation")));
  const auto scores = nlohmann::json::parse(must({"evaluate", model, "--data", data, "--quiet"}).out);
  EXPECT_NEAR(scores["conformal"]["90"]["mean_width"].get<double>(), width / 200, 1e-9);
}

TEST_F(Usage, NumbersThatSayNothingAreRefused) {
  const std::string recipe = quick_recipe(), data = friedman(20, 1, "d.csv"), model = folder_ / "m";
  const auto train = [&](const std::string& option, const std::string& value) {
    return run({"train", recipe, "--data", data, "--model", model, option, value});
  };
  for (const char* seed : {"-1", "99999999999999999999999", "1.5", "0x10", "nan", ""})
    expect_failure(train("--seed", seed), 1, {"--seed: must be a whole number from 0 to 18446744073709551615"});
  for (const char* share : {"-0.5", "nan", "0", "1", "inf"})
    expect_failure(train("--holdout", share), 1, {"--holdout: must be a number between 0 and 1", share});
  expect_failure(train("--threads", "99999999999"), 1, {"--threads: must be a whole number from 1 to 4096"});
  const auto predict = [&](const std::string& option, const std::string& value) {
    return run({"predict", model, "--data", data, "--out", "-", option, value});
  };
  for (const char* draws : {"0", "-3", "99999999999999999999"})
    expect_failure(predict("--draws", draws), 1, {"--draws: must be a whole number from 1 to 9223372036854775807"});
  for (const std::string seconds : {"-1", "2e9", "nan"})
    expect_failure(train("--seconds", seconds), 1, {"--seconds: must be a number from 0 to 1000000000", seconds});
  expect_failure(predict("--interval", "nan"), 1, {"--interval: must be a number between 0 and 1"});
  expect_failure(run({"generate", "kernel-draw", "--rows", "3", "--noise", "inf", "--out", "-"}), 1,
                 {"--noise: must be a number at least 0"});
  EXPECT_FALSE(std::filesystem::exists(model));
}

TEST_F(Usage, RowsThatFitNeitherDiskNorMemoryAreNotGenerated) {
  const auto generate = [&](const std::string& rows, const std::string& name) {
    return run({"generate", name, "--rows", rows, "--recipe", quick_recipe(), "--out", folder_ / "big.csv"});
  };
  const auto problem = [&](const std::string& rows, const std::string& name) {
    return run({"generate", "friedman1", "--rows", rows, "--out", folder_ / name});
  };
  expect_failure(problem("99999999999999999999", "big.csv"), 1, {"--rows"});
  expect_failure(problem("9000000000000000000", "big.csv"), 4, {"big.csv", "rows take about", "are free there"});
  expect_failure(problem("9000000000000000000", "big.csv.gz"), 4, {"big.csv.gz", "are free there"});
  expect_failure(generate("9000000000000", "kernel-draw"), 2, {"--rows", "more than the memory that is left"});
  EXPECT_EQ(folder_.entries(), std::vector<std::string>{"quick.json"});
}

TEST_F(Usage, ErrorsAreJsonWhenAsked) {
  const RunResult result = run({"inspect", folder_ / "none", "--log", "json"});
  EXPECT_EQ(result.code, 4);
  const auto record = nlohmann::json::parse(result.err);
  EXPECT_EQ(record["level"], "error");
  EXPECT_TRUE(has(record["message"], "none"));
  EXPECT_EQ(nlohmann::json::parse(run({"inspect", "--log=json", "--no"}).err)["level"], "error");
}

TEST_F(Usage, ListsModelsAndRecipeKeys) {
  const std::string models = must({"kernels"}).out;
  for (const char* name : {"rbf", "ard", "gm", "pwl", "exact-ard", "mixture"}) EXPECT_TRUE(has(models, name)) << name;
  EXPECT_EQ(must({"kernels", "list"}).out, models);
  const std::string schema = must({"check", "--schema"}).out;
  for (const char* key : {"features.frequencies", "training.iterations", "noise.floor"}) EXPECT_TRUE(has(schema, key));
}

// Describes every model; its recipe must pass `check`.
TEST_F(Usage, DescribesEveryModel) {
  std::istringstream lines(must({"kernels", "list"}).out);
  int described = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("Likelihoods", 0) == 0) break;
    if (line.rfind("  ", 0) != 0) continue;
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    if (name == "mixture" || name == "auto") continue;
    const std::string text = must({"kernels", "show", name}).out;
    for (const char* part : {"formula:", "accuracy:", "cost:", "settings", "parameters", "prior:", "reference:"})
      EXPECT_TRUE(has(text, part)) << name << part;
    const auto recipe = text.rfind("recipe:\n");
    ASSERT_NE(recipe, std::string::npos);
    folder_.write("recipe.json", text.substr(recipe + 8));
    must({"check", folder_ / "recipe.json"});
    ++described;
  }
  EXPECT_GT(described, 10);
  expect_failure(run({"kernels", "show", "gmm"}), 1, {"did you mean 'gm'"});
  expect_failure(run({"kernels", "show"}), 1, {"NAME"});
}

}  // namespace
}  // namespace alacarte::test
