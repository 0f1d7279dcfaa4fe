#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

#include "alacarte/core/error.hpp"
#include "core/atomic_file.hpp"
#include "core/spelling.hpp"
#include "core/text_file.hpp"
#include "support/program.hpp"

namespace alacarte {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "alacarte-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string read(const fs::path& path) const {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  std::ptrdiff_t entries() const { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator()); }
  fs::path folder_;
};

TEST_F(AtomicFileTest, AppearsOnlyAtCommit) {
  const fs::path path = folder_ / "a.txt";
  AtomicFile file(path.string());
  file.stream() << "one" << std::string(200000, 'x');
  EXPECT_FALSE(fs::exists(path));
  file.commit();
  EXPECT_EQ(read(path), "one" + std::string(200000, 'x'));
  EXPECT_EQ(entries(), 1);
  EXPECT_THROW(file.commit(), std::invalid_argument);
}

TEST_F(AtomicFileTest, WithoutCommitNothingChanges) {
  const fs::path path = folder_ / "a.txt";
  std::ofstream(path) << "old";
  { AtomicFile(path.string()).stream() << "new"; }
  EXPECT_EQ(read(path), "old");
  EXPECT_EQ(entries(), 1);
}

TEST_F(AtomicFileTest, KeepsTheModeAndFollowsLinks) {
  const fs::path path = folder_ / "a.txt", link = folder_ / "link";
  std::ofstream(path) << "old";
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(path, link);
  AtomicFile file(link.string());
  file.stream() << "new";
  file.commit();
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read(path), "new");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(AtomicFileTest, ManyAppearTogetherAndHoldNoDescriptorUntilThen) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 40;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  std::vector<std::unique_ptr<AtomicFile>> files;
  for (int k = 0; k < 100; ++k) {
    files.push_back(std::make_unique<AtomicFile>((folder_ / std::to_string(k)).string()));
    files.back()->stream() << "part " << k;
    files.back()->close();
    EXPECT_THROW(files.back()->stream(), std::invalid_argument);
    EXPECT_FALSE(fs::exists(folder_ / std::to_string(k)));
  }
  for (const auto& file : files) file->commit();
  EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(read(folder_ / "7"), "part 7");
  EXPECT_EQ(entries(), 100);
}

// Removes them as a signal handler does, in a separate process: no file may be written afterwards.
TEST_F(AtomicFileTest, AllTemporaryFilesAreRemovedAtOnce) {
  const fs::path written_by_others = folder_ / "b.part";
  EXPECT_EXIT(
      {
        std::vector<std::unique_ptr<AtomicFile>> files;
        for (std::size_t k = 0; k + 1 < kMaxTemporaryFiles; ++k) {
          files.push_back(std::make_unique<AtomicFile>((folder_ / std::to_string(k)).string()));
          files.back()->close();
        }
        const TemporaryFile part(written_by_others.string());
        std::ofstream(part.path()) << "rows";
        if (entries() != static_cast<std::ptrdiff_t>(kMaxTemporaryFiles)) ::_exit(1);
        remove_temporary_files();
        ::_exit(entries() == 0 ? 0 : 2);
      },
      testing::ExitedWithCode(0), "");
  {
    const TemporaryFile part(written_by_others.string());
    std::ofstream(part.path()) << "rows";
    EXPECT_EQ(entries(), 1);
  }
  EXPECT_EQ(entries(), 0);
}

TEST_F(AtomicFileTest, FailuresAreIoErrors) {
  EXPECT_THROW(AtomicFile(folder_.string()), IoError);
  EXPECT_THROW(AtomicFile((folder_ / "no" / "a.txt").string()), IoError);
  if (!fs::exists("/dev/full")) return;
  AtomicFile full("/dev/full");
  full.stream() << "some bytes";
  try {
    full.commit();
    FAIL() << "a full disk was not noticed";
  } catch (const IoError& error) {
    EXPECT_STREQ(error.what(), "/dev/full: cannot be written: No space left on device");
  }
}

TEST(TextFile, ReadsWhatWasWrittenUpToItsLimit) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "text";
  write_text_file(path, std::string("a\n\0b", 4));
  EXPECT_EQ(read_text_file(path), std::string("a\n\0b", 4));
  EXPECT_EQ(read_text_file(path, 4).size(), 4u);
  EXPECT_THROW(read_text_file(path, 3), IoError);
  EXPECT_THROW(read_text_file(folder.path().string()), IoError);
  EXPECT_THROW(read_text_file("/dev/zero", 1 << 20), IoError);
}

TEST(Spelling, OneLineStaysOne) { EXPECT_EQ(one_line("a\nb\x1b K\xc3\xb6ln"), "a; b\\x1b K\xc3\xb6ln"); }

TEST(Spelling, FindsTheNearestOrNothing) {
  const std::vector<std::string> names = {"frequencies", "components", "knots", "learn_lengthscale"};
  EXPECT_EQ(nearest("frequences", names), "frequencies");
  EXPECT_EQ(nearest("Knots", names), "knots");
  EXPECT_EQ(nearest("konts", names), "knots");
  EXPECT_EQ(nearest("component", names), "components");
  EXPECT_EQ(nearest("target", names), "");
  EXPECT_EQ(nearest(std::string(1'000'000, 'a'), {std::string(999'999, 'a')}), "") << "would take hours";
  EXPECT_EQ(nearest("", names), "");
  EXPECT_EQ(nearest("x", {}), "");
  EXPECT_EQ(nearest("z", {"", "y", "Z"}), "Z");
  EXPECT_EQ(nearest("z", {"", "y", "x"}), "");
  EXPECT_EQ(did_you_mean("knot", names), " (did you mean 'knots'?)");
  EXPECT_EQ(did_you_mean("target", names), "");
}

}  // namespace
}  // namespace alacarte
