#!/usr/bin/env python3
"""Table 4.1 of the thesis beside ours, and the error against D as a chart, from what estimate_errors wrote.

    table.py errors.csv --thesis                                  # table 4.1
    table.py errors.csv --phases                                  # z against z'', figure C.4
    table.py errors.csv --out experiments/thesis-table4.1         # the chart; apt-get install python3-matplotlib
"""
import argparse
import collections
import csv
import os
import statistics

EXACT = 1e-9  # smaller values are rounding

# D: Fastfood absolute, relative %, TensorSketch absolute, relative %.
THESIS = {16: (0.083, 11.82, 8.39, 44.01), 32: (0.057, 8.14, 5.56, 34.32), 64: (0.047, 6.74, 4.99, 28.57),
          128: (0.033, 4.68, 3.63, 22.02), 256: (0.022, 3.08, 2.19, 12.98), 512: (0.015, 2.15, 1.32, 7.83),
          1024: (0.011, 1.56, 0.81, 4.95), 2048: (0.0077, 1.08, 0.39, 2.74), 4096: (0.0052, 0.73, 0.32, 2.04),
          8192: (0.0036, 0.51, 0.31, 1.73)}
MAPS = {"fastfood": "Fastfood, sigma 2", "tensor-sketch": "TensorSketch, p = 2", "tensor-sketch-balanced": "TensorSketch, balanced",
        "z-sigma3": "Fastfood z, sigma 3", "offset-sigma3": "Fastfood z'', sigma 3",
        "offset-normalized-sigma3": "Fastfood z'' normalised, sigma 3"}


def read(path):
    """map -> features -> rows (absolute, relative %) of the runs."""
    errors = collections.defaultdict(lambda: collections.defaultdict(list))
    with open(path) as file:
        for row in csv.DictReader(file):
            errors[row["map"]][int(row["features"])].append((float(row["absolute"]), 100 * float(row["relative"])))
    return errors


def mean(rows, column):
    return statistics.fmean(row[column] for row in rows)


def cell(rows, column):
    middle = mean(rows, column)
    if middle < EXACT:
        return f"{middle:.0e}"
    return f"{middle:.3g} ± {statistics.stdev(row[column] for row in rows):.2g}"


def print_thesis(errors):
    print("| D | Fastfood abs., thesis | ours | rel. %, thesis | ours | TensorSketch abs., thesis | ours | balanced "
          "| rel. %, thesis | ours | balanced |")
    print("|---" * 11 + "|")
    for size, thesis in THESIS.items():
        food, sketch, balanced = (errors[name][size] for name in ("fastfood", "tensor-sketch", "tensor-sketch-balanced"))
        print(f"| {size} | {thesis[0]} | {cell(food, 0)} | {thesis[1]} | {cell(food, 1)} | {thesis[2]} | {cell(sketch, 0)} "
              f"| {cell(balanced, 0)} | {thesis[3]} | {cell(sketch, 1)} | {cell(balanced, 1)} |")


def print_phases(errors):
    names = [name for name in MAPS if "sigma3" in name]
    print("| D | " + " | ".join(MAPS[name] for name in names) + " |\n" + "|---" * 4 + "|")
    for size in THESIS:
        print(f"| {size} | " + " | ".join(cell(errors[name][size], 0) for name in names) + " |")


def chart(errors, path):
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"font.size": 8, "svg.hashsalt": "alacarte", "axes.spines.top": False, "axes.spines.right": False})
    figure, axes = plt.subplots(1, 2, figsize=(7.5, 3.2))
    for name, by_size in errors.items():
        means = {size: mean(rows, 1) for size, rows in by_size.items() if mean(rows, 1) > EXACT}
        axes[1 if "sigma3" in name else 0].loglog(list(means), list(means.values()), "o-", markersize=3, label=MAPS[name])
    for column, label in ((1, "Fastfood, thesis"), (3, "TensorSketch, thesis")):
        axes[0].loglog(list(THESIS), [row[column] for row in THESIS.values()], "x:", markersize=4, label=label)
    for side in axes:
        side.set_xlabel("D")
        side.set_ylabel("mean relative error, %")
        side.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("errors")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--thesis", action="store_true")
    what.add_argument("--phases", action="store_true")
    what.add_argument("--out")
    arguments = parser.parse_args()
    errors = read(arguments.errors)
    if arguments.thesis:
        print_thesis(errors)
    elif arguments.phases:
        print_phases(errors)
    else:
        chart(errors, os.path.join(arguments.out, "errors.svg"))


if __name__ == "__main__":
    main()
