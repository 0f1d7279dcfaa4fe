#!/usr/bin/env python3
"""NLPD and seconds of `auto` beside those of `ard-pwl-gm`, on the folds that both have: table.py [experiment.results.json]"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import stored  # noqa: E402

PATH = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "experiment.results.json")
units = stored.units(PATH)
nlpd = stored.by_fold(units, lambda u: u.test["nlpd"])
seconds = stored.by_fold(units, lambda u: u.seconds["train"])


def row(dataset):
    folds = sorted(set(nlpd[dataset, "auto"]) & set(nlpd[dataset, "ard-pwl-gm"]))
    if not folds:
        return None
    means = [stored.mean(table[dataset, label][fold] for fold in folds) for table in (nlpd, seconds) for label in ("auto", "ard-pwl-gm")]
    return [dataset, len(folds), f"{means[0]:.3f}", f"{means[1]:.3f}", f"{means[0] - means[1]:+.3f}", f"{means[2]:.1f}", f"{means[3]:.1f}"]


rows = [row(dataset) for dataset in stored.order(PATH)[0]]
stored.print_table(["data set", "folds", "NLPD, `auto`", "NLPD, `ard-pwl-gm`", "difference", "seconds, `auto`", "seconds, `ard-pwl-gm`"],
                   [r for r in rows if r])
