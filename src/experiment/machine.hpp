#pragma once
// This machine, and processes on it.
#include <sys/types.h>

#include <string>

namespace alacarte {

/// Returns boot id and process namespace, the scope of process numbers; "" if unknown.
std::string this_machine();

/// Returns the host name: letters, digits and hyphens.
std::string host_name();

/// Returns the start of a process of this machine in kernel ticks; "" if it has ended or is hidden.
std::string process_start(pid_t process);

/// Returns true if the process with that start still runs.
bool process_lives(pid_t process, const std::string& start);

/// Returns the peak resident memory of this program in 1e6 bytes, without the process before exec (unlike getrusage());
/// 0 if unknown.
double peak_megabytes();

}  // namespace alacarte
