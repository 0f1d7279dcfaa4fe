#!/usr/bin/env bash
# What breaking the program once found, each fault with the command that showed it: prints "ok ITEM ..." or
# "FAILED ITEM ..." for each, and fails if one of them does. Usage: tests/reliability.sh PROGRAM
#
# To add an item, write a function item_NAME that calls expect; all functions of such a name are run, in a scratch folder
# that holds f.csv (friedman1, 200 rows), x.model (linear, trained on it) and endless.json (a recipe that never ends).
set -uo pipefail
program=$(realpath "${1:?usage: tests/reliability.sh PROGRAM}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failures=0
ulimit -c 0

# expect ITEM WHAT COMMAND..: the command succeeds.
expect() {
  local item=$1 what=$2
  shift 2
  if "$@"; then
    echo "ok $item $what"
  else
    echo "FAILED $item $what: exit code ${code:-?}, standard error: $(tail -n 3 err 2>/dev/null)"
    failures=$((failures + 1))
  fi
}

# run SECONDS ARGUMENT..: the program's exit code goes to $code (137: it was still running), its messages to err.
run() {
  local seconds=$1
  shift
  timeout --signal=KILL "$seconds" "$program" "$@" >out 2>err
  code=$?
}
code_is() { [[ $code == "$1" ]]; }
one_line() { [[ $(wc -l <err) == 1 ]]; }
says() { grep -q -- "$1" err; }
no_temporary_file() { ! compgen -G '*.tmp' >/dev/null; }
refused() { code_is "$1" && one_line && says "$2" && no_temporary_file; }

# start ARGUMENT..: in the background, as $pid; kill_soon SIGNAL..: sends them, then waits up to 5 s for the end.
start() {
  "$program" "$@" >out 2>err &
  pid=$!
}
wait_for_text() {
  for _ in $(seq 200); do
    grep -q -- "$1" err 2>/dev/null && return
    sleep 0.05
  done
}
kill_soon() {
  local signal
  for signal in "$@"; do
    kill -"$signal" "$pid" 2>/dev/null
    sleep 0.1
  done
  for _ in $(seq 100); do
    [[ -e /proc/$pid/stat && $(cut -d' ' -f3 "/proc/$pid/stat") != Z ]] || break
    sleep 0.05
  done
  kill -KILL "$pid" 2>/dev/null
  { wait "$pid"; } 2>/dev/null
  code=$?
}

limited() { # KILOBYTES ARGUMENT..
  local kilobytes=$1
  shift
  (
    ulimit -v "$kilobytes"
    exec timeout --signal=KILL 10 "$program" "$@"
  ) >out 2>err
  code=$?
}
works_or_refuses() { code_is 0 || refused 70 "address space"; }

item_1_address_space() {
  local kilobytes
  for kilobytes in 100000 200000 300000 400000 600000; do
    limited $kilobytes kernels list
    expect 1 "kernels list in $kilobytes kB" works_or_refuses
    limited $kilobytes predict x.model --data f.csv --out p.csv
    expect 1 "predict in $kilobytes kB" works_or_refuses
    limited $kilobytes train ard --data f.csv --model y.model --threads 2 --set /training/iterations=3 --quiet
    expect 1 "train in $kilobytes kB" works_or_refuses
  done
  limited 200000 kernels list
  expect 1 "kernels list needs no buffers" code_is 0
  limited 300000 predict x.model --data f.csv --out p.csv
  expect 1 "predict works in 300000 kB" code_is 0
}

item_2_memory_limit() {
  local copies begin
  for copies in 1 40 100; do
    begin=$SECONDS
    (
      ulimit -v 3000000
      exec timeout --signal=KILL 20 "$program" train gm --data f.csv --model z --memory-limit 300MB --quiet \
        --set /copies=$copies --set /features/frequencies=1000000
    ) >out 2>err
    code=$?
    expect 2 "$copies copies are refused" refused 2 memory-limit
    expect 2 "$copies copies in $((SECONDS - begin)) s" test $((SECONDS - begin)) -le 3
  done
}

item_3_signals() {
  local signal
  mkfifo silent
  sleep 30 >silent & # a writer that says nothing
  local writer=$!
  "$program" predict x.model --data - --out - <silent >out 2>err &
  pid=$!
  sleep 0.5
  kill_soon TERM
  expect 3 "the first SIGTERM ends a blocked read" code_is 130
  start predict x.model --data silent --out p.csv
  sleep 0.5
  kill_soon INT
  expect 3 "the first SIGINT ends a blocked read, without a temporary file" eval 'code_is 130 && no_temporary_file'
  kill "$writer"
  mkfifo unread
  start predict x.model --data f.csv --out unread
  sleep 0.5
  kill_soon TERM
  expect 3 "the first SIGTERM ends the wait for the reader of a pipe" code_is 130
  for signal in TERM HUP QUIT; do
    start generate friedman1 --rows 99999999 --out big.csv
    sleep 0.5
    kill_soon "$signal" "$signal"
    expect 3 "SIG$signal leaves no temporary file" eval '[[ $code -ge 128 && $code != 137 ]] && no_temporary_file'
  done
  (
    ulimit -f 100
    exec timeout --signal=KILL 20 "$program" generate friedman1 --rows 999999 --out big.csv
  ) >out 2>err
  code=$?
  expect 3 "ulimit -f is told" refused 4 "File too large"
}

item_4_pipes() {
  mkfifo ff gg
  (head -12 f.csv >ff) &
  run 20 train linear --data ff --model from_pipe.model
  expect 4 "train reads a named pipe" code_is 0
  wait $!
  timeout 20 cat gg >train_piped &
  run 20 train linear --data f.csv --model gg --quiet
  wait $!
  expect 4 "train writes to a named pipe" eval 'code_is 0 && "$program" inspect train_piped >/dev/null'
  run 20 predict x.model --data f.csv --out p.csv
  timeout 20 cat gg >predict_piped &
  (cat f.csv >ff) &
  run 20 predict x.model --data ff --out gg
  wait
  expect 4 "predict reads and writes named pipes" eval 'code_is 0 && cmp -s p.csv predict_piped'
  timeout 20 cat gg >page_piped &
  run 20 inspect x.model --html gg
  wait
  expect 4 "inspect writes to a named pipe" eval 'code_is 0 && grep -q "</html>" page_piped'
  (cat x.model >ff) &
  run 20 inspect ff
  wait
  expect 4 "inspect reads a model from a named pipe" code_is 0
}

item_5_a_training_is_kept() {
  start train endless.json --data f.csv --model hup.model --log json
  wait_for_text '"final"'
  kill_soon HUP
  expect 5 "SIGHUP saves the best model" eval 'code_is 130 && "$program" inspect hup.model >/dev/null'
  cp f.csv $'f\xff.csv'
  run 20 train linear --data $'f\xff.csv' --model bytes.model
  expect 5 "a path that is not UTF-8" eval 'code_is 0 && "$program" inspect bytes.model >/dev/null'
  run 20 train linear --data f.csv --model "" --quiet
  expect 5 "an empty --model is refused before training" refused 1 "--model"
}

"$program" generate friedman1 --rows 200 --out f.csv --quiet || exit 1
"$program" train linear --data f.csv --model x.model --quiet || exit 1
cat >endless.json <<'END'
{"model": "ssgpr", "features": {"frequencies": 64}, "noise": {"prior_center": "fixed"}, "priors": false,
 "training": {"starts": 2, "probe_iterations": 2, "iterations": 100000, "gradient_tolerance": 1e-300,
              "objective_tolerance": 0}}
END
for item in $(compgen -A function item_ | sort -t_ -k2,2n); do "$item"; done
((failures == 0))
