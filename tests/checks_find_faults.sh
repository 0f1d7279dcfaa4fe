#!/usr/bin/env bash
# Verifies that the source checks find their faults: one at a time in a tree of one file.
set -euo pipefail
cd "$(dirname "$0")"
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# expect RESULT CHECK FILE LINE: RESULT is `fault` or `fine`.
expect() {
  local result=fine
  rm -rf "${tree:?}"/*
  mkdir -p "$tree/src" "$tree/include/alacarte" "$tree/$(dirname "$3")"
  echo "$4" >"$tree/$3"
  "./$2" "$tree" >/dev/null 2>&1 || result=fault
  [ "$result" = "$1" ] || { echo "$2: $1 expected, but it says $result: $3: $4" >&2; exit 1; }
}

expect fine check_includes.sh src/train/a.cpp '#include "alacarte/features/map.hpp"'
expect fine check_includes.sh src/train/a.cpp '#include "features/map.hpp"'
expect fine check_includes.sh src/train/a.cpp '#include "own.hpp"'
expect fine check_includes.sh src/core/a.cpp '#include <boost/random.hpp>'
expect fine check_includes.sh src/linalg/a.hpp '#include "core/workers.hpp"'
expect fine check_includes.sh src/inference/a.cpp '#include "model/posteriors.hpp"'
expect fault check_includes.sh src/features/a.cpp '#include "alacarte/train/fit.hpp"'
expect fault check_includes.sh src/features/a.cpp '#include "train/fit_pool.hpp"'
expect fault check_includes.sh src/features/a.hpp '  #  include  "model/posteriors.hpp"  // why'
expect fault check_includes.sh src/model/likelihoods/a.cpp '#include "train/fit_pool.hpp"'
expect fault check_includes.sh src/inference/a.cpp '#include "train/fit_pool.hpp"'
expect fault check_includes.sh src/train/a.cpp '#include "cli/process.hpp"'
expect fault check_includes.sh src/report/a.cpp '#include "cli/process.hpp"'
expect fault check_includes.sh src/nowhere/a.cpp '#include "own.hpp"'
expect fault check_includes.sh include/alacarte/kernel/a.hpp '#include <alacarte/features/map.hpp>'
expect fault check_includes.sh include/alacarte/train/a.hpp '#include "features/map.hpp"'
expect fault check_includes.sh tests/support/a.cpp '#include "cli/process.hpp"'
expect fault check_includes.sh src/train/a.cpp '#include "alacarte/alacarte.hpp"'
expect fine check_includes.sh src/train/noise/a.cpp '#include "train/plan/fit_jobs.hpp"'
expect fine check_includes.sh src/train/fit/a.cpp '#include "train/version.hpp"'
expect fault check_includes.sh src/train/plan/a.cpp '#include "train/search/minibatches.hpp"'
expect fault check_includes.sh src/train/a.cpp '#include "train/plan/fit_jobs.hpp"'
expect fine check_includes.sh src/optimise/fit_context.hpp '#include "core/ranks.hpp"'
expect fault check_includes.sh src/train/fit/a.cpp '#include "core/ranks.hpp"'
expect fine check_includes.sh src/data/row_pass.hpp '#include "core/ranks.hpp"'
expect fault check_includes.sh src/eval/a.cpp '#include "core/ranks.hpp"'
expect fault check_includes.sh src/cli/train.cpp '#include "core/ranks.hpp"'
expect fault check_includes.sh src/inference/a.cpp 'double all = ranks::sum(own);'
expect fault check_includes.sh include/alacarte/alacarte.hpp '#include "core/workers.hpp"'

expect fine check_threads.sh src/core/workers.hpp '#pragma omp parallel for'
expect fine check_threads.sh src/linalg/a.cpp '#pragma omp simd'
expect fine check_threads.sh src/linalg/a.cpp 'std::thread::hardware_concurrency()'
expect fault check_threads.sh src/linalg/a.cpp '#pragma omp parallel num_threads(2)'
expect fault check_threads.sh src/train/a.cpp 'std::vector<std::thread> workers;'
expect fault check_threads.sh src/train/a.cpp 'std::jthread worker(body);'
expect fault check_threads.sh src/train/a.cpp 'auto later = std::async(body);'

# many COUNT LINE: the line so many times.
many() { for ((i = 0; i < $1; ++i)); do echo "$2"; done; }
expect fine check_size.py src/a.cpp "int f() {
$(many 78 '  ++n;')
}"
expect fault check_size.py src/a.cpp "int f() {
$(many 79 '  ++n;')
}"
expect fault check_size.py include/alacarte/core/a.hpp "namespace a {
class A final : public B<int> {
  int f() const override { return 1; }
  A(int n)
      : n_(n), m_(n) {
$(many 79 "    if (n == '{') { s = \"}\"; }  // }")
  }
};
}"
expect fault check_size.py python/src/a.cpp "const auto f = [](int n) {
$(many 79 '  ++n;')
};"
expect fine check_size.py src/a.cpp "const std::vector<int> kTable = {
$(many 90 '  {1, 2},')
};"
expect fine check_size.py src/a.cpp "struct A {
$(many 298 '  int n;')
};"
expect fault check_size.py src/a.cpp "template <class T, class = std::enable_if_t<true>>
struct alignas(8) A<T*> {
$(many 299 '  int n;')
};"
expect fault check_size.py src/a.cpp "$(many 401 '// A comment.')"
expect fault check_size.py src/a.cpp 'int f() { if (n) { return 1; }'
