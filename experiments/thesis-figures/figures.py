#!/usr/bin/env python3
"""Figures 4.7, 4.9 to 4.11, A.1 and C.1 to C.3 of the thesis from what estimate_errors sparsity and map_times wrote.

    figures.py sparsity sparsity.csv                                     # the table of figure 4.7
    figures.py times times.csv                                           # those of the times
    figures.py sparsity sparsity.csv --out experiments/thesis-figures    # and the chart; apt-get install python3-matplotlib
"""
import argparse
import collections
import csv
import os
import statistics

AXES = {"4.9": "rows n (d = 16, D = 16)", "4.10": "features D (d = 16, n = 1000)", "4.11": "inputs d (D = 4096, n = 1000)",
        "A.1": "length of a vector (1008 vectors)"}


def pyplot():
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"font.size": 8, "svg.hashsalt": "alacarte", "axes.spines.top": False, "axes.spines.right": False})
    return plt


def save(figure, folder, name):
    figure.tight_layout()
    figure.savefig(os.path.join(folder, name), metadata={"Date": None})


def standard_error(values):
    return statistics.stdev(values) / len(values) ** 0.5


def sparsity(path, folder):
    errors = collections.defaultdict(lambda: collections.defaultdict(list))
    with open(path) as file:
        for row in csv.DictReader(file):
            errors[row["map"]][int(row["zeros"])].append(100 * float(row["relative"]))
    print("| zeros of 40 | " + " | ".join(errors) + " |\n|---" + "|---" * len(errors) + "|")
    for zeros in sorted(next(iter(errors.values()))):
        values = [by[zeros] for by in errors.values()]
        print(f"| {zeros} | " + " | ".join(f"{statistics.fmean(v):.1f} ± {standard_error(v):.1f}" for v in values) + " |")
    if not folder:
        return
    figure, axes = pyplot().subplots(figsize=(4.5, 3))
    for name, by in errors.items():
        zeros = sorted(by)
        axes.errorbar(zeros, [statistics.fmean(by[z]) for z in zeros], [standard_error(by[z]) for z in zeros], marker="o", markersize=3,
                      label=name)
    axes.set_xlabel("inputs that are zero, of 40")
    axes.set_ylabel("mean relative error, %")
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False)
    save(figure, folder, "figure4.7.svg")


def times(path, folder, wanted):
    seconds = collections.defaultdict(lambda: collections.defaultdict(dict))
    with open(path) as file:
        for row in csv.DictReader(file):
            seconds[row["figure"]][row["method"]][int(row["at"])] = 1e3 * float(row["seconds"])
    for name, methods in seconds.items():
        if wanted not in (None, name):
            continue
        print(f"\nFigure {name}, milliseconds\n\n| {AXES[name]} | " + " | ".join(methods) + " |\n|---" + "|---" * len(methods) + "|")
        for at in sorted(next(iter(methods.values()))):
            print(f"| {at} | " + " | ".join(f"{by[at]:.3g}" for by in methods.values()) + " |")
    if not folder:
        return
    figure, axes = pyplot().subplots(2, 2, figsize=(7.5, 6))
    for side, (name, methods) in zip(axes.flat, seconds.items()):
        for method, by in methods.items():
            side.loglog(list(by), list(by.values()), "o-", markersize=3, label=method)
        side.set_xlabel(AXES[name])
        side.set_ylabel("milliseconds")
        side.legend(frameon=False)
    save(figure, folder, "times.svg")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", choices=["sparsity", "times"])
    parser.add_argument("measured")
    parser.add_argument("--out")
    parser.add_argument("--figure", help="of times: this table alone")
    arguments = parser.parse_args()
    if arguments.figures == "sparsity":
        sparsity(arguments.measured, arguments.out)
    else:
        times(arguments.measured, arguments.out, arguments.figure)


if __name__ == "__main__":
    main()
