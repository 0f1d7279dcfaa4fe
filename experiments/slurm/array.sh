#!/usr/bin/env bash
# An experiment as a Slurm array: every task is a runner that takes units from one shared folder until none is left, so
# their number decides nothing but how many work at a time. Before the time limit a task completes what it has begun and
# gives the rest back; killed ones are taken over.
#
#   sbatch --array=1-8 --cpus-per-task=4 --time=4:00:00 experiments/slurm/array.sh EXPERIMENT DIR [OPTION OF alacarte run]..
#
# DIR lies on a file system that all nodes see. ALACARTE names the program (default: alacarte on the PATH). With
# ALACARTE_REQUEUE=1 a task that its time limit stopped is queued again.
#SBATCH --job-name=alacarte
#SBATCH --output=alacarte-%A_%a.log
#SBATCH --open-mode=append
#SBATCH --signal=B:USR1@300
#SBATCH --requeue
set -u
(($# >= 2)) || { echo "usage: sbatch --array=1-N array.sh EXPERIMENT DIR [OPTION].." >&2; exit 1; }
experiment=$1 dir=$2
shift 2

# Given options replace these defaults.
[[ " $* " == *" --jobs"[\ =]* ]] || set -- --jobs "${SLURM_CPUS_PER_TASK:-1}" "$@"
[[ " $* " == *" --log"[\ =]* ]] || set -- --log json "$@"
results() { find "$dir/results" -name '*.json' 2>/dev/null | wc -l; }
before=$(results)
# Without srun, Slurm signals this shell; it passes the signals to the runner, and the runner's exit code on.
"${ALACARTE:-alacarte}" run "$experiment" --out "$dir" "$@" &
runner=$! warned=0
# shellcheck disable=SC2317 # called by traps
hand_on() { kill -"$1" "$runner" 2>/dev/null; }
trap 'warned=1; hand_on USR1' USR1
trap 'hand_on TERM' TERM
trap 'hand_on INT' INT
while :; do
  wait "$runner"
  code=$?
  # A trapped signal also ends wait, while the runner continues.
  if ((code <= 128)) || ! kill -0 "$runner" 2>/dev/null; then break; fi
done
# Queues a task stopped by the time limit again, unless a unit takes longer than the limit: it would never progress.
if ((code == 130 && warned)) && [ -n "${ALACARTE_REQUEUE:-}" ]; then
  (($(results) > before)) || { echo "array.sh: no unit was done within the time limit; not queued again" >&2; exit "$code"; }
  scontrol requeue "${SLURM_ARRAY_JOB_ID:+${SLURM_ARRAY_JOB_ID}_}${SLURM_ARRAY_TASK_ID:-$SLURM_JOB_ID}"
fi
exit "$code"
