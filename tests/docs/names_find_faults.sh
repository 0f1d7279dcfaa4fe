#!/usr/bin/env bash
# Checks that names.py finds what it is there for: one fault at a time in a small tree.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/src/room" "$tree/docs" "$tree/cmake"
cat >"$tree/src/room/real_name.hpp" <<'CODE'
struct RealName {
  void act_now() const { say("write //OddName, lower_{} and key_of_recipe"); }
};
CODE
bad=0

# told FAULT FILE TEXT OPTIONS: names.py with these options tells of FAULT (or of nothing where it is empty) when FILE is the text.
told() {
  local fault=$1 file=$2 said code=0
  echo "$3" >"$tree/$file"
  said=$("$here/names.py" "$tree" "${@:4}") || code=$?
  if [ -n "$fault" ] && { [ $code -eq 0 ] || ! grep -qF "$file:$fault" <<<"$said"; } || [ -z "$fault" ] && [ $code -ne 0 ]; then
    echo "$file: $3: instead of '$fault': $said" >&2
    bad=1
  fi
  rm "$tree/$file"
}
# expect NAME FILE LINE: it tells that there is no NAME.
expect() { told "${1:+1: there is no $1}" "$2" "$3"; }

expect "" src/a.cpp "// RealName::act_now(), act_now(), key_of_recipe, lower_bound_of, RealNames, room/real_name.hpp, real_*.hpp"
expect "" src/a.cpp "// std::no_such(), http://example.org/none.hpp, src/NAME.cpp, FOLDER/none.json, weight_scale_bar, f(x), k_c(x)"
expect "" src/a.cpp 'const char* url = "no_such.hpp // NoSuch";'
expect "file none.hpp" src/a.cpp "int a;  // as none.hpp does"
expect "file name.hpp" src/a.cpp "/// \`name.hpp\`"
expect "file other/real_name.hpp" src/a.hpp "/* other/real_name.hpp */"
expect "file none.md" src/a.hpp "// See none.md, section 2."
expect "file none_*.cpp" cmake/a.cmake "# none_*.cpp"
expect "NoSuch in the code" src/a.cpp "// A NoSuch is used."
expect "OddName in the code" src/a.cpp "// A type named in a string only: OddName."
expect "RealName::no_such in the code" src/a.cpp "/// RealName::no_such()"
expect "no_such in the code" src/a.cpp "// by no_such()"
expect "no_such_key in the code" src/a.cpp "// the key no_such_key"
expect "kNoSuch in the code" src/a.cpp "// at most kNoSuch of them"
expect "" docs/a.md "NoSuch without backticks, \`RealName\`, \`act_now()\` and real_name.hpp"
expect "NoSuch in the code" docs/a.md "a \`NoSuch\`"
expect "RealName::no_such in the code" docs/a.md "\`RealName::no_such(x)\`"
expect "file none.hpp" docs/a.md "\`none.hpp\`"

begins() { told "$1" src/a.hpp "$2" --beginnings; }
begins "" "// Returns what is left. What is left is
// As many as there are.
int a;  ///< Largest number of rows.
// Often kMax is enough; Total, Byte, Most and Tone are words."
begins "1: the comment begins with 'What'" "// What is left."
begins "2: the comment begins with 'The same'" "int a;
  /// The same of b."
begins "2: the comment begins with 'Of'" "
// Of a whole fit."
begins "1: the comment begins with 'of'" "int a;  ///< of b"
begins "1: the comment begins with 'whether'" "int a;  ///< Whether it is."
begins "1: kMostRows is" "constexpr int kMostRows = 3;"
exit $bad
