#!/usr/bin/env bash
# Installs the project's requirements on Debian 12 or Ubuntu 24.04, as root or through sudo, if any are missing.
# Usage: experiments/setup.sh [--python | --docs | --lint | --browser | --packages | --slurm]
#   --python: also those of the Python package and its tests
#   --docs:   also those of the manual's site and its figures
#   --lint:   also clang-format and clang-tidy, which .ci/run needs
#   --browser: also Chromium and Vega (experiments/vega.sh), for the tests of pages in a browser
#   --packages: also those for building and testing the Debian packages (including --python)
#   --slurm:  also Slurm, for the test of experiments/slurm
set -euo pipefail

packages=(
  g++ cmake ninja-build pkg-config python3
  libeigen3-dev liblbfgspp-dev nlohmann-json3-dev libboost-dev libopenblas-dev liblapacke-dev
  libfftw3-dev zlib1g-dev libssl-dev libcurl4-openssl-dev libfmt-dev libspdlog-dev libcli11-dev libgtest-dev
  liblinear-dev libsvm-dev libxgboost-dev python3-jsonschema libopenmpi-dev openmpi-bin
)
if [ "${1:-}" = --python ] || [ "${1:-}" = --packages ]; then
  packages+=(
    pybind11-dev python3-pybind11 python3-dev python3-numpy python3-scipy python3-sklearn python3-joblib python3-pandas python3-tqdm
    python3-pytest python3-hypothesis python3-setuptools python3-wheel python3-build python3-pip python3-venv
  )
fi
if [ "${1:-}" = --docs ]; then
  packages+=(mkdocs mkdocs-material doxygen nodejs katex python3-numpy python3-sklearn python3-matplotlib)
fi
if [ "${1:-}" = --lint ]; then
  command -v git >/dev/null || packages+=(git)
  for tool in clang-format clang-tidy; do
    command -v $tool >/dev/null || packages+=($tool)
  done
fi
if [ "${1:-}" = --browser ]; then
  command -v chromium >/dev/null || packages+=(chromium)
  command -v npm >/dev/null || packages+=(npm)
fi
if [ "${1:-}" = --packages ]; then
  packages+=(dpkg-dev fakeroot lintian debootstrap gzip groff zsh fish)
fi
if [ "${1:-}" = --slurm ]; then
  packages+=(slurm-wlm munge)
fi

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
# Runs last, because Vega's installer needs npm.
install_vega() {
  [ "$1" != --browser ] || [ -d "$(dirname "$0")/vega/node_modules" ] || "$(dirname "$0")/vega.sh"
}
if [ ${#missing[@]} -eq 0 ]; then
  install_vega "${1:-}"
  exit 0
fi

if ! command -v apt-get >/dev/null; then
  echo "setup: this is not a Debian or Ubuntu system; install these yourself: ${missing[*]}" >&2
  exit 1
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "setup: run as root, or install sudo, to install: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
echo "setup: installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
install_vega "${1:-}"
