#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cli/program_test.hpp"

namespace alacarte::test {
namespace {

using Roundtrip = ProgramTest;
using nlohmann::json;

/// Reads doubles of a file in NumPy's format, and its header.
struct Npy {
  std::string header;
  std::vector<double> values;
  explicit Npy(const std::string& path) {
    const std::string bytes = read_file(path);
    EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
    const std::size_t length = static_cast<unsigned char>(bytes[8]) + 256u * static_cast<unsigned char>(bytes[9]);
    EXPECT_EQ((length + 10) % 64, 0u);
    header = bytes.substr(10, length);
    values.resize((bytes.size() - 10 - length) / sizeof(double));
    std::memcpy(values.data(), bytes.data() + 10 + length, values.size() * sizeof(double));
  }
};

TEST_F(Roundtrip, TrainPredictEvaluateInspect) {
  const std::string model = quick_model(), test = friedman(300, 2, "test.csv"), out = folder_ / "p.csv";
  const RunResult predicted = must({"predict", model, "--data", test, "--out", out});
  EXPECT_EQ(predicted.out, "");
  const auto table = cells_of(read_file(out));
  ASSERT_EQ(table.size(), 301u);
  const std::vector<std::string> header{"mean", "sd_observation", "lower_observation", "upper_observation",
                                        "share_outside"};
  EXPECT_EQ(table[0], header);
  for (std::size_t i = 1; i < table.size(); ++i) {
    const double mean = std::stod(table[i][0]), sd = std::stod(table[i][1]);
    EXPECT_NEAR(std::stod(table[i][2]), mean - 1.959964 * sd, 1e-4 * sd);
    EXPECT_NEAR(std::stod(table[i][3]), mean + 1.959964 * sd, 1e-4 * sd);
  }

  const json scores = json::parse(must({"evaluate", model, "--data", test}).out);
  EXPECT_EQ(scores["n"], 300);
  EXPECT_LT(scores["rmse"].get<double>(), 4);
  EXPECT_GT(scores["rmse"].get<double>(), 0.8);
  for (const char* key : {"mae", "r2", "smse", "nlpd", "crps", "seconds"}) EXPECT_TRUE(scores[key].is_number()) << key;
  for (const char* level : {"50", "90", "95"}) EXPECT_TRUE(scores["coverage"][level].is_number());
  // Friedman's function has a standard deviation of about 5.
  EXPECT_NEAR(scores["rmse"].get<double>() / scores["standardised"]["rmse"].get<double>(), 5, 1);

  const std::string text = must({"inspect", model}).out;
  for (const char* part : {"x4", "relevance", "noise sd", "log evidence", "####", "starts", "at a bound", "jitter"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
  const json all = json::parse(must({"inspect", model, "--json"}).out);
  EXPECT_EQ(all["inputs"].size(), 10u);
  EXPECT_EQ(all["fits"].size(), 1u);
  EXPECT_TRUE(all["recipe"].is_object() && all["fits"][0]["summary"]["trace"].is_array());
}

// Training merges rows with equal inputs; row counts still refer to the table.
TEST_F(Roundtrip, RowsThatRepeatAreTrainedAsOne) {
  const std::string recipe = quick_recipe(), model = folder_ / "m";
  const std::string once = read_file(friedman(120, 1, "once.csv")), rows = once.substr(once.find('\n') + 1);
  const std::string thrice = folder_.write("thrice.csv", once + rows + rows);
  const RunResult trained = must({"train", recipe, "--data", thrice, "--model", model});
  EXPECT_NE(trained.err.find("plan: n 360 (120 distinct), d 10"), std::string::npos) << trained.err;
  EXPECT_EQ(json::parse(must({"evaluate", model, "--data", thrice}).out)["n"], 360);
  EXPECT_EQ(json::parse(must({"inspect", model, "--json"}).out)["training"]["rows"], 360);
}

TEST_F(Roundtrip, MessagesKeepOffStandardOutput) {
  const std::string recipe = quick_recipe(), data = friedman(120, 1, "d.csv"), model = folder_ / "m";
  const RunResult text = must({"train", recipe, "--data", data, "--model", model});
  EXPECT_EQ(text.out, "");
  for (const char* part : {"plan: n 120, d 10", "flops/evaluation", "saved"}) {
    EXPECT_NE(text.err.find(part), std::string::npos) << part << " in\n" << text.err;
  }
  EXPECT_EQ(text.err.find('\r'), std::string::npos);
  EXPECT_EQ(text.err.find("stages:"), std::string::npos);
  const RunResult verbose = must({"train", recipe, "--data", data, "--model", model, "--verbose"});
  EXPECT_NE(verbose.err.find("fits: descent"), std::string::npos) << verbose.err;
  const RunResult quiet = must({"train", recipe, "--data", data, "--model", model, "--quiet"});
  EXPECT_EQ(quiet.out + quiet.err, "");
  const RunResult records = must({"train", recipe, "--data", data, "--model", model, "--log", "json"});
  std::vector<std::string> events;
  for (const std::string& line : lines_of(records.err)) events.push_back(json::parse(line)["event"]);
  for (const char* event : {"plan", "progress", "fitted", "saved"}) {
    EXPECT_NE(std::find(events.begin(), events.end(), event), events.end()) << event;
  }
}

TEST_F(Roundtrip, TheSameSeedGivesTheSameModel) {
  const std::string first = read_file(quick_model({"--seed", "7"}));
  const auto predict = [&] {
    return must({"predict", folder_ / "model.ala", "--data", folder_ / "train.csv", "--out", "-", "--quiet"}).out;
  };
  const std::string before = predict();
  quick_model({"--seed", "7"});
  EXPECT_EQ(predict(), before);
  quick_model({"--seed", "8"});
  EXPECT_NE(predict(), before);
}

TEST_F(Roundtrip, ATimedTrainingIsRepeated) {
  const std::string rows = friedman(400, 1, "rows.csv"), first = folder_ / "first.ala", second = folder_ / "second.ala";
  must({"train", "gm", "--data", rows, "--model", first, "--seconds", "0.7", "--seed", "3", "--quiet"});
  must({"train", "--repeat", first, "--data", rows, "--model", second, "--quiet"});
  const auto predict = [&](const std::string& model) {
    return must({"predict", model, "--data", rows, "--out", "-", "--quiet"}).out;
  };
  EXPECT_EQ(predict(second), predict(first));

  const std::string others = friedman(400, 2, "others.csv"), third = folder_ / "third.ala";
  expect_failure(run({"train", "--repeat", first, "--data", others, "--model", third, "--quiet"}), 3, {"rows"});
  expect_failure(run({"train", "ard", "--repeat", first, "--data", rows, "--model", third}), 1, {"--repeat", "RECIPE"});
  expect_failure(run({"train", "--repeat", rows, "--data", rows, "--model", third}), 4, {"rows.csv"});
}

TEST_F(Roundtrip, ThePlanTakesNoLongerThanTheClock) {
  const std::string rows = friedman(2000, 1, "rows.csv"), model = folder_ / "m";
  const auto planned = [&](const std::string& seconds) {
    const std::string log = must({"train", "gm", "--data", rows, "--model", model, "--seconds", seconds, "--log",
                                  "json", "--set", "/training/iterations=2000"})
                                .err;
    for (const std::string& line : lines_of(log))
      if (const json record = json::parse(line); record["event"] == "plan") return record["seconds"].get<double>();
    ADD_FAILURE() << log;
    return 0.0;
  };
  EXPECT_EQ(planned("1"), 1);
  EXPECT_EQ(planned("1.5"), 1.5);
}

TEST_F(Roundtrip, ATrainingBeginsAtAnotherModel) {
  const std::string first = quick_model({"--seed", "5"}), rows = friedman(150, 2, "more.csv"),
                    second = folder_ / "second.ala";
  const RunResult result =
      must({"train", "--from", first, "--data", rows, "--model", second, "--set", "/training/iterations=3"});
  EXPECT_TRUE(has(result.err, "begins at " + first + ": ard: all 11 hyperparameters and noise")) << result.err;
  const json model = json::parse(must({"inspect", second, "--json"}).out);
  EXPECT_EQ(model["seed"], 5);
  EXPECT_EQ(model["recipe"]["training"]["iterations"], 3);
  EXPECT_EQ(model["training"]["started_from"]["model"], first);
  EXPECT_LE(model["training"]["evaluations"], 8) << "no probes";
  const RunResult other = must(
      {"train", "exact-matern", "--from", first, "--data", rows, "--model", second, "--set", "/training/iterations=3"});
  EXPECT_TRUE(has(other.err, "exact-matern: length-scales and noise")) << other.err;
  must({"train", "--repeat", second, "--from", first, "--data", rows, "--model", folder_ / "third.ala", "--quiet"});
  expect_failure(run({"train", "--repeat", second, "--data", rows, "--model", folder_ / "x", "--quiet"}), 2,
                 {first, "needed again"});
  const std::string renamed = folder_.write("renamed.csv", "u,v\n1,2\n2,3\n4,4\n"), svm = folder_ / "svm.ala";
  expect_failure(run({"train", "--from", first, "--data", renamed, "--model", folder_ / "x", "--quiet"}), 2,
                 {first, "not trained on 'u'"});
  expect_failure(run({"train", "--from", rows, "--data", rows, "--model", folder_ / "x"}), 4, {"more.csv"});
  expect_failure(run({"train", "--from", first, "--data", rows, "--model", first}), 1, {"model.ala"});
  const std::string kinds = folder_.write("kinds.csv", "a,kind\n1,x\n2,y\n3,x\n2.5,y\n1.1,x\n2.2,y\n0.9,x\n2.7,y\n");
  must({"train", "linear-svm", "--data", kinds, "--model", svm, "--quiet"});
  expect_failure(run({"train", "--from", svm, "--data", kinds, "--model", folder_ / "x", "--quiet"}), 2,
                 {svm, "no hyperparameters"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x"));
}

/// Writes a realistic table: text, gaps with their own words, a decimal comma, a column of row numbers.
std::string newcomers_table(int rows) {
  std::string text = "id;city;size;age;price\n";
  for (int i = 0; i < rows; ++i)
    text += fmt::format("{};{};{},{};{};{},5\n", i, i % 3 ? "north" : "south", 20 + 7 * i % 60, i % 10,
                        i % 11 == 5 ? "None" : std::to_string(i % 13), 2 * (20 + 7 * i % 60) + (i % 3 ? 10 : 0));
  return text;
}

TEST_F(Roundtrip, ATableWithTextGapsAndDecimalCommas) {
  const std::string data = folder_.write("houses.csv", newcomers_table(60)), model = folder_ / "m.ala";
  const auto train = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"train", "linear", "--data", data, "--target", "price", "--model", model});
    return run(more);
  };
  expect_failure(train({"--strict"}), 3, {"houses.csv: row 7, column 4: 'None' is not a number", "--ignore"});
  const RunResult dropped =
      train({"--strict", "--missing-words", "None", "--missing", "drop", "--ignore", "id", "--holdout", "0.2"});
  ASSERT_EQ(dropped.code, 0) << dropped.err;
  EXPECT_TRUE(has(dropped.err, "columns of text, coded one-hot (values): city (2)")) << dropped.err;
  const json record = json::parse(must({"inspect", model, "--json"}).out)["training"];
  EXPECT_TRUE(has(dropped.err, fmt::format("rows: {} of 60, 12 held out, {} dropped (missing cells or weight 0)",
                                           record["rows"].get<int>(), 48 - record["rows"].get<int>())))
      << dropped.err;
  const RunResult filled =
      train({"--strict", "--missing-words", "None", "--missing", "mean", "--ignore", "id", "--categorical", "city"});
  ASSERT_EQ(filled.code, 0) << filled.err;
  EXPECT_FALSE(has(filled.err, "columns of text"));
  EXPECT_TRUE(has(filled.err, "rows: 60; target 'price'"));
  EXPECT_TRUE(has(filled.err, "leave-one-out, of the training rows: RMSE ")) << filled.err;
  EXPECT_TRUE(has(lines_of(filled.err).back(), "95 % intervals hold ")) << filled.err;
  const auto table = cells_of(must({"predict", model, "--data", data, "--out", "-", "--quiet"}).out);
  EXPECT_EQ(table.size(), 61u);
  EXPECT_NEAR(std::stod(table[2][0]), 2 * 27 + 10.5, 2);
  // A rows file gives the same; its options are those of its table.
  const std::string rows = folder_ / "houses.rows";
  must({"convert", data, "--out", rows, "--target", "price", "--missing-words", "None", "--missing", "mean", "--ignore",
        "id", "--quiet"});
  must({"train", "linear", "--data", rows, "--model", folder_ / "n.ala", "--quiet"});
  EXPECT_EQ(json::parse(must({"inspect", folder_ / "n.ala", "--json"}).out)["inputs"].size(), 4u);
  expect_failure(train({"--missing", "none"}), 1, {"--missing: must be one of error, drop, mean, auto, not 'none'"});
  expect_failure(train({"--ignore", "ids"}), 2, {"/data/ignore/0", "ids"});
  expect_failure(run({"train", "--repeat", model, "--ignore", "id", "--data", data, "--model", folder_ / "x"}), 1,
                 {"--repeat"});
}

// Half of the rows have ten times the noise; with weights, the model follows the others closely.
TEST_F(Roundtrip, WeightsOfRows) {
  std::string text = "a,w,y\n", plain = "a,y\n";
  for (int i = 0; i < 200; ++i) {
    const double x = 0.03 * i, noise = (i % 7 - 3) * 0.3;
    const std::string y = fmt::format("{}", std::sin(x) + (i % 2 ? 10 * noise : 0.1 * noise));
    text += fmt::format("{},{},{}\n", x, i % 2 ? 0.0001 : 1.0, y);
    plain += fmt::format("{},{}\n", x, y);
  }
  const std::string data = folder_.write("w.csv", text), model = folder_ / "w.ala", other = folder_ / "plain.ala";
  must({"train", "exact-rbf", "--data", data, "--weights", "w", "--model", model, "--quiet", "--threads", "1"});
  must({"train", "exact-rbf", "--data", folder_.write("p.csv", plain), "--model", other, "--quiet", "--threads", "1"});
  std::string truth = "a,y\n";
  for (int i = 0; i < 100; ++i) truth += fmt::format("{},{}\n", 0.06 * i, std::sin(0.06 * i));
  const std::string clean = folder_.write("truth.csv", truth);
  const auto rmse = [&](const std::string& of) {
    return json::parse(must({"evaluate", of, "--data", clean, "--quiet"}).out)["rmse"].get<double>();
  };
  EXPECT_LT(rmse(model), 0.3 * rmse(other));
  const json scores = json::parse(must({"evaluate", model, "--data", data, "--quiet"}).out);
  EXPECT_GT(scores["coverage"]["95"], 0.9) << "each row by its own noise";
  // A rows file gives the same model to the bit.
  const std::string rows = folder_ / "w.rows", again = folder_ / "again.ala";
  must({"convert", data, "--weights", "w", "--out", rows, "--quiet"});
  must({"train", "exact-rbf", "--data", rows, "--model", again, "--quiet", "--threads", "1"});
  const auto predict = [&](const std::string& of) {
    return must({"predict", of, "--data", clean, "--out", "-", "--quiet"}).out;
  };
  EXPECT_EQ(predict(again), predict(model));
  expect_failure(run({"train", "exact-rbf", "--data", folder_.write("bad.csv", "a,w,y\n1,1,1\n2,-3,2\n3,1,1\n"),
                      "--weights", "w", "--model", folder_ / "x", "--quiet"}),
                 3, {"bad.csv: row 3, column 2: 'w' is a weight of -3"});
  expect_failure(run({"train", "linear-svm", "--data", folder_.write("k.csv", "a,w,y\n1,1,u\n2,3,v\n3,1,u\n4,1,v\n"),
                      "--weights", "w", "--model", folder_ / "x", "--quiet"}),
                 2, {"/data/weights", "svm"});
}

TEST_F(Roundtrip, ClassesAndCountsEndWithTheirScores) {
  std::string kinds = "a,kind\n", counts = "a,n\n";
  for (int i = 0; i < 60; ++i) {
    kinds += fmt::format("{},{}\n", 0.1 * i, i < 30 ? "low" : "high");
    counts += fmt::format("{},{}\n", 0.1 * i, i / 7);
  }
  const auto said = [&](const std::string& likelihood, const std::string& table) {
    return must({"train", quick_recipe("{}", R"(, "likelihood": ")" + likelihood + "\""), "--data",
                 folder_.write(likelihood + ".csv", table), "--model", folder_ / "m.ala", "--set", "/noise={}"})
        .err;
  };
  const std::string classes = said("softmax", kinds), numbers = said("poisson", counts);
  EXPECT_TRUE(has(classes, "leave-one-out, of the training rows: accuracy ")) << classes;
  EXPECT_TRUE(has(classes, " %, log loss ")) << classes;
  EXPECT_TRUE(has(numbers, "leave-one-out, of the training rows: RMSE ")) << numbers;
}

TEST_F(Roundtrip, PipesGiveWhatFilesGive) {
  const std::string model = quick_model(), out = folder_ / "p.csv";
  must({"predict", model, "--data", folder_ / "train.csv", "--out", out, "--quiet"});
  RunOptions piped;
  piped.input = read_file(folder_ / "train.csv");
  EXPECT_EQ(must({"predict", model, "--data", "-", "--out", "-", "--quiet"}, piped).out, read_file(out));
  const json scores = json::parse(must({"evaluate", model, "--data", "-", "--quiet"}, piped).out);
  EXPECT_EQ(scores["n"], 120);
}

TEST_F(Roundtrip, ColumnsAreMatchedByName) {
  const std::string model = quick_model();
  std::string shuffled;
  for (auto row : cells_of(read_file(folder_ / "train.csv"))) {
    std::reverse(row.begin(), row.end());
    row.insert(row.begin() + 3, shuffled.empty() ? "extra" : "12");
    shuffled += fmt::format("{}\n", fmt::join(row, ","));
  }
  const auto predict = [&](const std::string& data) {
    return must({"predict", model, "--data", data, "--out", "-", "--quiet"}).out;
  };
  EXPECT_EQ(predict(folder_.write("shuffled.csv", shuffled)), predict(folder_ / "train.csv"));
}

TEST_F(Roundtrip, IntervalsAndNoise) {
  const std::string model = quick_model(), data = folder_ / "train.csv";
  const auto predict = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"predict", model, "--data", data, "--out", "-", "--quiet"});
    return cells_of(must(more).out);
  };
  const auto wide = predict({}), narrow = predict({"--interval", "0.5"}), latent = predict({"--latent"});
  EXPECT_EQ(latent[0][1], "sd_latent");
  for (std::size_t i = 1; i < wide.size(); ++i) {
    EXPECT_EQ(wide[i][0], latent[i][0]);
    EXPECT_LT(std::stod(latent[i][1]), std::stod(wide[i][1]));
    EXPECT_LT(std::stod(wide[i][2]), std::stod(narrow[i][2]));
    EXPECT_EQ(wide[i][4], "0");
  }
  expect_failure(run({"predict", model, "--data", data, "--out", "-", "--interval", "1"}), 1, {"--interval"});
}

