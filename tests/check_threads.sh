#!/usr/bin/env bash
# Fails if a file other than core/workers.hpp starts threads: an exception that leaves a thread ends the program, and only
# run_workers carries it to the caller. Usage: tests/check_threads.sh [ROOT]
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

raw='#pragma omp (parallel|task|sections|teams)|std::(j?thread *[^:a-z_]|async)'
if grep -rnE "$raw" src include --include='*.[ch]pp' | grep -v '^src/core/workers\.hpp:'; then
  echo "threads are started by run_workers alone (src/core/workers.hpp)" >&2
  exit 1
fi
