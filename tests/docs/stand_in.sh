#!/usr/bin/env bash
# Writes the small files that the commands of README.md and docs/ work on.
# Usage: tests/docs/stand_in.sh FOLDER     (alacarte on the PATH)
set -euo pipefail
cd "$1"

# friedman NAME SEED ROWS: ten inputs x1 .. x10 and the target "price".
friedman() {
  alacarte generate friedman1 --rows "$3" --seed "$2" --out "$1" --quiet
  sed -i '1s/y$/price/' "$1"
}
friedman train.csv 1 60
friedman test.csv 2 40
friedman huge.csv 3 60
cut -d, -f1-10 test.csv >new.csv

# Five folds of the rows of train.csv; each column marks the rows of one fold.
awk 'BEGIN { for (i = 0; i < 60; ++i) for (k = 0; k < 5; ++k) printf "%d%s", i % 5 == k, k < 4 ? "," : "\n" }' >folds.csv

# houses NAME FIRST: a key, a category, a column of no use, two numbers of which one has gaps, and the price.
houses() {
  awk -v first="$2" 'BEGIN {
    print "id,district,agent,area,rooms,price"
    split("north,south,harbour", district, ",")
    for (i = first; i < first + 60; ++i) {
      area = 50 + (i * 37) % 100
      printf "h%d,%s,a%d,%d,%s,%.2f\n", i, district[i % 3 + 1], i % 7, area, i % 11 ? i % 5 + 1 : "",
             3 * area + 20 * (i % 3) + (i * 13) % 17
    }
  }' >"$1"
}
houses houses.csv 0
houses houses-new.csv 500

# Targets that are classes and counts, from the same inputs.
awk -F, -v OFS=, 'NR == 1 { $NF = "kind" } NR > 1 { $NF = $NF > 14 ? "spam" : "ham" } { print }' train.csv >mail.csv
cut -d, -f1-10 mail.csv >mail-new.csv
awk -F, -v OFS=, 'NR == 1 { $NF = "visits" } NR > 1 { $NF = $NF > 0 ? int($NF / 3) : 0 } { print }' train.csv >visits.csv

# idx NAME HEADER ROWS CELLS: bytes in IDX format; three classes of images, each bright in another part.
idx() {
  printf '%b' "$2$(awk -v rows="$3" -v cells="$4" 'BEGIN {
    for (i = 0; i < rows; ++i)
      for (j = 0; j < cells; ++j)
        printf "\\0%o", cells == 1 ? i % 3 : (j % 3 == i % 3 ? 150 : 20) + (i * 31 + j * 17) % 50
  }')" | gzip >"$1"
}
images='\0\0\010\03\0\0\0\074\0\0\0\04\0\0\0\04'
labels='\0\0\010\01\0\0\0\074'
for part in train t10k; do
  idx "$part-images-idx3-ubyte.gz" "$images" 60 16
  idx "$part-labels-idx1-ubyte.gz" "$labels" 60 1
done

# Two classes on sparse rows: 5 nonzeros of 1000 inputs.
awk 'BEGIN {
  for (i = 0; i < 60; ++i) {
    printf "%d", i % 2 ? 1 : -1
    for (k = 0; k < 5; ++k) printf " %d:%d", k * 200 + 1 + (i * 7 + k) % 50 + (i % 2 && k == 0 ? 100 : 0), 1 + (i + k) % 3
    print ""
  }
}' >wide.libsvm

# A data folder with one data set of the catalogue, as far as a name goes: 60 rows in place of 167.
mkdir -p data/uci/servo
cut -d, -f1-4,11 train.csv | tail -n +2 | gzip >data/uci/servo/data.csv.gz
awk 'BEGIN { for (i = 0; i < 60; ++i) for (k = 0; k < 10; ++k) printf "%d%s", i % 10 == k, k < 9 ? "," : "\n" }' |
  gzip >data/uci/servo/test_mask.csv.gz
