#!/usr/bin/env bash
# Runs train, predict and run on full, filling and read-only disks (in-memory file systems in a private mount namespace) and under
# a file-size limit: they end with exit code 4 and one line, and leave existing files, also on one of several ranks if mpirun is
# installed. Exits with 77 and a reason if mounting is not allowed.
# Usage: tests/reliability/disk.sh PROGRAM
# shellcheck disable=SC2016 # eval expands
set -uo pipefail
program=$(realpath "${1:?usage: tests/reliability/disk.sh PROGRAM}")
# shellcheck source=tests/support/expect.sh
. "$(dirname "$0")/../support/expect.sh"
if [ "${2:-}" != inside ]; then
  unshare --user --map-root-user --mount true 2>/dev/null || { echo "skipped: no mount name space can be made here (unshare)"; exit 77; }
  exec unshare --user --map-root-user --mount --propagation private "$0" "$program" inside
fi
scratch=$(mktemp -d)
trap 'cd /; umount -l "$scratch"/disk "$scratch"/fixed 2>/dev/null; rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
mkdir disk fixed
if ! { mount -t tmpfs -o size=1m none disk && mount -t tmpfs -o size=4m none fixed; }; then
  echo "skipped: tmpfs cannot be mounted here"
  exit 77
fi
explain() { echo ": exit code ${code:-?}, standard error: $(tail -n 3 err 2>/dev/null)"; }
run() {
  timeout --signal=KILL 60 "$program" "$@" >out 2>err
  code=$?
}
refused() { [[ $code == "$1" && $(wc -l <err) == 1 ]] && grep -q -- "$2" err && [ -z "$(find disk fixed -name '*.tmp')" ]; }
fill() { head -c 100000000 /dev/zero >disk/ballast 2>/dev/null || true; }
free() { rm -f disk/ballast; }
# leave BYTES: frees that many on an otherwise full disk.
leave() { fill && truncate -s -"$1" disk/ballast; }
whole_results() { python3 -c 'import json, pathlib; [json.loads(p.read_text()) for p in pathlib.Path("disk/results/results").glob("*.json")]'; }

"$program" generate friedman1 --rows 200 --out f.csv --quiet || exit 1
"$program" generate friedman1 --rows 20000 --out long.csv --quiet || exit 1
"$program" train linear --data f.csv --model x.model --quiet || exit 1
quick=(--threads 1 --quiet --set /training/iterations=3 --set /training/starts=1 --set /features/frequencies=16 --set /copies=1)
cat >units.json <<'END'
{"name": "units", "datasets": [{"file": "f.csv", "folds": 100}], "recipes": [{"baseline": "mean"}]}
END
cp x.model disk/old.model
full='No space left on device'

fill
run train linear --data f.csv --model disk/new.model --quiet
expect "train: a full disk is told" refused 4 "$full"
run train linear --data f.csv --model disk/old.model --quiet
expect "train: the old model stays" eval 'refused 4 "$full" && cmp -s x.model disk/old.model'
run train gm --data f.csv --model y.model --checkpoint disk/state "${quick[@]}"
expect "train: a full disk under the checkpoint is told" eval '[[ $code == 0 && ! -e disk/state ]] && grep -q "no checkpoint: .*$full" err'
run train gm --data f.csv --model disk/new.model --checkpoint disk/state "${quick[@]}"
expect "train: a full disk under checkpoint and model is told in one line" refused 4 "model: .*$full"
: >err
"$program" train gm --data long.csv --model y.model --checkpoint disk/state --threads 1 --quiet 2>err &
for ((second = 0; second < 60; ++second)); do
  [[ -s err ]] && break
  sleep 1
done
expect "train: a full disk under the checkpoint is told while a long training goes on" eval \
  'grep -q "no checkpoint: .*$full" err && kill -0 $!'
kill -KILL $! 2>/dev/null
wait 2>/dev/null
run predict x.model --data f.csv --out disk/p.csv --quiet
expect "predict: a full disk is told" eval 'refused 4 "$full" && [[ ! -e disk/p.csv ]]'
run convert f.csv --out disk/f.rows --quiet
expect "convert: nothing is written" eval '[[ $code != 0 && ! -e disk/f.rows ]]'
run run units.json --out disk/results --jobs 2 --quiet
expect "run: a full disk is told" refused 4 "$full"
free

leave 8192
run train gm --data f.csv --model disk/new.model "${quick[@]}"
expect "train: a disk that fills up is told" eval 'refused 4 "$full" && [[ ! -e disk/new.model ]]'
free