// The model is a mixture of two fits, so quantiles are not Gaussian.
TEST_F(Roundtrip, QuantilesAndProbabilities) {
  const std::string model = quick_model({"--set", "/copies=2"}), data = folder_ / "train.csv";
  const auto predict = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"predict", model, "--data", data, "--out", "-", "--quiet"});
    return cells_of(must(more).out);
  };
  const auto table = predict({"--interval", "0.9", "--quantiles", "0.05,0.5", "--probability-above", "14.5",
                              "--quantiles=0.95", "--probability-above=-1e3"});
  EXPECT_EQ(
      fmt::format("{}", fmt::join(table[0], ",")),
      "mean,sd_observation,lower_observation,upper_observation,quantile_observation(0.05),quantile_observation(0.5),"
      "quantile_observation(0.95),above_observation(14.5),above_observation(-1000),share_outside");
  // Half of the distribution of row 1 is above its median.
  const std::string median = table[1][5];
  EXPECT_NEAR(std::stod(predict({"--probability-above", median})[1][4]), 0.5, 1e-12);
  const auto latent = predict({"--latent", "--probability-above", "-5,14.5"});
  EXPECT_EQ(latent[0][4], "above_latent(-5)");
  for (std::size_t i = 1; i < table.size(); ++i) {
    EXPECT_NEAR(std::stod(table[i][4]), std::stod(table[i][2]), 1e-12);
    EXPECT_NEAR(std::stod(table[i][6]), std::stod(table[i][3]), 1e-12);
    EXPECT_EQ(table[i][8], "1");
    const double mean = std::stod(table[i][0]);
    if (std::abs(mean - 14.5) < 0.2) continue;  // latent probabilities are more extreme
    EXPECT_EQ(std::stod(latent[i][5]) < std::stod(table[i][7]), mean < 14.5) << i;
  }
  const auto refused = [&](const std::string& option, const std::string& value, const std::string& why) {
    expect_failure(run({"predict", model, "--data", data, "--out", folder_ / "p.csv", option, value}), 1,
                   {option, why});
  };
  refused("--quantiles", "0.5,1", "must be a number between 0 and 1, not '1'");
  refused("--quantiles", "0.5,half", "must be a number");
  refused("--probability-above", "high", "must be a number, not 'high'");
  refused("--probability-above", "nan", "must be a number, not 'nan'");
}

