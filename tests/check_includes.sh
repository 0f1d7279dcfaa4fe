#!/usr/bin/env bash
# Fails when a room includes a room it must not know. The allowed directions are the table below; everything may include
# core. Usage: tests/check_includes.sh [ROOT]
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

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
  [train]="linalg features kernel model data io eval"
  [bench]="linalg spectrum features kernel model train data io eval"
  [experiment]="linalg spectrum features kernel model train data io eval"
  [report]="spectrum features kernel model data io eval experiment"
)

bad=0
for room in "${!may_include[@]}"; do
  while IFS=: read -r file line include; do
    [ -n "$file" ] || continue
    target=$(sed -E 's/.*"?<?alacarte\/([a-z]+)\/.*/\1/' <<<"$include")
    case " $room core ${may_include[$room]} " in
      *" $target "*) ;;
      *) echo "$file:$line: $room must not include $target" >&2; bad=1 ;;
    esac
  done < <(grep -rnE '#include ["<]alacarte/[a-z]+/' "include/alacarte/$room" "src/$room" 2>/dev/null || true)
done
exit $bad
