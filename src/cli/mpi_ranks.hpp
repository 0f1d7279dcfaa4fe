#pragma once
// Commands on several processes that a launcher of MPI started (mpirun, srun).
#include "program.hpp"

namespace alacarte::cli {

/// Makes the commands that take ranks join those of the launcher, if one started the program, and leave them at the
/// end. Only the first rank writes messages, output and files. Every other command that would run once for each rank is
/// refused; `run`, whose processes share a folder and nothing else, may be started so.
void join_ranks_in(Command& program, CommonOptions& common);

}  // namespace alacarte::cli
