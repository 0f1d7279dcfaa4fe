#!/usr/bin/env python3
"""The units that were run beside the paper's means: table.py [paper.results.json]"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import stored  # noqa: E402

PATH = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "paper.results.json")
units = stored.units(PATH)
published = stored.published(os.path.join(HERE, "paper.csv"))
tests = stored.by_fold(units, lambda u: u.test)


def row(dataset, method):
    folds = [tests[dataset, method][fold] for fold in sorted(tests[dataset, method])]
    paper = published[dataset, method]
    said = f"{float(paper['mean']):g}" + (" (a failed fit)" if "a failed fit" in paper["remark"] else "")
    return [dataset, method, " ".join(f"{t['rmse']:.4f}" for t in folds), said, " ".join(f"{t['nlpd']:.3f}" for t in folds),
            " ".join(f"{100 * t['coverage']['95']:.1f} %" for t in folds)]


datasets, methods = stored.order(PATH)
stored.print_table(["data set", "method", "RMSE, folds 0 and 1", "the paper's mean of ten", "NLPD", "in the 95 % interval"],
                   [row(d, m) for d in datasets for m in methods if tests[d, m]])