TEST_F(Roundtrip, CovarianceAndDraws) {
  const std::string model = quick_model(), data = friedman(30, 5, "t.csv");
  const std::string covariance = folder_ / "c.npy", draws = folder_ / "d.npy";
  const auto table = cells_of(must({"predict", model, "--data", data, "--out", "-", "--latent", "--covariance",
                                    covariance, "--draws", "500", "--draws-out", draws, "--quiet"})
                                  .out);
  const Npy c(covariance), d(draws);
  ASSERT_EQ(c.values.size(), 900u);
  ASSERT_EQ(d.values.size(), 15000u);
  EXPECT_NE(d.header.find("(30, 500)"), std::string::npos) << d.header;
  for (std::size_t i = 0; i < 30; ++i) {
    const double mean = std::stod(table[i + 1][0]), sd = std::stod(table[i + 1][1]);
    EXPECT_NEAR(std::sqrt(c.values[31 * i]), sd, 1e-8 * sd);
    EXPECT_DOUBLE_EQ(c.values[30 * i + 7], c.values[30 * 7 + i]);
    double sum = 0;
    for (std::size_t k = 0; k < 500; ++k) sum += d.values[500 * i + k];
    // Five standard errors: a false alarm in two million for each row.
    EXPECT_NEAR(sum / 500, mean, 5 * sd / std::sqrt(500.0));
  }
  expect_failure(run({"predict", model, "--data", data, "--out", "-", "--draws", "3"}), 1, {"--draws-out"});
}

