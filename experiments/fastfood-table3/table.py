#!/usr/bin/env python3
"""RMSE beside the paper's, NLPD and coverage, what the expansions lose, and the second seed: table.py rmse|nlpd|ratios|seeds"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import stored  # noqa: E402

PATH = os.path.join(HERE, "experiment.results.json")
tests, others = ({key: folds[0] for key, folds in stored.by_fold(stored.units(PATH, seed=seed), lambda u: u.test).items()} for seed in (0, 1))
published = stored.published(os.path.join(HERE, "paper.csv"))
datasets, methods = stored.order(PATH)
# Expansions, with the exact process of their kernels.
EXACT = {"Nystrom RBF": "Exact RBF", "RKS RBF": "Exact RBF", "Fastfood FFT": "Exact RBF", "Fastfood RBF": "Exact RBF", "Fastfood Matern": "Exact Matern",
         "Fastfood Poly": "Exact Poly"}
NAMES = {"Nystrom RBF": "Nystrom", "RKS RBF": "Random Kitchen Sinks", "Fastfood Poly": "Fastfood polynomial"}


def paper(dataset, method):
    return published[dataset, method]["mean"] if (dataset, method) in published else ""


def rmse_row(method):
    return [method] + [cell for d in datasets for cell in (stored.short(tests[d, method]["rmse"]), paper(d, method))]


def nlpd_row(method):
    return [method] + [cell for d in datasets
                       for cell in (stored.short(tests[d, method]["nlpd"]), f"{100 * tests[d, method]['coverage']['95']:.1f} %")]


def ratio_row(method):
    def ratio(d):
        return " / ".join(f"{of_seed[d, method]['rmse'] / of_seed[d, EXACT[method]]['rmse']:.2f}" for of_seed in (tests, others))

    theirs = [float(paper(d, method)) / float(paper(d, EXACT[method])) for d in datasets if paper(d, EXACT[method])]
    return [NAMES.get(method, method)] + [ratio(d) for d in datasets] + [f"{of_paper:.2f}" for of_paper in theirs]


def seeds_row(method):
    return [method] + [" / ".join(stored.short(of_seed[d, method]["rmse"]) for of_seed in (tests, others)) for d in datasets]


if sys.argv[1] == "rmse":
    stored.print_table(["method"] + [cell for d in datasets for cell in (d, "paper")], [rmse_row(m) for m in methods])
elif sys.argv[1] == "nlpd":
    stored.print_table(["method"] + [cell for d in datasets for cell in (d, "")], [nlpd_row(m) for m in methods])
elif sys.argv[1] == "seeds":
    stored.print_table(["RMSE, seed 0 / seed 1"] + datasets, [seeds_row(m) for m in methods])
else:
    known = [d for d in datasets if paper(d, "Exact RBF")]
    stored.print_table(["expansion over its exact process"] + datasets + ["the paper: " + known[0]] + known[1:],
                       [ratio_row(m) for m in methods if m in EXACT])
