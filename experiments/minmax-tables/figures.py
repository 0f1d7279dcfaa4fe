#!/usr/bin/env python3
"""Accuracy against the number of samples k as Li (2017), figures 7 to 10, and seconds of training as its figure 11, from
what `minmax_svm features` wrote: one DATASET.features.csv each; what the kernels themselves reach and take from
DATASET.kernels.csv beside it.

Debian: apt-get install python3-matplotlib.

    figures.py FOLDER --out experiments/minmax-tables
"""
import argparse
import collections
import csv
import glob
import os

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

plt.rcParams.update({"font.size": 8, "svg.hashsalt": "alacarte", "axes.spines.top": False, "axes.spines.right": False})

COUNTS = (16, 32, 64, 128, 256, 512, 1024)
NAMES = {"gcws-1": "GCWS, b = 1", "gcws-2": "b = 2", "gcws-4": "b = 4", "gcws-8": "b = 8", "nrff": "NRFF"}


def best(path):
    """method -> setting -> best accuracy over C."""
    found = collections.defaultdict(dict)
    with open(path) as file:
        for row in csv.DictReader(file):
            by = found[row["kernel"]]
            setting = float(row["setting"])
            by[setting] = max(by.get(setting, 0), float(row["accuracy"]))
    return found


def samples_to_match(curve, level):
    return next((f"{int(k)}" for k in sorted(curve) if curve[k] >= level), "more")


def seconds_at(path, cost):
    """method -> setting -> seconds of training with C = cost."""
    found = collections.defaultdict(dict)
    with open(path) as file:
        for row in csv.DictReader(file):
            if float(row["cost"]) == cost:
                found[row["kernel"]][float(row["setting"])] = float(row["seconds"])
    return found


def training_times(folder, name, out):
    """Figure 11 for one data set: LIBLINEAR on k samples, and LIBSVM on the Gram matrix of the min-max kernel."""
    print(f"\n| {name}, C | features | " + " | ".join(f"k = {k}" for k in COUNTS) + " | min-max kernel |\n" + "|---" * 10 + "|")
    figure, axes = plt.subplots(1, 3, figsize=(7.5, 2.5), sharey=True)
    for side, cost in zip(axes, (1, 10, 100)):
        found = seconds_at(os.path.join(folder, name + ".features.csv"), cost)
        kernel = seconds_at(os.path.join(folder, name + ".kernels.csv"), cost)["minmax"][0]
        for method, label in NAMES.items():
            curve = found[method]
            print(f"| {cost} | {label} | " + " | ".join(f"{curve[k]:.2g}" if k in curve else "" for k in COUNTS) + f" | {kernel:.2g} |")
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
    parser.add_argument("--out", required=True)
    parser.add_argument("--times", metavar="DATASET", help="also the seconds of training on this data set")
    arguments = parser.parse_args()
    paths = sorted(glob.glob(os.path.join(arguments.folder, "*.features.csv")))
    rows = (len(paths) + 2) // 3
    figure, axes = plt.subplots(rows, 3, figsize=(7.5, 2.5 * rows), squeeze=False)
    print("| data | features | k = 16 | 32 | 64 | 128 | 256 | 512 | 1024 | kernel itself | k to beat linear |\n" + "|---" * 11 + "|")
    for side, path in zip(axes.flat, paths):
        name = os.path.basename(path).split(".")[0]
        found, of_kernels = best(path), path.replace(".features.", ".kernels.")
        kernels = best(of_kernels) if os.path.exists(of_kernels) else {}
        linear = found["linear"][0]
        for method, label in NAMES.items():
            curve = found[method]
            exact = kernels.get("rbf" if method == "nrff" else "minmax", {}).values()
            cells = " | ".join(f"{curve[k]:.1f}" if k in curve else "" for k in COUNTS)
            print(f"| {name} | {label} | {cells} | {max(exact):.1f} |" if exact else f"| {name} | {label} | {cells} | |",
                  f"{samples_to_match(curve, linear)} |")
            side.semilogx(sorted(curve), [curve[k] for k in sorted(curve)], "--" if method == "nrff" else "-", label=label)
        side.axhline(linear, color="0.6", linewidth=0.8)
        side.set_title(name, fontsize=8)
        side.set_xlabel("k")
        side.set_ylabel("accuracy, %")
    axes.flat[0].legend(frameon=False)
    for side in list(axes.flat)[len(paths):]:
        side.set_visible(False)
    figure.tight_layout()
    figure.savefig(os.path.join(arguments.out, "figures7-10.svg"), metadata={"Date": None})
    if arguments.times:
        training_times(arguments.folder, arguments.times, arguments.out)


if __name__ == "__main__":
    main()
