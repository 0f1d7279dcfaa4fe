// Splits by groups and in time, and the columns that they read.
#include "data/column_splits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "data/support.hpp"

namespace alacarte {
namespace {

using data_test::message_of;
using data_test::TemporaryFolder;

/// Returns 1200 rows of 60 groups of unequal sizes, in no order.
std::vector<Index> many_groups() {
  RandomStream stream(3);
  std::vector<Index> groups;
  for (Index i = 0; i < 1200; ++i) groups.push_back(std::min(stream.below(60), stream.below(60)));
  return groups;
}

void expect_whole_groups(const std::vector<Index>& groups, const std::vector<bool>& test) {
  std::map<Index, std::set<bool>> sides;
  for (std::size_t i = 0; i < groups.size(); ++i) sides[groups[i]].insert(test[i]);
  for (const auto& [group, own] : sides) EXPECT_EQ(own.size(), 1u) << group;
}

TEST(GroupSplits, HaveNoGroupOnBothSides) {
  const std::vector<Index> groups = many_groups();
  for (const Index folds : {2, 5, 10}) {
    std::vector<Index> tested(groups.size(), 0);
    for (Index fold = 0; fold < folds; ++fold) {
      const std::vector<bool> test = group_fold(groups, folds, fold, 7);
      expect_whole_groups(groups, test);
      EXPECT_EQ(test, group_fold(groups, folds, fold, 7));
      EXPECT_NEAR(static_cast<double>(std::count(test.begin(), test.end(), true)), 1200.0 / static_cast<double>(folds),
                  4);
      for (std::size_t i = 0; i < test.size(); ++i) tested[i] += test[i];
    }
    EXPECT_EQ(std::count(tested.begin(), tested.end(), 1), 1200);
  }
  for (const double share : {0.05, 0.2, 0.5, 0.9}) {
    const std::vector<bool> test = group_hold_out(groups, share, 7);
    expect_whole_groups(groups, test);
    EXPECT_EQ(test, group_hold_out(groups, share, 7));
    EXPECT_NE(test, group_hold_out(groups, share, 8));
    // At most half of the largest group away.
    EXPECT_NEAR(static_cast<double>(std::count(test.begin(), test.end(), true)), 1200 * share, 21);
  }
}

TEST(GroupSplits, KeepAGroupOnEitherSide) {
  const std::vector<Index> lopsided{0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  for (const double share : {0.01, 0.5, 0.99})
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const std::vector<bool> test = group_hold_out(lopsided, share, seed);
      EXPECT_NE(test[0], test[9]);
    }
  EXPECT_THROW(group_hold_out({4, 4, 4}, 0.5, 0), ConfigError);
  EXPECT_THROW(group_hold_out(lopsided, 1.0, 0), ConfigError);
  EXPECT_THROW(group_fold(lopsided, 3, 0, 0), ConfigError);
  EXPECT_THROW(group_fold(lopsided, 2, 2, 0), ConfigError);
}

TEST(TimeSplits, TrainOnThePastAlone) {
  RandomStream stream(5);
  Vector times(500);
  for (double& time : times) time = static_cast<double>(stream.below(90));  // several rows of each
  Index tested = 0;
  double before = -1;
  for (Index fold = 0; fold < 4; ++fold) {
    const SplitSides sides = time_fold(times, 4, fold);
    double last_train = -1, first_test = 1e9, last_test = -1;
    for (Index i = 0; i < 500; ++i) {
      const auto row = static_cast<std::size_t>(i);
      EXPECT_FALSE(sides.test[row] && sides.train[row]);
      if (sides.train[row]) last_train = std::max(last_train, times[i]);
      if (sides.test[row]) first_test = std::min(first_test, times[i]), last_test = std::max(last_test, times[i]);
    }
    EXPECT_LT(last_train, first_test);
    EXPECT_GT(first_test, before);  // windows follow each other
    before = last_test;
    const Index count = std::count(sides.test.begin(), sides.test.end(), true);
    EXPECT_NEAR(static_cast<double>(count), 100, 8);
    tested += count;
    // Training rows and tested rows are all until the end of the window.
    EXPECT_EQ(count + std::count(sides.train.begin(), sides.train.end(), true), (times.array() <= last_test).count());
  }
  EXPECT_EQ(before, times.maxCoeff());
  EXPECT_NEAR(static_cast<double>(tested), 400, 8);

  const std::vector<bool> last = time_hold_out(times, 0.2);
  double train = -1, test = 1e9;
  for (Index i = 0; i < 500; ++i)
    last[static_cast<std::size_t>(i)] ? test = std::min(test, times[i]) : train = std::max(train, times[i]);
  EXPECT_LT(train, test);
  EXPECT_NEAR(static_cast<double>(std::count(last.begin(), last.end(), true)), 100, 4);
}

// TimeSeriesSplit(n_splits=3) of 11 rows tests the rows 5 and 6, 7 and 8, 9 and 10 (counted from 0).
TEST(TimeSplits, AreThoseOfScikitLearn) {
  const Vector times = Vector::LinSpaced(11, 10, 0);  // the last row is the first in time
  for (Index fold = 0; fold < 3; ++fold) {
    const SplitSides sides = time_fold(times, 3, fold);
    for (Index i = 0; i < 11; ++i) {
      const Index place = 10 - i, from = 5 + 2 * fold;
      EXPECT_EQ(sides.train[static_cast<std::size_t>(i)], place < from);
      EXPECT_EQ(sides.test[static_cast<std::size_t>(i)], place >= from && place < from + 2);
    }
  }
}

TEST(TimeSplits, NeedDistinctTimes) {
  EXPECT_THROW(time_hold_out(Vector::Ones(5), 0.5), ConfigError);
  EXPECT_THROW(time_fold(Vector::Ones(5), 2, 0), ConfigError);
  const Vector three{{1, 1, 1, 1, 1, 2, 3}};
  EXPECT_THROW(time_fold(three, 3, 0), ConfigError);
  const SplitSides second = time_fold(three, 2, 1);  // as fine as the times allow
  EXPECT_EQ(second.test, (std::vector<bool>{false, false, false, false, false, false, true}));
  EXPECT_EQ(time_hold_out(Vector{{1, 1, 1, 1, 1, 2}}, 0.9), (std::vector<bool>{0, 0, 0, 0, 0, 1}));
}

DataConfig of_columns(const std::string& group, const std::string& time) {
  DataConfig config;
  config.group = group;
  config.time = time;
  return config;
}

TEST(SplitColumns, AreReadInTheirOwnPass) {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.csv",
                                        "who,day,t,y\n"
                                        "ann,2024-03-31,3,1\n 7 ,2024-04-01,2.5,2\n,2024-03-30 12:00,-1,3\n"
                                        "7.0,2023-12-31,1e3,4\nNA,2024-01-01,0,5\nann,2024-01-02,1,6\n");
  EXPECT_EQ(read_split_columns(path, of_columns("who", "")).groups, (std::vector<Index>{0, 1, 2, 1, 2, 0}));
  EXPECT_EQ(read_split_columns(path, of_columns("", "t")).times, (Vector{{3, 2.5, -1, 1000, 0, 1}}));
  const Vector days = read_split_columns(path, of_columns("", "day")).times;
  EXPECT_EQ(days[1] - days[0], 1);
  EXPECT_EQ(days[0] - days[2], 0.5);
  DataConfig ignored = of_columns("who", "");
  ignored.ignore = {"who"};
  EXPECT_EQ(read_split_columns(path, ignored).groups.size(), 6u);
  EXPECT_TRUE(read_split_columns(path, DataConfig()).empty());
  const SplitColumns some = read_split_columns(path, of_columns("who", "")).of_rows({4, 1});
  EXPECT_EQ(some.groups, (std::vector<Index>{2, 1}));
}

TEST(SplitColumns, NameWhatIsWrong) {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& text, const DataConfig& config) {
    const std::string path = folder.write("t.csv", text);
    try {
      read_split_columns(path, config);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const auto contains = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
  };
  contains(message("t,y\n1,1\n,2\n", of_columns("", "t")), "row 3, column 1");
  contains(message("t,y\n1,1\nsoon,2\n", of_columns("", "t")), "'soon' is no number and no date");
  contains(message("t,y\n2024-01-01,1\n7,2\n", of_columns("", "t")), "is a number, and the rows before have dates");
  contains(message("t,y\n5,1\n5,2\n", of_columns("", "t")), "have one time");
  contains(message("g,y\na,1\na,2\n", of_columns("g", "")), "1 group");
  contains(message("g,y\na,1\nb,2\n", of_columns("h", "")), "/data/group");
  contains(message("g,y\na,1\nb,2\n", of_columns("g", "y")), "not by both");
  contains(message_of<DataError>([] { read_split_columns("-", of_columns("g", "")); }), "cannot be read twice");
}

}  // namespace
}  // namespace alacarte
