#pragma once
// Files in a folder where other processes and machines make and remove files at the same time.
#include <optional>
#include <string>
#include <vector>

namespace alacarte {

/// Throws IoError: what, and the words of this errno.
[[noreturn]] void fail_on(const std::string& path, const char* what, int error);

/// nullopt where there is no such file, or it vanished meanwhile, as files do here all the time. Throws IoError where
/// it cannot be read.
std::optional<std::string> text_at(const std::string& path);

/// Throws IoError when it is still there.
void remove_file(const std::string& path);

/// At the beginning of an open file. 0 or errno.
int write_at_once(int descriptor, const std::string& text);

/// 0 or errno, EEXIST when `path` is there. It appears with its text, as a second name of the file `from` that holds
/// it, or, without hard links, is this process's from the moment it is there.
int make_exclusively(const std::string& text, const std::string& from, const std::string& path);

/// None where the folder is not there.
std::vector<std::string> names_in(const std::string& folder);

/// With its files; tried again when a signal, or files that others had open, stood in the way.
void remove_folder(const std::string& path);

}  // namespace alacarte
