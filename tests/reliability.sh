#!/usr/bin/env bash
# Runs everything that tries to break the program, part by part. Stores each result as text, with commit and date, in
# experiments/reliability/PART.txt (ALACARTE_RELIABILITY_DIR names another folder); the exit code is 1 if a part fails.
# Usage: tests/reliability.sh [PART..]      without parts: all, which takes a day
#
#   found-once  commands that once broke the program
#   faults      failing allocations, writes, fsync, renames, opens (POINTS=200 places for each scenario and call; 0 = all;
#               SCENARIOS=predict,run: these)
#   disk        full, filling and read-only disks
#   kills       200 units, three runners, kills at random; runs of trainings killed and resumed; TRIALS=50 jobs of several ranks, of
#               which one rank or mpirun is killed
#   slurm       experiments/slurm on a cluster of one node
#   soak        predict for SOAK_SECONDS=3600 with flat memory
#   asan, tsan  the whole suite under AddressSanitizer and UndefinedBehaviorSanitizer, under ThreadSanitizer
#   fuzz        each target (FUZZ_TARGETS='csv npy': these) for FUZZ_SECONDS=3600 of a processor, in slices counted by fuzz.csv, so
#               that interrupted runs continue; tests/fuzz/corpus shrinks to the fewest inputs of equal coverage
#   coverage    lines by room
# PROGRAM and LIBRARY name a built program and build/PRESET/tests/libalacarte_faults.so (default: those of the preset release,
# built if missing); JOBS is the number of concurrent jobs (default: the processors).
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
all=(found-once faults disk kills slurm soak asan tsan fuzz coverage)
parts=("$@")
((${#parts[@]})) || parts=("${all[@]}")
for part in "${parts[@]}"; do
  [[ " ${all[*]} " == *" $part "* ]] || { echo "tests/reliability.sh: '$part' is none of: ${all[*]}" >&2; exit 1; }
done
store=${ALACARTE_RELIABILITY_DIR:-experiments/reliability}
jobs=${JOBS:-$(nproc)}
mkdir -p "$store"

need_program() {
  program=${PROGRAM:-build/release/alacarte} library=${LIBRARY:-build/release/tests/libalacarte_faults.so}
  tests=$(dirname "$program")
  [[ -x $program && -e $library ]] || { cmake --preset release && cmake --build --preset release; } || return 1
}
# suite PRESET ARGUMENT OF CTEST..: builds the preset and runs its tests, all of which must pass.
suite() {
  local preset=$1
  shift
  cmake --preset "$preset" && cmake --build --preset "$preset" && ctest --preset "$preset" -j "$jobs" "$@"
}

part_found_once() { need_program && tests/reliability/found_once.sh "$program"; }
part_faults() { need_program && tests/reliability/faults.py "$program" "$library" --points "${POINTS:-200}" --jobs "$jobs" ${SCENARIOS:+--only "$SCENARIOS"}; }
part_disk() { need_program && tests/reliability/disk.sh "$program"; }
part_kills() {
  need_program && ctest --test-dir "$tests" --output-on-failure --no-tests=error \
    -R '^cli\.(SharedFolder|RunExperiment|Signals)\.|^experiment\.LeasesTest\.' &&
    tests/mpi/kills.sh "$program" "${TRIALS:-50}"
}
part_slurm() { need_program && tests/slurm/run.sh "$program"; }
part_soak() { need_program && tests/reliability/soak.py "$program" "${SOAK_SECONDS:-3600}"; }
part_asan() { suite asan-ubsan; }
part_tsan() { suite tsan; }
part_coverage() { tests/coverage.sh; }

# fuzz_spent NAME COLUMN: the sum of a column of fuzz.csv over the slices of a target.
fuzz_spent() { awk -F, -v name="$1" -v column="$2" '$1 == name { sum += $column } END { print sum + 0 }' "$store/fuzz.csv"; }

# fuzz_slice NAME SECONDS: runs the fuzzer once, then reduces its inputs and the corpus to the fewest with equal edge coverage.
# Named inputs stay. The line in fuzz.csv is written last, so an interrupted slice does not count.
fuzz_slice() {
  local name=$1 fuzzer=$PWD/build/fuzz/tests/fuzz/fuzz_$1 new=$fuzz_folder/$1 corpus=tests/fuzz/corpus/$1 user system
  local TIMEFORMAT='%U %S'
  mkdir -p "$new" "$corpus"
  if ! { time "$fuzzer" -max_total_time="$2" -timeout=60 -rss_limit_mb=4096 -artifact_prefix="$store/fuzz-$name-" "$new" "$corpus" \
    >"$new.log" 2>&1; } 2>"$new.time"; then
    echo "FAILED $name: $(grep -E 'ERROR|SUMMARY|Test unit' "$new.log" | tail -n 3)"
    return 1
  fi
  read -r user system <"$new.time"
  rm -rf "$new.least"
  mkdir "$new.least"
  "$fuzzer" -set_cover_merge=1 -use_counters=0 "$new.least" "$corpus" "$new" >>"$new.log" 2>&1 || {
    echo "FAILED $name: its corpus was not merged: $(tail -n 1 "$new.log")"
    return 1
  }
  # libFuzzer names inputs by their SHA-1.
  local have input
  have=$(find "$corpus" -type f | grep -vE '/[0-9a-f]{40}$' | xargs -r sha1sum)
  for input in "$new.least"/*; do
    grep -q "^$(basename "$input") " <<<"$have" || cp "$input" "$corpus"
  done
  for input in "$corpus"/*; do
    [[ ! $(basename "$input") =~ ^[0-9a-f]{40}$ || -e $new.least/$(basename "$input") ]] || rm "$input"
  done
  echo "$name,$fuzz_commit,$(date -u +%Y-%m-%dT%H:%MZ),$((${user%.*} + ${system%.*})),$(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$new.log"),$(
    find "$corpus" -type f | wc -l)" >>"$store/fuzz.csv"
}

# fuzz_target NAME: runs slices until FUZZ_SECONDS of processor time are used, including earlier runs.
fuzz_target() {
  local name=$1 left
  while left=$((fuzz_seconds - $(fuzz_spent "$name" 4))) && ((left > 0)); do
    fuzz_slice "$name" $((left < 10 ? 10 : left < 300 ? left : 300)) || return 1
  done
  echo "ok $name: $(fuzz_spent "$name" 5) inputs in $(fuzz_spent "$name" 4) s of a processor, $(
    find "tests/fuzz/corpus/$name" -type f | wc -l) kept"
}

part_fuzz() {
  local code
  cmake --preset fuzz && cmake --build --preset fuzz --target fuzzers || return 1
  fuzz_folder=$(mktemp -d) fuzz_seconds=${FUZZ_SECONDS:-3600} fuzz_commit=$(git rev-parse --short HEAD)
  [ -e "$store/fuzz.csv" ] || echo "target,commit,date,seconds,inputs,kept" >"$store/fuzz.csv"
  export fuzz_folder fuzz_seconds fuzz_commit store
  export -f fuzz_target fuzz_slice fuzz_spent
  for target in tests/fuzz/fuzz_*.cpp; do
    target=$(basename "$target" .cpp)
    [[ -n ${FUZZ_TARGETS:-} && " $FUZZ_TARGETS " != *" ${target#fuzz_} "* ]] || echo "${target#fuzz_}"
  done | xargs -P "$jobs" -I{} bash -c 'fuzz_target {}'
  code=$?
  rm -rf "$fuzz_folder"
  return $code
}

failed=()
for part in "${parts[@]}"; do
  file=$store/$part.txt
  {
    echo "part: $part"
    echo "command: tests/reliability.sh $part${POINTS:+, POINTS=$POINTS}${SCENARIOS:+, SCENARIOS=$SCENARIOS}${SOAK_SECONDS:+, SOAK_SECONDS=$SOAK_SECONDS}${FUZZ_SECONDS:+, FUZZ_SECONDS=$FUZZ_SECONDS}${FUZZ_TARGETS:+, FUZZ_TARGETS=$FUZZ_TARGETS}"
    echo "commit: $(git rev-parse HEAD)$(git diff --quiet HEAD -- src include tests || echo ", with changes")"
    echo "date: $(date -u +%Y-%m-%dT%H:%MZ), $(nproc) processors"
    echo
  } >"$file"
  began=$SECONDS
  # The result must not contain the repository's path.
  "part_${part//-/_}" 2>&1 | tee >(sed -u "s|$PWD/||g" >>"$file")
  code=${PIPESTATUS[0]}
  case $code in
    0) verdict=passed ;;
    77) verdict="skipped" ;;
    *) verdict="FAILED (exit code $code)" failed+=("$part") ;;
  esac
  sleep 0.2 # waits for tee's other reader
  printf '\nverdict: %s after %d s\n' "$verdict" $((SECONDS - began)) | tee -a "$file"
done
((${#failed[@]} == 0)) || { echo "failed: ${failed[*]}" >&2; exit 1; }
