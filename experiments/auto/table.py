#!/usr/bin/env python3
"""NLPD and seconds of `auto` beside those of `ard-pwl-gm`, on the folds that both have, or `auto` alone where the other was not run;
the coverage is of `auto`: table.py [experiment.results.json]"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import stored  # noqa: E402

PATH = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "experiment.results.json")
found = stored.by_fold(stored.units(PATH), lambda unit: unit)


def pairs(dataset):
    """(`auto`, `ard-pwl-gm` or None) on each fold."""
    ours, old = found[dataset, "auto"], found[dataset, "ard-pwl-gm"]
    folds = sorted(set(ours) & set(old)) or sorted(ours)
    return [(ours[fold], old.get(fold)) for fold in folds]


def row(name, both):
    compared = [pair for pair in both if pair[1]]
    column = lambda k, value, used: stored.mean(value(pair[k]) for pair in used)
    nlpd, seconds = lambda unit: unit.test["nlpd"], lambda unit: unit.seconds["train"]
    old = ["", "", ""]
    if compared:
        difference = column(0, nlpd, compared) - column(1, nlpd, compared)
        old = [f"{column(1, nlpd, compared):.3f}", f"{difference:+.3f}", f"{column(1, seconds, compared):.1f}"]
    return [name, len(both), f"{column(0, nlpd, both):.3f}", *old[:2], f"{column(0, seconds, both):.1f}", old[2],
            f"{100 * stored.covered([pair[0] for pair in both]):.1f}"]


datasets = [dataset for dataset in stored.order(PATH)[0] if found[dataset, "auto"]]
every = [pair for dataset in datasets for pair in pairs(dataset)]
rows = [row(dataset, pairs(dataset)) for dataset in datasets]
if all(old for _, old in every):
    rows.append(row("all", every))
stored.print_table(["data set", "folds", "NLPD, `auto`", "NLPD, `ard-pwl-gm`", "difference", "seconds a fold, `auto`",
                    "seconds a fold, `ard-pwl-gm`", "in 95 % intervals"], rows)
