#pragma once
// The end of a program that cannot go on and cannot throw: memory that runs out in a destructor, or in a thread.

namespace alacarte::cli {

/// From now on std::terminate() removes the temporary files, says why in one line and ends the program with exit code
/// 70 in place of a signal. nlohmann's JSON, for one, allocates in its destructor.
void install_terminate_handler();

/// The line that says why has been written: no second one follows.
void told_why() noexcept;

/// Writes that line for the exception that is being handled, without allocating, unless one has been written.
void say_why() noexcept;

}  // namespace alacarte::cli
