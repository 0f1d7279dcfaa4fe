#!/usr/bin/env python3
"""The plan of a training, which `train` shows before it begins, against what the training took.

    plan_times.py plan-times.csv --program build/release/alacarte [--sets concrete sml] [--recipes auto ssgpr] [--threads 2]
    plan_times.py plan-times.csv --table
    plan_times.py new.csv --table --beside old.csv         # seconds taken by another program, whose results are in old.csv

Fold 0 of uci/SET, or all rows of what has another folder (classification/ctg3); one training at a time; what the CSV holds is not run
again. The recipe `default` is none: the program chooses. `plan_after`: seconds from the line that counts the rows to the plan;
`planned`: the plan's; `taken`: from the plan to the saved model.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import stored  # noqa: E402
from measured import commit  # noqa: E402

HEADER = ["set", "recipe", "threads", "plan_after", "planned", "taken", "commit"]


def read(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def measure(program, name, recipe, threads):
    at = {}
    with tempfile.TemporaryDirectory() as folder:
        data = [name] if "/" in name else ["uci/" + name, "--fold", "0"]
        command = [program, "train", *([] if recipe == "default" else [recipe]), "--data", *data, "--model", os.path.join(folder, "model"),
                   "--threads", str(threads), "--log", "json"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
            for line in running.stderr:
                record = json.loads(line)
                at.setdefault(record["event"], time.perf_counter())
                if record["event"] == "plan":
                    planned = record["seconds"]
        if running.returncode != 0:
            sys.exit(f"{' '.join(command)}: exit code {running.returncode}")
    return at["plan"] - at["rows"], planned, at["saved"] - at["plan"]


def table(found):
    head = ["data set", "recipe", "threads", "plan after, s", "planned, s", "taken, s", "planned / taken"]
    stored.print_table(head, [[line["set"], f"`{line['recipe']}`", line["threads"], line["plan_after"], line["planned"], line["taken"],
                               f"{float(line['planned']) / float(line['taken']):.2f}"] for line in found])


def table_beside(found, before):
    taken = {(line["set"], line["recipe"], line["threads"]): line["taken"] for line in before}
    rows = []
    for line in found:
        old = taken.get((line["set"], line["recipe"], line["threads"]))
        if old:
            rows.append([line["set"], f"`{line['recipe']}`", old, line["taken"], f"{float(line['taken']) / float(old):.2f}"])
    stored.print_table(["data set", "recipe", "seconds before", "seconds now", "now / before"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--program", default="build/release/alacarte")
    parser.add_argument("--sets", nargs="+", default=["housing", "energy", "concrete", "wine", "skillcraft", "sml", "elevators", "kin40k"])
    parser.add_argument("--recipes", nargs="+", default=["auto"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--beside")
    args = parser.parse_args()
    found = read(args.out)
    if args.table:
        if args.beside:
            table_beside(found, read(args.beside))
        else:
            table(found)
        return
    have = {(line["set"], line["recipe"], line["threads"]) for line in found}
    version = commit()
    if not found:
        with open(args.out, "w", encoding="utf-8") as file:
            file.write(",".join(HEADER) + "\n")
    for recipe in args.recipes:
        for name in args.sets:
            if (name, recipe, str(args.threads)) in have:
                continue
            after, planned, taken = measure(args.program, name, recipe, args.threads)
            row = [name, recipe, args.threads, f"{after:.2f}", f"{planned:.2f}", f"{taken:.2f}", version]
            with open(args.out, "a", newline="", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerow(row)
            print(*row, flush=True)


if __name__ == "__main__":
    main()
