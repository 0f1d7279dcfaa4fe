#!/usr/bin/env bash
# Writes the data of the worked examples, identical on every machine (with its own random numbers, not awk's).
# Usage: docs/examples/data.sh flats | seasons | pool | leaves
set -euo pipefail

# uniform(): Lehmer's generator; normal(): the sum of twelve.
random='
  function uniform() { state = (16807 * state) % 2147483647; return state / 2147483647 }
  function normal(  i, sum) { for (i = 0; i < 12; ++i) sum += uniform(); return sum - 6 }
'

# flats NAME SEED ROWS: rents with a category, a column with gaps, and noise of standard deviation 60.
flats() {
  awk -v state="$2" -v rows="$3" "$random"'BEGIN {
    print "district,area,year,floor,balcony,rent"
    split("centre,north,harbour,hills", name, ","); split("420,150,260,330", level, ",")
    for (i = 0; i < rows; ++i) {
      k = 1 + int(4 * uniform()); area = 25 + 110 * uniform(); year = 1900 + int(121 * uniform())
      floor = int(7 * uniform()); balcony = uniform() < 0.4
      age = (year - 1960) / 45
      rent = level[k] + 9 * area - 0.018 * area * area + 130 * age * age + 12 * floor * (k == 3) + 45 * balcony
      printf "%s,%.1f,%s,%d,%d,%.0f\n", name[k], area, uniform() < 0.05 ? "" : year, floor, balcony, rent + 60 * normal()
    }
  }' >"$1"
}

# seasons NAME FIRST LAST: months; a trend, a season of two harmonics, a slow swing, and noise of standard deviation 0.5.
seasons() {
  awk -v state=7 -v first="$2" -v last="$3" "$random"'BEGIN {
    print "year,sales"
    for (i = 0; i <= last; ++i) {
      t = i / 12; angle = 2 * 3.14159265358979 * t
      y = 20 + 0.6 * t + 3 * sin(angle) + cos(2 * angle) + 1.5 * sin(angle / 9) + 0.5 * normal()
      if (i >= first) printf "%.6f,%.3f\n", t, y
    }
  }' >"$1"
}

# pool NAME SEED ROWS SHARE: two inputs; a share of the rows is near one corner. Noise of standard deviation 0.05.
pool() {
  awk -v state="$2" -v rows="$3" -v share="$4" "$random"'BEGIN {
    print "a,b,y"
    for (i = 0; i < rows; ++i) {
      size = uniform() < share ? 0.3 : 1; a = size * uniform(); b = size * uniform()
      printf "%.5f,%.5f,%.5f\n", a, b, sin(6 * a) * cos(5 * b) + a * b + 0.05 * normal()
    }
  }' >"$1"
}

# leaves NAME SEED ROWS: two overlapping species; the last column of the true file is the probability of "oak".
leaves() {
  awk -v state="$2" -v rows="$3" -v truth="$4" "$random"'BEGIN {
    print "length,width,species"; print "probability" >truth
    for (i = 0; i < rows; ++i) {
      x = 4 * uniform() - 2; z = 4 * uniform() - 2
      p = 1 / (1 + exp(-(2.5 * sin(2 * x) + 1.5 * z)))
      printf "%.4f,%.4f,%s\n", x, z, uniform() < p ? "oak" : "elm"
      printf "%.6f\n", p >truth
    }
  }' >"$1"
}

case $1 in
  flats) flats flats.csv 11 300; flats flats-new.csv 12 1000 ;;
  seasons) seasons past.csv 0 119; seasons future.csv 120 155 ;;
  pool) pool pool.csv 21 600 0.85; pool field.csv 22 500 0 ;;
  leaves) leaves leaves.csv 31 400 /dev/null; leaves leaves-new.csv 32 2000 leaves-truth.csv ;;
  *) echo "data.sh: there is no $1" >&2; exit 1 ;;
esac
