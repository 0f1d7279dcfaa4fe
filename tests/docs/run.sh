#!/usr/bin/env bash
# Runs the commands of one page of the documentation, in order, in a temporary folder with small stand-in data.
#   ```sh            commands, run as they stand
#   ```sh no-test    commands that no test can run (root, the network, a build); the page says why
#   ```json NAME     written to the file NAME
# A command that fails ends the test with page, line and message.
# Usage: tests/docs/run.sh PROGRAM PAGE
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
program=$(realpath "$1")
page=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
work=$folder/work

# A folder that looks like a checkout with a finished build.
mkdir -p "$work/build/release"
ln -s "$program" "$work/build/release/alacarte"
[ ! -e "${program%/*}/alacarte-bench" ] || ln -s "${program%/*}/alacarte-bench" "$work/build/release"
ln -s "$root/experiments" "$root/configs" "$root/docs" "$work"
unset ALACARTE_DATA_DIR ALACARTE_CONFIG_DIR ALACARTE_ISA
export ALACARTE_VEGA_DIR= PATH="$work/build/release:$PATH"
"$here/stand_in.sh" "$work"

# A script whose lines are those of the page, so that bash's line numbers are the page's. The fence that closes a JSON
# block ends the here-document of its file.
awk '
  /^```/ && !inside { inside = $0; if (/^```json /) print "cat >" $2 " <<'\''```'\''"; else print ""; next }
  /^```/ { print inside ~ /^```json / ? "```" : ""; inside = ""; next }
  { print inside == "```sh" || inside ~ /^```json / ? $0 : "" }
' "$page" >"$folder/script"

cd "$work"
status=0
bash -eEu -o pipefail -c '
  trap '\''echo "line $LINENO: $BASH_COMMAND: exit code $?" >>"$1/failure"'\'' ERR
  . "$1/script"' run "$folder" >"$folder/output" 2>&1 || status=$?
if [ $status -ne 0 ]; then
  echo "${page#"$root/"}: $(head -n 1 "$folder/failure" 2>/dev/null || echo "exit code $status")" >&2
  tail -n 20 "$folder/output" >&2
  exit 1
fi
echo "${page#"$root/"}: $(grep -cE '^ *alacarte|^[A-Z_]+=[^ ]* alacarte' "$folder/script") commands"
