#!/usr/bin/env python3
"""Error against the number of frequencies, as a chart and as slopes with intervals, from what kernel_error wrote.

    figure.py errors.csv                                            # the table
    figure.py errors.csv --out experiments/fastfood-figure1         # and the chart; apt-get install python3-matplotlib
"""
import argparse
import collections
import csv
import math
import os
import random
import statistics

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
    x = [math.log(m) for m in counts]
    x = [value - statistics.fmean(x) for value in x]
    seeds = range(len(by_count[counts[0]]))

    def fit(chosen):
        y = [math.log(sum(by_count[m][k] for k in chosen) / len(seeds)) for m in counts]
        return sum(a * b for a, b in zip(x, y)) / sum(a * a for a in x)

    stream = random.Random(0)
    draws = [fit(stream.choices(seeds, k=len(seeds))) for _ in range(2000)]
    ends = statistics.quantiles(draws, n=40)
    return fit(seeds), ends[0], ends[-1]


def print_table(errors):
    print("| frequencies | slope of log error over log m | error at m = 64 | 512 | 4096 | over Random Kitchen Sinks' at 512 |")
    print("|---|---|---|---|---|---|")
    for draws, by_count in errors.items():
        middle, lower, upper = slope(by_count)
        shown = [f"{statistics.fmean(by_count[m]):.2g}" if m in by_count else "" for m in (64, 512, 4096)]
        ratio = statistics.fmean(by_count[512]) / statistics.fmean(errors["gaussian"][512])
        print(f"| {NAMES[draws]} | {middle:.3f} [{lower:.3f}, {upper:.3f}] | {' | '.join(shown)} | {ratio:.2f} |")


def draw(errors, path):
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"font.size": 8, "svg.hashsalt": "alacarte", "axes.spines.top": False, "axes.spines.right": False})
    figure, axes = plt.subplots(figsize=(5, 3.4))
    for draws, by_count in errors.items():
        counts = sorted(by_count)
        axes.loglog(counts, [statistics.fmean(by_count[m]) for m in counts], "o-", markersize=3, label=NAMES[draws])
    axes.set_xlabel("frequencies m")
    axes.set_ylabel("mean |estimate - kernel|")
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("errors")
    parser.add_argument("--out")
    arguments = parser.parse_args()
    errors = read(arguments.errors)
    print_table(errors)
    if arguments.out:
        draw(errors, os.path.join(arguments.out, "figure1.svg"))


if __name__ == "__main__":
    main()
