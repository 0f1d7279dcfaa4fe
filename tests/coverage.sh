#!/usr/bin/env bash
# Line coverage by room. Needs gcovr (Debian package of that name).
# Usage: tests/coverage.sh               builds the coverage preset, runs its tests, prints the table
#        tests/coverage.sh BUILD_FOLDER  prints the table of a folder whose tests have run
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/coverage}
code=0
if [ $# -eq 0 ]; then
  cmake --preset coverage
  cmake --build --preset coverage
  ctest --preset coverage -j "$(nproc)" -LE 'real|statistical' || code=$?  # a failure does not suppress the table
fi

gcovr "$build" --root . --filter src/ --filter include/ --csv - | awk -F, '
  NR > 1 {
    n = split($1, part, "/")
    room = part[1] == "include" ? part[3] : part[2]
    lines[room] += $2
    covered[room] += $3
    all += $2
    reached += $3
  }
  END {
    printf "%-10s %7s %8s %8s\n", "room", "lines", "covered", "percent"
    fflush()
    row = "%-10s %7d %8d %8.1f\n"
    for (room in lines) printf row, room, lines[room], covered[room], 100 * covered[room] / lines[room] | "sort"
    close("sort")
    printf row, "all", all, reached, 100 * reached / all
  }'
exit $code
