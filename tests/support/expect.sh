# Sourced by shell tests: prints one line per expectation and counts failures.
failures=0
# expect WHAT COMMAND..: passes WHAT if COMMAND succeeds; explain, if the script defines it, adds details of a failure.
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
