#!/usr/bin/env python3
"""What the Python package adds to a batch of predictions: predict() on an array against the program's own time.

    overhead.py PROGRAM OUT.json [--rounds 15]

PYTHONPATH (or an installation) has the package. Both sides load one model file and predict the same rows, means and standard
deviations, on one thread; each round has both, and the one that begins changes from round to round. The program's time is the
`seconds` of `alacarte evaluate`: predictions alone, without reading the table. That of Python is the wall clock of
predict(X, return_std=True) on an array in C order, with all checks of X and its copy. OUT.json has the times, the median of the
rounds' ratios with its quartiles, command, commit, machine and load.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"  # before numpy is loaded

import numpy as np

import alacarte
from about import about
from table import print_overhead

# A model whose predictions are quick has the largest overhead; the last is the recipe as it is shipped.
CASES = {
    "`ard`, 32 frequencies, one fit": ({"frequencies": 32}, 400_000),
    "`ard`, 128 frequencies, one fit": ({"frequencies": 128}, 100_000),
    "`ard` as shipped": (None, 10_000),
}


def measure(program, features, rows, rounds):
    def run(*words):
        command = [program, *map(str, words), "--quiet"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    with tempfile.TemporaryDirectory() as folder:
        train, new, model = (os.path.join(folder, name) for name in ("train.csv", "new.csv", "m.alacarte"))
        run("generate", "friedman1", "--rows", 2000, "--seed", 1, "--out", train)
        run("generate", "friedman1", "--rows", rows, "--seed", 2, "--out", new)
        settings = ["--set", "/training/starts=1", "--set", "/training/iterations=5"]
        for key, value in (features or {}).items():
            settings += ["--set", f"/features/{key}={value}", "--set", "/copies=1"]
        run("train", "ard", "--data", train, "--model", model, "--threads", 1, *settings)
        X = np.ascontiguousarray(np.loadtxt(new, delimiter=",", skiprows=1)[:, :-1])
        estimator = alacarte.load(model).set_params(threads=1)
        estimator.predict(X, return_std=True)

        def by_python():
            began = time.perf_counter()
            estimator.predict(X, return_std=True)
            return time.perf_counter() - began

        sides = {"program": lambda: json.loads(run("evaluate", model, "--data", new, "--threads", 1))["seconds"], "python": by_python}
        done = []
        for k in range(rounds):
            order = list(sides) if k % 2 else list(sides)[::-1]
            one = {side: round(sides[side](), 5) for side in order}
            done.append({side: one[side] for side in sides})
        return done


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("out", type=Path)
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    warnings.filterwarnings("ignore", "X does not have valid feature names")
    document = {"about": about(), "cases": []}
    for name, (features, rows) in CASES.items():
        rounds = measure(given.program, features, rows, given.rounds)
        ratios = [one["python"] / one["program"] for one in rounds]
        low, median, high = (round(value, 4) for value in statistics.quantiles(ratios, n=4, method="inclusive"))
        load = round(os.getloadavg()[0], 2)
        document["cases"].append(
            {"model": name, "rows": rows, "ratio": median, "quartiles": [low, high], "load": load, "rounds": rounds}
        )
        given.out.write_text(json.dumps(document, indent=1) + "\n")
    print_overhead(document)


if __name__ == "__main__":
    main()
