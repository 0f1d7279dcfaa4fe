#!/usr/bin/env python3
"""The program with no option except its time, beside boosting, on tables as their owners have them.

Usage: tables.py --run PROGRAM --python P [--folder F] [--out OUT.csv] [--only TABLE ..] [--methods M ..] [--seconds S] [--threads N]
                           runs what is missing in OUT.csv; P is the interpreter of the peers (run.sh makes it)
       tables.py --store   writes the line of results.csv in provenance.csv
       tables.py --summary [--results OUT.csv]    a line for each table: the program, the best peer, the gap
       tables.py --counts [--results OUT.csv]     how many tables are level or ahead

A folder has manifest.csv, with the columns name, target and kind (number or class), and NAME.csv.gz or NAME.csv for each. Rows without a
target are left out; of the others every tenth, from the sixth on, tests. To repeat a run, delete its line in OUT.csv.
"""
import argparse
import csv
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from measured import commit, write_provenance  # noqa: E402
from stored import csv_rows, minus, print_table  # noqa: E402

OWN, PEERS = "alacarte", ["catboost", "lightgbm", "histgb"]
FIELDS = ["table", "method", "kind", "train_rows", "test_rows", "score", "error", "coverage", "seconds", "version", "remark"]
RESULTS = HERE / "results.csv"
GAPS = {"", "na", "n/a", "nan", "null"}
LEVEL = 0.01  # nats
ERROR_LEVEL = 1.02  # ratio of errors
FAILED = "does not train"
SLACK_SECONDS = 600  # a method that takes this much longer than its time has failed


