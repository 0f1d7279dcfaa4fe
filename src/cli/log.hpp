#pragma once
// Messages for people (text) or programs (JSON, one object per line), all on standard error. Standard output carries
// results only.
#include <nlohmann/json.hpp>
#include <string>
#include "core/spelling.hpp"

namespace alacarte::cli {

struct LogOptions {
  bool quiet = false;  ///< warnings and errors only
  bool json = false;
};

/// Sets the name that begins an error in text: a literal, since no memory may be left when it is needed.
void name_program(const char* name);
const char* program_name();

void configure_log(const LogOptions& options);

/// Silences this process, one of several, or ends the silence.
void silence_log(bool silent);

void log_info(const std::string& text);
void log_warning(const std::string& text);
void log_error(const std::string& text);

/// Logs a structured record: in JSON {"time", "level", "event": name, ...fields}; in text the given `text`, which may
/// have several lines.
void log_event(const std::string& name, const nlohmann::json& fields, const std::string& text);
/// Returns true if log_event() shows anything, so that costly fields can be skipped otherwise.
bool shows_events();

/// Overwrites a line in place, at most ten times a second, if standard error is a terminal, in text mode and not quiet.
bool live_line_possible();
void show_live_line(const std::string& text);
void clear_live_line();

}  // namespace alacarte::cli
