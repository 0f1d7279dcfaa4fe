#!/usr/bin/env bash
# Installs what is missing, builds and runs the tests. On a fresh Debian 12 machine this is all there is to do.
# Usage: tests/run.sh [PRESET]      (release, dev, asan-ubsan, tsan, coverage; default dev)
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-dev}

experiments/setup.sh
tests/check_includes.sh
tests/check_threads.sh
cmake --preset "$preset"
cmake --build --preset "$preset"
ctest --preset "$preset" -j "$(nproc)"
