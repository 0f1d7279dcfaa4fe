#!/usr/bin/env python3
"""The smallest rank at which a low-rank predictive variance is within 1 % on every row asked, for trained models.

    low_rank.py low-rank.json --program build/release/alacarte     # with -DALACARTE_BENCHMARKS=ON: benchmarks/low_rank_variance beside it
    low_rank.py low-rank.json --table

Training rows: those of fold 0, 10,000 at most. ALACARTE_DATA_DIR names the folder of the data sets.
"""
import argparse
import gzip
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import measured  # noqa: E402
from stored import print_table  # noqa: E402

TRAINED, ASKED = 10_000, 2000
FREQUENCIES = {"ard": dict.fromkeys(("concrete", "airfoil", "elevators", "kin40k"), 256),
               "gm": {"concrete": 24, "airfoil": 24, "elevators": 32, "kin40k": 32}}
RUNS = {f"{data} {recipe}": (data, recipe) for data in FREQUENCIES["ard"] for recipe in FREQUENCIES}
FEW = ("concrete", "airfoil")  # few test rows: all rows are predicted, from two starts


def split(data, folder):
    """The paths of the training rows and of those that are asked, and how many these are."""
    source = os.path.join(os.environ["ALACARTE_DATA_DIR"], "uci", data)
    with gzip.open(os.path.join(source, "data.csv.gz"), "rt") as rows, gzip.open(os.path.join(source, "test_mask.csv.gz"), "rt") as masks:
        pairs = [(row, mask.split(",")[0].strip() in ("1", "1.0")) for row, mask in zip(rows, masks)]
    train = [row for row, test in pairs if not test][:TRAINED]
    asked = [row for row, test in pairs if test or data in FEW][:ASKED]
    paths = []
    for name, some in (("train", train), ("asked", asked)):
        paths.append(os.path.join(folder, name + ".csv"))
        with open(paths[-1], "w") as file:
            file.writelines(some)
    return (*paths, len(asked))


def run(program, name):
    data, recipe = RUNS[name]
    starts, iterations = (2, 60) if data in FEW else (1, 40)
    with tempfile.TemporaryDirectory() as folder:
        train, asked, count = split(data, folder)
        model = os.path.join(folder, "model")
        keys = {"/copies": 1, "/training/starts": starts, "/training/iterations": iterations, "/features/frequencies": FREQUENCIES[recipe][data]}
        words = [word for key, value in keys.items() for word in ("--set", f"{key}={value}")]
        measured.measured([program, "train", recipe, "--data", train, "--model", model, "--threads", "1", "--quiet", *words])
        ask = os.path.join(os.path.dirname(program), "benchmarks", "low_rank_variance")
        return json.loads(measured.measured([ask, model, asked, str(count)]).out)


def print_ranks(runs):
    print_table(["data set", "recipe, one fit", "rows asked", "D", "rank for the observation's variance", "rank for the latent variance", "of D"],
                [[*RUNS[name], one["test_rows"], one["D"], one["rank_observation_1_percent"], one["rank_latent_1_percent"],
                  f"{one['rank_latent_1_percent'] / one['D']:.2f}"] for name, one in ((name, runs[name]) for name in RUNS)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    parser.add_argument("--program", default="build/release/alacarte")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    if options.table:
        print_ranks(measured.read_json(options.results, None)["runs"])
    else:
        measured.store_missing(options.results, RUNS, lambda name: run(os.path.abspath(options.program), name))


if __name__ == "__main__":
    main()
