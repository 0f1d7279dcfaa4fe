#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "alacarte/core/error.hpp"
#include "alacarte/core/recipe_words.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/fitted_model.hpp"
#include "alacarte/model/registered.hpp"
#include "documents.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

// Deepest nesting accepted: nlohmann's dump() and copies recurse. Documents of ours need a dozen levels.
constexpr std::size_t kDeepest = 64;

/// Finds duplicate keys and deep nesting, which the parser allows. Syntax errors end it: the parser reports them. (A
/// callback of the parser sees the same, but then each closed object costs a pass over all its elder siblings.)
class NestingGuard final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    open_.back().key = name;
    if (!open_.back().keys.insert(name).second) throw ConfigError(pointer(), "the key is given twice");
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override { return false; }

 private:
  struct Level {
    bool is_array;
    std::size_t position;
    std::string key;
    std::set<std::string> keys;
  };
  bool value() {
    if (!open_.empty() && open_.back().is_array) ++open_.back().position;
    return true;
  }
  bool open(bool is_array) {
    if (open_.size() >= kDeepest)
      throw ConfigError(pointer(), "nested deeper than " + std::to_string(kDeepest) + " levels");
    open_.push_back({is_array, 0, {}, {}});
    return true;
  }
  bool close() {
    open_.pop_back();
    return value();
  }
  std::string pointer() const {
    Json::json_pointer path;
    for (const Level& level : open_)
      level.is_array ? path.push_back(std::to_string(level.position)) : path.push_back(level.key);
    return path.to_string();
  }
  std::vector<Level> open_;
};

std::string place_of(const std::string& text, std::size_t offset) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
  const auto line = std::count(text.begin(), end, '\n') + 1;
  const auto start = text.rfind('\n', offset == 0 ? 0 : offset - 1);
  const std::size_t column = offset - (line == 1 ? 0 : start + 1) + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

/// Returns the last characters of a quotation, which show the place of an error.
std::string end_of(const std::string& quoted) {
  constexpr std::size_t kMaxQuoted = 80;
  if (quoted.size() <= kMaxQuoted) return quoted;
  std::size_t begin = quoted.size() - kMaxQuoted;
  while (begin < quoted.size() && (static_cast<unsigned char>(quoted[begin]) & 0xC0) == 0x80) ++begin;  // inside UTF-8
  return ".." + quoted.substr(begin);
}

std::string overflow_message(const std::string& text, const Json::exception& error) {
  const std::string what = error.what();
  const auto open = what.find('\''), close = what.rfind('\'');
  if (open == std::string::npos || close <= open) return short_message(error);
  const std::string number = what.substr(open + 1, close - open - 1);
  return place_of(text, text.find(number)) + ": the number " + end_of(number) + " is beyond the range of a double";
}

Vector vector_of(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

template <class Value>
Json optional_list(const std::vector<std::optional<Value>>& values) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(value ? to_json(*value) : Json());
  return list;
}

NoiseCenter center_from_json(const Json& json, const std::string& path) {
  const auto from = from_word<PriorCenter>(json.at("from").get<std::string>());
  if (!from) throw IoError(path, "malformed checkpoint: the noise centre is of an unknown kind");
  return {json.at("value").get<double>(), *from, vector_of(json.at("lengthscale").get<std::vector<double>>()),
          vector_of(json.value("more", std::vector<double>())), json.value("from_rows", false)};
}

Checkpoint checkpoint_from_json(const Json& json, const std::string& path) {
  Checkpoint checkpoint;
  checkpoint.recipe = json.at("recipe").dump();
  checkpoint.seed = json.at("seed").get<std::uint64_t>();
  checkpoint.data_sha256 = json.at("data_sha256").get<std::string>();
  checkpoint.started_from = json.value("started_from", "");
  if (const Json& center = json.at("noise_center"); !center.is_null())
    checkpoint.noise_center = center_from_json(center, path);
  for (const Json& state : json.at("fits")) {
    auto& own = checkpoint.fits.emplace_back();
    if (!state.is_null()) own = fit_state_from_json(state);
  }
  for (const Json& result : json.value("minibatches", Json())) {
    auto& own = checkpoint.minibatches.emplace_back();
    if (!result.is_null()) own = minibatches_from_json(result);
  }
  return checkpoint;
}

}  // namespace

// Removes nlohmann's own words from "[json.exception.parse_error.101] parse error at line 2, column 3: ...".
std::string short_message(const std::exception& error) {
  std::string what = error.what();
  const std::string marker = "parse error at ", quotation = "last read: '";
  const auto quoted = what.find(quotation), close = what.rfind('\'');
  if (const auto begin = quoted + quotation.size(); quoted != std::string::npos && close > begin)
    what.replace(begin, close - begin, end_of(what.substr(begin, close - begin)));
  const auto at = what.find(marker);
  if (at != std::string::npos) return what.substr(at + marker.size());
  const auto bracket = what.find("] ");
  return bracket == std::string::npos ? what : what.substr(bracket + 2);
}

Json parse_json(const std::string& text, const std::string& name) {
  NestingGuard guard;
  try {
    Json::sax_parse(text, &guard);
    return Json::parse(text);
  } catch (const ConfigError& error) {
    throw ConfigError(name, error.what());
  } catch (const Json::out_of_range& error) {
    throw ConfigError(name, overflow_message(text, error));
  } catch (const Json::exception& error) {
    throw ConfigError(name, short_message(error));
  }
}

Json number_list(const Vector& values) { return std::vector<double>(values.begin(), values.end()); }

std::string checkpoint_text(const Checkpoint& checkpoint) {
  Json json = {{"recipe", Json::parse(checkpoint.recipe)}, {"seed", checkpoint.seed},
               {"data_sha256", checkpoint.data_sha256},    {"noise_center", nullptr},
               {"fits", optional_list(checkpoint.fits)},   {"minibatches", optional_list(checkpoint.minibatches)}};
  if (!checkpoint.started_from.empty()) json["started_from"] = checkpoint.started_from;
  if (const auto& center = checkpoint.noise_center)
    json["noise_center"] = {{"value", center->value},
                            {"from", word(center->from)},
                            {"lengthscale", number_list(center->lengthscale)},
                            {"more", number_list(center->more)},
                            {"from_rows", center->from_rows}};
  return json.dump();
}

Checkpoint parse_checkpoint(const std::string& text, const std::string& path) {
  try {
    return checkpoint_from_json(parse_json(text, "checkpoint"), path);
  } catch (const ConfigError& error) {
    throw IoError(path, error.what());
  } catch (const Json::exception& error) {
    throw IoError(path, "malformed checkpoint: " + short_message(error));
  }
}

std::string recipe_text(const Recipe& recipe) { return to_json(recipe, model_infos()).dump(); }

std::string hyperparameters_text(const FittedModel& model) {
  Json list = Json::array();
  for (const Member& member : model.members)
    list.push_back({number_list(member.theta), member.posterior->noise_variance(), member.recipe.model});
  return list.dump();
}

}  // namespace alacarte
