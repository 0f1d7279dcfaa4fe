#include "experiment/results.hpp"

#include <gtest/gtest.h>

#include "alacarte/core/error.hpp"
#include "experiment/result_document.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;
using test::failed_document;
using test::result_document;

std::string result_error_of(const Json& json) {
  try {
    parse_result(json);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

std::string result_with(const std::string& pointer, const Json& value) {
  Json json = result_document("servo", "GM", 0, 1, 2);
  json[Json::json_pointer(pointer)] = value;
  return result_error_of(json);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Results, ReadsADocument) {
  const RunResult result = parse_result(result_document("servo", "GM", 3, 0.25, -0.75, 7));
  EXPECT_TRUE(result.done);
  EXPECT_EQ(result.dataset, "servo");
  EXPECT_EQ(result.label, "GM");
  EXPECT_EQ(result.fold, 3);
  EXPECT_EQ(result.seed, 7);
  EXPECT_EQ(result.rows, 167);
  EXPECT_EQ(result.values.at(Measure::rmse), 0.25);
  EXPECT_EQ(result.values.at(Measure::nlpd), -0.75);
  EXPECT_EQ(result.values.at(Measure::crps), 0.1);
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
  const RunResult failed = parse_result(failed_document("a", "GM", 1, "signal 11"));
  EXPECT_FALSE(failed.done);
  EXPECT_EQ(failed.reason, "signal 11");
  EXPECT_TRUE(failed.values.empty());
  Json baseline = result_document("a", "Mean", 0, 1, 1);
  baseline["train"] = baseline["training"] = nullptr;
  baseline["test"]["nlpd"] = baseline["test"]["crps"] = baseline["test"]["coverage"] = nullptr;
  const RunResult read = parse_result(baseline);
  EXPECT_EQ(read.values.count(Measure::nlpd), 0u);
  EXPECT_EQ(read.values.count(Measure::crps), 0u);
  EXPECT_EQ(read.values.count(Measure::coverage95), 0u);
}

TEST(Results, RefusesWhatIsWrong) {
  EXPECT_EQ(result_with("/unit/fold", 2), "no error");
  EXPECT_TRUE(has(result_with("/statsu", 1), "/statsu: unknown key (did you mean 'status'?)"));
  EXPECT_TRUE(has(result_with("/format", 2), "/format"));
  EXPECT_TRUE(has(result_with("/status", "ok"), "/status"));
  EXPECT_TRUE(has(result_with("/unit/fold", -1), "/unit/fold"));
  EXPECT_TRUE(has(result_with("/unit/dataset", ""), "/unit/dataset"));
  EXPECT_TRUE(has(result_with("/test/rmse", "low"), "/test/rmse"));
  EXPECT_TRUE(has(result_with("/test/coverage/95", "x"), "/test/coverage/95"));
  EXPECT_TRUE(has(result_with("/seconds/tain", 1), "/seconds/tain"));
  EXPECT_TRUE(has(result_with("/predictions/sd", {1.0}), "/predictions: target, mean and sd differ in length"));
  EXPECT_TRUE(has(result_with("/predictions/mean", {1.0, 2.0, nullptr}), "/predictions/mean"));
  EXPECT_TRUE(has(result_with("/training/fits/0/trace", {"x"}), "/training/fits/0/trace"));
  EXPECT_TRUE(has(result_with("/training/fits/0/parameters/gm[0].log_amplitude", {"x"}),
                  "/training/fits/0/parameters/gm[0].log_amplitude"));
  EXPECT_TRUE(has(result_with("/training/fits/0/parameters/gm[0].log_lengthscale", {1, 2}),
                  "/training/fits/0/parameters: gm[0].log_lengthscale holds 2 numbers where 4 belong"));
  EXPECT_TRUE(has(result_error_of(Json::array()), "must be an object"));
}

}  // namespace
}  // namespace alacarte
