#pragma once
// This machine, and processes on it.
#include <sys/types.h>

#include <string>

namespace alacarte {

/// Boot and space of process numbers: where a process number means the same. "" where it cannot be told.
std::string this_machine();

/// Its name, of letters, digits and hyphens.
std::string host_name();

/// When a process of this machine began, as the kernel counts; "" when it is gone, has ended or cannot be looked at.
std::string process_start(pid_t process);

/// Whether the process that began then is still there.
bool process_lives(pid_t process, const std::string& start);

/// Largest resident memory of this program, in 1e6 bytes; 0 where it cannot be told. Not that of the process before
/// it began this program, which getrusage() takes in.
double peak_megabytes();

}  // namespace alacarte
