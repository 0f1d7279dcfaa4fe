#!/usr/bin/env python3
"""Stores what run.sh measured, and prints the tables of the README.

Usage: cases.py --store RESULTS.json --seeds K   writes cases.csv and its line in provenance.csv
       cases.py --table                          each variant: checks that hold, and the worst of those that do not
       cases.py --table PATTERN CHECK            the measured numbers of one check, a column a seed
"""
import argparse
import csv
import datetime
import fnmatch
import json
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from measured import commit, machine  # noqa: E402

COLUMNS = ["case", "seed", "check", "required", "measured", "ok"]


def store(results, seeds):
    with open(results, encoding="utf-8") as file:
        found = json.load(file)
    with open(HERE / "cases.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for result in found:
            if result["check"] != "seconds":  # a limit, and no result of a case
                writer.writerow([result["case"], result["seed"], result["check"], result["required"], f"{result['measured']:.8g}",
                                 "yes" if result["ok"] else "no"])
    path, own = HERE.parent / "provenance.csv", "cases/cases.csv"
    with open(path, newline="", encoding="utf-8") as file:
        lines = [line for line in csv.reader(file) if line[0] != own]
    where = machine()
    lines.append([own, datetime.date.today().isoformat(), commit()[:8], f"{where['processor']}, {where['cores']} virtual cores",
                  f"SEEDS={seeds} experiments/cases/run.sh"])
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([lines[0], *sorted(lines[1:])])


def stored():
    with open(HERE / "cases.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def by(rows, key):
    groups = {}
    for row in rows:
        groups.setdefault(row[key], []).append(row)
    return groups


def distance(row):
    """How far a measured number is outside its bounds, in units of the bound."""
    bounds = [float(word) for word in row["required"].split() if word[0].isdigit() or word[0] == "-"]
    measured = float(row["measured"])
    if math.isnan(measured):
        return math.inf
    return min(abs(measured - bound) / max(abs(bound), 1e-12) for bound in bounds)


def print_all():
    print("| case | checks that hold | worst of the others | measured | required |\n|---|---|---|---|---|")
    for case, rows in by(stored(), "case").items():
        failed = [row for row in rows if row["ok"] == "no"]
        worst = max(failed, key=distance) if failed else None
        shown = f"`{worst['check']}`, seed {worst['seed']} | {worst['measured']} | {worst['required']}" if worst else " | | "
        print(f"| {case} | {len(rows) - len(failed)} of {len(rows)} | {shown} |")


def print_check(pattern, check):
    chosen = [row for row in stored() if fnmatch.fnmatchcase(row["case"], pattern) and row["check"] == check and row["seed"] != "all"]
    seeds = sorted({row["seed"] for row in chosen}, key=int)
    print("| case | " + " | ".join(f"seed {seed}" for seed in seeds) + " | required |\n" + "|---" * (len(seeds) + 2) + "|")
    for case, rows in by(chosen, "case").items():
        numbers = {row["seed"]: row["measured"] for row in rows}
        print(f"| {case} | " + " | ".join(numbers.get(seed, "") for seed in seeds) + f" | {rows[0]['required']} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--table", nargs="*")
    arguments = parser.parse_args()
    if arguments.store:
        store(arguments.store, arguments.seeds)
    elif arguments.table == []:
        print_all()
    elif arguments.table and len(arguments.table) == 2:
        print_check(*arguments.table)
    else:
        parser.error("--store RESULTS, --table or --table PATTERN CHECK")


if __name__ == "__main__":
    main()
