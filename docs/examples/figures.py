#!/usr/bin/env python3
"""Draws the figures of the worked examples from the files that their commands leave. Needs python3-matplotlib.

Usage: docs/examples/figures.py flats | seasons | memory | active | leaves      (in the folder of these files)
"""
import csv
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "alacarte", "axes.spines.top": False, "axes.spines.right": False, "font.size": 9})
import matplotlib.pyplot as plt

BLUE, LIGHT, ORANGE, GREY = "#08519c", "#9ecae1", "#e6550d", "#969696"


def columns(name):
    """The columns of a CSV file, numbers where they are numbers."""
    with open(name, newline="") as file:
        rows = list(csv.DictReader(file))

    def number(text):
        try:
            return float(text)
        except ValueError:
            return text

    return {key: [number(row[key]) for row in rows] for key in rows[0]}


def flats():
    """Intervals of 60 flats, and the share of all that their intervals hold."""
    truth, parts = columns("flats-new.csv")["rent"], {}
    for level in (0.5, 0.8, 0.9, 0.95, 0.99):
        parts[level] = columns(f"flats-{level}.csv")
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), gridspec_kw={"width_ratios": [2.2, 1]})
    some, order = parts[0.95], sorted(range(60), key=lambda i: parts[0.95]["mean"][i])
    low, mean, high = ([some[key][i] for i in order] for key in ("lower_observation", "mean", "upper_observation"))
    left.fill_between(range(60), low, high, color=LIGHT, label="95 % interval")
    left.plot(mean, color=BLUE, label="mean")
    left.plot([truth[i] for i in order], "o", color=ORANGE, markersize=3, label="rent asked")
    left.set(xlabel="60 new flats, ordered by prediction", ylabel="rent", title="Predictions with intervals")
    left.legend(frameon=False)
    levels = sorted(parts)
    inside = [
        sum(l <= t <= u for l, t, u in zip(parts[p]["lower_observation"], truth, parts[p]["upper_observation"])) / len(truth)
        for p in levels
    ]
    right.plot([0.4, 1], [0.4, 1], color=GREY, linewidth=1)
    right.plot(levels, inside, "o-", color=BLUE, markersize=4)
    right.set(xlabel="probability of the interval", ylabel="share of 1000 flats inside", title="Calibration")
    return figure


def seasons():
    """Past and future months, with and without a periodic term."""
    past, future = columns("past.csv"), columns("future.csv")
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), sharey=True)
    for axis, name, title in zip(axes, ("seasons", "smooth"), ("trend + season + rest", "one Gaussian kernel")):
        path = columns(f"{name}-path.csv")
        years = columns("path.csv")["year"]
        axis.fill_between(years, path["lower_observation"], path["upper_observation"], color=LIGHT, label="95 % interval")
        axis.plot(years, path["mean"], color=BLUE, linewidth=1, label="mean")
        axis.plot(past["year"], past["sales"], ".", color=GREY, markersize=3, label="training months")
        axis.plot(future["year"], future["sales"], "o", color=ORANGE, markersize=3, label="months to come")
        axis.set(xlabel="year", title=title)
    axes[0].set(ylabel="sales")
    axes[0].legend(frameon=False, fontsize=8, loc="upper left")
    return figure


def memory():
    """Peak memory against the rows, with and without a limit."""
    measured = columns(Path(__file__).parent / "memory.csv")
    figure, axis = plt.subplots(figsize=(5.4, 3.2))
    for limit, colour, label in (("none", GREY, "no limit"), ("80MB", BLUE, "--memory-limit 80MB")):
        chosen = [i for i, text in enumerate(measured["limit"]) if text == limit]
        rows, peak = ([measured[key][i] for i in chosen] for key in ("rows", "peak_kib"))
        axis.semilogx(rows, [value * 1024 / 1e6 for value in peak], "o-", color=colour, label=label)
    axis.axhline(80, color=ORANGE, linewidth=1, linestyle="--")
    axis.set_xticks(rows, [f"{row:,.0f}" for row in rows])
    axis.minorticks_off()
    axis.set_ylim(bottom=0)
    axis.set(xlabel="rows of ten inputs", ylabel="peak of resident memory, MB", title="Training in bounded memory")
    axis.legend(frameon=False)
    return figure


def active():
    """Where the rows were chosen, and the error of the two ways to choose."""
    pool, chosen, random = columns("pool.csv"), columns("chosen.csv"), columns("random.csv")
    errors = columns("errors.csv")
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4))
    left.plot(pool["a"], pool["b"], ".", color=LIGHT, markersize=2, label="pool")
    left.plot(random["a"], random["b"], "x", color=GREY, markersize=5, label="at random")
    left.plot(chosen["a"], chosen["b"], "o", color=ORANGE, markersize=4, label="by variance")
    left.set(xlabel="a", ylabel="b", title=f"{len(chosen['a'])} rows of {len(pool['a'])}")
    figure.legend(*left.get_legend_handles_labels(), frameon=False, fontsize=8, ncol=3, loc="lower left")
    for way, colour, label in (("random", GREY, "at random"), ("chosen", ORANGE, "by variance")):
        points = [(n, e) for w, n, e in zip(errors["way"], errors["rows"], errors["rmse"]) if w == way]
        right.loglog(*zip(*points), "o-", color=colour, label=label)
    right.set(xlabel="rows with a known target", ylabel="RMSE over the square", title="Error")
    right.set_xticks([8, 16, 32, 64, 128, 256], ["8", "16", "32", "64", "128", "256"])
    right.set_yticks([0.1, 0.2, 0.5], ["0.1", "0.2", "0.5"])
    right.minorticks_off()
    right.legend(frameon=False)
    return figure


def leaves():
    """Predicted against true probabilities, and the reliability of the prediction."""
    truth = columns("leaves-truth.csv")["probability"]
    predicted = columns("probabilities.csv")["p(oak)"]
    species = columns("leaves-new.csv")["species"]
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.4, 3.5))
    left.plot([0, 1], [0, 1], color=GREY, linewidth=1)
    left.plot(truth[:800], predicted[:800], ".", color=BLUE, markersize=2)
    left.set(xlabel="true probability of an oak", ylabel="predicted probability", title="800 of the new leaves")
    right.plot([0, 1], [0, 1], color=GREY, linewidth=1)
    for k in range(10):
        inside = [i for i, p in enumerate(predicted) if k <= 10 * p < k + 1 or k == 9 and p == 1]
        share = sum(species[i] == "oak" for i in inside) / len(inside)
        error = 2 * (max(share * (1 - share), 0.01) / len(inside)) ** 0.5
        right.errorbar(sum(predicted[i] for i in inside) / len(inside), share, yerr=error, fmt="o", color=ORANGE, markersize=4)
    right.set(xlabel="predicted probability, ten bins", ylabel="share of oaks", title="Reliability")
    return figure


def main():
    """Writes NAME.svg beside this script."""
    name = sys.argv[1]
    figure = {"flats": flats, "seasons": seasons, "memory": memory, "active": active, "leaves": leaves}[name]()
    figure.tight_layout(rect=(0, 0.06 if figure.legends else 0, 1, 1))
    figure.savefig(Path(__file__).parent / f"{name}.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
