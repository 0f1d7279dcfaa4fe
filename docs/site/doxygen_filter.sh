#!/bin/sh
# Filters Doxygen's input: makes the plain comment under `#pragma once` the description of the file, and gives the trailing
# comment of a line that declares several members to each of them.
exec awk '
  FNR == 1 && /^#pragma once/ { print; head = 1; next }
  head && /^\/\// { if (head == 1) printf "/// \\file\n"; head = 2; sub(/^\/\//, "///"); print; next }
  { head = 0 }
  /^ +[^()\/]+, [^()\/]+; +\/\/\/< / && substr($0, 1, index($0, ";")) !~ /<[^>]*,/ {
    comment = substr($0, index($0, "///<") + 4)
    count = split(substr($0, 1, index($0, ";") - 1), part, /, /)
    match(part[1], /^ +(const )?[^ ]+ /)
    type = substr(part[1], 1, RLENGTH)
    printf "%s; /**<%s */", part[1], comment
    for (i = 2; i <= count; ++i) printf "%s%s; /**<%s */", type, part[i], comment
    print ""
    next
  }
  { print }' "$1"
