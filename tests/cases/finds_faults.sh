#!/usr/bin/env bash
# Checks that run.py tells right from wrong: cases that hold, that do not, that are known to fail and that are wrongly said to.
# Usage: tests/cases/finds_faults.sh PROGRAM
set -euo pipefail
cd "$(dirname "$0")"
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bad=0

# expect CODE TEXT [MEMBERS]: one case with these further members must end with this code and print this text.
expect() {
  local code=$1 text=$2 members=${3:-} got=0
  cat >"$folder/line.json" <<JSON
{"source": "none", "recipe": "exact-linear", "rows": 30, "columns": {"x": "i", "f": "2 * x", "y": "f + normal(0.1)"}, "hidden": ["f"],
 "tables": {"new": {"rows": 30}}, $members}
JSON
  ./run.py --program "$program" --folder "$folder" >"$folder/said" 2>&1 || got=$?
  if [ $got != "$code" ] || ! grep -qF "$text" "$folder/said"; then
    echo "$members: exit code $got, not $code with '$text':" >&2
    cat "$folder/said" >&2
    bad=1
  fi
}

readonly right='"expect": [{"check": "rmse", "max": 0.2}, {"check": "coverage", "min": 0.8}]'
readonly knows='"expect": [{"check": "coverage_excess", "knows": ["x"], "min": -0.1, "max": 0.1}]'
readonly wrong='"expect": [{"check": "rmse", "min": 1}]'
expect 0 "0 unexpected" "$right"
expect 1 "FAILS line/exact-linear  seed 0  rmse" "$wrong"
expect 77 "fails as it is known to: a reason" "$wrong, \"fails_today\": \"a reason\""
expect 77 "fails as it is known to: a reason" "$wrong, \"fails_today\": {\"exact-*\": \"a reason\"}"
expect 1 "line/exact-linear fails" "$wrong, \"fails_today\": {\"gm\": \"a reason\"}"
expect 1 "remove its mark" "$right, \"fails_today\": \"a reason\""
expect 1 "exit 2, required 0" "$right, \"options\": [\"--set\", \"/no/key=1\"]"
expect 0 "exit 2, required 2" '"options": ["--set", "/no/key=1"], "exit": 2, "expect": [{"check": "warns", "text": "unknown key", "min": 1}]'
expect 1 "required at most 0" "$right, \"seconds\": 1e-9"
expect 1 "seasons 0, required at least 1" '"expect": [{"check": "seasons", "min": 1}]'
expect 0 "0 unexpected" "$knows"
expect 1 "FAILS line/exact-linear  seed 0  coverage_excess" "$knows, \"options\": [\"--set\", \"/noise/sd=0.01\", \"--set\", \"/noise/trained=false\"]"
expect 1 "mean of rmse" '"seeds": 5, "expect": [{"check": "rmse", "max": 0.2, "mean": {"max": 1e-9}}]'
expect 1 "unknown: check rnse" '"expect": [{"check": "rnse", "max": 1}]'
expect 1 "unknown: expected" "$right, \"expected\": []"
expect 1 "neither min nor max" '"expect": [{"check": "rmse"}]'
exit $bad
