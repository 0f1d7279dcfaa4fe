#!/usr/bin/env bash
# Installs a finished build into a scratch folder, then builds and runs projects that find it with find_package(alacarte): the
# consumer beside this file, which also compiles each public header by itself, and the examples.
# Usage: tests/install/run.sh BUILD_DIR CXX_COMPILER [FLAGS]
set -euo pipefail
source_dir=$(cd "$(dirname "$0")" && pwd)
build_dir=$1
compiler=$2
flags=${3:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# build NAME FOLDER: the project FOLDER in $scratch/NAME, with working directory $scratch/NAME.run.
build() {
  cmake -S "$2" -B "$scratch/$1" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_CXX_FLAGS="$flags" >/dev/null
  cmake --build "$scratch/$1"
  mkdir "$scratch/$1.run"
  cd "$scratch/$1.run"
}

# expect TEXT COMMAND..: the command succeeds, and TEXT (an extended regular expression) is in what it prints.
expect() {
  local text=$1 output
  shift
  output=$("$@") || { echo "$* failed" >&2; exit 1; }
  echo "$output"
  grep -qE "$text" <<<"$output" || { echo "$*: there is no '$text' in its output" >&2; exit 1; }
}

cmake --install "$build_dir" --prefix "$scratch/prefix" >/dev/null
"$scratch/prefix/bin/alacarte" --version

build consumer "$source_dir/consumer"
../consumer/consumer
[ "$(../consumer/ten_lines | wc -l)" = 5 ] || { echo "ten_lines does not print five rows" >&2; exit 1; }

build examples "$source_dir/../../examples"
expect '^400 rows are in predictions.csv' ../examples/regression_from_file
expect '^accuracy 0\.[89]|^accuracy 1' ../examples/classification
expect 'new rows 0\.[23]' ../examples/out_of_core
expect '^0\.[0-9]+ \+- ' ../examples/server_loop <<<"0.1 0.2"
