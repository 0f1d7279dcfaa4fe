#!/usr/bin/env bash
# Builds the manual as a site, which fails on any warning, then checks that every public C++ name has a comment, and that the
# build sees a dead link and a formula that does not parse.
# Exit code 77, with a word, where the tools are not installed.
# Usage: tests/docs/site.sh
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
for tool in mkdocs doxygen node; do
  command -v $tool >/dev/null || { echo "skipped: there is no $tool (experiments/setup.sh --docs)"; exit 77; }
done
for file in /usr/share/mkdocs/themes/material /usr/share/nodejs/katex; do
  [ -e $file ] || { echo "skipped: there is no $file (experiments/setup.sh --docs)"; exit 77; }
done
/usr/bin/python3 -c 'import numpy, sklearn, yaml' 2>/dev/null ||
  { echo "skipped: /usr/bin/python3 has no scikit-learn (experiments/setup.sh --docs)"; exit 77; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$root/docs/site/build.py" "$folder/site"
bad=0
undocumented=$("$root/docs/site/build.py" --undocumented)
[ -z "$undocumented" ] || { echo "without a comment: $undocumented" >&2; bad=1; }
if grep -rlE '(src|href)="(https?:)?//[^"]*\.(js|css|woff2?)"' "$folder/site" --include='*.html'; then
  echo "these pages load something from the network" >&2
  bad=1
fi
# Were the formulas left as code, there would be no MathML.
grep -q '<math ' "$folder/site/docs/math.html" || { echo "no MathML in math.html" >&2; bad=1; }

# expect TEXT: the build of the copy fails, and says TEXT.
expect() {
  if "$folder/copy/docs/site/build.py" "$folder/none" >"$folder/said" 2>&1; then
    echo "no failure, where '$1' was expected" >&2
    bad=1
  elif ! grep -qF "$1" "$folder/said"; then
    echo "instead of '$1': $(cat "$folder/said")" >&2
    bad=1
  fi
}
mkdir "$folder/copy"
cp -r "$root"/{README.md,docs,experiments,python,include,tests} "$folder/copy"
page=$folder/copy/docs/data.md
cp "$page" "$folder/data.md"
printf '%s\n' '```math' '\frac{1}{' '```' >>"$page"
expect '\frac{1}{'
cp "$folder/data.md" "$page"
printf '%s\n' '[page](nowhere.md)' >>"$page"
expect 'nowhere.md'
exit $bad
