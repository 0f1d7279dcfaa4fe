#pragma once
// Commands on several processes started by an MPI launcher (mpirun, srun).
#include "program.hpp"

namespace alacarte::cli {

/// Makes commands that support ranks join those of the launcher, if any, and leave them at the end. Only the first rank
/// writes messages, output and files. Every other command that would run once per rank is refused, except `run`, whose
/// processes only share a folder.
void join_ranks_in(Command& program, CommonOptions& common);

}  // namespace alacarte::cli
