#!/usr/bin/env bash
# Makes the Debian packages of a finished build and inspects them: they hold what `cmake --install` installs, depend on the
# libraries that the binaries load, and have licence and changes. Exits with 77 and a message if dpkg's tools are missing.
# Usage: tests/install/packages.sh BUILD_DIR [OUTPUT_DIR]
set -euo pipefail
build=$(realpath "$1")
for tool in cpack dpkg-deb dpkg-shlibdeps gzip; do
  command -v $tool >/dev/null || { echo "skipped: there is no $tool (experiments/setup.sh --packages)"; exit 77; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
out=${2:-$scratch/packages}
bad=0
complain() { echo "$*" >&2; bad=1; }

compression=xz
[ $# -gt 1 ] || compression=gzip # they are discarded, so size does not matter
cpack -G DEB --config "$build/CPackConfig.cmake" -B "$out" -D CPACK_DEBIAN_COMPRESSION_TYPE=$compression >"$scratch/cpack" 2>&1 || { cat "$scratch/cpack" >&2; exit 1; }
rm -rf "$out/_CPack_Packages"
expected="alacarte libalacarte-dev"
python=$(grep -c '^ALACARTE_PYTHON:BOOL=\(ON\|1\)$' "$build/CMakeCache.txt" || true)
[ "$python" = 0 ] || expected+=" python3-alacarte"
names=$(for file in "$out"/*.deb; do dpkg-deb -f "$file" Package; done | sort | xargs)
[ "$names" = "$expected" ] || complain "the packages are '$names', not '$expected'"

mkdir "$scratch/unpacked"
for file in "$out"/*.deb; do
  name=$(dpkg-deb -f "$file" Package)
  dpkg-deb -x "$file" "$scratch/unpacked"
  dpkg-deb -c "$file" | awk '{print $6}' >"$scratch/$name"
  for part in copyright changelog.gz; do
    grep -qx "./usr/share/doc/$name/$part" "$scratch/$name" || complain "$name: there is no $part"
  done
  [[ $(dpkg-deb -f "$file" Version) == 1:* ]] || complain "$name: has no epoch; Debian's alacarte would replace it"
done
for part in bin/alacarte share/man/man1/alacarte.1.gz share/man/man1/alacarte-train.1.gz share/alacarte/recipes/auto.json \
  share/bash-completion/completions/alacarte share/zsh/vendor-completions/_alacarte share/fish/vendor_completions.d/alacarte.fish; do
  grep -qx "./usr/$part" "$scratch/alacarte" || complain "alacarte: there is no $part"
done
for library in libc6 libstdc++6 liblinear libsvm libcurl4; do
  [[ $(dpkg-deb -f "$out"/alacarte_*.deb Depends) == *"$library"* ]] || complain "alacarte: does not depend on $library"
done
if [ "$python" != 0 ]; then
  [[ $(dpkg-deb -f "$out"/python3-alacarte_*.deb Depends) == *python3-sklearn*libstdc++6* ]] ||
    complain "python3-alacarte: does not depend on what it loads"
fi

cmake --install "$build" --prefix "$scratch/installed" >/dev/null
diff <(cd "$scratch/installed" && find . -type f | sort) <(cd "$scratch/unpacked/usr" && find . -type f | sort) >&2 ||
  complain "the packages hold other files than cmake --install installs"
exit $bad