def tables_of(folder):
    with open(folder / "manifest.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def read_table(folder, name):
    """The names of the columns, and the rows as text."""
    path = folder / f"{name}.csv.gz"
    opened = gzip.open(path, "rt", newline="", encoding="utf-8") if path.exists() else open(folder / f"{name}.csv", newline="", encoding="utf-8")
    with opened as file:
        rows = list(csv.reader(file))
    return rows[0], rows[1:]


def write_rows(path, names, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([names, *rows])


def split(names, rows, target, kind):
    """Training and test rows. Test rows of a class that no training row has are left out: no method can score them."""
    place = names.index(target)
    known = [row for row in rows if row[place].strip().lower() not in GAPS]
    train = [row for i, row in enumerate(known) if i % 10 != 5]
    test = [row for i, row in enumerate(known) if i % 10 == 5]
    if kind == "class":
        classes = {row[place] for row in train}
        test = [row for row in test if row[place] in classes]
    return train, test


class Failed(Exception):
    pass


def output(command, seconds):
    try:
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=seconds + SLACK_SECONDS)
    except subprocess.TimeoutExpired:
        raise Failed(f"took more than {seconds + SLACK_SECONDS:g} s") from None
    if done.returncode != 0:
        raise Failed((done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1])
    return done.stdout


def run_own(unit, options, folder):
    """Trains with no option except the time. Says so where the target was taken for the other kind, and then names the kind."""
    model = folder / "model"
    threads = ["--threads", options.threads, "--quiet"]

    def trained(*more):
        began = time.monotonic()
        output([options.run, "train", *more, "--data", unit["train"], "--target", unit["target"], "--model", model,
                "--seconds", options.seconds, *threads], options.seconds)
        return time.monotonic() - began, json.loads(output([options.run, "evaluate", model, "--data", unit["test"], *threads],
                                                           options.seconds))

    seconds, found = trained()
    remark = ""
    if ("log_loss" in found) != (unit["kind"] == "class"):
        named = ["auto", "--set", '/likelihood="softmax"'] if unit["kind"] == "class" else ["auto"]
        remark = f"taken for a {'number' if unit['kind'] == 'class' else 'class'}; trained again by {' '.join(named)}"
        seconds, found = trained(*named)
    if unit["kind"] == "class":
        return {"score": found["log_loss"], "error": 1 - found["accuracy"], "seconds": seconds, "remark": remark}
    return {"score": found["nlpd"], "error": found["rmse"], "coverage": (found.get("coverage") or {}).get("95"), "seconds": seconds,
            "remark": remark}


def run_peer(method, unit, options):
    return json.loads(output([options.python, HERE / "peers.py", method, unit["train"], unit["test"], unit["target"], unit["kind"],
                              "--seconds", options.seconds, "--threads", options.threads], 2 * options.seconds))


def versions():
    """The pinned version of each peer, and the commit of the program."""
    with open(HERE / "requirements.txt", encoding="utf-8") as file:
        pinned = dict(line.strip().split("==") for line in file if "==" in line)
    return {OWN: commit()[:8], "catboost": pinned["catboost"], "lightgbm": pinned["lightgbm"], "histgb": pinned["scikit-learn"]}


def shown(value):
    return "" if value is None else f"{value:.6g}"


def result_of(method, unit, options, folder):
    line = {"table": unit["name"], "method": method, "kind": unit["kind"], "train_rows": unit["train_rows"],
            "test_rows": unit["test_rows"], "version": options.versions[method]}
    try:
        found = run_own(unit, options, folder) if method == OWN else run_peer(method, unit, options)
    except Failed as failed:
        return {**line, "remark": f"failed: {failed}".replace(str(folder) + os.sep, "")}
    return {**line, **{key: shown(found.get(key)) for key in ("score", "error", "coverage", "seconds")}, "remark": found["remark"]}


def run_table(table, methods, options, write):
    names, rows = read_table(options.folder, table["name"])
    train, test = split(names, rows, table["target"], table["kind"])
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        unit = {**{key: table[key] for key in ("name", "target", "kind")}, "train": folder / "train.csv", "test": folder / "test.csv",
                "train_rows": len(train), "test_rows": len(test)}
        write_rows(unit["train"], names, train)
        write_rows(unit["test"], names, test)
        for method in methods:
            write(result_of(method, unit, options, folder))


def run(options):
    done = {(row["table"], row["method"]) for row in csv_rows(options.out)}
    options.versions = versions()
    wanted = [table for table in tables_of(options.folder) if not options.only or table["name"] in options.only]
    if missing := set(options.only or ()) - {table["name"] for table in wanted}:
        sys.exit(f"{options.folder / 'manifest.csv'} has no {', '.join(sorted(missing))}")
    with open(options.out, "a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, restval="", lineterminator="\n")
        if not done:
            writer.writeheader()

        def write(line):
            writer.writerow(line)
            file.flush()
            print(*(line.get(key, "") for key in ("table", "method", "score", "seconds", "remark")), flush=True)

        for table in wanted:
            methods = [method for method in options.methods if (table["name"], method) not in done]
            if methods:
                run_table(table, methods, options, write)


def store():
    """Writes the line of results.csv in provenance.csv."""
    commits = sorted({row["version"] for row in csv_rows(RESULTS) if row["method"] == OWN})
    write_provenance(f"{HERE.name}/{RESULTS.name}", commits[-1] if len(commits) == 1 else commit()[:8],
                     "experiments/tables/run.sh" + (" [commits of the program in the column version]" if len(commits) > 1 else ""))


class Comparison:
    """The program and its peers on one table. A missing score, of a method that failed, is worse than any other."""

    def __init__(self, rows):
        by_method = {row["method"]: row for row in rows}
        self.table, self.kind, self.rows = rows[0]["table"], rows[0]["kind"], rows[0]["train_rows"]
        self.own, self.peers = by_method.get(OWN), [by_method[name] for name in PEERS if name in by_method and by_method[name]["score"]]
        self.has_all = self.own is not None and bool(self.peers)
        self.trains = self.own is not None and self.own["score"] != ""

    def best(self, key="score"):
        return min(self.peers, key=lambda row: float(row[key]))

    def gap(self, key="score", peer=None):
        """The program's less the peer's: above zero the program is behind."""
        return float(self.own[key]) - float((peer or self.best(key))[key])

    def outcome(self, peer=None):
        if not self.trains:
            return FAILED
        gap = self.gap(peer=peer)
        return "level" if abs(gap) <= LEVEL else "ahead" if gap < 0 else "behind"

    def error_outcome(self):
        if not self.trains:
            return FAILED
        own, least = float(self.own["error"]), float(self.best("error")["error"])
        return "ahead" if ERROR_LEVEL * own < least else "behind" if own > ERROR_LEVEL * least else "level"


def comparisons(path):
    tables = {}
    for row in csv_rows(path):
        tables.setdefault(row["table"], []).append(row)
    return [found for found in map(Comparison, tables.values()) if found.has_all]


def figure(text, digits=3):
    return minus(f"{float(text):.{digits}f}") if text else ""


def percent(text):
    return f"{100 * float(text):.0f}" if text else ""


def print_summary(path):
    lines = []
    for found in sorted(comparisons(path), key=lambda one: one.gap() if one.trains else float("inf")):
        best = found.best()
        own = [figure(found.own["score"]), figure(best["score"]), best["method"]]
        gap = figure(str(found.gap())) if found.trains else ""
        errors = [f"{float(row['error']):.4g}" if row["error"] else "" for row in (found.own, found.best("error"))]
        lines.append([found.table, found.kind, found.rows, *own, gap, found.outcome(), *errors, percent(found.own["coverage"]),
                      percent(best["coverage"])])
    print_table(["table", "target", "rows", "score", "best peer's", "peer", "gap", "", "error", "least of peers", "in 95 %", "peer's"], lines)


def print_counts(path):
    found, lines = comparisons(path), []

    def count(what, outcomes):
        numbers = [outcomes.count(name) for name in ("ahead", "level", "behind", FAILED)]
        lines.append([what, numbers[0] + numbers[1], *numbers, len(outcomes)])

    if found:
        count("score: the best of the three", [one.outcome() for one in found])
        for kind in ("number", "class"):
            count(f"of targets of kind {kind}", [one.outcome() for one in found if one.kind == kind])
        for name in PEERS:
            count(name, [one.outcome(peer) for one in found for peer in one.peers if peer["method"] == name])
        count("error: the least of the three, level within 2 %", [one.error_outcome() for one in found])
    print_table(["beside", "level or ahead", "ahead", "level", "behind", FAILED, "of"], lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", metavar="PROGRAM")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--out", "--results", type=pathlib.Path, default=RESULTS)
    parser.add_argument("--only", nargs="+", metavar="TABLE")
    parser.add_argument("--methods", nargs="+", choices=[OWN, *PEERS], default=[OWN, *PEERS])
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--store", action="store_true")
    parser.add_argument("--summary", action="store_true")
    parser.add_argument("--counts", action="store_true")
    options = parser.parse_args()
    if options.run:
        if options.folder is None:
            if "ALACARTE_DATA_DIR" not in os.environ:
                parser.error("ALACARTE_DATA_DIR is not set, and there is no --folder")
            options.folder = pathlib.Path(os.environ["ALACARTE_DATA_DIR"]) / "tables"
        elif options.out == RESULTS:
            parser.error("results of another folder need a file of their own: --out OUT.csv")
        run(options)
    elif options.store:
        store()
    elif options.summary:
        print_summary(options.out)
    elif options.counts:
        print_counts(options.out)
    else:
        parser.error("--run, --store, --summary or --counts")


if __name__ == "__main__":
    main()
