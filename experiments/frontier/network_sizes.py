#!/usr/bin/env python3
"""NLPD of networks of several sizes (network_sizes.csv), means over the seeds."""
import csv
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import stored  # noqa: E402

# Networks, units of the first layers, frequencies, step.
SIZES = {"256 units": ("1", "256", "128", "0.03"), "128 units": ("2", "128", "64", "0.03"), "64 units": ("2", "64", "64", "0.03"),
         "64 units, 32 frequencies": ("2", "64", "32", "0.03"), "128 units, long steps": ("2", "128", "64", "0.06"),
         "64 units, 32 frequencies, long steps": ("2", "64", "32", "0.06")}
found = {}
with open(os.path.join(HERE, "network_sizes.csv")) as file:
    for line in csv.DictReader(file):
        size = line["copies"], line["width"], line["frequencies"], line["step"]
        found.setdefault((line["set"], line["seconds"]), {}).setdefault(size, []).append(float(line["nlpd"]))


def mean(values):
    return stored.minus(f"{sum(values) / len(values):.3f}") if values else ""


stored.print_table(["data set", "seconds", *SIZES],
                   [[*of, *(mean(cells.get(size, [])) for size in SIZES.values())] for of, cells in found.items()])
