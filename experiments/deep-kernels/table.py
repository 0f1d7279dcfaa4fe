#!/usr/bin/env python3
"""Scores of `deep` beside the best of A la Carte's methods and Deep Kernel Learning: table.py [FILE.results.json ..]"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import stored  # noqa: E402

PATHS = sys.argv[1:] or [os.path.join(HERE, f"{size}.results.json") for size in ("small", "large")]
METHODS = ["RBF", "ARD", "FSARD", "GM", "PWL", "FSGBARD", "SSGPR"]
published = {}
for size in ("small", "medium", "large"):
    published.update(stored.published(os.path.join(HERE, "..", f"table1-{size}", "paper.csv")))
followers = stored.published(os.path.join(HERE, "dkl.csv"))


def best_published(dataset):
    found = [(float(published[dataset, method]["mean"]), method) for method in METHODS if (dataset, method) in published]
    return f"{min(found)[0]:g} ({min(found)[1]})" if found else ""


def row(dataset, folds):
    rmse = [unit.test["rmse"] for unit in folds]
    error = f" ± {stored.short(stored.standard_error(rmse))}" if len(rmse) > 1 else ""
    over = lambda value: stored.mean(value(unit) for unit in folds)
    inside = sum(unit.test["coverage"]["95"] * unit.test["n"] for unit in folds) / sum(unit.test["n"] for unit in folds)
    dkl = followers.get((dataset, "DKL-SM"))
    return [dataset, len(folds), stored.short(stored.mean(rmse)) + error, best_published(dataset), dkl["mean"] if dkl else "",
            stored.minus(f"{over(lambda u: u.test['nlpd']):.3f}"),
            stored.minus(f"{over(lambda u: u.test['standardised']['nlpd']):.3f}"), f"{100 * inside:.1f}"]


rows = []
for path in filter(os.path.exists, PATHS):
    found = {}
    for unit in stored.units(path):
        found.setdefault(unit.dataset, []).append(unit)
    rows += [row(dataset, found[dataset]) for dataset in stored.order(path)[0] if dataset in found]
stored.print_table(["data set", "folds", "RMSE, `deep`", "RMSE, best of A la Carte's", "RMSE, DKL-SM", "NLPD", "NLPD, standard units",
                    "in 95 % intervals"], rows)
