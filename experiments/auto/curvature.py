#!/usr/bin/env python3
"""Log evidence and NLPD of trainings whose last iterations begin with the curvature that was learned on fewer rows, beside those that
forget it: means of the folds, and standard errors of the differences: curvature.py"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import stored  # noqa: E402

PATH = os.path.join(HERE, "curvature.results.json")
found = stored.by_fold(stored.units(PATH), lambda unit: (unit.training["log_evidence"], unit.test["nlpd"]))


def difference(now, before, digits):
    changes = [a - b for a, b in zip(now, before)]
    return f"{stored.mean(changes):+.{digits}f} ± {stored.standard_error(changes):.{digits}f}"


rows = []
for model in ("sum", "ard", "ssgpr"):
    for dataset in stored.order(PATH)[0]:
        before, now = found[dataset, f"{model}, forgotten"], found[dataset, f"{model}, carried over"]
        folds = sorted(set(before) & set(now))
        column = lambda of, k: [of[fold][k] for fold in folds]
        rows.append([model, dataset, len(folds), f"{stored.mean(column(before, 0)):.1f}", difference(column(now, 0), column(before, 0), 1),
                     f"{stored.mean(column(before, 1)):.3f}", difference(column(now, 1), column(before, 1), 3)])
stored.print_table(["model", "data set", "folds", "log evidence, forgotten", "carried over", "NLPD, forgotten", "carried over"], rows)
