#!/usr/bin/env python3
"""NLPD by samples of the hyperparameters beside that by their mode, from samples.results.json: means of the folds, mean differences
with their standard errors, and the share of all test rows in 95 % intervals: table.py"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import stored  # noqa: E402

PATH = os.path.join(HERE, "samples.results.json")
found = stored.by_fold(stored.units(PATH), lambda unit: unit)
datasets, labels = stored.order(PATH)
models = list(dict.fromkeys(label.split(",")[0] for label in labels))


def row(model, name, sets):
    """Over all folds of these sets that both have."""
    folds = [(dataset, fold) for dataset in sets for fold in sorted(set(found[dataset, f"{model}, mode"]) & set(found[dataset, f"{model}, samples"]))]
    mode, samples = ([found[dataset, f"{model}, {kind}"][fold] for dataset, fold in folds] for kind in ("mode", "samples"))
    changes = [a.test["nlpd"] - b.test["nlpd"] for a, b in zip(samples, mode)]
    means = [f"{stored.mean(unit.test['nlpd'] for unit in mode):.3f}", f"{stored.mean(changes):+.3f} ± {stored.standard_error(changes):.3f}"]
    return [model, name, len(folds), *means, *(f"{100 * stored.covered(units):.1f}" for units in (mode, samples)),
            *(f"{stored.mean(unit.seconds['train'] for unit in units):.2f}" for units in (mode, samples))]


rows = []
for model in models:
    rows += [row(model, dataset, [dataset]) for dataset in datasets]
stored.print_table(["model", "data set", "folds", "NLPD, mode", "samples", "in 95 % intervals, mode", "samples", "seconds, mode", "samples"], rows)
