#!/usr/bin/env python3
"""Intervals and leave-one-out scores on few rows for many inputs, none, one or three of which matter.

Usage: relevance.py run OUT.csv --program P [--recipes R ..] [--seeds N]     runs what is missing in OUT.csv
       relevance.py table BEFORE.csv AFTER.csv                               prints the table of the README
"""
import argparse
import csv
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import tempfile

SIZES = [(50, 35), (100, 20), (200, 50)]
RELEVANT = [0, 1, 3]
RECIPES = ["exact-ard", "auto"]
NEW_ROWS = 2000
FIELDS = ["recipe", "rows", "inputs", "relevant", "seed", "in_95", "left_out_r2", "new_r2", "nlpd", "seconds_of_processor"]


def write_rows(path, draw, count, inputs, relevant):
    """Standard normal inputs; the target is the sum of the relevant ones and standard normal noise."""
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([f"x{j}" for j in range(inputs)] + ["y"])
        for _ in range(count):
            x = [draw.gauss(0, 1) for _ in range(inputs)]
            writer.writerow([f"{value:.6g}" for value in x + [sum(x[:relevant]) + draw.gauss(0, 1)]])


def output(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def measured(program, recipe, rows, inputs, relevant, seed):
    with tempfile.TemporaryDirectory() as folder:
        train, new, model = (pathlib.Path(folder) / name for name in ("train.csv", "new.csv", "model"))
        draw = random.Random(f"{rows} {inputs} {relevant} {seed}")
        write_rows(train, draw, rows, inputs, relevant)
        write_rows(new, draw, NEW_ROWS, inputs, relevant)
        began = os.times()
        output(program, "train", recipe, "--data", train, "--model", model, "--threads", 1, "--quiet")
        ended = os.times()
        scores = json.loads(output(program, "evaluate", model, "--data", new, "--threads", 1, "--quiet"))
        left_out = json.loads(output(program, "inspect", model, "--json"))["training"]["leave_one_out"]
    seconds = ended.children_user + ended.children_system - began.children_user - began.children_system
    figures = [100 * scores["coverage"]["95"], left_out["r2"], scores["r2"], scores["nlpd"], seconds]
    return [recipe, rows, inputs, relevant, seed] + [f"{figure:.4g}" for figure in figures]


def run(options):
    done = set()
    if os.path.exists(options.out):
        with open(options.out) as file:
            done = {tuple(line.values())[:5] for line in csv.DictReader(file)}
    with open(options.out, "a", newline="") as file:
        writer = csv.writer(file)
        if not done:
            writer.writerow(FIELDS)
        for rows, inputs in SIZES:
            for relevant in RELEVANT:
                for recipe in options.recipes:
                    for seed in range(options.seeds):
                        unit = recipe, rows, inputs, relevant, seed
                        if tuple(map(str, unit)) not in done:
                            writer.writerow(measured(options.program, *unit))
                            file.flush()


def units(path):
    """(recipe, rows, inputs, relevant) -> seed -> unit, a dictionary of numbers."""
    found = {}
    with open(path) as file:
        for line in csv.DictReader(file):
            where = line["recipe"], int(line["rows"]), int(line["inputs"]), int(line["relevant"])
            found.setdefault(where, {})[line["seed"]] = {key: float(line[key]) for key in FIELDS[5:]}
    return found


def signed(number):
    return f"{number:.2f}".replace("-", "−")


def cells(found, rows):
    """Coverage with the least and the most of a seed, R2 of left-out and of new rows, seeds in which they agree, NLPD, seconds."""
    held = [unit["in_95"] for unit in found]
    # The standard error of a mean squared error of Gaussian errors, in units of the target's variance.
    agree = [abs(unit["left_out_r2"] - unit["new_r2"]) <= 2 * (1 - unit["new_r2"]) * math.sqrt(2 / rows) for unit in found]
    mean = {key: statistics.mean(unit[key] for unit in found) for key in FIELDS[5:]}
    return [f"{mean['in_95']:.1f} ({min(held):.0f} to {max(held):.0f})", f"{signed(mean['left_out_r2'])}, {signed(mean['new_r2'])}",
            f"{sum(agree)} of {len(agree)}", f"{mean['nlpd']:.2f}", f"{mean['seconds_of_processor']:.1f}"]


def table(options):
    before, after = units(options.before), units(options.after)
    print("| recipe | rows x inputs | relevant | before: in 95 % | R² left out, new | agree | NLPD | s "
          "| now: in 95 % | R² left out, new | agree | NLPD | s |")
    print("|---|---|---|" + "---|" * 10)
    for where in sorted(after, key=lambda unit: (RECIPES.index(unit[0]), SIZES.index(unit[1:3]), unit[3])):
        both = []
        for found in (before[where], after[where]):
            both += cells([found[seed] for seed in after[where]], where[1])
        print(f"| `{where[0]}` | {where[1]} x {where[2]} | {where[3]} | " + " | ".join(both) + " |")


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(required=True)
    runs = commands.add_parser("run")
    runs.add_argument("out")
    runs.add_argument("--program", required=True)
    runs.add_argument("--recipes", nargs="+", default=RECIPES)
    runs.add_argument("--seeds", type=int, default=10)
    runs.set_defaults(call=run)
    tables = commands.add_parser("table")
    tables.add_argument("before")
    tables.add_argument("after")
    tables.set_defaults(call=table)
    options = parser.parse_args()
    options.call(options)


if __name__ == "__main__":
    main()
