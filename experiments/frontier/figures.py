#!/usr/bin/env python3
"""Accuracy against seconds as SVG, a panel a data set: nlpd.svg and rmse.svg of frontier.py's results, or classes.svg of those of classes.py.

Debian: apt-get install python3-matplotlib.

    figures.py frontier.results.json classes.results.json --out experiments/frontier
"""
import argparse
import json
import os

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter  # noqa: E402

plt.rcParams.update({"font.size": 7, "svg.hashsalt": "alacarte", "axes.spines.top": False, "axes.spines.right": False})

# Our methods in blue and green, others in warm colours; related methods share a colour and differ in line style.
STYLES = {
    "auto": ("#08306b", "-"), "deep": ("#2171b5", "-"), "ssgpr": ("#41ab5d", "-"), "fsgbard": ("#41ab5d", "--"), "gm": ("#6baed6", "-"),
    "pwl": ("#6baed6", "--"), "ard": ("#6baed6", ":"), "exact-ard": ("#006d2c", ":"), "auto-joint": ("#2171b5", ":"),
    "sk-boosting": ("#d94801", "-"), "sk-forest": ("#d94801", "--"), "sk-gp": ("#a50f15", "-"), "sk-svc": ("#a50f15", "-"),
    "sk-nystroem": ("#fd8d3c", "-"), "sk-rbfsampler": ("#fd8d3c", "--"), "torch-ensemble": ("#7a0177", "-"),
}
COLUMNS = 4


def curves(units, name, metric):
    """{contestant: [(seconds, value)]} of a data set, in the order of the time given."""
    found = {}
    for unit in sorted((unit for unit in units if unit["set"] == name and metric in unit), key=lambda unit: unit["budget"]):
        found.setdefault(unit["contestant"], []).append((unit["seconds"], unit[metric]))
    return found


def panel(axes, found, shown_behind):
    """What is further behind the worst value of auto than shown_behind(that value) lies outside."""
    for contestant, points in found.items():
        colour, line = STYLES[contestant]
        is_auto, size = contestant == "auto", 1.5 if len(points) > 1 else 4
        axes.plot(*zip(*sorted(points)), line, color=colour, marker="o", markersize=3 if is_auto else size, linewidth=2 if is_auto else 0.8,
                  zorder=3 if is_auto else 2, label=contestant)
    axes.set_xscale("log")
    axes.set_xlim(0.3, 400)
    axes.xaxis.set_major_locator(LogLocator(numticks=4))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda seconds, _: f"{seconds:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    values = [value for points in found.values() for _, value in points]
    worst = max(value for _, value in found["auto"])
    low, high = min(values), min(max(values), worst + shown_behind(worst))
    axes.set_ylim(low - 0.05 * (high - low), high + 0.05 * (high - low))


def grid(results, metric, path, axis, shown_behind):
    names = sorted({unit["set"] for unit in results["units"]})
    rows = -(-len(names) // COLUMNS)
    figure, all_axes = plt.subplots(rows, COLUMNS, figsize=(9, 1.75 * rows + 0.6), squeeze=False)
    legend = {}
    for axes, name in zip(all_axes.flat, names):
        panel(axes, curves(results["units"], name, metric), shown_behind)
        axes.set_title(name, fontsize=8)
        legend.update({label: handle for handle, label in zip(*axes.get_legend_handles_labels())})
    for axes in all_axes[-1]:
        axes.set_xlabel("seconds")
    for axes in all_axes[:, 0]:
        axes.set_ylabel(axis)
    order = [contestant for contestant in STYLES if contestant in legend]
    figure.legend([legend[contestant] for contestant in order], order, loc="lower center", ncol=7, frameon=False)
    figure.tight_layout(rect=(0, 0.35 / figure.get_figheight(), 1, 1))
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("regression")
    parser.add_argument("classes")
    parser.add_argument("--out", default=".")
    arguments = parser.parse_args()
    with open(arguments.regression, encoding="utf-8") as file:
        regression = json.load(file)
    with open(arguments.classes, encoding="utf-8") as file:
        classes = json.load(file)
    grid(regression, "nlpd", os.path.join(arguments.out, "nlpd.svg"), "NLPD", lambda worst: 2.5)
    grid(regression, "rmse", os.path.join(arguments.out, "rmse.svg"), "RMSE", lambda worst: worst)
    grid(classes, "log_loss", os.path.join(arguments.out, "classes.svg"), "log loss", lambda worst: 3 * worst)


if __name__ == "__main__":
    main()
