#!/bin/sh
# Doxygen's input filter: makes the plain comment under `#pragma once` the description of the file.
exec awk '
  FNR == 1 && /^#pragma once/ { print; head = 1; next }
  head && /^\/\// { if (head == 1) printf "/// \\file\n"; head = 2; sub(/^\/\//, "///"); print; next }
  { head = 0; print }' "$1"
