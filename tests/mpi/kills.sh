#!/usr/bin/env bash
# Kills a rank, or mpirun, with -9 at random times after the ranks have joined: the job must end within seconds and leave no
# model, and --resume must reach the optimum of one process with any number of ranks. Usage: tests/mpi/kills.sh PROGRAM [TRIALS]
set -euo pipefail
program=$(realpath "$1")
trials=${2:-50}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
RANDOM=${SEED:-1}
"$program" generate friedman1 --rows 3000 --seed 1 --out f.csv --quiet
"$program" convert f.csv --out f.rows --quiet
cat >r.json <<'JSON'
{"model": "ard", "features": {"frequencies": 128}, "noise": {"prior_center": "fixed"},
 "training": {"starts": 2, "probe_iterations": 5, "iterations": 400, "objective_tolerance": 0, "gradient_tolerance": 1e-6}}
JSON
objective() { sed -n 's/.*"objective":\([-0-9.e+]*\).*"event":"fitted".*/\1/p; s/.*"event":"fitted".*"objective":\([-0-9.e+]*\).*/\1/p' "$1" | head -1; }
train() { "$program" train r.json --data f.rows --model m --threads 1 --log json "$@"; }
train 2>one.log
rm m
killed=0 longest=0 jobs=0 hung=0 missed=0
while [ $killed -lt "$trials" ]; do
  ranks=$((2 + RANDOM % 3))
  mpirun --bind-to none -np $ranks "$program" train r.json --data f.rows --model m --threads 1 --log json \
    --checkpoint state --resume >out.log 2>&1 &
  launcher=$!
  for _ in $(seq 300); do ! grep -q '"plan"' out.log && [ -e /proc/$launcher ] && sleep 0.1 || break; done
  sleep "$((RANDOM % 2)).$((RANDOM % 10))"
  victims=($(pgrep -f "^$program train r.json.*--checkpoint state" || true) $launcher)
  victim=${victims[RANDOM % ${#victims[@]}]}
  # Kills only this script's processes, which run in its folder.
  sent=0
  if [ "$(readlink "/proc/$victim/cwd" 2>/dev/null)" = "$folder" ]; then kill -9 "$victim" 2>/dev/null && sent=1; fi
  began=$(date +%s)
  # OpenMPI 4.1's mpirun may wait forever (a futex) after its ranks have ended if one was killed at its start.
  while [ -e /proc/$launcher ] && [ "$(ps -o stat= -p $launcher | cut -c1)" != Z ]; do
    if [ $(($(date +%s) - began)) -ge 20 ] && ! pgrep -f "^$program train r.json.*--checkpoint state" >/dev/null; then
      hung=$((hung + 1))
      kill -9 $launcher
      break
    fi
    sleep 0.2
  done
  code=0
  wait $launcher 2>/dev/null || code=$?
  while pgrep -f "^$program train r.json.*--checkpoint state" >/dev/null; do
    [ $(($(date +%s) - began)) -lt 30 ] || { echo "ranks still run 30 s after the kill of $victim" >&2; exit 1; }
    sleep 0.2
  done
  took=$(($(date +%s) - began))
  if [ $code -eq 0 ]; then  # finished before the kill: restart
    "$program" inspect m >/dev/null
    echo "finished: $(objective out.log), one process $(objective one.log)"
    jobs=$((jobs + 1))
    python3 -c "import sys; a, b = map(float, sys.argv[1:]); sys.exit(abs(a - b) > 1e-4 * abs(b))" "$(objective out.log)" "$(objective one.log)"
    rm -f m state
    continue
  fi
  # Exit codes of the program itself: a failed start, or a refused checkpoint.
  if [ $code -le 5 ] || [ $code -eq 70 ] || [ $code -eq 130 ]; then
    echo "the job ended by itself with exit code $code: $(tail -n 3 out.log)" >&2
    exit 1
  fi
  if [ $sent -eq 0 ]; then
    missed=$((missed + 1))
    [ $missed -le "$trials" ] || { echo "no kill reached a process" >&2; exit 1; }
    continue
  fi
  killed=$((killed + 1))
  [ $took -le $longest ] || [ $took -ge 20 ] || longest=$took
  # A kill between the model's rename and the end leaves a whole model.
  if [ -e m ]; then "$program" inspect m >/dev/null && echo "killed after the model was saved, whole" && rm -f m state; fi
done
mpirun --bind-to none -np 3 "$program" train r.json --data f.rows --model m --threads 1 --log json --checkpoint state --resume >out.log 2>&1
"$program" inspect m >/dev/null
python3 -c "import sys; a, b = map(float, sys.argv[1:]); sys.exit(abs(a - b) > 1e-4 * abs(b))" "$(objective out.log)" "$(objective one.log)"
echo "$killed jobs killed ($hung times mpirun waited for ever after its ranks had ended), all ended within $longest s; $((jobs + 1)) finished, the last at $(objective out.log); one process: $(objective one.log)"
