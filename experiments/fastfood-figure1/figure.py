#!/usr/bin/env python3
"""Error against the number of frequencies, as a chart and as slopes with intervals, from what kernel_error wrote.

Debian: apt-get install python3-matplotlib.

    figure.py errors.csv --out experiments/fastfood-figure1
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

NAMES = {"gaussian": "Random Kitchen Sinks", "fastfood": "Fastfood", "fft": "Fastfood FFT", "orthogonal": "orthogonal blocks",
         "sobol": "quasi-Monte-Carlo (Sobol)"}


def read(path):
    """draws -> frequencies -> errors over the seeds."""
    errors = collections.defaultdict(lambda: collections.defaultdict(list))
    with open(path) as file:
        for row in csv.DictReader(file):
            errors[row["draws"]][int(row["frequencies"])].append(float(row["mean_absolute_error"]))
    return errors


def slope(by_count, least=64):
    """Slope of log error over log m from m = least on, with the 95 % interval of a bootstrap over seeds."""
    counts = sorted(m for m in by_count if m >= least)
    table = np.array([by_count[m] for m in counts])  # (sizes, seeds)
    x = np.log(counts)

    def fit(columns):
        return np.polyfit(x, np.log(columns.mean(1)), 1)[0]

    random = np.random.default_rng(0)
    draws = [fit(table[:, random.integers(table.shape[1], size=table.shape[1])]) for _ in range(2000)]
    return fit(table), np.quantile(draws, 0.025), np.quantile(draws, 0.975)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("errors")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    errors = read(arguments.errors)
    figure, axes = plt.subplots(figsize=(5, 3.4))
    print("| frequencies | slope of log error over log m, m >= 64 | error at m = 64 | 512 | 4096 | over Random Kitchen Sinks' at 512 |")
    print("|---|---|---|---|---|---|")
    for draws, by_count in errors.items():
        counts = sorted(by_count)
        means = [np.mean(by_count[m]) for m in counts]
        axes.loglog(counts, means, "o-", markersize=3, label=NAMES[draws])
        middle, lower, upper = slope(by_count)
        shown = [f"{np.mean(by_count[m]):.2g}" if m in by_count else "" for m in (64, 512, 4096)]
        ratio = np.mean(by_count[512]) / np.mean(errors["gaussian"][512])
        print(f"| {NAMES[draws]} | {middle:.3f} [{lower:.3f}, {upper:.3f}] | {' | '.join(shown)} | {ratio:.2f} |")
    axes.set_xlabel("frequencies m")
    axes.set_ylabel("mean |estimate - kernel|")
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(os.path.join(arguments.out, "figure1.svg"), metadata={"Date": None})


if __name__ == "__main__":
    main()
