#!/usr/bin/env bash
# Trains and scores one recipe on the folds of one data set of ALACARTE_DATA_DIR; one JSON file a fold, so that a run
# that was stopped goes on where it was. Prints mean and standard deviation (ddof 1) over the folds that are done.
# Usage: experiments/uci-folds/run.sh DATASET RECIPE RESULTS_FOLDER [FOLDS (default 0-9, as "0 1 2")] [JOBS (default 2)]
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
alacarte=${ALACARTE:-$root/build/release/alacarte}
dataset=$1
recipe=$2
folder=$3/$(basename "$dataset")-$(tr / - <<<"$recipe")
read -ra folds <<<"${4:-0 1 2 3 4 5 6 7 8 9}"
jobs=${5:-2}
: "${ALACARTE_DATA_DIR:?set ALACARTE_DATA_DIR to the folder that holds uci/}"
mkdir -p "$folder"

one_fold() {
  local fold=$1 model
  [ -s "$folder/$fold.json" ] && return 0
  model=$(mktemp "$folder/model.XXXXXX")
  "$alacarte" train "$recipe" --data "$dataset" --fold "$fold" --model "$model" --seed "$fold" --threads 1 --quiet
  "$alacarte" evaluate "$model" --data "$dataset" --fold "$fold" --threads 1 --quiet >"$folder/$fold.tmp"
  "$alacarte" inspect "$model" --json >"$folder/$fold.inspect.json"
  mv "$folder/$fold.tmp" "$folder/$fold.json"
  rm -f "$model"
}
export -f one_fold
export alacarte dataset recipe folder
printf '%s\n' "${folds[@]}" | xargs -P "$jobs" -I{} bash -c 'set -euo pipefail; one_fold {}'

field() { grep -ohE "\"$1\": ?-?[0-9][^,} ]*" "$2" | head -n 1 | sed -E 's/.*: ?//'; }
for fold in "$folder"/[0-9].json; do
  printf '%s %s %s\n' "$(field rmse "$fold")" "$(field nlpd "$fold")" "$(field 95 "$fold")"
done | awk -v name="$(basename "$dataset") $recipe" '
  { n++; for (i = 1; i <= 3; ++i) { sum[i] += $i; square[i] += $i * $i } }
  END {
    sd = n > 1 ? sqrt((square[1] - sum[1] * sum[1] / n) / (n - 1)) : 0
    printf "%-28s folds %d  rmse %.4g +- %.2g  nlpd %.3f  coverage95 %.3f\n", name, n, sum[1] / n, sd, sum[2] / n, sum[3] / n
  }'
