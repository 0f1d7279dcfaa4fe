#!/usr/bin/env bash
# Makes the tables and figures of the README: experiments/minmax-tables/run.sh PROGRAM RESULTS, with ALACARTE_DATA_DIR set. Takes
# some hours of one core, and 12 GB for letter; existing files of RESULTS are kept.
set -euo pipefail
program=$1
results=$2
mkdir -p "$results"

# NAME TRAIN TEST, all or some of the paper's gammas (none: no kernel machines), the gamma of NRFF (none: no features), draws of
# the features and their solver
settings="
car 864 864 all 0.9 10 dual
ctg3 1063 1063 all 25 10 dual
musk1 238 238 all 5 10 warm
segment 210 2100 all 3 10 dual
vowel 264 264 all 15 10 dual
splice 1000 2175 all 0.5 10 dual
shuttle 500 14500 all 45 10 warm
thyroid 2000 5200 all 2 10 primal
pageblocks 2737 2726 all 2 10 primal
robotnavi 2728 2728 all 4 10 warm
spambase 2301 2300 all 20 10 dual
isolet 2000 5797 all none
satimage 4435 2000 all 300 10 primal
covertype_first10k 5000 5000 some none
skin 10000 10000 some none
letter 15000 5000 some none
letter_scaled 15000 5000 none 11 10 warm
"

make() {  # FILE ARGUMENTS of minmax_svm
  local out="$results/$1"
  [ -e "$out" ] && return
  "$program" "${@:2}" >"$out.part"
  mv "$out.part" "$out"
}

while read -r name train test gammas gamma draws solver; do
  [ -n "$name" ] || continue
  table="$results/$name.data"
  zcat "$ALACARTE_DATA_DIR/classification/${name%_scaled}/data.csv.gz" >"$table"
  if [ "$name" = vowel ]; then sed -i '529,$d' "$table"; fi  # official training part
  if [ "$name" = letter_scaled ]; then  # from 0 .. 15 to -1 .. 1, as on LIBSVM's page of data sets
    awk -F, -v OFS=, '{ for (i = 1; i < NF; ++i) $i = $i / 7.5 - 1; print }' "$table" >"$table.scaled"
    mv "$table.scaled" "$table"
  fi
  [ "$gammas" = none ] || make "$name.kernels.csv" kernels "$table" "$train" "$test" 1 "$gammas"
  for draw in $(seq 1 "${draws:-0}"); do
    make "$name.features.$draw.csv" features "$table" "$train" "$test" 1 "$gamma" 16 4096 "$draw" "$solver"
  done
done <<<"$settings"
make satimage.times.csv features "$results/satimage.data" 4435 2000 1 300 16 4096 1 dual  # figure 11
