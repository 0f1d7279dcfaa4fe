#!/usr/bin/env bash
# An experiment as one Slurm job of several workers: srun starts a runner for each task, on all nodes of the job, over one
# shared folder.
#
#   sbatch --ntasks=8 --cpus-per-task=4 --time=4:00:00 experiments/slurm/workers.sh EXPERIMENT DIR [OPTION OF alacarte run]..
#
# DIR lies on a file system that all nodes see. ALACARTE names the program (default: alacarte on the PATH).
#SBATCH --job-name=alacarte
#SBATCH --output=alacarte-%j.log
#SBATCH --open-mode=append
#SBATCH --signal=USR1@300
#SBATCH --requeue
set -u
(($# >= 2)) || { echo "usage: sbatch --ntasks=N workers.sh EXPERIMENT DIR [OPTION].." >&2; exit 1; }
experiment=$1 dir=$2
shift 2

# Given options replace these defaults.
[[ " $* " == *" --jobs"[\ =]* ]] || set -- --jobs "${SLURM_CPUS_PER_TASK:-1}" "$@"
[[ " $* " == *" --log"[\ =]* ]] || set -- --log json "$@"
# A failing worker must not end the others, which take over its units. SIGUSR1 goes to the workers, not to this shell.
exec srun --kill-on-bad-exit=0 --wait=0 --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" \
  "${ALACARTE:-alacarte}" run "$experiment" --out "$dir" "$@"
