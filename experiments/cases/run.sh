#!/usr/bin/env bash
# Runs all cases of tests/cases with five seeds each and stores what was measured in cases.csv beside this script, with its line in
# experiments/provenance.csv. Takes an hour on one core.
# Usage: experiments/cases/run.sh [PROGRAM]      PROGRAM: of a clean checkout of HEAD (default: build/release/alacarte)
#   SEEDS=5  seeds of each case
#   CASE=..  only these (NAME or NAME/VARIANT, with * and ?), for a trial: prints and stores nothing
set -euo pipefail
cd "$(dirname "$0")/../.."
program=${1:-build/release/alacarte} seeds=${SEEDS:-5}
if [ -n "${CASE:-}" ]; then
  exec tests/cases/run.py --program "$program" --seeds "$seeds" --case "$CASE"
fi
results=$(mktemp)
trap 'rm -f "$results"' EXIT
code=0
tests/cases/run.py --program "$program" --seeds "$seeds" --json "$results" || code=$?
# 1 and 77 are results, too: cases that do not hold.
[[ $code =~ ^(0|1|77)$ && -s $results ]] || exit 1
experiments/cases/cases.py --store "$results" --seeds "$seeds"
