#pragma once
// Files in a folder where other processes and machines create and remove files concurrently.
#include <optional>
#include <string>
#include <vector>

namespace alacarte {

/// Throws IoError with `what` and the message of this errno.
[[noreturn]] void fail_on(const std::string& path, const char* what, int error);

/// Returns the text of a file; nullopt if it is missing or vanished meanwhile. Throws IoError if it cannot be read.
std::optional<std::string> text_at(const std::string& path);

/// Removes a file. Throws IoError if it still exists.
void remove_file(const std::string& path);

/// Writes at the beginning of an open file. Returns 0 or errno.
int write_at_once(int descriptor, const std::string& text);

/// Creates `path` with its text; returns 0 or errno, EEXIST if it exists. It appears complete, as a second name of the
/// file `from` that holds the text; without hard links, it is this process's as soon as it exists.
int make_exclusively(const std::string& text, const std::string& from, const std::string& path);

/// Returns the names in a folder; none if it does not exist.
std::vector<std::string> names_in(const std::string& folder);

/// Removes a folder with its files; retries after signals and files that others had open.
void remove_folder(const std::string& path);

}  // namespace alacarte
