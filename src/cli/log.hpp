#pragma once
// Messages for people (text) or programs (JSON, one object a line), all on standard error. Standard output carries
// results only.
#include <nlohmann/json.hpp>
#include <string>
#include "core/spelling.hpp"

namespace alacarte::cli {

struct LogOptions {
  bool quiet = false;  ///< warnings and errors only
  bool json = false;
};

/// The name that begins an error in text: a literal, since no memory may be left when it is needed.
void name_program(const char* name);
const char* program_name();

void configure_log(const LogOptions& options);

/// Of one process among several: nothing more is written, or all again.
void silence_log(bool silent);

void log_info(const std::string& text);
void log_warning(const std::string& text);
void log_error(const std::string& text);

/// A record with structure: in JSON {"time", "level", "event": name, ...fields}; in text the given `text`, which may
/// have several lines.
void log_event(const std::string& name, const nlohmann::json& fields, const std::string& text);
/// Whether log_event() shows anything: what takes time to find out need not be found out otherwise.
bool shows_events();

/// The line that is overwritten in place, at most ten times a second. live_line_possible(): standard error is a
/// terminal, text, not quiet; otherwise nothing is shown.
bool live_line_possible();
void show_live_line(const std::string& text);
void clear_live_line();

}  // namespace alacarte::cli
