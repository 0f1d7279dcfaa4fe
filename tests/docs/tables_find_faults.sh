#!/usr/bin/env bash
# Whether tables.py sees what it is there for: each fault must be told with page and line.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bad=0
mkdir -p "$folder/experiments/"{good,lost,wrong}
cat >"$folder/experiments/README.md" <<'PAGE'
## Tables whose results are not stored
[lost](lost/README.md)
PAGE
printf '%s\n' 'These figures are not stored.' '' '<!-- not stored -->' '| a |' '|---|' '| 1 |' >"$folder/experiments/lost/README.md"
printf '%s\n' '| a | b |' '|---|---|' '| 1 | 2.5 % |' '| 3 | |' >"$folder/experiments/good/table.txt"
{ echo '<!-- printed by: cat table.txt -->' && cat "$folder/experiments/good/table.txt"; } >"$folder/experiments/good/README.md"
{ echo '<!-- printed by: cat experiments/good/table.txt -->' && cat "$folder/experiments/good/table.txt"; } >"$folder/README.md"
printf '%s\n' 'file,date,commit,machine,command' 'good/*.csv,2026-01-01,abcdef1,a machine,a command' >"$folder/experiments/provenance.csv"
touch "$folder/experiments/good/a.csv" "$folder/experiments/good/paper.csv"
cp "$folder/experiments/good/"*.{txt,md} "$folder/experiments/wrong"
if ! said=$("$here/tables.py" "$folder") || [ "$said" != "3 tables print what is stored" ]; then
  echo "sound tables: $said" >&2
  bad=1
fi

# expect TEXT SED-SCRIPT: the page of `wrong`, changed so, is told of with that text.
expect() {
  sed "$2" "$folder/experiments/good/README.md" >"$folder/experiments/wrong/README.md"
  if said=$("$here/tables.py" "$folder") || ! grep -qF "experiments/$1" <<<"$said"; then
    echo "instead of '$1': $said" >&2
    bad=1
  fi
}
expect "wrong/README.md:4: '2.6 %' is here, and '2.5 %' is stored" 's/2.5/2.6/'
expect "wrong/README.md:2: 3 lines are here, and 4 are printed" '/| 3/d'
expect "wrong/README.md:5: the row has other columns" 's/| 3 | |/| 3 |/'
expect "wrong/README.md:1: nothing says where this table is from" '1d'
expect "wrong/README.md:2: cat none.txt: exit code 1" 's/table.txt/none.txt/'
expect "wrong/README.md:2: true: prints no table" 's/cat table.txt/true/'
expect "wrong/README.md:1: a table is marked as not stored" '1s/.*/<!-- not stored -->/'
expect "README.md: wrong is not listed under" '1s/.*/<!-- not stored -->/'

sed -i 's/2.5/2.6/' "$folder/README.md"
if said=$("$here/tables.py" "$folder") || ! grep -qF "README.md:4: '2.6 %' is here" <<<"$said"; then
  echo "the first page: $said" >&2
  bad=1
fi
sed -i 's/2.6/2.5/' "$folder/README.md"

# provenance TEXT: what is told of the files of results.
provenance() {
  if said=$("$here/tables.py" "$folder") || ! grep -qF "experiments/$1" <<<"$said"; then
    echo "instead of '$1': $said" >&2
    bad=1
  fi
}
cp "$folder/experiments/good/README.md" "$folder/experiments/wrong/README.md"
touch "$folder/experiments/wrong/b.csv"
provenance "provenance.csv: wrong/b.csv has no line"
echo 'wrong/*.csv,2026-01-01,abcdef1,,a command' >>"$folder/experiments/provenance.csv"
provenance "provenance.csv: wrong/*.csv: something is not said"
rm "$folder/experiments/wrong/b.csv"
provenance "provenance.csv: there is no wrong/*.csv"
sed -i '$d' "$folder/experiments/provenance.csv"

# Commits are looked for where there is a history.
git -C "$folder" init -q
git -C "$folder" add -A
git -C "$folder" -c user.name=a -c user.email=a@b commit -q --allow-empty -m a
expect "wrong/README.md:6: there is no commit 620f2b1" '$a commit 620f2b1'
cp "$folder/experiments/good/README.md" "$folder/experiments/wrong/README.md"
provenance "provenance.csv: there is no commit abcdef1"
sed -i "s/abcdef1/$(git -C "$folder" rev-parse --short=12 HEAD)/" "$folder/experiments/provenance.csv"
echo '{"commit": "620f2b13f1af+"}' >"$folder/experiments/wrong/a.json"
touch "$folder/experiments/wrong/report.csv"
"$here/tables.py" "$folder" >/dev/null || { echo "files that are not in the repository were looked at" >&2; bad=1; }
git -C "$folder" add experiments/wrong/a.json
provenance "wrong/a.json: there is no commit 620f2b13f1af"
rm "$folder/experiments/wrong/a.json"
printf '%s\n' "commit $(git -C "$folder" rev-parse --short=12 HEAD)" >"$folder/experiments/wrong/README.md"
"$here/tables.py" "$folder" >/dev/null || { echo "a commit that is there was not found" >&2; bad=1; }
exit $bad
