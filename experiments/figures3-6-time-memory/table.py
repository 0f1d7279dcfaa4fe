#!/usr/bin/env python3
"""Accuracy, times and memory relative to FRBF, the RMSE of each data set, or the exact kernels: table.py relative|rmse|exact"""
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import stored  # noqa: E402

PATH = os.path.join(HERE, "experiment.results.json")
units = stored.units(PATH)
datasets, methods = stored.order(PATH)


def geometric(values, inverse=False):
    """Geometric mean over the data sets, relative to FRBF, by method."""
    table = stored.by_fold(units, values)
    sign = -1 if inverse else 1
    whole = [d for d in datasets if all((d, m) in table for m in methods)]
    return {method: math.exp(stored.mean(sign * math.log(table[d, method][0] / table[d, "FRBF"][0]) for d in whole)) for method in methods}


def print_exact():
    """RMSE, seconds of training and peak memory of exact kernels beside their Fastfood expansions, as far as they were run."""
    path = os.path.join(HERE, "exact.results.json")
    cells = stored.by_fold(stored.units(path), lambda u: f"{stored.short(u.test['rmse'])}, {u.seconds['train']:.0f} s, {u.peak_mb:.0f} MB")
    sets, labels = stored.order(path)
    stored.print_table(["data set"] + labels, [[d] + [cells[d, m][0] if (d, m) in cells else "" for m in labels] for d in sets])


if sys.argv[1] == "relative":
    columns = [geometric(lambda u: u.test["rmse"], inverse=True), geometric(lambda u: u.seconds["train"]),
               geometric(lambda u: u.seconds["predict"]), geometric(lambda u: u.peak_mb)]
    stored.print_table(["method", "accuracy (RMSE of FRBF / RMSE)", "training time / FRBF", "prediction time / FRBF", "peak memory / FRBF"],
                       [[method] + [f"{column[method]:.2f}" for column in columns] for method in methods])
elif sys.argv[1] == "exact":
    print_exact()
else:
    rmse = stored.by_fold(units, lambda u: u.test["rmse"])
    stored.print_table(["RMSE"] + methods, [[d] + [stored.short(rmse[d, method][0]) if (d, method) in rmse else "" for method in methods] for d in datasets])
