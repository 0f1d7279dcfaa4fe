#!/usr/bin/env python3
"""What starts from the rows cost and gain: gm, pwl and ssgpr on fifteen small sets, by a program from before them and by one from after.

Usage: starts.py --run BEFORE AFTER [--out OUT.csv]    runs what is missing in OUT.csv (default: starts.csv beside this script), the two
                                                       programs in turn; seconds are of the processor
       starts.py --store BEFORE AFTER                  writes the line of starts.csv in provenance.csv, with these commits
       starts.py --table                               differences of NLPD and ratios of seconds, by set and recipe

ALACARTE_DATA_DIR has uci/NAME/data.csv.gz and test_mask.csv.gz, the paper's folds.
"""
import argparse
import collections
import csv
import gzip
import json
import os
import pathlib
import statistics
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from measured import carry_out, measured, write_provenance  # noqa: E402
from stored import csv_rows, minus, print_table, standard_error  # noqa: E402

SETS = """challenger fertility concreteslump autos servo breastcancer machine yacht autompg housing forest stock pendulum energy
          concrete""".split()
RECIPES = ["gm", "pwl", "ssgpr"]
MANY_ROWS, FEW_FOLDS, MANY_FOLDS = 250, 1, 4  # rows from which a set has few folds
LONG = {("concrete", "pwl")}  # four minutes a fold and more
FIELDS = ["set", "recipe", "fold", "program", "nlpd", "rmse", "seconds"]
RESULTS = HERE / "starts.csv"


def lines_of(name, file):
    with gzip.open(pathlib.Path(os.environ["ALACARTE_DATA_DIR"]) / "uci" / name / file, "rt", encoding="utf-8") as opened:
        return opened.read().split()


def fitted(program, recipe, train, test, model):
    done = measured([program, "train", recipe, "--data", train, "--model", model, "--quiet", "--threads", "1"])
    scores = json.loads(measured([program, "evaluate", model, "--data", test, "--quiet", "--threads", "1"]).out)
    return {"nlpd": f"{scores['nlpd']:.6g}", "rmse": f"{scores['rmse']:.6g}", "seconds": f"{done.processor_seconds:.2f}"}


def units():
    """(set, fold, recipe), and the rows of the set with those of the fold's test."""
    for name in SETS:
        rows, masks = lines_of(name, "data.csv.gz"), [line.split(",") for line in lines_of(name, "test_mask.csv.gz")]
        for fold in range(FEW_FOLDS if len(rows) > MANY_ROWS else MANY_FOLDS):
            tests = [mask[fold] == "1" for mask in masks]
            for recipe in RECIPES:
                if (name, recipe) not in LONG:
                    yield name, fold, recipe, rows, tests


def run(programs, path):
    done = {(row["set"], row["recipe"], int(row["fold"])) for row in csv_rows(path)}
    with open(path, "a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        if not done:
            writer.writeheader()
        for name, fold, recipe, rows, tests in units():
            if (name, recipe, fold) in done:
                continue
            with tempfile.TemporaryDirectory() as scratch:
                places = [os.path.join(scratch, part) for part in ("train.csv", "test.csv", "model")]
                for place, wanted in zip(places, (False, True)):
                    with open(place, "w", encoding="utf-8") as table:
                        table.writelines(row + "\n" for row, is_test in zip(rows, tests) if is_test == wanted)
                found = [{"set": name, "recipe": recipe, "fold": fold, "program": which, **fitted(program, recipe, *places)}
                         for which, program in zip(("before", "after"), programs)]
            writer.writerows(found)
            file.flush()
            print(name, recipe, fold, *(f"{one['nlpd']} in {one['seconds']} s" for one in found), flush=True)


def store(before, after):
    write_provenance(f"{HERE.name}/{RESULTS.name}", after,
                     f"starts.py --run BEFORE AFTER [BEFORE: alacarte of {before}; AFTER: of {after}]")


def print_starts(path):
    pairs = collections.defaultdict(dict)
    for row in csv_rows(path):
        pairs[row["set"], row["recipe"], row["fold"]][row["program"]] = row

    def cells(chosen):
        gains = [float(pair["after"]["nlpd"]) - float(pair["before"]["nlpd"]) for pair in chosen]
        seconds = [sum(float(pair[which]["seconds"]) for pair in chosen) for which in ("before", "after")]
        error = f" ± {standard_error(gains):.3f}" if len(gains) > 1 else ""
        return [minus(f"{statistics.mean(gains):+.3f}") + error, f"{seconds[1] / seconds[0]:.2f}" if seconds[0] > 0 else ""]

    lines = []
    for name in [*SETS, None]:
        chosen = {recipe: [pair for at, pair in pairs.items() if name in (None, at[0]) and at[1] == recipe] for recipe in RECIPES}
        if any(chosen.values()):
            folds = str(len({at[2] for at in pairs if at[0] == name})) if name else ""
            lines.append([name or "all", folds] + [cell for recipe in RECIPES for cell in (cells(chosen[recipe]) if chosen[recipe] else ["", ""])])
    print_table(["data set", "folds"] + [text for recipe in RECIPES for text in (f"{recipe}: NLPD", "time")], lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", nargs=2, metavar=("BEFORE", "AFTER"))
    parser.add_argument("--store", nargs=2, metavar=("BEFORE", "AFTER"))
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--out", type=pathlib.Path, default=RESULTS)
    carry_out(parser, {"run": lambda options: run(options.run, options.out), "store": lambda options: store(*options.store),
                       "table": lambda options: print_starts(options.out)})


if __name__ == "__main__":
    main()
