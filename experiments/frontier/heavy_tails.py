#!/usr/bin/env python3
"""Networks of auto with inputs as scaled, through asinh, and of both kinds (heavy_tails.csv): log loss of classes, NLPD of numbers."""
import csv
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import stored  # noqa: E402

KINDS = ("standard", "asinh", "both")
found = {}
with open(os.path.join(HERE, "heavy_tails.csv")) as file:
    for line in csv.DictReader(file):
        found.setdefault((line["set"], line["seconds"]), {})[line["inputs"]] = line["score"]
stored.print_table(["data set", "seconds", *KINDS],
                   [[*of, *(stored.minus(cells.get(kind, "")) for kind in KINDS)] for of, cells in found.items()])
