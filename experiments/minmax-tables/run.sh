#!/usr/bin/env bash
# The tables and figures of the README: experiments/minmax-tables/run.sh PROGRAM RESULTS, with ALACARTE_DATA_DIR set.
# An hour of one core, and 12 GB for letter, whose features would take hours; a file of RESULTS that exists is not made again.
set -euo pipefail
program=$1
results=$2
mkdir -p "$results"

# NAME TRAIN TEST, all or some of the paper's gammas, the gamma of NRFF (none: no features)
settings="
car 864 864 all 0.9
covertype_first10k 5000 5000 some none
ctg3 1063 1063 all 25
isolet 2000 5797 some none
letter 15000 5000 some none
musk1 238 238 all none
pageblocks 2737 2726 some 2
robotnavi 2728 2728 some none
satimage 4435 2000 some 300
segment 210 2100 all 3
shuttle 500 14500 some none
skin 10000 10000 some none
spambase 2301 2300 some 20
splice 1000 2175 all 0.5
thyroid 2000 5200 some 2
vowel 264 264 all 15
"

make() {  # MODE NAME TRAIN TEST SETTING
  local out="$results/$2.$1.csv"
  [ -e "$out" ] && return
  "$program" "$1" "$results/$2.data" "$3" "$4" 1 "$5" >"$out.part"
  mv "$out.part" "$out"
}

while read -r name train test gammas gamma; do
  [ -n "$name" ] || continue
  zcat "$ALACARTE_DATA_DIR/classification/$name/data.csv.gz" >"$results/$name.data"
  if [ "$name" = vowel ]; then sed -i '529,$d' "$results/$name.data"; fi  # the official training part
  make kernels "$name" "$train" "$test" "$gammas"
  if [ "$gamma" != none ]; then make features "$name" "$train" "$test" "$gamma"; fi
done <<<"$settings"
