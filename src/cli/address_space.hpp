#pragma once
// Programs under a limit of the address space (`ulimit -v`): OpenBLAS would ask for its buffers for ever.
#include "options.hpp"

namespace alacarte::cli {

/// Makes every command that computes refuse a limit under which it cannot, with exit code 70 (out of memory), and take
/// no more threads than the limit has room for. Less still, too little for the libraries to start, is refused before
/// main() by a function of address_space.cpp.
void watch_address_space(Command& program, int& threads);

}  // namespace alacarte::cli
