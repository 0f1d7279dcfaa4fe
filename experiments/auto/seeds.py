#!/usr/bin/env python3
"""NLPD of `auto` and of `ard-pwl-gm` by several seeds, from seeds.results.json: means of the folds of each seed, then mean and
standard deviation over the seeds"""
import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import stored  # noqa: E402

PATH = os.path.join(HERE, "seeds.results.json")
found = {}
for unit in stored.units(PATH):
    found.setdefault((unit.dataset, unit.label), {}).setdefault(unit.seed, []).append(unit.test["nlpd"])


def column(means):
    return f"{statistics.mean(means):.3f} ± {statistics.stdev(means):.3f}"


rows = []
for dataset in stored.order(PATH)[0]:
    ours, old = ([statistics.mean(nlpd) for _, nlpd in sorted(found[dataset, label].items())] for label in ("auto", "ard-pwl-gm"))
    differences = [a - b for a, b in zip(ours, old)]
    rows.append([dataset, column(ours), column(old), f"{differences[0]:+.3f}", f"{statistics.mean(differences):+.3f}"])
stored.print_table(["data set", "NLPD, `auto`", "NLPD, `ard-pwl-gm`", "difference, seed 0", "difference, mean of the seeds"], rows)
