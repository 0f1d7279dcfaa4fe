#!/usr/bin/env bash
# Fails when a room includes a room it must not know, by a public or a private header. The allowed directions are the
# table below; everything may include core. Usage: tests/check_includes.sh [ROOT]
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

library="linalg data io eval spectrum kernel features inference model optimise train"
declare -A may_include=(
  [core]=""
  [linalg]=""
  [data]=""
  [io]=""
  [eval]=""
  [kernel]="linalg"
  [spectrum]="linalg"
  [features]="linalg spectrum kernel"
  [model]="linalg features kernel data io eval"
  [inference]="linalg features kernel model data"
  [optimise]="inference io"
  [train]="linalg features kernel model inference optimise data io eval"
  [app]="$library"
  [experiment]="$library app"
  [report]="$library app experiment"
  [bench]="$library cli"
  [cli]="$library app experiment report"
  [support]="$library"  # what tests share: it stands beside no program
)

bad=0
complain() { echo "$1" >&2; bad=1; }

# FILE:LINE:PATH of every include that is no header of another project: "room/..." or <alacarte/room/...>, or a bare
# "name.hpp" of the file's own room.
includes() {
  { grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]' --include='*.[ch]pp' \
      include/alacarte src tests/support 2>/dev/null || true; } |
    sed -nE 's/^([^:]+:[0-9]+):[^"<]*(["<])([^">]+)[">].*$/\1:\2\3/p' |
    grep -E ':("|<alacarte/)' | sed -E 's/:["<]/:/'
}

while IFS=: read -r file line include; do
  case $file in
    include/alacarte/*) room=${file#include/alacarte/} ;;
    src/*) room=${file#src/} ;;
    tests/*) room=${file#tests/} ;;
  esac
  room=${room%%/*}
  case $include in
    alacarte/*/*) target=${include#alacarte/} ;;
    alacarte_build_info.hpp) continue ;;  # made by the build
    */*) target=$include
      [[ $file != include/* ]] || complain "$file:$line: a public header must not include a private one" ;;
    *) target=$room/$include ;;
  esac
  target=${target%%/*}
  if [[ -z ${may_include[$room]+known} ]]; then
    complain "$file:$line: there is no room $room in the table of tests/check_includes.sh"
  elif [[ " $room core ${may_include[$room]} " != *" $target "* ]]; then
    complain "$file:$line: $room must not include $target"
  fi
done < <(includes)
exit $bad
