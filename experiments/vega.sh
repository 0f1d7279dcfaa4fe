#!/usr/bin/env bash
# Installs Vega, Vega-Lite and Vega-Embed, in the versions of experiments/vega/package-lock.json, from the npm registry; they make
# the charts of report and inspect pages interactive. Configure and build afterwards; the build takes them from
# experiments/vega/node_modules, or from -DALACARTE_VEGA_DIR=FOLDER/node_modules.
# Usage: experiments/vega.sh [FOLDER]     (default: experiments/vega)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)/vega
folder=${1:-$here}

command -v npm >/dev/null || { echo "vega: npm is missing (Debian and Ubuntu: apt install npm)" >&2; exit 1; }
mkdir -p "$folder"
if [ ! "$folder" -ef "$here" ]; then
  cp "$here/package.json" "$here/package-lock.json" "$folder"
fi
# Only three files are read and nothing is executed, so install scripts and the version of Node do not matter.
(cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
for name in vega vega-lite vega-embed; do
  test -s "$folder/node_modules/$name/build/$name.min.js" || { echo "vega: $name has no build/$name.min.js" >&2; exit 1; }
done
echo "vega: installed in $folder/node_modules"
