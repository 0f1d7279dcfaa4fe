#!/usr/bin/env bash
# Runs clang-tidy, with the checks of .clang-tidy, on the C++ files of src, include and tests that a change touches: what differs from the
# merge base with origin/main or, where there is none or it is the commit itself, from the commit before. A warning is an error.
# It looks at no more than 20 files and for no more than 5 minutes, and says what that leaves out.
# Usage: tests/tidy.sh [COMMIT]      (the change begins after this commit)
set -euo pipefail
cd "$(dirname "$0")/.."
readonly max_files=20 max_seconds=300 build=build/tidy
say() { echo "tidy: $*"; }

base=${1:-$(git merge-base HEAD origin/main 2>/dev/null || true)}
if [ -z "$base" ] || [ "$(git rev-parse "$base")" = "$(git rev-parse HEAD)" ]; then
  base=$(git rev-parse --verify --quiet "${1:-HEAD~1}") || { say "there is no commit before this one"; exit 0; }
fi

# Unity builds leave no command for a single file, so a build folder without them is configured. Only its one generated header is built.
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None -DALACARTE_UNITY=OFF -DALACARTE_FFTW=ON -DALACARTE_MPI=ON \
  -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null
cmake --build "$build" --target alacarte_build_info >/dev/null

changed() { git diff --name-only --diff-filter=d "$base" -- "$@"; }
# Sources first, which bring their headers; a header is looked at with the command of a file whose name is like its own.
files=()
while IFS= read -r file; do
  [[ $file == *.hpp ]] || grep -qF "\"file\": \"$PWD/$file\"" "$build/compile_commands.json" || continue
  files+=("$file")
done < <(changed 'src/*.cpp' 'tests/*.cpp' && changed 'include/*.hpp' 'src/*.hpp' 'tests/*.hpp')
if [ ${#files[@]} -eq 0 ]; then
  say "no C++ file differs from $(git rev-parse --short "$base")"
  exit 0
fi

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
export results build
# shellcheck disable=SC2016
timeout $max_seconds xargs -P "$(nproc)" -n 1 bash -c '
  name=$results/${0//\//_}
  if clang-tidy -p "$build" --quiet --warnings-as-errors="*" --extra-arg=-Wno-pragma-once-outside-header "$0" >"$name.running" 2>/dev/null; then
    mv "$name.running" "$name.fine"
  else
    mv "$name.running" "$name.bad"
  fi' < <(printf '%s\n' "${files[@]:0:max_files}") || true
shopt -s nullglob
fine=("$results"/*.fine) bad=("$results"/*.bad)
[ ${#bad[@]} -eq 0 ] || cat "${bad[@]}"
say "${#files[@]} C++ files differ from $(git rev-parse --short "$base"): ${#fine[@]} are fine, ${#bad[@]} are not," \
  "$((${#files[@]} - ${#fine[@]} - ${#bad[@]})) were not looked at (at most $max_files files and $((max_seconds / 60)) minutes)"
[ ${#bad[@]} -eq 0 ]
