#!/usr/bin/env bash
# experiments/slurm on a Slurm cluster of one node that this test starts in a temporary folder: an array and workers
# share the units of an experiment, are warned, cancelled and killed, and each unit is counted once.
# Exits with 77 and a reason if no cluster can be started. Usage: tests/slurm/run.sh PROGRAM
# shellcheck disable=SC2016 # eval expands
set -uo pipefail
program=$(realpath "${1:?usage: tests/slurm/run.sh PROGRAM}")
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/slurm/cluster.sh
. "$root/tests/slurm/cluster.sh"
# shellcheck source=tests/support/expect.sh
. "$root/tests/support/expect.sh"
lacks=$(cluster_lacks)
[ -z "$lacks" ] || { echo "skipped: $lacks"; exit 77; }
scratch=$(mktemp -d)
finish() {
  stop_cluster
  rm -rf "$scratch"
}
trap finish EXIT
cd "$scratch" || exit 1
start_cluster "$scratch/cluster" || { echo "skipped: slurmctld and slurmd do not start here"; exit 77; }
export ALACARTE=$program

# submit SCRIPT OPTION.. -- ARGUMENT..: prints the number of the job.
submit() {
  local script=$1 options=()
  shift
  while [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  shift
  sbatch --parsable --chdir="$scratch" --cpus-per-task=1 --oversubscribe "${options[@]}" "$root/experiments/slurm/$script" "$@"
}

# until_true SECONDS COMMAND..
until_true() {
  local seconds=$1
  shift
  for _ in $(seq $((seconds * 10))); do
    ! "$@" || return 0
    sleep 0.1
  done
  return 1
}
over() { ! squeue -h -j "$1" 2>/dev/null | grep -q .; }
running() { [ "$(squeue -h -t R -j "$1" 2>/dev/null | wc -l)" -ge "$2" ]; }
results() { find "$1/results" -name '*.json' 2>/dev/null | wc -l; }
leases() { find "$1/leases" -type f 2>/dev/null | wc -l; }
has_results() { [ "$(results "$1")" -ge "$2" ]; }
has_leases() { [ "$(leases "$1")" -ge "$2" ]; }
# nothing_left DIR: succeeds if there are no leases and no files of runners.
nothing_left() {
  [ -z "$(find "$1/leases" "$1/runners" -mindepth 1)" ] && [ -z "$(find "$1" -name "*.tmp")" ] && return
  find "$1/leases" "$1/runners" -mindepth 1
  tail -n 3 alacarte-"$job"*.log
  return 1
}
# counted_once N LOG..: succeeds if N units were reported done, each once.
counted_once() {
  local wanted=$1
  shift
  cat "$@" | grep '"event":"unit"' | grep -o '"unit":"[^"]*"' | sort | uniq -c | awk -v n="$wanted" '$1 != 1 {bad = 1} END {exit bad || NR != n}'
}
exit_codes() { scontrol show job "$1" | grep -o 'ExitCode=[0-9:]*' | sort -u | tr '\n' ' '; }
exit_codes_are() { [ "$(exit_codes "$1")" = "ExitCode=$2 " ]; }

"$program" generate friedman1 --rows 100 --out toy.csv --quiet || exit 1
cat >units.json <<'END'
{"name": "units", "datasets": [{"file": "toy.csv", "folds": 60}], "recipes": [{"baseline": "mean"}]}
END
cat >endless-recipe.json <<'END'
{"model": "ssgpr", "features": {"frequencies": 2000}, "priors": false,
 "training": {"starts": 1, "iterations": 100000, "gradient_tolerance": 1e-300, "objective_tolerance": 0}}
END
sed 's/"units"/"endless"/; s/60/4/; s/"baseline": "mean"/"recipe": "endless-recipe.json"/' units.json >endless.json
cat >short-recipe.json <<'END'
{"model": "ssgpr", "features": {"frequencies": 200},
 "training": {"starts": 1, "iterations": 200, "gradient_tolerance": 1e-300, "objective_tolerance": 0}}
END
sed 's/"units"/"short"/; s/60/8/; s/"baseline": "mean"/"recipe": "short-recipe.json"/' units.json >short.json

job=$(submit array.sh --array=1-3 -- units.json array)
expect "an array of three tasks ends" until_true 60 over "$job"
expect "its 60 units have results" test "$(results array)" = 60
expect "each is counted once" counted_once 60 alacarte-"$job"_*.log
expect "it leaves no lease and no file of a runner" nothing_left array
expect "its exit codes are 0: $(exit_codes "$job")" exit_codes_are "$job" 0:0

job=$(submit workers.sh --ntasks=2 -- units.json workers --jobs 2)
expect "a job of two workers ends" until_true 60 over "$job"
expect "its 60 units have results" test "$(results workers)" = 60
expect "each is counted once" counted_once 60 "alacarte-$job.log"
expect "it leaves no lease and no file of a runner" nothing_left workers

job=$(submit array.sh --array=1-2 -- endless.json cancelled)
expect "two tasks have a unit each" until_true 30 has_leases cancelled 2
scancel "$job"
expect "they end when they are cancelled" until_true 20 over "$job"
expect "their units are given back" nothing_left cancelled
expect "and have no results" test "$(results cancelled)" = 0

job=$(ALACARTE_REQUEUE=1 submit array.sh --array=1 -- short.json warned)
expect "a task has a unit" until_true 30 has_leases warned 1
scancel --signal=USR1 --batch "${job}_1"
expect "it is queued again after the warning" until_true 20 grep -q 'no further unit was begun' "alacarte-${job}_1.log"
expect "the unit that it had begun is done, the others are not" eval '[ "$(results warned)" = 1 ] && nothing_left warned'
expect "it goes on and ends" until_true 200 over "$job"
expect "all 8 units are done" test "$(results warned)" = 8
expect "each is counted once" counted_once 8 "alacarte-${job}_1.log"

job=$(submit workers.sh --ntasks=2 -- endless.json steps)
expect "two workers have a unit each" until_true 30 has_leases steps 2
scancel --signal=USR1 "$job"
sleep 1
expect "after the warning they go on with what they have" has_leases steps 2
scancel --signal=TERM "$job"
expect "SIGTERM ends them" until_true 20 over "$job"
expect "both had been warned" eval '[ "$(grep -c "warned of the time limit" "alacarte-$job.log")" = 2 ]'
expect "their units are given back" nothing_left steps
expect "the exit code is 130: $(exit_codes "$job")" exit_codes_are "$job" 130:0

# The lease of a unit names the process of its runner.
job=$(submit array.sh --array=1-2 -- short.json killed)
expect "two tasks have a unit each" until_true 30 has_leases killed 2
lease=$(find killed/leases -type f | head -n 1)
kill -KILL "$(sed -E 's/.*-([0-9]+)-[0-9a-f]{16}\/.*/\1/' "$lease")"
expect "the other task completes what a killed one had" eval 'until_true 60 over "$job" && [ "$(results killed)" = 8 ]'
expect "each is counted once" counted_once 8 alacarte-"$job"_*.log
expect "nothing is left" nothing_left killed

((failures == 0))