TEST_F(Roundtrip, MeanOnlyModels) {
  const std::string full = quick_model();
  const auto size = std::filesystem::file_size(full);
  const auto means = cells_of(must({"predict", full, "--data", folder_ / "train.csv", "--out", "-", "--quiet"}).out);
  const std::string model = quick_model({"--mean-only"});
  EXPECT_LT(std::filesystem::file_size(model), size / 2);
  const auto table = cells_of(must({"predict", model, "--data", folder_ / "train.csv", "--out", "-", "--quiet"}).out);
  EXPECT_EQ(table[0], (std::vector<std::string>{"mean", "share_outside"}));
  for (std::size_t i = 1; i < table.size(); ++i) EXPECT_EQ(table[i][0], means[i][0]);
  const json scores = json::parse(must({"evaluate", model, "--data", folder_ / "train.csv", "--quiet"}).out);
  EXPECT_TRUE(scores["nlpd"].is_null() && scores["coverage"].is_null() && scores["rmse"].is_number());
  expect_failure(run({"predict", model, "--data", folder_ / "train.csv", "--out", "-", "--latent", "--quiet"}), 2,
                 {"--mean-only"});
  EXPECT_NE(must({"inspect", model}).out.find("means only"), std::string::npos);
}

TEST_F(Roundtrip, HeldOutRowsAreFoundAgain) {
  const std::string data = friedman(120, 1, "train.csv");
  const auto score = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"evaluate", folder_ / "model.ala", "--data", data, "--quiet"});
    return json::parse(must(more).out);
  };
  quick_model({"--holdout", "0.25", "--seed", "3"});
  const json held_out = score({"--held-out"});
  EXPECT_EQ(held_out["n"], 30);
  EXPECT_EQ(score({"--holdout", "0.25"})["rmse"], held_out["rmse"]);
  EXPECT_EQ(score({"--holdout", "0.25", "--seed", "3"})["rmse"], held_out["rmse"]);
  EXPECT_NE(score({"--holdout", "0.25", "--seed", "4"})["rmse"], held_out["rmse"]);
  EXPECT_EQ(score({})["n"], 120);
  quick_model({"--folds", "6", "--fold", "5"});
  EXPECT_EQ(score({"--held-out"})["n"], 20);
  quick_model();
  expect_failure(run({"evaluate", folder_ / "model.ala", "--data", data, "--held-out", "--quiet"}), 2, {"--held-out"});
}

