#!/usr/bin/env bash
# Whether run.sh and check.sh see what they are there for: each fault must be told with page and line.
# Usage: tests/docs/finds_faults.sh PROGRAM
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bad=0

# expect TEXT COMMAND ..: the command fails, and says TEXT.
expect() {
  local text=$1
  shift
  if "$@" >"$folder/said" 2>&1; then
    echo "no failure, where '$text' was expected" >&2
    bad=1
  elif ! grep -qF "$text" "$folder/said"; then
    echo "instead of '$text': $(cat "$folder/said")" >&2
    bad=1
  fi
}

printf '%s\n' Text. '```sh' 'alacarte --version' 'alacarte predict none.alacarte --data new.csv --out p.csv' '```' >"$folder/page.md"
expect 'page.md: line 4: alacarte predict none.alacarte' "$here/run.sh" "$1" "$folder/page.md"
printf '%s\n' '```json mine.json' '{"model": "ardd"}' '```' '```sh' 'alacarte check mine.json' '```' >"$folder/page.md"
expect 'page.md: line 5: alacarte check mine.json: exit code 2' "$here/run.sh" "$1" "$folder/page.md"
printf '%s\n' '```sh no-test' 'false' '```' >"$folder/page.md"
"$here/run.sh" "$1" "$folder/page.md" >/dev/null

# Once for all of them: what check.sh says of a copy with every fault.
cat_failing() {
  [ -e "$folder/checked" ] || "$here/check.sh" . >"$folder/checked" 2>&1 || true
  cat "$folder/checked"
  return 1
}

mkdir "$folder/copy"
cd "$folder/copy"
cp -r "$root"/{README.md,CITATION.cff,docs,examples} .
ln -s "$root"/{CMakeLists.txt,CONTRIBUTING.md,LICENSE,configs,experiments,include,src,tests} .
"$here/check.sh" .
cat >>docs/data.md <<'PAGE'
[page](nowhere.md) [heading](recipes.md#nowhere)
The value is
1. Next sentence.
```ruby
```
```cpp
no_such_function();
```
```sh
PAGE
printf '%s\n' '# New' >docs/new.md
sed -i 's/^version: .*/version: 0.0.1/' CITATION.cff
for ((i = 0; i < 121; ++i)); do echo; done >>README.md
last=$(wc -l <"$root/docs/data.md")
for text in "there is no nowhere.md" "recipes.md has no heading #nowhere" "docs/data.md:$((last + 3)): this begins a list" \
  "docs/data.md:$((last + 4)): what is a block" "docs/data.md:$((last + 8)): this snippet is not in" \
  "docs/data.md: a block is not closed" "docs/README.md: does not list docs/new.md" "at most 120" \
  "CITATION.cff: the version of CMakeLists.txt is"; do
  expect "$text" cat_failing
done
exit $bad