rm -rf disk/results
leave 200000
run run units.json --out disk/results --jobs 2 --quiet
expect "run: a disk that fills up is told" eval '[[ $code == 4 ]] && grep -q "$full" err'
expect "run: what it has is whole" whole_results
expect "run: it has given its units back" eval '[ -z "$(find disk/results/leases disk/results/runners -mindepth 1)" ]'
free
run run units.json --out disk/results --jobs 2
expect "run: with room again it goes on and ends" eval '[[ $code == 0 ]] && grep -q "100 of 100 units done, 0 failed" err'

"$program" run units.json --out fixed/results --only ,,0 --quiet
cp x.model fixed/old.model
mount -o remount,ro fixed
read_only='Read-only file system'
for model in new old; do
  run train linear --data f.csv --model fixed/$model.model --quiet
  expect "train: a read-only folder is told ($model)" refused 4 "$read_only"
done
run train gm --data f.csv --model y.model --checkpoint fixed/state "${quick[@]}"
expect "train: a read-only folder of the checkpoint is told" refused 4 "$read_only"
run run units.json --out fixed/results --quiet
expect "run: a read-only folder is told" refused 4 "$read_only"
run run units.json --out fixed/results --only ,,0 --quiet
expect "run: also when nothing is missing" refused 4 "$read_only"
run report fixed/results --format md
expect "report: a read-only folder is told" refused 4 "$read_only"

# Uses two ranks. OpenMPI adds its own lines to the program's one.
ranks() {
  timeout --signal=KILL 60 mpirun --bind-to none -np 2 "$program" "$@" >out 2>err
  code=$?
}
all_refused() { [[ $code == "$1" && $(grep -c '^alacarte: error: ' err) == 1 ]] && grep -q -- "^alacarte: error: .*$2" err; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
if command -v mpirun >/dev/null && ranks train --data none --model none && ! grep -q "built without MPI" err; then
  "$program" convert f.csv --parts 2 --out 'part-*.rows' --quiet
  fill
  ranks train linear --data 'part-*.rows' --model disk/new.model --quiet
  expect "ranks: a full disk under the model is told" eval 'all_refused 4 "$full" && [[ ! -e disk/new.model ]]'
  mkdir -p room
  ln -sfn "$PWD/room" out-1
  ln -sfn "$PWD/disk" out-2
  ranks predict x.model --data 'part-*.rows' --out 'out-*/p.csv' --quiet
  expect "ranks: a full disk under one of them is told" eval 'all_refused 4 "$full" && [[ ! -e disk/p.csv ]]'
  expect "ranks: what another has written is whole" eval '[[ ! -e room/p.csv || $(wc -l <room/p.csv) == 101 ]]'
  free
  # Uses rows that are read again in every pass, since they do not fit, and vanish after some passes.
  "$program" generate friedman1 --rows 60000 --out large.csv --quiet
  "$program" convert large.csv --parts 2 --out 'large-*.rows' --quiet
  echo '{"model": "ssgpr", "features": {"frequencies": 32}, "noise": {"prior_center": "fixed"}, "priors": false,
         "training": {"starts": 1, "iterations": 100000, "objective_tolerance": 0, "gradient_tolerance": 1e-300}}' >endless.json
  endless=(train endless.json --data 'large-*.rows' --model m --threads 1 --log json)
  ranks "${endless[@]}" --memory-limit 1MB
  ranks "${endless[@]}" --memory-limit "$(sed -n 's/.*smallest that works is \([0-9]*\)MB.*/\1/p' err | head -n 1)MB" &
  job=$!
  while [[ -e /proc/$job ]] && ! grep -q '"progress"' err; do sleep 0.1; done
  truncate -s 1000000 large-2.rows
  wait "$job"
  expect "ranks: rows that vanish under one of them are told" eval 'grep -q "large-2.rows" err && [[ ! -e m ]]'
else
  echo "skipped: several ranks (no mpirun, or a program without MPI)"
fi

for kind in "train linear --data f.csv --model new.model" "predict x.model --data f.csv --out new.csv"; do
  # shellcheck disable=SC2086
  (ulimit -f 1 && exec "$program" $kind --quiet) >out 2>err
  code=$?
  expect "${kind%% *}: a limit of the size of files is told" eval 'refused 4 "File too large" && [ -z "$(compgen -G "new.*")" ]'
done
((failures == 0))
