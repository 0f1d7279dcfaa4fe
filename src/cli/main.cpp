// alacarte: see commands.cpp.
#include <cstdlib>

#include "command.hpp"

#if defined(__linux__) && !defined(ALACARTE_SANITIZED)
// Makes waiting OpenMP threads sleep instead of spinning: on a busy processor, spinning threads delay the thread that
// they wait for. The OpenMP run time reads the variable before main() and only then; the user's setting takes
// precedence, and child processes do not inherit this one.
namespace {
void wait_passively(int, char**, char**) { ::setenv("OMP_WAIT_POLICY", "passive", 0); }
__attribute__((section(".preinit_array"), used)) void (*const before_libraries)(int, char**, char**) = wait_passively;
}  // namespace
#endif

int main(int argc, char** argv) { return alacarte::cli::run_main("alacarte", alacarte::cli::program, argc, argv); }
