#!/usr/bin/env python3
"""NLPD of recipes by name in few seconds under two plans, "before / after", by set and seconds: plans.py FILE.csv BEFORE AFTER"""
import csv
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import stored  # noqa: E402

FILE, BEFORE, AFTER = sys.argv[1:]
RECIPES = ("ard", "exact-ard", "gm", "fsgbard", "ssgpr")
found = {}
with open(os.path.join(HERE, FILE)) as file:
    for line in csv.DictReader(file):
        cell = found.setdefault((int(line["seconds"]), line["set"]), {}).setdefault(line["recipe"], {})
        cell[line["plan"]] = stored.minus(line["nlpd"])
recipes = [name for name in RECIPES if any(name in cells for cells in found.values())]


def text(cell):
    return f"{cell[BEFORE]} / {cell[AFTER]}" if BEFORE in cell and AFTER in cell else ""


rows = [[name, str(seconds)] + [text(cells.get(recipe, {})) for recipe in recipes] for (seconds, name), cells in sorted(found.items())]
stored.print_table(["data set", "seconds", *recipes], [row for row in rows if any(row[2:])])
