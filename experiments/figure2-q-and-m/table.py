#!/usr/bin/env python3
"""Mean RMSE on a data set by components and frequencies, or by frequencies alone: table.py DATASET components|frequencies"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import stored  # noqa: E402

rmse = stored.by_fold(stored.units(os.path.join(HERE, "experiment.results.json")), lambda u: u.test["rmse"])


def mean(label):
    return stored.short(stored.mean(rmse[sys.argv[1], label].values()))


if sys.argv[2] == "components":
    counts = [8, 16, 32, 64, 128]
    rows = [[f"{name}, Q = {q}"] + [mean(f"{name} Q={q} m={m}") for m in counts] for name in ("GM", "PWL") for q in (1, 2, 4, 8)]
else:
    counts = [16, 32, 64, 128, 256]
    rows = [[name] + [mean(f"{name} m={m}") for m in counts] for name in ("RBF", "ARD", "FSARD", "FSGBARD", "SSGPR")]
stored.print_table(["", f"m = {counts[0]}"] + [str(m) for m in counts[1:]], rows)