TEST_F(Roundtrip, DataFoldersRecipesAndMasksByName) {
  std::string mask;
  for (int i = 0; i < 60; ++i) mask += i % 3 == 0 ? "1,0\n" : "0,1\n";
  const std::string data = read_file(friedman(60, 1, "d.csv"));
  folder_.write("data/uci/small/data.csv", data);
  folder_.write("data/uci/small/test_mask.csv", mask);
  folder_.write("configs/recipes/mine.json", read_file(quick_recipe()));
  RunOptions options;
  options.environment = {{"ALACARTE_DATA_DIR", folder_ / "data"}, {"ALACARTE_CONFIG_DIR", folder_ / "configs"}};
  const std::string model = folder_ / "m";
  must({"train", "mine", "--data", "uci/small", "--fold", "1", "--model", model, "--quiet"}, options);
  for (const auto& [split, rows] : std::vector<std::pair<std::vector<std::string>, int>>{
           {{"--held-out"}, 40}, {{"--fold", "0"}, 20}, {{"--fold", "1"}, 40}, {{}, 60}}) {
    std::vector<std::string> arguments{"evaluate", model, "--data", "uci/small", "--quiet"};
    arguments.insert(arguments.end(), split.begin(), split.end());
    EXPECT_EQ(json::parse(must(arguments, options).out)["n"], rows);
  }
  expect_failure(run({"train", "mine", "--data", "uci/small", "--fold", "2", "--model", model, "--quiet"}, options), 2,
                 {"fold"});
  expect_failure(run({"train", "mien", "--data", "uci/small", "--model", model, "--quiet"}, options), 4,
                 {"did you mean 'mine'"});
  expect_failure(run({"train", "mine", "--data", "uci/tall", "--model", model, "--quiet"}, options), 4, {"uci/tall"});
}

