#!/usr/bin/env bash
# Runs the program, CatBoost, LightGBM and histogram boosting on the tables of $ALACARTE_DATA_DIR/tables, one at a time, and appends each
# result to results.csv beside this script; what is there is not run again. A table takes at most half a minute. A run without options
# then writes the line of results.csv in experiments/provenance.csv.
# Usage: experiments/tables/run.sh [PROGRAM] [OPTION ..]      PROGRAM: of a clean checkout of HEAD (default: build/release/alacarte)
#   OPTIONS are those of tables.py, such as --only NAME .., --seconds 5, --threads 2, --folder DIR --out OUT.csv
#   ALACARTE_TABLES_ENV=FOLDER   virtual environment of the peers (default: build/tables-environment); made where it is missing
set -euo pipefail
cd "$(dirname "$0")/../.."
here=experiments/tables
program=build/release/alacarte
if [ $# -gt 0 ] && [[ $1 != -* ]]; then
  program=$1
  shift
fi
[ -x "$program" ] || { echo "run.sh: there is no program $program" >&2; exit 1; }
environment=${ALACARTE_TABLES_ENV:-build/tables-environment}
python=$environment/bin/python
# The copy of the requirements is made last, so that an installation that was interrupted begins again.
if ! cmp -s "$here/requirements.txt" "$environment/requirements.txt"; then
  python3=/usr/bin/python3
  [ -x "$python3" ] || python3=python3
  "$python3" -m venv "$environment"
  "$python" -m pip install --quiet --disable-pip-version-check -r "$here/requirements.txt"
  cp "$here/requirements.txt" "$environment/requirements.txt"
fi
nice -n 10 "$here/tables.py" --run "$program" --python "$python" "$@"
if [ $# -eq 0 ]; then
  "$here/tables.py" --store
  "$here/tables.py" --counts
fi
