#!/usr/bin/env bash
# Installs a finished build into a scratch folder, then builds and runs a project that finds it with find_package(alacarte).
# Usage: tests/install/run.sh BUILD_DIR CXX_COMPILER
set -euo pipefail
source_dir=$(cd "$(dirname "$0")" && pwd)
build_dir=$1
compiler=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build_dir" --prefix "$scratch/prefix" >/dev/null
cmake -S "$source_dir/consumer" -B "$scratch/consumer" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_CXX_FLAGS="${3:-}" >/dev/null
cmake --build "$scratch/consumer"
(cd "$scratch" && consumer/consumer)

"$scratch/prefix/bin/alacarte" --version
