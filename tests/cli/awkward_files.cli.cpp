// Files as their owners have them, by the program: trained and predicted like their tidy copies.
#include "cli/program_test.hpp"

namespace alacarte::test {
namespace {

namespace fs = std::filesystem;

class AwkwardFiles : public ProgramTest {
 protected:
  /// Returns the rows of a table of a city, two sizes and a price; cities are as given.
  static std::string rows(const std::vector<std::string>& cities, const std::string& separator) {
    std::string text;
    for (int i = 0; i < 40; ++i) {
      const int size = i % 7, rooms = i % 3;
      text += cities[static_cast<std::size_t>(i) % cities.size()] + separator + std::to_string(size) + separator +
              std::to_string(rooms) + separator + std::to_string(3 * size + 10 * rooms + i % 2) + "\n";
    }
    return text;
  }

  RunResult train(const std::string& table, const std::string& model, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{
        "train", quick_recipe(), "--data", table, "--model",       folder_ / model, "--threads",
        "1",     "--quiet",      "--seed", "1",   "--categorical", "city"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }

  std::string predictions(const std::string& model, const std::string& table) const {
    must({"predict", folder_ / model, "--data", table, "--out", folder_ / "p.csv", "--quiet"});
    std::string text = read_file(folder_ / "p.csv");
    fs::remove(folder_ / "p.csv");
    return text;
  }
};

TEST_F(AwkwardFiles, TrainAndPredictLikeTheirTidyCopies) {
  const std::string tidy = folder_.write("tidy.csv", "city,size,size.1,price\n" + rows({"Köln", "Bonn"}, ","));
  const auto write_awkward = [&](const std::string& name, const std::string& units) {
    return folder_.write(
        name, "sep=;\r\n# exported\nHouses of 2024\n\ncity;size;size;price\n" + units + rows({"K\xf6ln", "Bonn"}, ";"));
  };
  const std::string awkward = write_awkward("awkward.csv", ";m;-;EUR\n");
  ASSERT_EQ(train(tidy, "tidy.ala").code, 0);
  const RunResult trained = train(awkward, "awkward.ala");
  ASSERT_EQ(trained.code, 0) << trained.err;
  const std::string expected = predictions("tidy.ala", tidy);
  EXPECT_EQ(std::count(expected.begin(), expected.end(), '\n'), 41);
  EXPECT_EQ(predictions("awkward.ala", awkward), expected);
  EXPECT_EQ(predictions("awkward.ala", tidy), expected) << "columns are matched by their names";
  EXPECT_EQ(predictions("tidy.ala", write_awkward("without_units.csv", "")), expected);
  expect_failure(train(awkward, "strict.ala", {"--strict"}), 2, {"there is no column 'city' in", "awkward.csv"});
  EXPECT_FALSE(fs::exists(folder_ / "strict.ala"));
}

TEST_F(AwkwardFiles, StrictRefusesOtherEncodingsAndNamesThatRepeat) {
  const std::string latin = folder_.write("latin.csv", "city,size,rooms,price\n" + rows({"K\xf6ln", "Bonn"}, ","));
  ASSERT_EQ(train(latin, "latin.ala").code, 0);
  const std::string utf8 = folder_.write("utf8.csv", "city,size,rooms,price\n" + rows({"Köln", "Bonn"}, ","));
  EXPECT_EQ(predictions("latin.ala", latin), predictions("latin.ala", utf8));
  expect_failure(train(latin, "strict.ala", {"--strict"}), 3, {"is not UTF-8 text"});
  const std::string repeats = folder_.write("repeats.csv", "city,size,size,price\n" + rows({"Köln", "Bonn"}, ","));
  ASSERT_EQ(train(repeats, "repeats.ala").code, 0);
  expect_failure(train(repeats, "strict.ala", {"--strict"}), 3, {"the column name 'size' was used before"});
}

}  // namespace
}  // namespace alacarte::test
