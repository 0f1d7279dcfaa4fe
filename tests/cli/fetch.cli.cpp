#include <signal.h>

#include "cli/program_test.hpp"
#include "cli/web_server.hpp"

namespace alacarte::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// A catalogue with one data set, "toy", whose files are on a local server.
class Fetch : public ProgramTest {
 protected:
  static Json toy(const Json& data_urls, const Json& mask_url) {
    return {{"name", "toy"},
            {"title", "Toy"},
            {"folder", "web/toy"},
            {"group", "small"},
            {"task", "regression"},
            {"rows", 3},
            {"inputs", 1},
            {"target", {{"name", "y"}, {"transform", "none"}, {"identified", "known"}, {"sd", nullptr}}},
            {"sha256", kDataSum},
            {"mask_sha256", kMaskSum},
            {"verified", true},
            {"split", {{"kind", "mask"}, {"folds", 2}}},
            {"licence", "MIT"},
            {"source", "a server"},
            {"original", "the toy box"},
            {"conversion", "unpack the box"},
            {"fetch", {{"data", data_urls}, {"mask", mask_url}}},
            {"notes", Json::array()}};
  }
  static Json without_sums(Json entry) {
    entry["sha256"] = entry["mask_sha256"] = nullptr;
    entry["verified"] = false;
    return entry;
  }

  void SetUp() override {
    server_.serve_file("/data", kData);
    server_.serve_file("/mask", kMask);
    use(toy({server_.url("/data")}, server_.url("/mask")));
  }

  void use(const Json& entry, const Json& more = nullptr) {
    Json catalogue{{"format", 1}, {"datasets", Json::array({entry})}};
    if (!more.is_null()) catalogue["datasets"].push_back(more);
    folder_.write("config/datasets.json", catalogue.dump());
  }

