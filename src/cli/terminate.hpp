#pragma once
// Termination of a program that can neither continue nor throw: memory exhausted in a destructor or a thread.

namespace alacarte::cli {

/// Makes std::terminate() remove the temporary files, report the cause in one line and exit with code 70 instead of a
/// signal. nlohmann's JSON, for one, allocates in its destructor.
void install_terminate_handler();

/// Records that the cause has been reported, so that no second line follows.
void told_why() noexcept;

/// Reports the exception being handled, without allocating, unless one has been reported.
void say_why() noexcept;

}  // namespace alacarte::cli
