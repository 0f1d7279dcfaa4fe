#!/usr/bin/env python3
"""The scores in quickstart.txt as a table: quickstart_table.py"""
import pathlib
import re

LABELS = {
    "ridge (linear, by evidence)": "Bayesian ridge regression (`linear`)",
    "exact GP, RBF": "exact GP, RBF kernel",
    "exact GP, ARD": "exact GP, ARD kernel",
    "auto": "`auto`, which needs no recipe",
}

print("| model | RMSE | NLPD | coverage of the 95 % interval | seconds on 2 cores |")
print("|---|---|---|---|---|")
for line in (pathlib.Path(__file__).parent / "quickstart.txt").read_text().splitlines():
    match = re.fullmatch(r"(.+?)\s+([0-9.]+)\s+(-?[0-9.]+)\s+([0-9.]+ %)\s+([0-9.]+)", line)
    if match and match[1] in LABELS:
        print("| " + " | ".join((LABELS[match[1]], *match.groups()[1:])) + " |")
