#!/usr/bin/env python3
"""Figures 4.7, 4.9 to 4.11, A.1 and C.1 to C.3 of the thesis from what estimate_errors sparsity and map_times wrote.

Debian: apt-get install python3-matplotlib.

    figures.py sparsity.csv times.csv --out experiments/thesis-figures
"""
import argparse
import collections
import csv
import os

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

plt.rcParams.update({"font.size": 8, "svg.hashsalt": "alacarte", "axes.spines.top": False, "axes.spines.right": False})

AXES = {"4.9": "rows n (d = 16, D = 16)", "4.10": "features D (d = 16, n = 1000)", "4.11": "inputs d (D = 4096, n = 1000)",
        "A.1": "length of a vector (1008 vectors)"}


def save(figure, folder, name):
    figure.tight_layout()
    figure.savefig(os.path.join(folder, name), metadata={"Date": None})


def sparsity(path, folder):
    errors = collections.defaultdict(lambda: collections.defaultdict(list))
    with open(path) as file:
        for row in csv.DictReader(file):
            errors[row["map"]][int(row["zeros"])].append(100 * float(row["relative"]))
    figure, axes = plt.subplots(figsize=(4.5, 3))
    print("| zeros of 40 | " + " | ".join(errors) + " |\n|---" + "|---" * len(errors) + "|")
    for zeros in sorted(next(iter(errors.values()))):
        values = [np.array(by[zeros]) for by in errors.values()]
        print(f"| {zeros} | " + " | ".join(f"{v.mean():.1f} ± {v.std(ddof=1) / len(v) ** 0.5:.1f}" for v in values) + " |")
    for name, by in errors.items():
        zeros = sorted(by)
        spread = [np.std(by[z], ddof=1) / len(by[z]) ** 0.5 for z in zeros]
        axes.errorbar(zeros, [np.mean(by[z]) for z in zeros], spread, marker="o", markersize=3, label=name)
    axes.set_xlabel("inputs that are zero, of 40")
    axes.set_ylabel("mean relative error, %")
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False)
    save(figure, folder, "figure4.7.svg")


def times(path, folder):
    seconds = collections.defaultdict(lambda: collections.defaultdict(dict))
    with open(path) as file:
        for row in csv.DictReader(file):
            seconds[row["figure"]][row["method"]][int(row["at"])] = 1e3 * float(row["seconds"])
    figure, axes = plt.subplots(2, 2, figsize=(7.5, 6))
    for side, (name, methods) in zip(axes.flat, seconds.items()):
        print(f"\nFigure {name}, milliseconds\n\n| {AXES[name]} | " + " | ".join(methods) + " |\n|---" + "|---" * len(methods) + "|")
        for at in sorted(next(iter(methods.values()))):
            print(f"| {at} | " + " | ".join(f"{by[at]:.3g}" for by in methods.values()) + " |")
        for method, by in methods.items():
            side.loglog(list(by), list(by.values()), "o-", markersize=3, label=method)
        side.set_xlabel(AXES[name])
        side.set_ylabel("milliseconds")
        side.legend(frameon=False)
    save(figure, folder, "times.svg")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sparsity")
    parser.add_argument("times")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    sparsity(arguments.sparsity, arguments.out)
    times(arguments.times, arguments.out)


if __name__ == "__main__":
    main()
