#!/usr/bin/env python3
"""NLPD of recipes by name in few seconds, with and without subsamples first (subsamples.csv), by set and seconds."""
import csv
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import stored  # noqa: E402

RECIPES = ("ard", "exact-ard", "gm", "fsgbard", "ssgpr")
found = {}
with open(os.path.join(HERE, "subsamples.csv")) as file:
    for line in csv.DictReader(file):
        found.setdefault((int(line["seconds"]), line["set"]), {}).setdefault(line["recipe"], {})[line["plan"]] = stored.minus(line["nlpd"])
stored.print_table(["data set", "seconds", *RECIPES],
                   [[name, str(seconds)] + [f"{cells[recipe]['all rows']} / {cells[recipe]['subsamples']}" if recipe in cells else ""
                                            for recipe in RECIPES]
                    for (seconds, name), cells in sorted(found.items())])
