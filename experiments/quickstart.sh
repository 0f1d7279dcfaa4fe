#!/usr/bin/env bash
# From installation to error bars: installs missing packages, builds, then trains, saves, predicts and compares on a built-in
# problem with known noise.
# Usage: experiments/quickstart.sh [FOLDER FOR THE RESULTS]
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-build/quickstart}

experiments/setup.sh
cmake --preset release -DBUILD_TESTING=OFF >/dev/null
cmake --build --preset release --target alacarte_program
alacarte=build/release/alacarte
mkdir -p "$out"

echo
echo "== Data: friedman1, 10 inputs of which only x1..x5 matter, noise standard deviation 1 =="
"$alacarte" generate friedman1 --rows 800 --seed 1 --out "$out/train.csv"
"$alacarte" generate friedman1 --rows 5000 --seed 2 --out "$out/test.csv"

# field JSON KEY: prints the first number under a key of one JSON object.
field() { grep -oE "\"$2\": ?-?[0-9][^,} ]*" <<<"$1" | head -n 1 | sed -E 's/.*: ?//'; }

echo
echo "== Train on 800 rows, score on 5000 others; no model can have an RMSE below 1 =="
printf '%-28s %8s %8s %14s %9s\n' model RMSE NLPD '95% intervals' seconds
while IFS=: read -r recipe label; do
  started=$(date +%s.%N)
  "$alacarte" train "$recipe" --data "$out/train.csv" --model "$out/$recipe.alacarte" --seed 1 --quiet
  seconds=$(awk -v a="$started" -v b="$(date +%s.%N)" 'BEGIN { print b - a }')
  scores=$("$alacarte" evaluate "$out/$recipe.alacarte" --data "$out/test.csv" --quiet)
  printf '%-28s %8.3f %8.3f %12.1f %% %9.1f\n' "$label" "$(field "$scores" rmse)" "$(field "$scores" nlpd)" \
    "$(awk -v c="$(field "$scores" 95)" 'BEGIN { print 100 * c }')" "$seconds"
done <<'MODELS'
linear:ridge (linear, by evidence)
exact-rbf:exact GP, RBF
exact-ard:exact GP, ARD
auto:auto
MODELS

echo
echo "== What was learned: x1..x5 matter, x6..x10 do not =="
"$alacarte" inspect "$out/auto.alacarte" | sed -n "/^relevance/,/^$/p"

echo
echo "== Five predictions with 95 % intervals from the saved model (observed value beside them) =="
head -n 6 "$out/test.csv" >"$out/five.csv"
"$alacarte" predict "$out/auto.alacarte" --data "$out/five.csv" --out "$out/five-predictions.csv" --quiet
paste -d, <(awk -F, '{ print $NF }' "$out/five.csv") "$out/five-predictions.csv" |
  awk -F, '{ for (i = 1; i <= NF; ++i) printf NR == 1 ? "%-19s" : "%-19.3f", $i; print "" }'
echo
echo "Models and predictions are in $out; try: $alacarte predict --help"
