#!/usr/bin/env bash
# Installs missing requirements, builds and runs the tests; sufficient on a fresh Debian 12 machine.
# Usage: tests/run.sh [PRESET]      (release, dev, asan-ubsan, tsan, coverage; default dev)
# ALACARTE_PYTHON=0 in the environment omits the Python package, 1 requires it; by default it is omitted with a message if its
# requirements cannot be installed.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-dev}

python=${ALACARTE_PYTHON:-}
# The Python tests need plain builds.
[[ $preset =~ ^(release|dev)$ ]] || python=${python:-0}
if [ "$python" != 0 ] && experiments/setup.sh --python; then
  python=1
elif [ "$python" = 1 ]; then
  exit 1
else
  [ "$python" = 0 ] || echo "tests: without those of the Python package" >&2
  python=0
  experiments/setup.sh
fi
options=(-DALACARTE_PYTHON="$python")
if [ "$python" = 1 ]; then
  # The packages were installed for the system's interpreter, whatever comes first on the path.
  options+=(-DPython3_EXECUTABLE=/usr/bin/python3)
fi
if [ "$preset" = dev ]; then
  # Runs file readers also under sanitizers. The preset asan-ubsan, which builds everything so, takes far longer.
  options+=("-DALACARTE_SANITIZED_ROOMS=data;io;trees")
fi
tests/check_includes.sh
tests/check_threads.sh
cmake --preset "$preset" "${options[@]}"
cmake --build --preset "$preset"

# Repeats the output of failed tests at the end of a long log.
tell_failures() {
  local logs=build/$preset/Testing/Temporary
  awk 'NR == FNR { sub(/:.*/, ""); failed[$0]; next }
       /^[0-9]+\/[0-9]+ Testing: / { split($1, number, "/"); printing = number[1] in failed; lines = 0 }
       printing && ++lines <= 60' "$logs/LastTestsFailed.log" "$logs/LastTest.log"
}
ctest --preset "$preset" -j "$(nproc)" || { code=$?; tell_failures; exit $code; }
