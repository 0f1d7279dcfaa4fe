#!/usr/bin/env python3
"""Accuracy against the number of samples k as Li (2017), figures 7 to 10, and seconds of training as its figure 11: means over
the draws of the samples that `minmax_svm features` wrote, one DATASET.features.DRAW.csv each; what the kernels themselves
reach and take from DATASET.kernels.csv beside them, seconds on features from DATASET.times.csv. Without --out the tables alone.

Debian: apt-get install python3-matplotlib (for --out).

    figures.py FOLDER [--out experiments/minmax-tables]
"""
import argparse
import collections
import csv
import glob
import os
import statistics

COUNTS = (16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
NAMES = {"gcws-1": "GCWS, b = 1", "gcws-2": "b = 2", "gcws-4": "b = 4", "gcws-8": "b = 8", "nrff": "NRFF"}


def lines(path):
    with open(path) as file:
        return list(csv.DictReader(file))


def draws_of(folder, name):
    return sorted(glob.glob(os.path.join(folder, name + ".features.*.csv")))


def best(path):
    """method -> setting -> best accuracy over C."""
    found = collections.defaultdict(dict)
    for row in lines(path):
        by = found[row["kernel"]]
        setting = float(row["setting"])
        by[setting] = max(by.get(setting, 0), float(row["accuracy"]))
    return found


def seconds_at(path, cost):
    """method -> setting -> seconds of training with C = cost."""
    found = collections.defaultdict(dict)
    for row in lines(path):
        if float(row["cost"]) == cost:
            found[row["kernel"]][float(row["setting"])] = float(row["seconds"])
    return found


def mean_of(tables):
    """Means over tables of method -> setting -> value."""
    return {method: {setting: statistics.mean(table[method][setting] for table in tables) for setting in tables[0][method]}
            for method in tables[0]}


def samples_to_match(curve, level):
    return next((f"{int(k)}" for k in sorted(curve) if curve[k] >= level), "more")


def plots():
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"font.size": 8, "svg.hashsalt": "alacarte", "axes.spines.top": False, "axes.spines.right": False})
    return plt


def print_accuracies(folder, names):
    print("| data | draws | features | k = 16 | " + " | ".join(f"{k}" for k in COUNTS[1:]) + " | kernel itself | k to beat linear |")
    print("|---" * (len(COUNTS) + 5) + "|")
    for name in names:
        draws = draws_of(folder, name)
        found, kernels = mean_of([best(path) for path in draws]), os.path.join(folder, name + ".kernels.csv")
        exact = best(kernels) if os.path.exists(kernels) else {}
        for method, label in NAMES.items():
            curve = found[method]
            itself = f"{max(exact['rbf' if method == 'nrff' else 'minmax'].values()):.1f}" if exact else ""
            cells = " | ".join(f"{curve[k]:.1f}" if k in curve else "" for k in COUNTS)
            print(f"| {name} | {len(draws)} | {label} | {cells} | {itself} | {samples_to_match(curve, found['linear'][0])} |")


def draw_accuracies(folder, names, out):
    plt = plots()
    columns = min(3, len(names))
    rows = -(-len(names) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(2.5 * columns, 2.5 * rows), squeeze=False)
    for side, name in zip(axes.flat, names):
        found = mean_of([best(path) for path in draws_of(folder, name)])
        for method, label in NAMES.items():
            curve = found[method]
            side.semilogx(sorted(curve), [curve[k] for k in sorted(curve)], "--" if method == "nrff" else "-", label=label)
        side.axhline(found["linear"][0], color="0.6", linewidth=0.8)
        side.set_title(name, fontsize=8)
        side.set_xlabel("k")
        side.set_ylabel("accuracy, %")
    axes.flat[0].legend(frameon=False)
    for side in list(axes.flat)[len(names):]:
        side.set_visible(False)
    figure.tight_layout()
    figure.savefig(os.path.join(out, "figures7-10.svg"), metadata={"Date": None})


def training_times(folder, name, out):
    """Figure 11 for one data set: LIBLINEAR on k samples, and LIBSVM on the Gram matrix of the min-max kernel."""
    print(f"| {name}, C | features | " + " | ".join(f"k = {k}" for k in COUNTS) + " | min-max kernel |\n" + "|---" * (len(COUNTS) + 3) + "|")
    curves = {}
    for cost in (1, 10, 100):
        found = seconds_at(os.path.join(folder, name + ".times.csv"), cost)
        kernel = seconds_at(os.path.join(folder, name + ".kernels.csv"), cost)["minmax"][0]
        curves[cost] = found, kernel
        for method, label in NAMES.items():
            curve = found[method]
            print(f"| {cost} | {label} | " + " | ".join(f"{curve[k]:.2g}" if k in curve else "" for k in COUNTS) + f" | {kernel:.2g} |")
    if not out:
        return
    plt = plots()
    figure, axes = plt.subplots(1, 3, figsize=(7.5, 2.5), sharey=True)
    for side, (cost, (found, kernel)) in zip(axes, curves.items()):
        for method, label in NAMES.items():
            curve = found[method]
            side.loglog(sorted(curve), [curve[k] for k in sorted(curve)], "--" if method == "nrff" else "-", label=label)
        side.axhline(kernel, color="0.6", linewidth=0.8)
        side.set_title(f"{name}, C = {cost}", fontsize=8)
        side.set_xlabel("k")
    axes[0].set_ylabel("training, seconds")
    axes[0].legend(frameon=False)
    figure.tight_layout()
    figure.savefig(os.path.join(out, "figure11.svg"), metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--out", help="draws figures7-10.svg there, too, or with --times figure11.svg")
    parser.add_argument("--times", metavar="DATASET", help="in place of accuracies the seconds of training on this data set")
    arguments = parser.parse_args()
    if arguments.times:
        training_times(arguments.folder, arguments.times, arguments.out)
        return
    names = sorted({os.path.basename(path).split(".")[0] for path in draws_of(arguments.folder, "*")})
    print_accuracies(arguments.folder, names)
    if arguments.out:
        draw_accuracies(arguments.folder, names, arguments.out)


if __name__ == "__main__":
    main()
