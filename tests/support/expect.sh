# Sourced by the tests that are shell scripts: one line for each thing expected, and how many failed.
failures=0
# expect WHAT COMMAND..: WHAT is so when COMMAND succeeds; explain, where the script defines it, says more of a failure.
expect() {
  local what=$1
  shift
  if "$@"; then
    echo "ok $what"
  else
    echo "FAILED $what$(declare -F explain >/dev/null && explain)"
    failures=$((failures + 1))
  fi
}
