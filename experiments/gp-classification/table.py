#!/usr/bin/env python3
"""Prints the tables of the README from results.csv: table.py methods | bound"""
import csv
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import stored  # noqa: E402

NAMES = {"gpc": "GaussianProcessClassifier", "logistic": "logistic regression"}
BOUND = "/features/frequencies=256 /training/starts=1 /training/iterations=8"
CURVATURES = {BOUND: "one block per class", BOUND + ' /evidence="primal"': "joint"}

with open(os.path.join(HERE, "results.csv"), encoding="utf-8") as file:
    found = list(csv.DictReader(file))


def scores(line):
    return [f"{float(line['accuracy']):.3f}", f"{float(line['log_loss']):.3f}", f"{float(line['ece']):.3f}", f"{float(line['train_s']):.2g}"]


def methods():
    rows = []
    for line in found:
        if not line["overrides"]:
            first = not rows or rows[-1][0] != line["dataset"]
            rows.append((line["dataset"], line if first else None, line))
    best = {name: min((scores(line)[1] for other, _, line in rows if other == name), key=float) for name, _, _ in rows}
    table = []
    for name, first, line in rows:
        title = f"{name}, {line['rows']} rows, {line['inputs']} inputs, {line['classes']} classes" if first else ""
        accuracy, loss, *rest = scores(line)
        table.append([title, NAMES.get(line["method"], line["method"]), accuracy,
                      f"**{loss}**" if loss == best[name] else loss, *rest])
    stored.print_table(["data set", "method", "accuracy", "log loss", "ECE, 15 bins", "training, s"], table)


def bound():
    rows = [[CURVATURES[line["overrides"]], *scores(line)] for line in found if line["overrides"] in CURVATURES]
    stored.print_table(["curvature", "accuracy", "log loss", "ECE", "training, s"], rows)


{"methods": methods, "bound": bound}[sys.argv[1]]()
