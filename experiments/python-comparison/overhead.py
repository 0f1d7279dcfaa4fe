#!/usr/bin/env python3
"""What the Python package adds to a batch of predictions: predict() on an array against the program's own time.

    overhead.py PROGRAM OUT.json [--rows 100000] [--rounds 9]

PYTHONPATH (or an installation) has the package. Both sides load one model file and predict the same rows, means and standard
deviations, on one thread, in turns. The program's time is the `seconds` of `alacarte evaluate`: predictions alone, without reading
the table. That of Python is the wall clock of predict(X, return_std=True), with all checks of X and the copies. OUT.json has the
times, the median of the rounds' ratios, command, commit and machine.
"""
import argparse
import json
import os
import platform
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"  # before numpy is loaded

import numpy as np

import alacarte


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("out", type=Path)
    parser.add_argument("--rows", type=int, default=100000)
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args()

    def run(*words):
        command = [given.program, *map(str, words), "--quiet"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    rounds = []
    with tempfile.TemporaryDirectory() as folder:
        train, new, model = (os.path.join(folder, name) for name in ("train.csv", "new.csv", "m.alacarte"))
        run("generate", "friedman1", "--rows", 2000, "--seed", 1, "--out", train)
        run("generate", "friedman1", "--rows", given.rows, "--seed", 2, "--out", new)
        run("train", "ard", "--data", train, "--model", model, "--threads", 1)
        X = np.loadtxt(new, delimiter=",", skiprows=1)[:, :-1]
        estimator = alacarte.load(model).set_params(threads=1)
        estimator.predict(X, return_std=True)
        for _ in range(given.rounds):
            program = json.loads(run("evaluate", model, "--data", new, "--threads", 1))["seconds"]
            began = time.perf_counter()
            estimator.predict(X, return_std=True)
            rounds.append({"program": program, "python": time.perf_counter() - began})
    ratio = statistics.median(one["python"] / one["program"] for one in rounds)
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, cwd=Path(__file__).parent)
    document = {
        "command": f"overhead.py PROGRAM OUT.json --rows {given.rows} --rounds {given.rounds}",
        "commit": commit.stdout.strip(),
        "date": time.strftime("%Y-%m-%d"),
        "machine": f"{platform.machine()}, {os.cpu_count()} processors",
        "ratio": round(ratio, 4),
        "rounds": [{side: round(seconds, 5) for side, seconds in one.items()} for one in rounds],
    }
    given.out.write_text(json.dumps(document, indent=1) + "\n")
    print(f"predict() takes {ratio:.3f} of the program's own time")


if __name__ == "__main__":
    main()