TEST_F(Roundtrip, KeysCategoriesAndGapsFollowTheModel) {
  std::string text = "id,size,colour,y\n";
  for (int i = 0; i < 60; ++i) {
    const std::string size = i == 9 ? "" : std::to_string(i % 7);
    text += fmt::format("k{},{},{},{}\n", i, size, i % 2 ? "red" : "blue", i % 7 + 3 * (i % 2));
  }
  const std::string recipe =
      quick_recipe(R"({"target": "y", "key": "id", "categorical": ["colour"], "missing": "drop", "unseen": "zero"})");
  const std::string model = folder_ / "m";
  must({"train", recipe, "--data", folder_.write("t.csv", text), "--model", model, "--quiet"});
  const std::string rows = folder_.write("p.csv", "colour,id,size\nred,\"a,b\",3\nblue,gap,\ngreen,c,100\n");
  const auto lines = lines_of(must({"predict", model, "--data", rows, "--out", "-", "--quiet"}).out);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].rfind("row,id,mean,", 0), 0u) << lines[0];
  EXPECT_EQ(lines[1].rfind("1,\"a,b\",", 0), 0u) << lines[1];
  EXPECT_EQ(lines[2].rfind("3,c,", 0), 0u) << lines[2];
  EXPECT_GT(std::stod(cells_of(lines[2])[0].back()), 0);
  EXPECT_NE(must({"inspect", model}).out.find("colour=red"), std::string::npos);
}

