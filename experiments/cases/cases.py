#!/usr/bin/env python3
"""Stores what run.sh measured, and prints the tables of the README.

Usage: cases.py --store RESULTS.json --seeds K [--name NAME.csv]    writes cases.csv, or that file, and its line in provenance.csv
       cases.py --reports                        the reports that version 0.2 got wrong: what is right, what was, what is now
       cases.py --failing                        the checks that do not hold
       cases.py --table                          each variant: checks that hold, and the worst of those that do not
       cases.py --table PATTERN CHECK            the measured numbers of one check, a column a seed
       cases.py --means NAME.csv CHECK           the means of one check over the seeds of that file
"""
import argparse
import csv
import fnmatch
import json
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from measured import commit, write_provenance  # noqa: E402
from stored import csv_rows  # noqa: E402

# Input, what is right, what the program gave before (commit 34f11a2b), and the checks that show what it gives now.
REPORTS = [
    ("`2 sin(2 pi t / 40)`, 700 rows, noise 0.3: error to the truth", "below 0.1", "1.41", "gpytorch-1906-*", "rmse"),
    ("the same: noise", "0.30", "1.46", "gpytorch-1906-*", "noise"),
    ("the same, `exact-periodic`: deviation of the intervals", "0.30", "0.39", "gpytorch-1906-*/exact-periodic", "mean_sd"),
    ("`sin(2 pi k x)`, 400 rows, k = 20, noise 0.1: error", "small", "0.71 where flat", "sine-frequency/*,k=20", "rmse"),
    ("the same, k = 40", "small", "0.71 where flat", "sine-frequency/*,k=40", "rmse"),
    ("the same, k = 1 to 40: noise", "0.105", "0.19 to 0.34 where it was found", "sine-frequency/*", "noise"),
    ("in two inputs, `exact-ard`, k = 1 to 40: error", "small", "0.71 at k = 4, 8, 10", "sine-two-inputs/*", "rmse"),
    ("`sin(10 pi x)` without noise, 308 and 309 rows: largest deviation", "near 0", "0.19", "gpytorch-1061-*", "max_sd(points)"),
    ("hourly series, periods 24 and 8: error of the next day", "0.1", "flat", "hourly-series-*/auto", "rmse"),
    ("parabola and `0.3 sin(4 pi x)`, `auto`: error", "0.02 to 0.06", "0.11", "parabola-and-sine/auto,*", "rmse"),
    ("60 rows, class `sin(4 pi x) > 0`: accuracy", "1.00", "0.55 to 0.65", "two-classes-by-a-sine/*,n=60", "accuracy"),
    ("p = sigmoid(3 x1), 299 rows, `auto`: KL to the truth", "0.005", "0.0047", "probability-by-one-input/auto,n=299", "kl"),
    ("the same, 300 rows", "0.005", "0.0350", "probability-by-one-input/auto,n=300", "kl"),
    ("the same, `classify`", "0.005", "", "probability-by-one-input/classify,n=300", "kl"),
    ("50 rows, 35 inputs, `auto`: coverage beyond that of one who knows", "0", "0.83 to 0.93 in all",
     "few-rows-many-inputs/auto,size=50x35,*", "coverage_excess"),
    ("the same, `exact-ard`", "0", "0.36 to 0.56 in all", "few-rows-many-inputs/exact-ard,size=50x35,*", "coverage_excess"),
    ("noise 20 % of y, `auto`: coverage of low y", "0.95", "1.00", "noise-in-proportion/auto", "coverage(f < 4)"),
    ("the same: of high y", "0.95", "0.78", "noise-in-proportion/auto", "coverage(f > 7)"),
    ("textbooks' means and deviations, largest difference", "0", "cannot be given", "rasmussen-williams-*", "values*"),
]
COLUMNS = ["case", "seed", "check", "required", "measured", "ok"]


def store(results, seeds, name):
    with open(results, encoding="utf-8") as file:
        found = json.load(file)
    with open(HERE / name, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for result in found:
            if result["check"] != "seconds":  # a limit, and no result of a case
                writer.writerow([result["case"], result["seed"], result["check"], result["required"], f"{result['measured']:.8g}",
                                 "yes" if result["ok"] else "no"])
    write_provenance(f"cases/{name}", commit()[:8], f"SEEDS={seeds} experiments/cases/run.sh")


def stored():
    return csv_rows(HERE / "cases.csv")


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


def print_reports():
    print("| input | right | before | now: mean over variants and seeds, range |\n|---|---|---|---|")
    for what, right, before, pattern, check in REPORTS:
        now = [float(row["measured"]) for row in stored() if row["seed"] != "all" and fnmatch.fnmatchcase(row["case"], pattern)
               and (row["check"] == check or check.endswith("*") and row["check"].startswith(check[:-1]))]
        shown = [f"{value:.2g}".replace("-", "−") for value in (sum(now) / len(now), min(now), max(now))]
        print(f"| {what} | {right} | {before} | {shown[0]} ({shown[1]} to {shown[2]}) |")


def print_failing():
    print("| case | seed | check | measured | required |\n|---|---|---|---|---|")
    for row in stored():
        if row["ok"] == "no":
            print(f"| {row['case']} | {row['seed']} | `{row['check']}` | {float(row['measured']):.4g} | {row['required']} |")


def print_check(pattern, check):
    chosen = [row for row in stored() if fnmatch.fnmatchcase(row["case"], pattern) and row["check"] == check and row["seed"] != "all"]
    seeds = sorted({row["seed"] for row in chosen}, key=int)
    print("| case | " + " | ".join(f"seed {seed}" for seed in seeds) + " | required |\n" + "|---" * (len(seeds) + 2) + "|")
    for case, rows in by(chosen, "case").items():
        numbers = {row["seed"]: row["measured"] for row in rows}
        print(f"| {case} | " + " | ".join(numbers.get(seed, "") for seed in seeds) + f" | {rows[0]['required']} |")


def print_means(name, check):
    rows = [row for row in csv_rows(HERE / name) if row["check"] == f"mean of {check}"]
    print("| case | mean | required |\n|---|---|---|")
    for row in rows:
        print(f"| {row['case']} | {float(row['measured']):.4f} | {row['required']} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--name", default="cases.csv")
    parser.add_argument("--means", nargs=2, metavar=("NAME.csv", "CHECK"))
    parser.add_argument("--reports", action="store_true")
    parser.add_argument("--failing", action="store_true")
    parser.add_argument("--table", nargs="*")
    arguments = parser.parse_args()
    if arguments.store:
        store(arguments.store, arguments.seeds, arguments.name)
    elif arguments.reports:
        print_reports()
    elif arguments.means:
        print_means(*arguments.means)
    elif arguments.failing:
        print_failing()
    elif arguments.table == []:
        print_all()
    elif arguments.table and len(arguments.table) == 2:
        print_check(*arguments.table)
    else:
        parser.error("--store RESULTS, --reports, --failing, --means, --table or --table PATTERN CHECK")


if __name__ == "__main__":
    main()
