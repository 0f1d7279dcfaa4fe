// Pages in a browser. Needs Chromium (ALACARTE_CHROMIUM, or chromium in /usr/bin) and Vega (ALACARTE_VEGA_DIR, or a
// build that found it: experiments/vega.sh); skipped without them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <regex>

#include "experiment/result_document.hpp"
#include "support/program.hpp"

namespace alacarte::test {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

std::string setting(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

class Page : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(browser_)) GTEST_SKIP() << "no Chromium";
    const std::string labels[] = {"RBF", "GM", "PWL"};
    for (int fold = 0; fold < 3; ++fold)
      for (int k = 0; k < 3; ++k) {
        const std::string& label = labels[k];
        auto document = result_document("servo", label, fold, 0.1 + 0.01 * fold + label[0] * 1e-3, 1.0 / 3);
        document["recipe"] = {{"model", "gm"}, {"features", {{"components", 1 + k / 2}, {"frequencies", 8 << k}}}};
        folder_.write("run/results/" + label + std::to_string(fold) + ".json", document.dump());
      }
    program({"report", folder_ / "run", "--format", "html", "--quiet"});
    if (read_file(folder_ / "run/report.html").find("class=\"missing\"") != std::string::npos)
      GTEST_SKIP() << "no Vega";
  }

  void program(const std::vector<std::string>& arguments) const {
    const RunResult made = run_program(program_path(), arguments);
    ASSERT_EQ(made.code, 0) << made.err;
  }

  /// Returns the document after its scripts have run. `scheme`: 0 dark, 1 light.
  std::string open(const std::string& page, int scheme, int width) const {
    RunResult result = run_program(
        browser_, {"--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                   "--user-data-dir=" + folder_ / ("profile" + std::to_string(scheme)), "--virtual-time-budget=20000",
                   "--blink-settings=preferredColorScheme=" + std::to_string(scheme),
                   "--window-size=" + std::to_string(width) + ",900", "--dump-dom", "file://" + folder_ / page});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.err.find("CONSOLE"), std::string::npos) << result.err;
    return result.out;
  }

  /// Expects that Vega draws all charts in both themes without errors.
  void expect_drawn(const std::string& page, std::size_t charts) const {
    const std::string light = open(page, 1, 1200), dark = open(page, 0, 400);
    EXPECT_EQ(count(light, "data-spec="), charts);
    EXPECT_EQ(count(light, "data-drawn=\"light\""), charts);
    EXPECT_EQ(count(dark, "data-drawn=\"dark\""), charts);
    EXPECT_GE(count(light, "<svg"), charts);
    EXPECT_EQ(count(light, "could not be drawn"), 1u) << "the script itself says it, and no chart";
    EXPECT_EQ(count(light, "class=\"static\""), 0u) << "static SVGs made way";
    EXPECT_EQ(count(light, "NaN"), count(read_file(folder_ / page), "NaN")) << "no coordinate is without a number";
  }

  TemporaryFolder folder_;
  std::string browser_ = setting("ALACARTE_CHROMIUM", "/usr/bin/chromium");
};

TEST_F(Page, EveryChartOfAReportIsDrawnInBothThemes) { expect_drawn("run/report.html", 11); }

TEST_F(Page, EveryChartOfAModelIsDrawnInBothThemes) {
  const std::string recipe =
      folder_.write("gm.json", R"({"model": "gm", "copies": 2, "noise": {"prior_center": "fixed"},
      "features": {"frequencies": 16, "components": 2},
      "training": {"starts": 1, "probe_iterations": 2, "iterations": 5}})");
  const std::string data = folder_ / "data.csv", model = folder_ / "gm.ala";
  program({"generate", "friedman1", "--rows", "80", "--seed", "1", "--out", data, "--quiet"});
  program({"train", recipe, "--data", data, "--model", model, "--quiet"});
  program({"inspect", model, "--html", folder_ / "model.html", "--data", data, "--quiet"});
  expect_drawn("model.html", 7);
}

TEST_F(Page, NumbersAreThoseOfTheResults) {
  const std::string page = open("run/report.html", 1, 1200);
  const std::string row = page.substr(page.find("<th scope=\"row\">Servo</th>"), 700);
  std::vector<double> values;
  const std::regex pattern("data-value=\"([^\"]+)\"");
  for (std::sregex_iterator it(row.begin(), row.end(), pattern), end; it != end && values.size() < 5; ++it)
    values.push_back(std::stod((*it)[1]));
  ASSERT_EQ(values.size(), 5u);
  EXPECT_EQ(values[0], 167);
  EXPECT_EQ(values[1], 4);
  // Methods are in the order of the files.
  const char labels[] = {'G', 'P', 'R'};
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(values[static_cast<std::size_t>(i) + 2], 0.11 + labels[i] * 1e-3, 1e-12);
}

}  // namespace
}  // namespace alacarte::test