TEST_F(Roundtrip, PredictionMemoryIsFlat) {
  if (program_has_sanitizers()) GTEST_SKIP() << "a sanitizer keeps freed memory back";
  const std::string model = quick_model();
  const auto peak = [&](int rows) {
    return must({"predict", model, "--data", friedman(rows, 3, "rows.csv"), "--out", "/dev/null", "--threads", "1",
                 "--quiet"})
        .peak_kilobytes;
  };
  const long small = peak(10000), large = peak(400000);
  EXPECT_LT(large, small + 2000);  // one double per row would take 3100 kB
}

TEST_F(Roundtrip, GeneratorsAreSeeded) {
  const std::string a = read_file(friedman(50, 1, "a.csv"));
  EXPECT_EQ(a, read_file(friedman(50, 1, "b.csv")));
  EXPECT_NE(a, read_file(friedman(50, 2, "c.csv")));
  EXPECT_EQ(must({"generate", "robot-arm", "--rows", "20", "--out", "-"}).out.find("nan"), std::string::npos);
  for (const char* recipe : {"gm", "exact-ard"}) {
    const RunResult draw =
        must({"generate", "kernel-draw", "--recipe", recipe, "--inputs", "3", "--rows", "40", "--out", "-"});
    const auto table = cells_of(draw.out);
    ASSERT_EQ(table.size(), 41u);
    EXPECT_EQ(table[0], (std::vector<std::string>{"x1", "x2", "x3", "y"}));
    EXPECT_NE(draw.err.find("noise"), std::string::npos);
  }
}

TEST_F(Roundtrip, CheckComparesGradients) {
  const RunResult result = must({"check", quick_recipe()});
  for (const char* part : {"is valid", "primal", "dual", "ard.log_lengthscale[", "agree"}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << " in\n" << result.out;
  }
  const RunResult own = must({"check", quick_recipe(), "--data", friedman(100, 1, "d.csv"), "--target", "x3"});
  EXPECT_NE(own.out.find("agree"), std::string::npos);
}

}  // namespace
}  // namespace alacarte::test
