#!/usr/bin/env bash
# Installs what is missing, builds and runs the tests. On a fresh Debian 12 machine this is all there is to do.
# Usage: tests/run.sh [PRESET]      (release, dev, asan-ubsan, tsan, coverage; default dev)
# With ALACARTE_PYTHON=1 in the environment also the Python package.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-dev}

python=${ALACARTE_PYTHON:-0}
options=(-DALACARTE_PYTHON="$python")
if [ "$python" = 0 ]; then
  experiments/setup.sh
else
  experiments/setup.sh --python
  # What was installed is of the system's interpreter, whatever comes first on the path.
  options+=(-DPython3_EXECUTABLE=/usr/bin/python3)
fi
tests/check_includes.sh
tests/check_threads.sh
cmake --preset "$preset" "${options[@]}"
cmake --build --preset "$preset"
ctest --preset "$preset" -j "$(nproc)"
