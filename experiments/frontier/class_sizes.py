#!/usr/bin/env python3
"""Log loss of classes by networks of several sizes (class_sizes.csv), means over the seeds."""
import csv
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import stored  # noqa: E402

# Units of the first layers, step.
SIZES = {"256 units": ("256", "0.03"), "128 units": ("128", "0.03"), "128 units, long steps": ("128", "0.06"),
         "64 units, long steps": ("64", "0.06")}
found = {}
with open(os.path.join(HERE, "class_sizes.csv")) as file:
    for line in csv.DictReader(file):
        size = line["width"], line["step"]
        cell = float(line["log_loss"]), float(line["seconds"])
        found.setdefault((line["set"], line["budget"]), {}).setdefault(size, []).append(cell)


def mean(cells, timed):
    if not cells:
        return ""
    loss, seconds = (sum(values) / len(cells) for values in zip(*cells))
    return f"{loss:.4f}" if timed else f"{loss:.4f} ({seconds:.1f} s)"


rows = [[name, "none" if budget == "0" else budget, *(mean(cells.get(size, []), budget != "0") for size in SIZES.values())]
        for (name, budget), cells in sorted(found.items(), key=lambda item: (-float(item[0][1]), item[0][0]))]
stored.print_table(["data set", "seconds asked for", *SIZES], rows)
