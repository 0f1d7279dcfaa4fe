// The page as a browser shows it. Needs Chromium (ALACARTE_CHROMIUM, or chromium in /usr/bin) and the packages of Vega
// (ALACARTE_VEGA_DIR); skipped without them.
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
    if (!std::filesystem::exists(browser_) || vega_.empty()) GTEST_SKIP() << "no Chromium or no Vega";
    for (int fold = 0; fold < 3; ++fold)
      for (const char* label : {"RBF", "GM", "PWL"})
        folder_.write("run/results/" + std::string(label) + std::to_string(fold) + ".json",
                      result_document("servo", label, fold, 0.1 + 0.01 * fold + label[0] * 1e-3, 1.0 / 3).dump());
    const RunResult made =
        run_program(ALACARTE_PROGRAM, {"report", folder_ / "run", "--format", "html", "--vega", vega_, "--quiet"});
    ASSERT_EQ(made.code, 0) << made.err;
  }

  /// The document after its scripts have run. `scheme`: 0 dark, 1 light.
  RunResult open(int scheme, int width) const {
    RunResult result = run_program(
        browser_,
        {"--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
         "--user-data-dir=" + folder_ / ("profile" + std::to_string(scheme)), "--virtual-time-budget=20000",
         "--blink-settings=preferredColorScheme=" + std::to_string(scheme),
         "--window-size=" + std::to_string(width) + ",900", "--dump-dom", "file://" + folder_ / "run/report.html"});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.err.find("CONSOLE"), std::string::npos) << result.err;
    return result;
  }

  TemporaryFolder folder_;
  std::string browser_ = setting("ALACARTE_CHROMIUM", "/usr/bin/chromium");
  std::string vega_ = setting("ALACARTE_VEGA_DIR", "");
};

TEST_F(Page, EveryChartIsDrawnInBothThemes) {
  const std::string light = open(1, 1200).out, dark = open(0, 400).out;
  const std::size_t charts = count(light, "data-spec=");
  EXPECT_EQ(charts, 10u);
  EXPECT_EQ(count(light, "data-drawn=\"light\""), charts);
  EXPECT_EQ(count(dark, "data-drawn=\"dark\""), charts);
  EXPECT_GE(count(light, "<svg"), charts);
  EXPECT_EQ(count(light, "could not be drawn"), 1u) << "the script itself says it, and no chart";
}

TEST_F(Page, NumbersAreThoseOfTheResults) {
  const std::string page = open(1, 1200).out;
  const std::string row = page.substr(page.find("<th scope=\"row\">Servo</th>"), 700);
  std::vector<double> values;
  const std::regex pattern("data-value=\"([^\"]+)\"");
  for (std::sregex_iterator it(row.begin(), row.end(), pattern), end; it != end && values.size() < 5; ++it)
    values.push_back(std::stod((*it)[1]));
  ASSERT_EQ(values.size(), 5u);
  EXPECT_EQ(values[0], 167);
  EXPECT_EQ(values[1], 4);
  // Methods come in the order of the files.
  const char labels[] = {'G', 'P', 'R'};
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(values[static_cast<std::size_t>(i) + 2], 0.11 + labels[i] * 1e-3, 1e-12);
}

}  // namespace
}  // namespace alacarte::test
