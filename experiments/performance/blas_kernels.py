#!/usr/bin/env python3
"""Training with the BLAS kernels that OpenBLAS chooses by itself and with those that the program tells it, in turn, where
OpenBLAS does not know the processor: blas_kernels.py --program build/release/alacarte > blas-kernels.csv

blas_kernels.py blas-kernels.csv --table prints the medians of what is stored.
"""
import argparse
import csv
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROWS, ROUNDS, OWN = 4000, 5, "Prescott"
TRAININGS = [
    ("exact-ard", ["--set", "/training/starts=1", "--set", "/training/iterations=5"]),
    ("ssgpr", ["--set", "/training/starts=1", "--set", "/training/iterations=30"]),
]


def kernels(program, environment):
    lines = subprocess.run([program, "--version"], env=environment, check=True, capture_output=True, text=True).stdout.splitlines()
    return next(line for line in lines if line.startswith("BLAS ")).split()[-2]


def print_table(path):
    with open(path, encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    names = list(dict.fromkeys(line["kernels"] for line in lines))
    print(f"| recipe | {names[0]}, s | {names[1]}, s | times as fast |")
    print("|---|---|---|---|")
    for recipe in dict.fromkeys(line["recipe"] for line in lines):
        one, other = ([float(line["seconds"]) for line in lines if (line["recipe"], line["kernels"]) == (recipe, name)] for name in names)
        ratio = statistics.median(a / b for a, b in zip(one, other))
        print(f"| `{recipe}` | {statistics.median(one):.1f} | {statistics.median(other):.1f} | {ratio:.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program")
    parser.add_argument("stored", nargs="?")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    if options.table and options.stored:
        return print_table(options.stored)
    if not options.program:
        parser.error("--program, or a stored file and --table")
    program = os.path.abspath(options.program)
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}
    ways = [{**environment, "OPENBLAS_CORETYPE": OWN}, environment]
    names = [kernels(program, way) for way in ways]
    if names[0] == names[1]:
        sys.exit("blas_kernels.py: the program and OpenBLAS choose the same kernels here")
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["recipe", "rows", "round", "kernels", "seconds"])
    with tempfile.TemporaryDirectory() as folder:
        def run(*words, env=environment):
            began = time.monotonic()
            subprocess.run([program, *words, "--quiet"], cwd=folder, env=env, check=True)
            return time.monotonic() - began

        run("generate", "friedman1", "--rows", str(ROWS), "--out", "data.csv")
        for recipe, settings in TRAININGS:
            ratios = []
            for number in range(1, ROUNDS + 1):
                seconds = [run("train", recipe, "--data", "data.csv", "--model", "m", *settings, env=way) for way in ways]
                for name, value in zip(names, seconds):
                    table.writerow([recipe, ROWS, number, name, f"{value:.3f}"])
                ratios.append(seconds[0] / seconds[1])
            print(f"{recipe}: {statistics.median(ratios):.1f} times as fast", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
