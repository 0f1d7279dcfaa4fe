#!/usr/bin/env python3
"""Each variant against the recipe that it varies, as a table: table.py [experiment.results.json]"""
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import stored  # noqa: E402

PATH = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "experiment.results.json")
FAMILIES = ["gm", "pwl", "fsgbard", "ssgpr", "auto"]
units = stored.units(PATH)
nlpd = stored.by_fold(units, lambda u: u.test["standardised"]["nlpd"])
rmse = stored.by_fold(units, lambda u: u.test["rmse"])
rows = stored.by_fold(units, lambda u: (u.test["n"] * u.test["coverage"]["95"], u.test["n"]))
evaluations = stored.by_fold(units, lambda u: u.training["evaluations"])
datasets, labels = stored.order(PATH)


def over_sets(values, label):
    return [stored.mean(values[dataset, label].values()) for dataset in datasets]


def differences(label, base):
    return [a - b for a, b in zip(over_sets(nlpd, label), over_sets(nlpd, base))]


def signed(values):
    return f"{stored.mean(values):+.3f} ± {stored.standard_error(values):.3f}"


def row(label):
    base = label.partition(",")[0]
    inside, count = (sum(c) for c in zip(*(cell for dataset in datasets for cell in rows[dataset, label].values())))
    coverage = f"{100 * inside / count:.1f} %"
    count = f"{stored.mean(over_sets(evaluations, label)):.0f}"
    if label == base:
        above = f"mean {stored.mean(over_sets(nlpd, label)):.3f}"
        if label != "exact-ard":
            above += "; minus exact-ard " + signed(differences(label, "exact-ard"))
        return [f"**{label}**", above, "", "", coverage, count]
    gaps = differences(label, base)
    pairs = [(rmse[dataset, label][fold], rmse[dataset, base][fold]) for dataset in datasets for fold in rmse[dataset, label]]
    ratio = math.exp(stored.mean(math.log(a / b) for a, b in pairs))
    return [label, signed(gaps), f"{sum(g < 0 for g in gaps)} of {len(gaps)}", f"{ratio:.3f}", coverage, count]


stored.print_table(
    ["recipe", "NLPD minus base", "data sets better than base", "RMSE / base", "coverage of the 95 % interval", "evaluations"],
    [row(label) for label in labels])
