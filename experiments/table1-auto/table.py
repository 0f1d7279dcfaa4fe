#!/usr/bin/env python3
"""Scores of `auto` on Table 1 beside the best of the paper's seven methods and Deep Kernel Learning: table.py [experiment.results.json]"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import stored  # noqa: E402

PATH = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "experiment.results.json")
published = {}
for size in ("small", "medium", "large"):
    published.update(stored.published(os.path.join(HERE, "..", f"table1-{size}", "paper.csv")))
deep = stored.published(os.path.join(HERE, "..", "deep-kernels", "dkl.csv"))


def row(dataset, folds):
    over = lambda value: stored.mean(value(unit) for unit in folds)
    return [dataset, len(folds), stored.mean_rmse(folds), stored.best_of_paper(published, dataset),
            deep[dataset, "DKL-SM"]["mean"] if (dataset, "DKL-SM") in deep else "",
            stored.minus(f"{over(lambda u: u.test['nlpd']):.3f}"), stored.short(over(lambda u: u.test["crps"])),
            f"{100 * stored.covered(folds):.1f}", stored.short(over(lambda u: u.seconds["train"]))]


found = {}
for unit in stored.units(PATH):
    found.setdefault(unit.dataset, []).append(unit)
rows = [row(dataset, found[dataset]) for dataset in stored.order(PATH)[0] if dataset in found]
every = [unit for folds in found.values() for unit in folds]
rows.append(["all", len(every), "", "", "", "", "", f"{100 * stored.covered(every):.1f}", ""])
stored.print_table(["data set", "folds", "RMSE, `auto`", "RMSE, best of the paper's", "RMSE, DKL-SM", "NLPD", "CRPS", "in 95 % intervals",
                    "seconds"], rows)
