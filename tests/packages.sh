#!/usr/bin/env bash
# Builds the Debian packages as a release and tests them like an administrator: lintian checks them; a clean Debian (debootstrap)
# installs them; the program trains and predicts there, the Python estimator fits, and a C++ project finds the library; after
# removal none of their files remains. Without root, debootstrap or a mirror it ends after lintian with a message and exit code
# 77.
# Usage: tests/packages.sh [FOLDER]     (default: build/packages/debs. Existing packages in it are used. MIRROR names another
# mirror of Debian.)
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
build=$root/build/packages
out=${1:-$build/debs}
mirror=${MIRROR:-http://deb.debian.org/debian}
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-bookworm}")
skip() { echo "skipped: $*"; exit 77; }

# FFTW would put the binaries under the GPL, and Vega is a third-party package.
if ! compgen -G "$out/*.deb" >/dev/null; then
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DALACARTE_PYTHON=ON \
    -DPython3_EXECUTABLE=/usr/bin/python3 -DBUILD_TESTING=OFF -DALACARTE_FFTW=OFF -DALACARTE_VEGA_DIR= >/dev/null
  cmake --build "$build"
  tests/install/packages.sh "$build" "$out"
fi
ls -l "$out"

command -v lintian >/dev/null || skip "there is no lintian (experiments/setup.sh --packages)"
as_user=()
[ "$(id -u)" -ne 0 ] || as_user=(--allow-root)
lintian "${as_user[@]}" --fail-on error "$out"/*.deb

[ "$(id -u)" -eq 0 ] || skip "a clean system needs root"
command -v debootstrap >/dev/null || skip "there is no debootstrap (experiments/setup.sh --packages)"
clean=$(mktemp -d)
# On a busy machine /proc may remain in use for a moment. The folder is removed only if nothing is mounted in it.
trap 'umount "$clean/system/proc" 2>/dev/null || umount -l "$clean/system/proc" 2>/dev/null
  mountpoint -q "$clean/system/proc" || rm -rf --one-file-system "$clean"' EXIT
debootstrap --variant=minbase "$suite" "$clean/system" "$mirror" >"$clean/log" 2>&1 ||
  { tail -n 5 "$clean/log"; skip "debootstrap could not make a clean system from $mirror"; }
system=$clean/system
# The program finds its recipes by /proc/self/exe.
mount -t proc proc "$system/proc" 2>/dev/null || skip "nothing can be mounted here"
mkdir "$system/packages"
cp "$out"/*.deb "$system/packages"
cp -r tests/install/consumer "$system/packages"
inside() { chroot "$system" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
# Lists files without package managers' records; Python may compile other packages' modules at any time.
files() {
  inside find / -xdev \( -path /proc -o -path /sys -o -path /tmp -o -path /packages -o -path /var/lib/dpkg -o -path /var/lib/apt \
    -o -path /var/cache -o -path /var/log -o -name __pycache__ -not -path '*alacarte*' \) -prune -o -print | sort
}

# Installs the dependencies first, to distinguish the packages' own files.
depends=$(for file in "$out"/*.deb; do dpkg-deb -f "$file" Depends; done | paste -sd, -)
inside apt-get -qq update
inside apt-get -qq -y --no-install-recommends satisfy "$depends" >"$clean/log" 2>&1 || { tail "$clean/log"; exit 1; }
files >"$clean/before"
inside sh -c 'dpkg -i /packages/*.deb' >"$clean/log" 2>&1 || { tail "$clean/log"; exit 1; }
files >"$clean/with"
echo "installed: $(comm -13 "$clean/before" "$clean/with" | wc -l) files and folders"

inside sh -euc '
  cd /tmp
  alacarte generate friedman1 --rows 300 --seed 1 --out train.csv --quiet
  alacarte train ard --data train.csv --holdout 0.3 --model f.model --quiet
  alacarte evaluate f.model --data train.csv --held-out
  alacarte predict f.model --data train.csv --out predictions.csv --quiet
  alacarte inspect f.model >/dev/null'
inside python3 - <<'PYTHON'
import numpy as np
import alacarte

table = np.genfromtxt("/tmp/train.csv", delimiter=",", skip_header=1)
model = alacarte.GPRegressor("ard", threads=1).fit(table[:200, :-1], table[:200, -1])
print("Python: R2", round(model.score(table[200:, :-1], table[200:, -1]), 3))
predictions = np.genfromtxt("/tmp/predictions.csv", delimiter=",", names=True)
mean = alacarte.load("/tmp/f.model").predict(table[:, :-1])
assert np.allclose(mean, predictions["mean"], rtol=1e-9), "the program and the package disagree"
PYTHON
inside sh -euc '
  apt-get -qq -y --no-install-recommends install cmake g++ make >/dev/null 2>&1
  cmake -S /packages/consumer -B /tmp/consumer -DCMAKE_BUILD_TYPE=Release >/dev/null
  cmake --build /tmp/consumer >/dev/null
  cd /tmp && consumer/consumer >/dev/null'
echo "a C++ project finds the library"

inside dpkg -P alacarte libalacarte-dev python3-alacarte >/dev/null
files >"$clean/after"
# The compiler's files were installed in between, so only files that the packages brought count.
if comm -13 "$clean/before" "$clean/with" | comm -12 - "$clean/after" | grep .; then
  echo "these stay when the packages are removed" >&2
  exit 1
fi
if grep alacarte "$clean/after"; then
  echo "these are left of the packages" >&2
  exit 1
fi
echo "removed without a trace"
