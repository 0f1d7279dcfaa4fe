#include "experiment/catalogue.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "support/program.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

const std::string kSum(64, 'a');

Json entry() {
  return {{"name", "toy"},
          {"title", "Toy"},
          {"folder", "uci/toy"},
          {"group", "small"},
          {"task", "regression"},
          {"rows", 3},
          {"inputs", 2},
          {"columns", {"width", "height"}},
          {"target", {{"name", "price"}, {"transform", "log"}, {"identified", "compared"}, {"sd", 0.5}}},
          {"sha256", kSum},
          {"mask_sha256", std::string(64, 'b')},
          {"verified", true},
          {"split", {{"kind", "mask"}, {"folds", 10}}},
          {"licence", "MIT"},
          {"source", "here"},
          {"original", "there"},
          {"conversion", "none"},
          {"fetch", {{"data", {"https://example.org/d"}}, {"mask", "http://example.org/m"}}},
          {"notes", {"repeated rows 1"}}};
}

Json document(const Json& one) { return {{"format", 1}, {"datasets", {one}}}; }

std::string error_of(const Json& json) {
  try {
    parse_catalogue(json);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

/// Returns the error after changing one place of the good entry.
std::string with(const std::string& pointer, const Json& value) {
  Json one = entry();
  one[Json::json_pointer(pointer)] = value;
  return error_of(document(one));
}

std::string without(const std::string& key) {
  Json one = entry();
  one.erase(key);
  return error_of(document(one));
}

TEST(Catalogue, ReadsWhatAnEntrySays) {
  const Catalogue catalogue = parse_catalogue(document(entry()));
  const DatasetEntry& toy = catalogue.find("toy");
  EXPECT_EQ(toy.title, "Toy");
  EXPECT_EQ(toy.rows, 3);
  EXPECT_EQ(toy.inputs, 2);
  EXPECT_EQ(toy.columns, (std::vector<std::string>{"width", "height"}));
  EXPECT_EQ(toy.target, "price");
  EXPECT_EQ(toy.transform, "log");
  EXPECT_EQ(toy.target_sd, 0.5);
  EXPECT_EQ(toy.sha256, kSum);
  EXPECT_TRUE(toy.verified);
  EXPECT_EQ(toy.split.folds, 10);
  EXPECT_EQ(toy.data_file(), "uci/toy/data.csv.gz");
  EXPECT_EQ(toy.mask_file(), "uci/toy/test_mask.csv.gz");
  EXPECT_EQ(toy.data_urls.size(), 1u);
  EXPECT_EQ(to_json(toy), entry());
}

TEST(Catalogue, UnverifiedEntriesHaveNoSums) {
  Json one = entry();
  one["sha256"] = one["mask_sha256"] = one["target"]["sd"] = nullptr;
  one["verified"] = false;
  one.erase("columns");
  const Catalogue catalogue = parse_catalogue(document(one));
  EXPECT_FALSE(catalogue.find("toy").sha256.has_value());
  EXPECT_FALSE(catalogue.find("toy").target_sd.has_value());
  EXPECT_EQ(to_json(catalogue.find("toy")), one);
  EXPECT_EQ(with("/verified", false), "/datasets/0/verified: must be true where sums are given");
  EXPECT_EQ(with("/mask_sha256", nullptr), "/datasets/0/verified: must be false while a sum is null");
}

TEST(Catalogue, FoldsWithoutAFileNeedNoMask) {
  Json one = entry();
  one["split"] = {{"kind", "folds"}, {"folds", 5}};
  EXPECT_EQ(error_of(document(one)),
            "/datasets/0/fetch/mask: must be an address when the split is a file, and null otherwise");
  one["fetch"]["mask"] = nullptr;
  EXPECT_EQ(error_of(document(one)), "/datasets/0/mask_sha256: must be null: the split has no file");
  one["mask_sha256"] = nullptr;
  EXPECT_EQ(parse_catalogue(document(one)).find("toy").mask_file(), "");
  one["split"] = {{"kind", "split"}, {"folds", 2}};
  EXPECT_EQ(error_of(document(one)), "/datasets/0/split/folds: must be 1 for kind 'split'");
}

TEST(Catalogue, ErrorsSayWhereAndWhat) {
  EXPECT_EQ(error_of(Json::array()), "(root): must be an object, not array");
  EXPECT_EQ(error_of({{"format", 2}, {"datasets", Json::array()}}), "/format: must be from 1 to 1, not 2");
  EXPECT_EQ(error_of({{"format", 1}, {"datasets", Json::object()}}), "/datasets: must be an array, not object");
  EXPECT_EQ(error_of({{"format", 1}, {"datasets", Json::array()}, {"more", 1}}),
            "/more: unknown key; allowed: format, datasets");
  EXPECT_EQ(without("licence"), "/datasets/0: needs \"licence\"");
  EXPECT_EQ(
      with("/colums", Json::array()).find("/datasets/0/colums: unknown key (did you mean 'columns'?); allowed: name, "),
      0u);
  EXPECT_EQ(with("/rows", "3"), "/datasets/0/rows: must be an integer, not string");
  EXPECT_EQ(with("/rows", 18446744073709551615u),
            "/datasets/0/rows: must be from 1 to 1000000000, not 18446744073709551615");
  EXPECT_EQ(with("/inputs", 0), "/datasets/0/inputs: must be from 1 to 1000000, not 0");
  EXPECT_EQ(with("/columns", {"width"}), "/datasets/0/columns: must name 2 inputs, not 1");
  EXPECT_EQ(with("/columns/1", 7), "/datasets/0/columns/1: must be a string, not number");
  EXPECT_EQ(with("/name", ""), "/datasets/0/name: must not be empty");
  EXPECT_EQ(with("/verified", 1), "/datasets/0/verified: must be true or false, not number");
  EXPECT_EQ(with("/target/sd", 0), "/datasets/0/target/sd: must be positive or null");
  EXPECT_EQ(with("/target/sd", "1"), "/datasets/0/target/sd: must be a number or null, not string");
  EXPECT_EQ(with("/group", "smal"),
            "/datasets/0/group: must be one of small, medium, large, regression, classification, not 'smal' (did you "
            "mean 'small'?)");
  EXPECT_EQ(with("/sha256", "A" + kSum.substr(1)),
            "/datasets/0/sha256: must be a SHA-256 sum: 64 lower-case hexadecimal digits");
  EXPECT_EQ(with("/mask_sha256", 3), "/datasets/0/mask_sha256: must be a string or null, not number");
}

TEST(Catalogue, MisspeltNecessaryKeysAreNamed) {
  Json one = entry();
  one["licenc"] = "MIT";
  one.erase("licence");
  EXPECT_EQ(error_of(document(one)), "/datasets/0/licenc: unknown key (did you mean 'licence'?)");
}

TEST(Catalogue, FoldersStayInsideAndAddressesAreOfTheWeb) {
  EXPECT_EQ(with("/folder", "uci/../../etc"), "/datasets/0/folder: must stay inside the data folder");
  EXPECT_EQ(with("/folder", "/etc"), "/datasets/0/folder: must stay inside the data folder");
  EXPECT_EQ(with("/fetch/data/0", "file:///etc/passwd"),
            "/datasets/0/fetch/data: 'file:///etc/passwd' is not an http or https address");
  EXPECT_EQ(with("/fetch/mask", "ftp://x"), "/datasets/0/fetch/mask: 'ftp://x' is not an http or https address");
  EXPECT_EQ(with("/fetch/data", Json::array()), "/datasets/0/fetch/data: must name at least one address");
}

TEST(Catalogue, NamesAndFoldersAreUsedOnce) {
  Json twice = document(entry());
  twice["datasets"].push_back(entry());
  EXPECT_EQ(error_of(twice), "/datasets/1/name: 'toy' is used twice");
  twice["datasets"][1]["name"] = "toy2";
  twice["datasets"][1]["folder"] = "uci/./toy";
  EXPECT_EQ(error_of(twice), "/datasets/1/folder: 'uci/./toy' is used twice");
}

TEST(Catalogue, UnknownNamesGetTheNearest) {
  const Catalogue catalogue = parse_catalogue(document(entry()));
  try {
    catalogue.find("tyo", "/datasets/3");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "/datasets/3: there is no data set 'tyo' in the catalogue (did you mean 'toy'?)");
  }
  EXPECT_THROW(catalogue.of_group("tiny"), ConfigError);
  EXPECT_EQ(catalogue.of_group("small").size(), 1u);
  EXPECT_TRUE(catalogue.of_group("large").empty());
}

TEST(Catalogue, FilesNameThemselves) {
  const test::TemporaryFolder folder;
  try {
    read_catalogue(folder.write("c.json", R"({"format": 1})"));
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(std::string(error.what()), "(root): needs \"datasets\" [in " + (folder / "c.json") + "]");
  }
  EXPECT_THROW(read_catalogue(folder / "none.json"), IoError);
  EXPECT_THROW(read_catalogue(folder.path().string()), IoError);
}

TEST(Catalogue, TheShippedOneHoldsThePaper) {
  const Catalogue catalogue = read_catalogue(ALACARTE_SOURCE_DIR "/configs/datasets.json");
  EXPECT_EQ(catalogue.of_group("small").size(), 18u);
  EXPECT_EQ(catalogue.of_group("medium").size(), 12u);
  EXPECT_EQ(catalogue.of_group("large").size(), 4u);
  for (const char* name : {"slice", "3droad", "song", "buzz", "houseelectric"}) {
    EXPECT_FALSE(catalogue.find(name).verified) << name;
    EXPECT_FALSE(catalogue.find(name).data_urls.empty()) << name;
  }
  for (const DatasetEntry& e : catalogue.entries()) {
    SCOPED_TRACE(e.name);
    const bool of_paper = e.group == "small" || e.group == "medium" || e.group == "large";
    if (!of_paper) continue;
    EXPECT_EQ(e.group, e.rows <= 2000 ? "small" : e.rows <= 100000 ? "medium" : "large");
    EXPECT_EQ(e.split.kind, "mask");
    EXPECT_EQ(e.split.folds, 10);
  }
  EXPECT_EQ(catalogue.find("song").data_urls.size(), 2u);
  EXPECT_EQ(catalogue.find("concrete").target_sd, 16.698);
  EXPECT_EQ(catalogue.find("autos").notes.front(), "other input counts than the paper: 25 here, 15 in its Table 1");
}

}  // namespace
}  // namespace alacarte
