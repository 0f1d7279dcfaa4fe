#pragma once
// The command line as a whole: general help, version, and errors of usage in one line with the nearest spelling.
#include <CLI/CLI.hpp>
#include <optional>

namespace alacarte::cli {

/// Version flag, footer, and the rule that there is exactly one subcommand.
void describe_program(CLI::App& app);

/// The exit code when nothing remains to be run: help or version was printed (0), or the usage was wrong (1).
std::optional<int> parse_arguments(CLI::App& app, int argc, char** argv);

}  // namespace alacarte::cli
