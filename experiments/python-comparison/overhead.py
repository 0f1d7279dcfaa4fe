#!/usr/bin/env python3
"""What the Python package adds to predictions: predict() on an array against the program's own time, and what one row takes.

    overhead.py PROGRAM OUT.json [--rounds 15]

PYTHONPATH (or an installation) has the package; cc compiles six lines of C. Both sides load one model file and predict the same
rows, means and standard deviations, on one thread; each round has both, and the one that begins changes from round to round. The
program's time is the `seconds` of `alacarte evaluate`: predictions alone, without reading the table. That of Python is that of
predict(X, return_std=True) on an array in C order, with all checks of X. Both are seconds of the processor: the program gets them
by a clock that is put in the place of its own. OUT.json has the times, the median of the rounds' ratios with its quartiles and
the ratio of the fastest rounds (what other programs do to the caches can only slow a round), microseconds of the processor of
predict_one() and of predict() for one row, command, commit, machine and load.
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
from table import print_one_row, print_overhead

# A model with fast predictions has the largest overhead; the last is the shipped recipe.
CASES = {
    "`ard`, 32 frequencies, one fit": ({"frequencies": 32}, 400_000),
    "`ard`, 128 frequencies, one fit": ({"frequencies": 128}, 100_000),
    "`ard` as shipped": (None, 10_000),
}
ONE_ROW = {
    "`ard`, 64 frequencies (128 features), one fit": {"frequencies": 64},
    "`ard` as shipped": None,
}
CLOCK = """
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t id, struct timespec* now) {
  return syscall(SYS_clock_gettime, id == CLOCK_MONOTONIC ? CLOCK_PROCESS_CPUTIME_ID : id, now);
}
"""


class Folder:
    """Tables, models and the clock, in a folder that goes when all is done."""

    def __init__(self, program, path):
        self.program, self.path = program, path
        self.clock = self / "clock.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-xc", "-", "-o", self.clock], input=CLOCK, text=True, check=True)
        self.run("generate", "friedman1", "--rows", 2000, "--seed", 1, "--out", self / "train.csv")

    def __truediv__(self, name):
        return os.path.join(self.path, name)

    def run(self, *words, **environment):
        command = [self.program, *map(str, words), "--quiet"]
        done = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **environment})
        return done.stdout

    def train(self, features):
        """The estimator of a model file, which is m.alacarte."""
        settings = ["--set", "/training/starts=1", "--set", "/training/iterations=5"]
        for key, value in (features or {}).items():
            settings += ["--set", f"/features/{key}={value}", "--set", "/copies=1"]
        self.run("train", "ard", "--data", self / "train.csv", "--model", self / "m.alacarte", "--threads", 1, *settings)
        return alacarte.load(self / "m.alacarte").set_params(threads=1)

    def rows(self, count):
        """The inputs of new.csv, in C order."""
        self.run("generate", "friedman1", "--rows", count, "--seed", 2, "--out", self / "new.csv")
        return np.ascontiguousarray(np.loadtxt(self / "new.csv", delimiter=",", skiprows=1)[:, :-1])

    def program_seconds(self):
        words = ("evaluate", self / "m.alacarte", "--data", self / "new.csv", "--threads", 1)
        return json.loads(self.run(*words, LD_PRELOAD=self.clock))["seconds"]


def seconds_of(work, clock):
    began = clock()
    work()
    return clock() - began


def batch(folder, features, rows, rounds):
    estimator, X = folder.train(features), folder.rows(rows)
    predict = lambda: estimator.predict(X, return_std=True)
    predict()
    sides = {"program": folder.program_seconds, "python": lambda: seconds_of(predict, time.process_time)}
    done = []
    for k in range(rounds):
        order = list(sides) if k % 2 else list(sides)[::-1]
        one = {side: round(sides[side](), 5) for side in order}
        done.append({side: one[side] for side in sides})
    return done


def one_row(folder, features):
    estimator, X = folder.train(features), folder.rows(2000)
    calls = {
        "mean": estimator.predict_one,
        "mean and sd": lambda row: estimator.predict_one(row, return_std=True),
        "predict()": lambda row: estimator.predict(row[None], return_std=True),
    }
    times = {}
    for name, call in calls.items():
        call(X[0])
        times[name] = round(1e6 * seconds_of(lambda: [call(row) for row in X], time.process_time) / len(X), 1)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("out", type=Path)
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    warnings.filterwarnings("ignore", "X does not have valid feature names")
    document = {"about": about(), "cases": [], "one row": []}
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(given.program, path)
        for name, features in ONE_ROW.items():
            document["one row"].append({"model": name, "load": round(os.getloadavg()[0], 2), **one_row(folder, features)})
        for name, (features, rows) in CASES.items():
            rounds = batch(folder, features, rows, given.rounds)
            ratios = [one["python"] / one["program"] for one in rounds]
            low, median, high = (round(value, 4) for value in statistics.quantiles(ratios, n=4, method="inclusive"))
            load = round(os.getloadavg()[0], 2)
            fastest = round(min(one["python"] for one in rounds) / min(one["program"] for one in rounds), 4)
            case = {"model": name, "rows": rows, "ratio": median, "quartiles": [low, high], "fastest": fastest, "load": load}
            document["cases"].append({**case, "rounds": rounds})
            given.out.write_text(json.dumps(document, indent=1) + "\n")
    print_overhead(document)
    print_one_row(document)


if __name__ == "__main__":
    main()
