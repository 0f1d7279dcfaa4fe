// Any text is either the state of a fit that survives a round trip, or an error that says what is wrong.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "optimise/trainer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const nlohmann::json json = to_json(alacarte::fit_state_from_json(alacarte::parse_json(text, "input")));
    if (to_json(alacarte::fit_state_from_json(json)) != json) std::abort();
  } catch (const alacarte::ConfigError&) {
    return 0;
  } catch (const alacarte::IoError&) {
    return 0;
  }
  return 0;
}
