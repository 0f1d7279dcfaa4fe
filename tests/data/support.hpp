#pragma once
// A folder that is removed with its test, and the text of an expected error.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "alacarte/core/error.hpp"
#include "alacarte/data/dataset.hpp"

namespace alacarte::data_test {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "alacarte-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(file(name), std::ios::binary) << bytes;
    return file(name);
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

inline std::string slurp(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// Returns what() of the E that `action` throws; fails the test if it throws none.
template <typename E, typename Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another kind of error: " << error.what();
    return {};
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

inline TableChunk table_of(const std::string& bytes, const DataConfig& config = {}, const std::string& name = "t.csv") {
  const auto reader = open_table_from_memory(name, bytes, config);
  return read_all(*reader);
}

/// Returns the error message of reading `bytes` to the end.
inline std::string data_error(const std::string& bytes, const DataConfig& config = {},
                              const std::string& name = "t.csv") {
  return message_of<DataError>([&] { table_of(bytes, config, name); });
}

/// Returns a config with every guess about a table an error.
inline DataConfig strict(DataConfig config = {}) {
  config.strict = true;
  return config;
}

/// Reads, learns and encodes, as a training run does.
struct Loaded {
  Schema schema;
  Dataset data;
};
inline Loaded load_any(const std::string& bytes, const DataConfig& config, const std::vector<bool>& training = {},
                       const std::string& name = "t.csv") {
  const auto reader = open_table_from_memory(name, bytes, config);
  Schema::prepare(*reader, config);
  const TableChunk table = read_all(*reader);
  Loaded loaded;
  loaded.schema = Schema::learn(*reader, table, config, training);
  loaded.data = loaded.schema.encode(*reader, table, true);
  return loaded;
}

/// Does so with a strict config.
inline Loaded load(const std::string& bytes, const DataConfig& config, const std::vector<bool>& training = {},
                   const std::string& name = "t.csv") {
  return load_any(bytes, strict(config), training, name);
}

}  // namespace alacarte::data_test
