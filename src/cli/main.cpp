// alacarte: see commands.cpp.
#include <cstdlib>

#include "command.hpp"

#if defined(__linux__) && !defined(ALACARTE_SANITIZED)
// Threads that wait for each other sleep instead of spinning: where another process takes a part of a processor, those
// that spin keep the one that they wait for from running. The OpenMP run time looks before main(), and only then: what
// the user has set stays, and processes that are started here do not inherit this.
namespace {
void wait_passively(int, char**, char**) { ::setenv("OMP_WAIT_POLICY", "passive", 0); }
__attribute__((section(".preinit_array"), used)) void (*const before_libraries)(int, char**, char**) = wait_passively;
}  // namespace
#endif

int main(int argc, char** argv) { return alacarte::cli::run_main("alacarte", alacarte::cli::program, argc, argv); }
