#!/usr/bin/env bash
# Checks README.md and the pages of docs/: the length of the README, links to files and headings, code blocks of known kinds, snippets that
# tests/install/consumer or examples/ compile, and that every page, recipe and room is listed.
# Usage: tests/docs/check.sh [ROOT]
set -euo pipefail
cd "${1:-$(dirname "$0")/../..}"
shopt -s nullglob
readonly most_lines=120
pages=(README.md docs/*.md docs/examples/*.md)
bad=0
complain() { echo "$*" >&2; bad=1; }

version=$(sed -nE 's/^project\(alacarte VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
grep -qx "version: $version" CITATION.cff || complain "CITATION.cff: the version of CMakeLists.txt is $version"
grep -qF "## $version (" docs/changes.md || complain "docs/changes.md: there is no section on $version"

lines=$(wc -l <README.md)
[ "$lines" -le $most_lines ] || complain "README.md: $lines lines; at most $most_lines"

# Headings of a page as GitHub names their anchors.
anchors() {
  grep '^#' "$1" | sed -E 's/^#+ //; s/[^A-Za-z0-9 _-]//g; s/ /-/g' | tr '[:upper:]' '[:lower:]'
}

for page in "${pages[@]}" CONTRIBUTING.md examples/README.md experiments/README.md experiments/*/README.md; do
  while IFS=: read -r line link; do
    target=${link%%#*}
    file=$(dirname "$page")/$target
    [ -n "$target" ] || file=$page
    if [ ! -e "$file" ]; then
      complain "$page:$line: there is no $target"
    elif [[ $link == *#* ]] && ! anchors "$file" | grep -qxF "${link#*#}"; then
      complain "$page:$line: $target has no heading #${link#*#}"
    fi
  done < <(grep -noE '\]\([^)]+\)' "$page" | sed -E 's/\]\(//; s/\)$//' | grep -vE ':https?://' || true)
done

# A line of running text that Markdown takes for the item of a list.
for page in "${pages[@]}"; do
  while IFS= read -r found; do complain "$page:$found: this begins a list"; done < <(awk '
    /^```/ { inside = !inside }
    !inside && last != "" && last !~ /^(- |[0-9]+[.)] |  |[|#]|```)/ && /^(- |[+*] |[0-9]+[.)] )/ { print FNR }
    { last = $0 }' "$page")
done

compiled=$(sed -E 's/^ +//' tests/install/consumer/*.cpp tests/install/consumer/CMakeLists.txt examples/*.cpp examples/CMakeLists.txt)
for page in "${pages[@]}"; do
  fence="" snippet="" number=0
  while IFS= read -r line; do
    number=$((number + 1))
    if [[ $line != '```'* ]]; then
      [ -z "$fence" ] || snippet+=${line#"${line%%[! ]*}"}$'\n'
    elif [ -z "$fence" ]; then
      fence=$line snippet=""
      [[ $line =~ ^\`\`\`(sh|sh\ no-test|json\ [a-z.-]+|text|math|cpp|cmake|python)$ ]] || complain "$page:$number: what is a block '$line'?"
    else
      if [[ $fence =~ (cpp|cmake)$ && $compiled != *"${snippet%$'\n'}"* ]]; then
        complain "$page:$number: this snippet is not in tests/install/consumer or examples"
      fi
      fence=""
    fi
  done <"$page"
  [ -z "$fence" ] || complain "$page: a block is not closed"
  [[ $page == docs/README.md || $page == README.md ]] || grep -qF "(${page#docs/})" docs/README.md ||
    complain "docs/README.md: does not list $page"
done

listed=$(sed -n '/^## All recipes/,/^## What was/p' docs/which-recipe.md)
for recipe in configs/recipes/*.json; do
  name=$(basename "$recipe" .json)
  grep -qF "\`$name\`" <<<"$listed" || complain "docs/which-recipe.md: does not list the recipe $name"
done
for folder in include/alacarte/*/ src/*/; do
  room=$(basename "$folder")
  grep -qF "| \`$room\` |" docs/development.md || complain "docs/development.md: does not list the room $room"
done
exit $bad