  RunOptions environment() const {
    RunOptions options;
    for (const char* name :
         {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"})
      options.environment[name] = "";
    options.environment["ALACARTE_CONFIG_DIR"] = folder_ / "config";
    options.environment["ALACARTE_DATA_DIR"] = folder_ / "data";
    return options;
  }

  RunResult fetch(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"datasets", "fetch", "toy", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments, environment());
  }

  std::string place(const std::string& name) const { return folder_ / ("data/web/toy/" + name); }
  bool is_there(const std::string& name) const { return fs::exists(place(name)); }
  void expect_installed() const {
    EXPECT_EQ(read_file(place("data.csv.gz")), kData);
    EXPECT_EQ(read_file(place("test_mask.csv.gz")), kMask);
    int files = 0;
    for (const auto& entry : fs::directory_iterator(folder_ / "data/web/toy")) files += entry.is_regular_file();
    EXPECT_EQ(files, 2);
  }
  void expect_nothing_installed() const {
    EXPECT_FALSE(is_there("data.csv.gz"));
    EXPECT_FALSE(is_there("test_mask.csv.gz"));
  }

  /// Serves the good answer cut after some bytes, with the connection closed or held.
  void serve_cut(std::size_t bytes, double hold_seconds = 0) {
    server_.on("/data", [=](const WebRequest&) {
      WebAnswer answer = whole_answer(kData);
      answer.bytes.resize(answer.bytes.size() - std::string(kData).size() + bytes);
      answer.hold_seconds = hold_seconds;
      return answer;
    });
  }

  static constexpr const char* kData = "1,2\n3,4\n5,6\n";
  static constexpr const char* kMask = "1,0\n0,1\n0,0\n";
  static constexpr const char* kDataSum = "df934b9451bfec634ff7308963516e39c3ce7dfbec37b3be413742bc91d82782";
  static constexpr const char* kMaskSum = "14db119dbbb3813bc2d924041ba4e0da2799669089a8e59ae7f2d4db634a5dee";
  WebServer server_;
};

TEST_F(Fetch, InstallsWhatTheCatalogueSaysAndAsksOnce) {
  const RunResult first = fetch();
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_TRUE(has(first.out, "fetched, sums as in the catalogue"));
  expect_installed();
  must({"datasets", "verify", "toy"}, environment());
  EXPECT_EQ(server_.requests().size(), 2u);
  EXPECT_TRUE(has(fetch().out, "already here: ok"));
  EXPECT_EQ(server_.requests().size(), 2u);
  fs::remove(place("test_mask.csv.gz"));
  EXPECT_EQ(fetch().code, 0);
  EXPECT_EQ(server_.requests().size(), 3u);
  expect_installed();
}

TEST_F(Fetch, WritesWhereItIsTold) {
  EXPECT_EQ(fetch({"--to", folder_ / "other"}).code, 0);
  EXPECT_EQ(read_file(folder_ / "other/web/toy/data.csv.gz"), kData);
  EXPECT_FALSE(fs::exists(folder_ / "data"));
  folder_.write("file", "");
  expect_failure(fetch({"--to", folder_ / "file"}), 4, {"cannot be made"});
}

TEST_F(Fetch, FollowsRedirectsWithinTheWeb) {
  const auto redirect = [&](const std::string& path, const std::string& to) {
    server_.on(path,
               [to](const WebRequest&) { return whole_answer("moved", "302 Found", "Location: " + to + "\r\n"); });
  };
  redirect("/old", "/older");
  redirect("/older", server_.url("/data"));
  use(toy({server_.url("/old")}, server_.url("/mask")));
  EXPECT_EQ(fetch().code, 0);
  expect_installed();
  fs::remove_all(folder_ / "data");
  redirect("/old", "file:///etc/hostname");
  expect_failure(fetch(), 4, {"/old", "not to be followed"});
  redirect("/old", "/old");
  expect_failure(fetch(), 4, {"redirects"});
  expect_nothing_installed();
}

TEST_F(Fetch, AbsentFilesAreNamed) {
  use(toy({server_.url("/nothing")}, server_.url("/mask")));
  expect_failure(fetch(), 4, {server_.url("/nothing"), "404", "no such file"});
  EXPECT_FALSE(fs::exists(folder_ / "data/web/toy"));
}

TEST_F(Fetch, NoConnectionSaysSo) {
  std::string closed;
  {
    const WebServer gone;
    closed = gone.url("/data");
  }
  use(toy({closed}, server_.url("/mask")));
  expect_failure(fetch(), 4, {closed, "no connection", "online", "https_proxy"});
}

TEST_F(Fetch, CutDownloadsAreKeptAndResumed) {
  serve_cut(5);
  expect_failure(fetch(), 4, {"the connection ended early, 5 bytes are here", "kept"});
  EXPECT_EQ(read_file(place("data.csv.gz.part")), std::string(kData).substr(0, 5));
  expect_nothing_installed();
  server_.serve_file("/data", kData);
  EXPECT_EQ(fetch().code, 0);
  EXPECT_EQ(server_.requests().at(1).range, "bytes=5-");
  expect_installed();
}

TEST_F(Fetch, ServersThatCannotResumeSendAllAnew) {
  folder_.write("data/web/toy/data.csv.gz.part", "1,2\n3");
  server_.on("/data", [](const WebRequest&) { return whole_answer(kData); });
  EXPECT_EQ(fetch().code, 0);
  EXPECT_EQ(server_.requests().at(0).range, "bytes=5-");
  expect_installed();
}

TEST_F(Fetch, WholePartsAreInstalledAndTooLongOnesFetchedAnew) {
  folder_.write("data/web/toy/data.csv.gz.part", kData);
  EXPECT_EQ(fetch().code, 0);
  EXPECT_EQ(server_.requests().size(), 2u);
  expect_installed();
  fs::remove_all(folder_ / "data");
  folder_.write("data/web/toy/data.csv.gz.part", std::string(kData) + "7,8\n");
  EXPECT_EQ(fetch().code, 0);
  EXPECT_EQ(server_.requests().size(), 5u);
  expect_installed();
}

TEST_F(Fetch, OtherRangesThanAskedForAreNotTaken) {
  folder_.write("data/web/toy/data.csv.gz.part", "1,2\n3");
  server_.on("/data", [](const WebRequest& request) {
    if (request.range.empty()) return whole_answer(kData);
    return whole_answer("3,4\n5,6\n", "206 Partial Content", "Content-Range: bytes 4-11/12\r\n");
  });
  EXPECT_EQ(fetch().code, 0);
  expect_installed();
}

TEST_F(Fetch, OtherBytesAreRemovedAndNotInstalled) {
  server_.serve_file("/data", "1,2\n3,4\n5,7\n");
  expect_failure(fetch(), 3, {"wrong checksum: data.csv.gz", kDataSum, "nothing was installed"});
  expect_nothing_installed();
  EXPECT_FALSE(is_there("data.csv.gz.part"));
  server_.serve_file("/data", "");
  expect_failure(fetch(), 4, {"empty file"});
}

TEST_F(Fetch, OtherBytesThatAreThereAreLeftAlone) {
  folder_.write("data/web/toy/data.csv.gz", "mine");
  expect_failure(fetch(), 3, {"wrong checksum", "remove the file to fetch it anew"});
  EXPECT_EQ(read_file(place("data.csv.gz")), "mine");
}

TEST_F(Fetch, SlowServersAreGivenUp) {
  serve_cut(5, 60);
  expect_failure(fetch({"--stall", "1"}), 4, {"too slow", "100 bytes a second for 1 s", "kept"});
  EXPECT_EQ(read_file(place("data.csv.gz.part")).size(), 5u);
  server_.on("/data", [](const WebRequest&) { return WebAnswer{"", 60}; });
  expect_failure(fetch({"--stall", "1"}), 4, {"no answer within 1 s"});
  EXPECT_EQ(read_file(place("data.csv.gz.part")).size(), 5u);
}

TEST_F(Fetch, InterruptionKeepsWhatCame) {
  serve_cut(5, 60);
  RunningProgram program(program_path(), {"datasets", "fetch", "toy"}, environment());
  ASSERT_TRUE(program.wait_for(server_.url("/data"), 30));
  for (int k = 0; k < 1000 && (!is_there("data.csv.gz.part") || fs::file_size(place("data.csv.gz.part")) < 5); ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  program.send(SIGTERM);
  const RunResult result = program.wait();
  EXPECT_EQ(result.code, 130) << result.err;
  EXPECT_TRUE(has(result.err, "interrupted; what came is kept"));
  EXPECT_EQ(read_file(place("data.csv.gz.part")).size(), 5u);
}

TEST_F(Fetch, WithoutSumsTheyArePrintedAndSizesCounted) {
  use(without_sums(toy({server_.url("/data")}, server_.url("/mask"))));
  const RunResult good = fetch();
  EXPECT_EQ(good.code, 0);
  EXPECT_TRUE(has(good.out, "NOT VERIFIED")) << good.out;
  EXPECT_TRUE(has(good.out, kDataSum) && has(good.out, kMaskSum)) << good.out;
  expect_installed();
  fs::remove_all(folder_ / "data");
  server_.serve_file("/data", "<html>please sign in</html>\n");
  expect_failure(fetch(), 3, {"it is an HTML page, perhaps of an error or a login", "nothing was installed"});
  server_.serve_file("/data", "1,2\n");
  expect_failure(fetch(), 3, {"wrong size", "nothing was installed"});
  expect_nothing_installed();
}

TEST_F(Fetch, SeveralAddressesAreJoined) {
  server_.serve_file("/data", "1,2\n3,4\n");
  server_.serve_file("/data1", "5,6\n");
  use(toy({server_.url("/data"), server_.url("/data1")}, server_.url("/mask")));
  EXPECT_EQ(fetch().code, 0);
  expect_installed();
}

TEST_F(Fetch, ProxiesOfTheEnvironmentAreUsed) {
  server_.serve_file("http://data.example/data", kData);
  server_.serve_file("http://data.example/mask", kMask);
  use(toy({"http://data.example/data"}, "http://data.example/mask"));
  RunOptions options = environment();
  options.environment["http_proxy"] = server_.address();
  must({"datasets", "fetch", "toy", "--quiet"}, options);
  expect_installed();
}

TEST_F(Fetch, WhatHasNoAddressSaysHowToMakeIt) {
  Json entry = toy({"http://x"}, "http://x");
  entry["fetch"] = nullptr;
  use(entry);
  expect_failure(fetch(), 4, {"data/web/toy/data.csv.gz", "a server", "the toy box", "unpack the box"});
}

TEST_F(Fetch, OneFailureDoesNotStopTheOthers) {
  Json lost = toy({server_.url("/nothing")}, server_.url("/mask"));
  lost["name"] = "lost";
  lost["folder"] = "web/lost";
  use(lost, toy({server_.url("/data")}, server_.url("/mask")));
  const RunResult result = run({"datasets", "fetch", "--group", "small", "--quiet"}, environment());
  EXPECT_EQ(result.code, 4);
  EXPECT_TRUE(has(result.err, "lost: ") && has(result.err, "1 of 2 data sets were not fetched")) << result.err;
  expect_installed();
}

TEST_F(Fetch, NothingIsFetchedUnlessAsked) {
  expect_failure(run({"datasets", "fetch"}, environment()), 1, {"names or --group"});
  expect_failure(run({"datasets", "fetch", "toy", "--group", "small"}, environment()), 1, {"names or --group"});
  expect_failure(run({"datasets", "fetch", "tyo"}, environment()), 2, {"did you mean 'toy'"});
  must({"datasets", "verify"}, environment());
  must({"datasets", "list"}, environment());
  EXPECT_TRUE(server_.requests().empty());
}

}  // namespace
}  // namespace alacarte::test
