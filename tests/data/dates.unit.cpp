#include "data/cells.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/data/dataset.hpp"
#include "io/documents.hpp"

namespace alacarte {
namespace {

TEST(Dates, AreDaysSince1970) {
  for (const auto& [text, expected] :
       std::vector<std::pair<const char*, double>>{{"1970-01-01", 0},
                                                   {"1970-01-02", 1},
                                                   {"1969-12-31", -1},
                                                   {"2000-02-29", 11016},
                                                   {"2024-03-31", 19813},
                                                   {"2024/03/31", 19813},
                                                   {"20240331", 19813},
                                                   {"31.03.2024", 19813},
                                                   {" 1.3.2024 ", 19783},
                                                   {"2024-03-31 18:00", 19813.75},
                                                   {"2024-03-31T06:00:00Z", 19813.25},
                                                   {"2024-03-31T00:00:43.2", 19813.0005},
                                                   {"2024-03-31 08:00:00+02:00", 19813.25},
                                                   {"2024-03-31T01:00-0500", 19813.25}}) {
    double days = NAN;
    EXPECT_TRUE(parse_date(text, days)) << text;
    EXPECT_NEAR(days, expected, 1e-9) << text;
  }
  double days = 0;
  EXPECT_TRUE(parse_date(" NA", days));
  EXPECT_TRUE(std::isnan(days));
}

TEST(Dates, OthersAreNone) {
  double days = 0;
  for (const char* text : {"2023-02-29", "2024-13-01", "2024-00-10", "03/04/2024", "2024-3-1", "24-03-01", "2024-03",
                           "2024-03-31x", "2024-03-31 24:00", "2024-03-31 18", "2024-03-31 18:00+2", "soon",
                           "31.2.2024", "19813", "2024-03/31", "2024-03-31  "})
    EXPECT_EQ(parse_date(text, days), std::string(text) == "2024-03-31  ") << text;
}

Schema learned(const std::string& bytes, const DataConfig& config, Dataset& data) {
  const auto reader = open_table_from_memory("t.csv", bytes, config);
  Schema::prepare(*reader, config);
  const TableChunk table = read_all(*reader);
  Schema schema = Schema::learn(*reader, table, config, {});
  data = schema.encode(*reader, table, true);
  return schema;
}

TEST(Dates, BecomeAnInputThatTheModelKeeps) {
  DataConfig config;
  config.strict = true;
  config.dates = {"sold"};
  config.missing = MissingCells::mean;
  Dataset data;
  const Schema schema = learned("sold,x,y\n1970-01-03,1,1\n,2,2\n1970-01-05,3,3\n", config, data);
  EXPECT_EQ(schema.input_names(), (std::vector<std::string>{"sold", "x"}));
  EXPECT_EQ(data.inputs.col(0), (Vector(3) << 2, 3, 4).finished());
  const Schema again = schema_from_json(to_json(schema));
  const auto reader = open_table_from_memory("new.csv", "x,sold\n7,2.1.1970\n", again.config());
  again.prepare(*reader);
  EXPECT_EQ(again.encode(*reader, read_all(*reader), false).inputs, (Matrix(1, 2) << 1, 7).finished());
}

TEST(Dates, RefusalsNameTheCellAndTheKey) {
  DataConfig config;
  config.strict = true;
  Dataset data;
  const auto error = [&](const std::string& bytes) -> std::string {
    try {
      learned(bytes, config, data);
    } catch (const Error& wrong) {
      return wrong.what();
    }
    return "";
  };
  std::string rows = "sold,y\n";
  for (int i = 1; i < 10; ++i) rows += "2024-01-0" + std::to_string(i) + ",1\n";
  EXPECT_NE(error(rows).find("--dates"), std::string::npos) << error(rows);
  config.dates = {"sold"};
  EXPECT_EQ(error(rows), "");
  EXPECT_EQ(error("sold,y\n2024-01-01,1\n2024-02-30,2\n").rfind("t.csv: row 3, column 1: '2024-02-30' is no date", 0),
            0u);
  config.categorical = {"sold"};
  EXPECT_EQ(error(rows), "/data/categorical/0: column 'sold' is already a date");
  config.dates = {"y"};
  config.categorical.clear();
  EXPECT_EQ(error(rows), "/data/dates/0: column 'y' is not an input");
}

}  // namespace
}  // namespace alacarte
