// alacarte update, and its refusals.
#include "program_test.hpp"

#include <cmath>

namespace alacarte::test {
namespace {

class UpdateCommand : public ProgramTest {
 protected:
  nlohmann::json scores(const std::string& model, const std::string& data) const {
    return nlohmann::json::parse(must({"evaluate", model, "--data", data, "--threads", "1"}).out);
  }
};

TEST_F(UpdateCommand, LearnsRowsAndSaysHowTheyWerePredicted) {
  const std::string model = quick_model(), june = friedman(300, 2, "june.csv"), test = friedman(200, 3, "test.csv");
  const RunResult result =
      must({"update", model, "--data", june, "--out", folder_ / "june.ala", "--forget", "0.1", "--threads", "2"});
  EXPECT_TRUE(has(result.err, "learned 300 rows"));
  EXPECT_TRUE(has(result.err, "before they were learned: RMSE"));
  EXPECT_LT(scores(folder_ / "june.ala", test)["rmse"], scores(model, test)["rmse"]);
  const auto inspected = nlohmann::json::parse(must({"inspect", folder_ / "june.ala", "--json"}).out);
  EXPECT_EQ(inspected["training"]["rows"], 420);
  EXPECT_EQ(inspected["training"]["updates"][0]["forget"], 0.1);
  const std::string text = must({"inspect", folder_ / "june.ala"}).out;
  EXPECT_TRUE(has(text, "before they were learned")) << text;
  EXPECT_TRUE(has(text, "none (training: objective")) << text;  // a model that has forgotten rows has no evidence
  // Equal rows and models give equal bytes, with any number of threads.
  must({"update", model, "--data", june, "--out", folder_ / "again.ala", "--forget", "0.1", "--threads", "1",
        "--quiet"});
  EXPECT_EQ(read_file(folder_ / "june.ala"), read_file(folder_ / "again.ala"));
  // Updates an updated model from standard input.
  RunOptions input;
  input.input = read_file(folder_ / "test.csv");
  must({"update", folder_ / "june.ala", "--data", "-", "--out", folder_ / "july.ala", "--quiet"}, input);
  EXPECT_LT(scores(folder_ / "july.ala", test)["rmse"], scores(folder_ / "june.ala", test)["rmse"]);
}

TEST_F(UpdateCommand, RefusesInOneLine) {
  const std::string model = quick_model(), out = folder_ / "out.ala";
  const std::string rows = friedman(20, 2, "rows.csv");
  const auto update = [&](const std::string& of, const std::string& data, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"update", of, "--data", data, "--out", out, "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  };
  expect_failure(update(model, rows, {"--forget", "1"}), 1, {"--forget"});
  expect_failure(update(model, folder_.write("empty.csv", "x1,x2,x3,x4,x5,x6,x7,x8,x9,x10,y\n")), 3, {"empty.csv"});
  expect_failure(update(model, folder_.write("narrow.csv", "x1,y\n1,2\n")), 3, {"narrow.csv", "x2"});
  expect_failure(update(folder_ / "nothing.ala", rows), 4, {"nothing.ala"});
  expect_failure(run({"update", model, "--data", rows, "--out", model, "--quiet"}), 1, {"another name"});
  must({"train", quick_recipe(), "--data", rows, "--model", folder_ / "mean.ala", "--mean-only", "--quiet"});
  expect_failure(update(folder_ / "mean.ala", rows), 2, {"mean.ala", "--mean-only"});
  const std::string classes = folder_.write("classes.csv", "a,k\n1,u\n2,v\n3,u\n4,v\n5,u\n6,v\n7,u\n8,v\n");
  must({"train", "classify-two", "--data", classes, "--model", folder_ / "classes.ala", "--quiet", "--set",
        "/training/iterations=2"});
  expect_failure(update(folder_ / "classes.ala", classes), 2, {"classes.ala", "predicts classes", "--from"});
  must({"update", model, "--data", rows, "--out", out, "--quiet"});
  expect_failure(run({"train", "--repeat", out, "--data", folder_ / "train.csv", "--model", folder_ / "r.ala",
                      "--threads", "1", "--quiet"}),
                 2, {"was updated"});
}

}  // namespace
}  // namespace alacarte::test
