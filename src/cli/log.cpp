#include "log.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>

#include "cli/process.hpp"

namespace alacarte::cli {
namespace {

LogOptions settings;
bool silenced = false;
const char* name_of_program = "alacarte";
bool live_line_shown = false;

spdlog::logger& logger() {
  static const auto made = [] {
    auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    auto result = std::make_shared<spdlog::logger>("alacarte", std::move(sink));
    result->set_pattern("%v");
    result->flush_on(spdlog::level::trace);
    return result;
  }();
  return *made;
}

/// Maximum length of a line of messages, in bytes, however long a name or cell in it is.
constexpr std::size_t kMaxLine = 2000;

std::string short_line(const std::string& text) {
  const std::string line = one_line(text);
  return line.size() <= kMaxLine ? line : line.substr(0, kMaxLine) + fmt::format(".. ({} bytes in all)", line.size());
}

void emit(spdlog::level::level_enum level, const std::string& event, const nlohmann::json& fields,
          const std::string& text) {
  if (!logger().should_log(level)) return;
  clear_live_line();
  if (!settings.json) {
    logger().log(level, text);
    return;
  }
  const auto name = spdlog::level::to_string_view(level);
  nlohmann::json record = {{"time", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
                           {"level", std::string(name.data(), name.size())},
                           {"event", event}};
  record.update(fields);
  logger().log(level, record.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace

void name_program(const char* name) { name_of_program = name; }

const char* program_name() { return name_of_program; }

void configure_log(const LogOptions& options) {
  settings = options;
  logger().set_level(options.quiet ? spdlog::level::warn : spdlog::level::info);
}

void silence_log(bool silent) {
  clear_live_line();
  silenced = silent;
  logger().set_level(silent ? spdlog::level::off : settings.quiet ? spdlog::level::warn : spdlog::level::info);
}

void log_info(const std::string& text) { log_event("message", {{"message", text}}, one_line(text)); }

void log_warning(const std::string& text) {
  emit(spdlog::level::warn, "message", {{"message", text}}, "warning: " + short_line(text));
}

void log_error(const std::string& text) {
  if (silenced) return told_why();
  const std::string line = fmt::format("{}: error: {}", program_name(), short_line(text));
  if (settings.json) {
    emit(spdlog::level::err, "message", {{"message", text}}, line);
  } else {
    // Nothing may fail after the line is written: spdlog would need memory.
    clear_live_line();
    std::fputs((line + '\n').c_str(), stderr);
  }
  told_why();
}

void log_event(const std::string& name, const nlohmann::json& fields, const std::string& text) {
  emit(spdlog::level::info, name, fields, text);
}

bool shows_events() { return logger().should_log(spdlog::level::info); }

bool live_line_possible() { return !silenced && !settings.json && !settings.quiet && ::isatty(STDERR_FILENO) == 1; }

void show_live_line(const std::string& text) {
  static std::chrono::steady_clock::time_point shown;
  const auto now = std::chrono::steady_clock::now();
  if (!live_line_possible() || now - shown < std::chrono::milliseconds(100)) return;
  shown = now;
  winsize size{};
  const std::size_t width = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1u : 79u;
  // Unlike fmt::print() this never throws: the training continues without the terminal.
  std::fputs(("\r\033[K" + text.substr(0, width)).c_str(), stderr);
  std::fflush(stderr);
  live_line_shown = true;
}

void clear_live_line() {
  if (!live_line_shown) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  live_line_shown = false;
}

}  // namespace alacarte::cli
